import Foundation
import Glibc
import HTTPServing
import HTTPTransfer
import KonzaAPI
import KonzaClient
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import Testing

@Suite(.offPool) struct StationClientTests {
    struct Thing: Codable, Equatable { var name: String }

    /// A real server on a socket of its own, with a folder that goes at the end.
    static func withServer(_ body: (_ path: String, _ hub: EventHub) async throws -> Void) async throws {
        var template = Array("/tmp/konza-client-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a folder") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let hub = EventHub(epoch: "e")
        let server = try HTTPServer(router: Router(routes(hub)), access: .everyone)
        try server.listen(onUnixSocket: folder + "/s")
        do {
            try await body(folder + "/s", hub)
        } catch {
            await server.stop(graceSeconds: 0.1)
            throw error
        }
        await server.stop(graceSeconds: 0.1)
    }

    static let blob = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    static func routes(_ hub: EventHub) -> [Route] {
        [
            Route(
                .get, "/v1/things/{id}", access: .everyone, operation: "thing", summary: "A thing.",
                query: [QueryParameter("q", "text")],
                handler: .immediate { request in
                    try .json(Thing(name: request.parameter("id") + (request.query("q") ?? "")))
                }),
            Route(
                .post, "/v1/things", access: .only(.collector), operation: "make", summary: "Makes.",
                body: RequestBody(),
                handler: .immediate { request in
                    var members = RequestMembers(try request.json())
                    let name = members.string("name") ?? "nameless"
                    try members.finish()
                    return try .created(
                        Thing(name: name + (request.headers["idempotency-key"] ?? "")), location: "/v1/things/1")
                }),
            Route(
                .delete, "/v1/things/{id}", access: .only(.collector), operation: "remove", summary: "Removes.",
                handler: .immediate { _ in .noContent }),
            Route(
                .get, "/v1/blob", access: .everyone, operation: "blob", summary: "Bytes.",
                produces: ["application/octet-stream"],
                handler: .immediate { _ in .data(FrameData(blob), type: "application/octet-stream") }),
            Route(
                .get, "/v1/events", access: .everyone, operation: "events", summary: "Events.",
                produces: ["text/event-stream"],
                handler: .immediate { request in try hub.subscribe(request) }),
        ]
    }

    @Test func `gets, posts and deletes`() async throws {
        try await Self.withServer { path, _ in
            let client = try StationClient(socketPath: path)
            let thing: Thing = try client.get("/v1/things/" + percentEncoded("a/b 草"), query: [("q", "+&=%?")])
            #expect(thing == Thing(name: "a/b 草+&=%?"))
            let made: Thing = try client.post("/v1/things", Thing(name: "card"), idempotencyKey: "-k")
            #expect(made == Thing(name: "card-k"))
            try client.delete("/v1/things/1")
            #expect(try client.bytes("/v1/blob").body == Self.blob)
        }
    }

