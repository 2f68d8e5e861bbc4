import Foundation
import Glibc
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization

@testable import HTTPServing

/// A certificate of its own making for localhost, made by openssl(1).
struct MadeCertificate {
    let certificate: [UInt8]
    let key: [UInt8]

    /// - Parameters:
    ///   - name: its common name.
    ///   - folder: where its files go, under that name.
    ///   - algorithm: of its key.
    /// - Throws: an error if openssl does not make it.
    init(_ name: String, in folder: String, algorithm: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) throws
    {
        let base = folder + "/" + name
        let made = try ProgramRun(
            "/usr/bin/openssl",
            ["req", "-x509", "-newkey"] + algorithm + [
                "-nodes", "-keyout", base + ".key", "-out", base + ".pem", "-days", "7", "-subj", "/CN=" + name,
                "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ])
        guard made.status == 0 else { throw SystemError(code: EIO, action: "make a certificate: \(made.errors)") }
        certificate = try Array(Data(contentsOf: URL(fileURLWithPath: base + ".pem")))
        key = try Array(Data(contentsOf: URL(fileURLWithPath: base + ".key")))
    }

    func identity(at now: UTCInstant = SystemClock().utc()) throws -> TLSIdentity {
        try TLSIdentity(certificate: certificate, key: key, at: now)
    }
}

/// A server with TLS on the loopback, and a folder with its certificate.
final class TLSFixture: Sendable {
    let server: HTTPServer
    let port: UInt16
    let folder: String

    init(_ routes: [Route] = TLSFixture.routes, limits: ServerLimits = ServerLimits()) throws {
        var template = Array("/tmp/konza-tls-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let lines = LineBox()
        box = lines
        server = try HTTPServer(
            router: Router(routes), limits: limits, access: AccessPolicy(ownUser: geteuid(), groupID: nil),
            onTransportError: { lines.add($0) })
        port = try server.listen(
            onAddress: "127.0.0.1", port: 0, tls: MadeCertificate("first", in: folder).identity())
    }

    private let box: LineBox
    /// What went to the log.
    var log: [String] { box.all }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func stop() async { await server.stop(graceSeconds: 1) }

    /// Asks with curl, which checks the certificate.
    func curl(_ path: String, _ arguments: String..., certificate: String = "first") throws -> ProgramRun {
        try ProgramRun(
            "/usr/bin/curl",
            ["-sS", "--max-time", "20", "--cacert", "\(folder)/\(certificate).pem"] + arguments + [
                "https://localhost:\(port)\(path)"
            ])
    }

    /// Asks for `/v1/hello` with `openssl s_client`.
    func client(_ arguments: String..., request: String = TLSFixture.request) throws -> ProgramRun {
        try ProgramRun(
            "/usr/bin/openssl",
            ["s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost", "-ign_eof"] + arguments,
            input: Data(request.utf8), errorsInOutput: true)
    }

    static let request = "GET /v1/hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    static let large = [UInt8]((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    static let routes: [Route] =
        ServerFixture.routes + [
            Route(
                .get, "/v1/channel", access: .everyone, operation: "channel", summary: "Over what.",
                handler: .immediate { request in
                    try .json([
                        "encrypted": request.principal.channel.isEncrypted ? "yes" : "no",
                        "roles": request.principal.roles.map(\.rawValue).sorted().joined(separator: ","),
                        "account": "\(request.principal.account)",
                    ])
                }),
            Route(
                .get, "/v1/thread", access: .everyone, operation: "thread", summary: "Who serves.",
                produces: ["text/plain"],
                handler: .immediate { _ in
                    // proc(5): PID/task/TID.
                    var link = [CChar](repeating: 0, count: 64)
                    readlink("/proc/thread-self", &link, link.count - 1)
                    let path = String(decoding: link.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    return .text(String(path.split(separator: "/").last ?? ""))
                }),
            Route(
                .get, "/v1/large", access: .everyone, operation: "large", summary: "1.5 MB from memory.",
                produces: ["application/octet-stream"],
                handler: .asynchronous { _ in .data(FrameData(large), type: "application/octet-stream") }),
        ]
}

/// Lines from any thread.
final class LineBox: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

/// A TCP socket to a port of the loopback, from any of its addresses. Every read is bounded to 20 s.
final class TCPSocket {
    let number: Int32

    init(port: UInt16, from source: String = "127.0.0.1") throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard number >= 0 else { throw SystemError("make a socket") }
        guard Self.with(source, 0, { bind(number, $0, $1) }) == 0,
            Self.with("127.0.0.1", port, { connect(number, $0, $1) }) == 0
        else {
            let error = SystemError("connect to port \(port)")
            close(number)
            throw error
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(number) }

    private static func with(
        _ address: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count }

    /// Everything until the server closes; nil if the time is over before.
    func readToEnd() -> [UInt8]? {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(number, &part, part.count, 0)
            if count > 0 { all += part.prefix(count) }
            if count == 0 || (count < 0 && errno == ECONNRESET) { return all }
            if count < 0 { return nil }
        }
    }

    /// Whether the server has closed by now.
    var isClosed: Bool {
        var byte: UInt8 = 0
        let count = recv(number, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN)
    }
}
