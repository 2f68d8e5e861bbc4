import Foundation
import HTTPTransfer
import KonzaModel
import KonzaSystem
import KonzaTesting
import ObjectStore
import Testing

/// The S3 server with a client of its account.
struct Bench {
    let server: ObjectServer
    let client: ObjectClient

    // Credentials are nil for the right ones.
    init(
        _ options: [String] = [], credentials: ObjectCredentials? = nil,
        region: String = "us-east-1", settings: ObjectTransferSettings = ObjectTransferSettings()
    ) throws {
        server = try ObjectServer(options)
        client = try Bench.client(server.address, credentials, region: region, settings: settings)
    }

    static func client(
        _ address: String, _ credentials: ObjectCredentials? = nil, region: String = "us-east-1",
        settings: ObjectTransferSettings = ObjectTransferSettings()
    ) throws -> ObjectClient {
        let account = try #require(ObjectCredentials(accessKey: "KONZATEST", secretKey: "konza-test-secret"))
        let clock = SystemClock()
        return try ObjectClient(
            try #require(ObjectStoreAddress(address, region: region)), credentials: credentials ?? account,
            settings: settings, now: { clock.utc() })
    }

    /// What is to go wrong with the next requests.
    func inject(_ faults: String) throws {
        var request = HTTPRequest("POST", url: "http://127.0.0.1:\(server.port)/-/faults")
        request.body = Array(faults.utf8)
        #expect(try HTTPConnection().send(request).status == 200)
    }

    struct Kept: Decodable {
        let sha256: String
        let bytes: Int
        let type: String?
        let writes: Int
    }

    struct Asked: Decodable {
        let method: String
        let headers: [String: String]
    }

    func objects() throws -> [String: Kept] { try read("objects") }

    func log() throws -> [Asked] { try read("log") }

    private func read<Value: Decodable>(_ name: String) throws -> Value {
        let answer = try HTTPConnection().send(HTTPRequest(url: "http://127.0.0.1:\(server.port)/-/\(name)"))
        return try JSONDecoder().decode(Value.self, from: Data(answer.body))
    }

    static func upload(_ name: String, _ bytes: [UInt8], metadata: [String: String] = [:]) throws -> ObjectUpload {
        ObjectUpload(
            .bytes(bytes), key: try #require(ObjectKey(name)), sha256: hash(bytes), contentType: "image/jpeg",
            metadata: metadata)
    }

    static func hash(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.hexadecimal()
    }
}
