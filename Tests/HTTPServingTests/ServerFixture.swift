import Foundation
import Glibc
import KonzaAPI
import KonzaModel
import KonzaSystem

@testable import HTTPServing

/// A server on a socket in a folder of its own, both gone at the end.
final class ServerFixture: Sendable {
    let server: HTTPServer
    let memory: MemoryBudget
    let folder: String
    var path: String { folder + "/s" }

    init(
        _ routes: [Route] = ServerFixture.routes, limits: ServerLimits = ServerLimits(),
        origins: OriginPolicy = OriginPolicy(), access: AccessPolicy = .everyone
    ) throws {
        folder = try Self.makeFolder()
        memory = MemoryBudget()
        server = try HTTPServer(
            router: Router(routes), limits: limits, memory: memory, origins: origins, access: access)
        try server.listen(onUnixSocket: folder + "/s")
    }

    /// A server whose clients are the users that they say they are, by ``RawClient/init(_:user:)``. One that says
    /// nothing is who it is: the server's own process.
    init(
        pretending routes: [Route], limits: ServerLimits, memory: MemoryBudget = MemoryBudget(),
        uploads: (any UploadStore)? = nil, access: AccessPolicy = .everyone
    ) throws {
        folder = try Self.makeFolder()
        self.memory = memory
        server = try HTTPServer(
            router: Router(routes), limits: limits, memory: memory, uploads: uploads, access: access
        ) { socket in
            if let user = RawClient.user(atOtherEndOf: socket) {
                return PeerCredentials(processID: 1, userID: user, groupID: user)
            }
            return try? PeerCredentials(ofSocket: socket)
        }
        try server.listen(onUnixSocket: folder + "/s")
    }

    private static func makeFolder() throws -> String {
        var template = Array("/tmp/konza-api-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a folder") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func stop() async { await server.stop(graceSeconds: 1) }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = folder + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    static let routes: [Route] = [
        Route(
            .get, "/v1/hello", access: .everyone, operation: "hello", summary: "Says hello.",
            query: [
                QueryParameter("name", "whom"), QueryParameter("tag", "more", repeats: true),
                QueryParameter("form", "how", values: ["long", "short"]),
            ], produces: ["application/json", "text/plain"],
            handler: .immediate { request in
                if request.acceptedType == "text/plain" { return .text("hello") }
                return try .json([
                    "hello": request.query("name") ?? "world",
                    "tags": request.query["tag"]?.joined(separator: "|") ?? "",
                ])
            }),
        Route(
            .get, "/v1/things/{id}", access: .everyone, operation: "thing", summary: "One thing.",
            handler: .immediate { request in try .json(["id": request.parameter("id")]) }),
        Route(
            .get, "/v1/things/special", access: .everyone, operation: "special",
            summary: "A literal beside a parameter.",
            handler: .immediate { _ in try .json(["id": "the special one"]) }),
        Route(
            .post, "/v1/things", access: .only(.collector), operation: "make", summary: "Makes a thing.",
            body: RequestBody(schema: "Thing"),
            handler: .asynchronous { request in
                try .created(
                    ["bytes": request.body.count, "json": try request.json() == nil ? 0 : 1], location: "/v1/things/1")
            }),
        Route(
            .put, "/v1/things/{id}", access: .only(.collector), operation: "replace", summary: "Replaces a thing.",
            body: RequestBody(isRequired: true, limit: 16), handler: .immediate { _ in .noContent }),
        Route(
            .get, "/v1/slow", access: .everyone, operation: "slow", summary: "Waits until it is cancelled.",
            handler: .asynchronous { _ in
                try await Task.sleep(nanoseconds: 60_000_000_000)
                return .noContent
            }),
        Route(
            .get, "/v1/broken", access: .everyone, operation: "broken", summary: "Fails.",
            handler: .immediate { _ in throw SystemError(code: EIO, action: "do it") }),
    ]
}

/// One answer as it came over the wire.
struct RawAnswer {
    var status: Int
    var head: String
    var body: [UInt8]

    func header(_ name: String) -> String? {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix(name.lowercased() + ":") {
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The kind of the problem in the body.
    var kind: String? { (try? JSONDecoder().decode(Problem.self, from: Data(body)))?.kind.rawValue }
}

/// A socket to the server without any manners. Every read is bounded to 10 s.
final class RawClient {
    let socket: Int32
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - path: of the server's socket.
    ///   - user: who the client claims to be, to a server that believes it.
    /// - Throws: `SystemError` if the server cannot be reached.
    init(_ path: String, user: UInt32? = nil) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        if let user { try Self.sign(socket, as: user) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else {
            let error = SystemError("connect")
            close(socket)
            throw error
        }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    private static let signature = "konza-client "

    /// Binds the socket to an abstract name that tells the user (unix(7)).
    private static func sign(_ socket: Int32, as user: UInt32) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = [0] + Array("\(signature)\(user) \(UInt64.random(in: 0...UInt64.max))".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
        }
        guard code == 0 else { throw SystemError("bind") }
    }

    /// The user that the client of an accepted socket claims to be.
    static func user(atOtherEndOf socket: Int32) -> UInt32? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
        }
        let count = Int(length) - MemoryLayout<sa_family_t>.size
        guard code == 0, count > 1 else { return nil }
        let name = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0[1..<count], as: UTF8.self) }
        guard name.hasPrefix(signature) else { return nil }
        return name.split(separator: " ").dropFirst().first.flatMap { UInt32($0) }
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// - Returns: false at the end.
    private func fill() -> Bool {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &part, part.count, 0)
        guard count > 0 else { return false }
        buffer += part.prefix(count)
        return true
    }

    /// Sends as much as the server and the kernel take at once.
    func sendWhatFits(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            var poll = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            guard Glibc.poll(&poll, 1, 500) > 0 else { return }
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Everything until the server closes, or until the time is over.
    func readToEnd() -> [UInt8] {
        while fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// Bytes until they contain the text; what there is if the server closes before.
    func read(until text: String) -> String {
        while !String(decoding: buffer, as: UTF8.self).contains(text), fill() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// One answer of known length; nil if the server closes instead.
    func answer(toHead isHead: Bool = false) -> RawAnswer? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                let status = Int(head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "") ?? 0
                var answer = RawAnswer(status: status, head: head, body: [])
                let length = isHead ? 0 : answer.header("content-length").flatMap { Int($0) } ?? 0
                while buffer.count < end.upperBound + length { if !fill() { return answer } }
                answer.body = Array(buffer[end.upperBound..<end.upperBound + length])
                buffer.removeFirst(end.upperBound + length)
                if status == 100 { continue }
                return answer
            }
            if !fill() { return nil }
        }
    }

    /// Sends a request without a body and reads its answer.
    func ask(_ line: String, _ headers: String...) -> RawAnswer? {
        send("\(line) HTTP/1.1\r\nHost: konza\r\n" + headers.map { $0 + "\r\n" }.joined() + "\r\n")
        return answer(toHead: line.hasPrefix("HEAD"))
    }
}
