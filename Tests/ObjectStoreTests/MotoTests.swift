import Foundation
import HTTPTransfer
import KonzaModel
import KonzaSystem
import KonzaTesting
import ObjectStore
import Testing

private let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "build/python/bin/moto_server").path()

/// `config/install-packages fleet` installs it.
@Suite("moto, another S3 server that checks signatures", .serialized)
struct MotoTests {
    /// A server that lets a client in only by an account that it made, from the second request on.
    private final class Moto {
        let address: String
        let credentials: ObjectCredentials
        private let process = Process()

        init() throws {
            let port = try freeLoopbackPort()
            address = "http://127.0.0.1:\(port)"
            process.executableURL = URL(filePath: program)
            process.arguments = ["-H", "127.0.0.1", "-p", "\(port)"]
            // Four requests set it up: a user, its policy, its key, the bucket.
            process.environment = ProcessInfo.processInfo.environment.merging(["INITIAL_NO_AUTH_ACTION_COUNT": "4"]) {
                $1
            }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let policy = #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}"#
            var isUp = false
            for _ in 0..<3000 where !isUp {
                isUp = (try? HTTPConnection().send(HTTPRequest(url: "\(address)/moto-api/"))) != nil
                if !isUp { usleep(10_000) }
            }
            _ = try Self.ask(address, "iam", "Action=CreateUser&UserName=box&Version=2010-05-08")
            _ = try Self.ask(
                address, "iam",
                "Action=PutUserPolicy&UserName=box&PolicyName=all&Version=2010-05-08&PolicyDocument=\(Self.quoted(policy))"
            )
            let key = try Self.ask(address, "iam", "Action=CreateAccessKey&UserName=box&Version=2010-05-08")
            var bucket = HTTPRequest("PUT", url: "\(address)/konza")
            bucket.headers = [("Authorization", Self.nobody("s3"))]
            _ = try HTTPConnection().send(bucket)
            let access = try #require(Self.element("AccessKeyId", in: key))
            let secret = try #require(Self.element("SecretAccessKey", in: key))
            credentials = try #require(ObjectCredentials(accessKey: access, secretKey: secret))
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        private static func nobody(_ service: String) -> String {
            "AWS4-HMAC-SHA256 Credential=none/20261123/us-east-1/\(service)/aws4_request, SignedHeaders=host, Signature=0"
        }

        private static func ask(_ address: String, _ service: String, _ form: String) throws -> String {
            var request = HTTPRequest("POST", url: "\(address)/")
            request.headers = [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Authorization", nobody(service)),
            ]
            request.body = Array(form.utf8)
            return String(decoding: try HTTPConnection().send(request).body, as: UTF8.self)
        }

        private static func quoted(_ text: String) -> String {
            text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        private static func element(_ name: String, in text: String) -> String? {
            guard let begin = text.range(of: "<\(name)>"), let end = text.range(of: "</\(name)>") else { return nil }
            return String(text[begin.upperBound..<end.lowerBound])
        }
    }

    @Test(
        "takes our signatures and no other's, and keeps what is there",
        .enabled(if: FileManager.default.isExecutableFile(atPath: program), "install the packages of the group fleet"))
    func signed() throws {
        let moto = try Moto()
        let client = try Bench.client("\(moto.address)/konza", moto.credentials)
        let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }
        let object = try Bench.upload("konza/knz07/2026/11/a.jpg", bytes, metadata: ["box": "knz07"])
        #expect(try client.put(object) == .stored)
        #expect(try client.put(object) == .wasThere)
        guard case .otherContent = try client.put(try Bench.upload("konza/knz07/2026/11/a.jpg", [1])) else {
            Issue.record("other bytes were taken for the same")
            return
        }
        let facts = try #require(try client.head(object.key))
        #expect(facts.byteCount == bytes.count && facts.sha256 == object.sha256 && facts.metadata["box"] == "knz07")
        let wrong = ObjectCredentials(accessKey: moto.credentials.accessKey, secretKey: "wrong")
        let forged = try Bench.client("\(moto.address)/konza", wrong)
        #expect(throws: ObjectStoreError.self) { try forged.put(try Bench.upload("b", [1])) }
        try client.delete(object.key)
        #expect(try client.head(object.key) == nil)
    }
}