    @Test func `hands on problems by their kind`() async throws {
        try await Self.withServer { path, _ in
            let client = try StationClient(socketPath: path)
            let missing = #expect(throws: ClientError.self) { try client.get("/v1/nowhere", as: Thing.self) }
            #expect(missing?.kind == .notFound)
            let unknown = #expect(throws: ClientError.self) {
                try client.post("/v1/things", ["colour": "red"], as: Thing.self)
            }
            guard case .problem(let problem) = unknown else {
                Issue.record("no problem: \(String(describing: unknown))")
                return
            }
            #expect(problem.errors?.first?.path == "/colour")
        }
    }

    @Test func `downloads to a file that appears whole or not at all`() async throws {
        try await Self.withServer { path, _ in
            let client = try StationClient(socketPath: path)
            let file = path + ".blob"
            #expect(try client.download("/v1/blob", toFile: file) == Self.blob.count)
            #expect(try Array(Data(contentsOf: URL(fileURLWithPath: file))) == Self.blob)
            #expect(throws: ClientError.self) { try client.download("/v1/nowhere", toFile: path + ".none") }
            #expect(throws: ClientError.self) { try client.download("/v1/blob", toFile: "/nonexistent/folder/f") }
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["s", "s.blob"])
        }
    }

    @Test func `hands a large answer on piece by piece until it is enough, and a refusal as a problem`() async throws {
        try await Self.withServer { path, _ in
            let client = try StationClient(socketPath: path)
            var pieces: [[UInt8]] = []
            let answer = try client.fetch(target: "/v1/blob") { piece in
                pieces.append(piece)
                return true
            }
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(pieces.count > 1 && Array(pieces.joined()) == Self.blob)
            pieces = []
            _ = try client.fetch(target: "/v1/blob") { piece in
                pieces.append(piece)
                return false
            }
            #expect(pieces.count == 1)
            let missing = #expect(throws: ClientError.self) {
                try client.fetch(target: "/v1/nowhere") { _ in
                    Issue.record("a refusal is no resource")
                    return true
                }
            }
            #expect(missing?.kind == .notFound)
        }
    }

    @Test func `follows events, comes back to them, and stops when told`() async throws {
        try await Self.withServer { path, hub in
            for number in 1...3 { hub.publish("n", data: "\(number)") }
            let client = try StationClient(socketPath: path)
            var seen: [String] = []
            try client.events(lastEventID: "e-1") { event in
                seen.append("\(event.name) \(event.data) \(event.lastEventID)")
                return seen.count < 2
            }
            #expect(seen == ["n 2 e-2", "n 3 e-3"])
            let cancellation = TransferCancellation()
            cancellation.cancel()
            let error = #expect(throws: ClientError.self) {
                try client.events(cancellation: cancellation) { _ in true }
            }
            guard case .transfer(let reason) = error else {
                Issue.record("not cancelled: \(String(describing: error))")
                return
            }
            #expect(reason.reason == .cancelled)
        }
    }

    @Test func `an answer larger than wanted is given up`() async throws {
        try await Self.withServer { path, _ in
            let connection = try HTTPConnection()
            var request = HTTPRequest(url: "http://konza/v1/blob", unixSocket: path)
            request.maximumBytes = 1000
            let error = #expect(throws: TransferError.self) { try connection.send(request) }
            #expect(error?.reason == .tooLarge)
        }
    }

    /// A server that answers one request with bytes that are no sense.
    private static func answering(_ bytes: [UInt8], _ body: (_ path: String) throws -> Void) throws {
        let path = "/tmp/konza-nonsense-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let listening = FileDescriptor(owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        defer { unlink(path) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listening.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, listen(listening.number, 1) == 0 else { throw SystemError("listen") }
        let number = listening.number
        let thread = Thread {
            let client = FileDescriptor(owning: accept(number, nil, nil))
            var request = [UInt8](repeating: 0, count: 65_536)
            _ = recv(client.number, &request, request.count, 0)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(client.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
        thread.start()
        try body(path)
    }

    @Test(arguments: [
        ("\u{1}nonsense\r\n\r\n", "it is no HTTP/1"), (String(repeating: "X: y\r\n", count: 100), "it is no HTTP/1"),
        ("HTTP/7.1 200 OK\r\n\r\n", "it is no HTTP/1"), ("HTTP/1.1 9999 OK\r\n\r\n", "it is no HTTP/1"),
        ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 1_000_000))", "its head is too large"),
        (
            "HTTP/1.1 200 OK\r\n\(String(repeating: "X: yyyyyyyyyyyyyy\r\n", count: 50_000))",
            "Too large response headers"
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "Invalid Content-Length"),
    ]) func `an answer that is no sense is not blamed on the address`(_ answer: String, _ words: String) throws {
        try Self.answering(Array(answer.utf8)) { path in
            let error = #expect(throws: TransferError.self) {
                try HTTPConnection().send(HTTPRequest(url: "http://konza/v1", unixSocket: path))
            }
            #expect(error?.reason == .broken)
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `says what to do when nobody is there`() throws {
        let missing = #expect(throws: ClientError.self) {
            try StationClient(socketPath: "/nonexistent/konza.sock").get("/v1", as: Thing.self)
        }
        #expect(missing?.description.contains("systemctl status konzad") == true)
        guard case .transfer(let error) = missing else {
            Issue.record("not a transfer error")
            return
        }
        #expect(error.reason == .socketMissing)
        #expect(throws: TransferError.self) { try HTTPConnection().send(HTTPRequest(url: "file:///etc/passwd")) }
        #expect(throws: TransferError.self) { try HTTPConnection().send(HTTPRequest(url: "nonsense")) }
    }
}
