import Foundation
import Glibc
import HTTPServing
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Testing

@Suite(.offPool) struct SocketTests {
    /// Runs curl through the fixture's socket.
    static func curl(_ fixture: ServerFixture, _ arguments: String...) throws -> (status: Int32, output: String) {
        let run = try ProgramRun(
            "/usr/bin/curl", ["-sS", "--max-time", "20", "--unix-socket", fixture.path] + arguments)
        return (run.status, run.text)
    }

    @Test func `curl gets, sends, is refused, and follows a stream`() async throws {
        let hub = EventHub(epoch: "e")
        hub.publish("n", data: "first")
        let fixture = try ServerFixture(ServerFixture.routes + [StreamTests.eventsRoute(hub)])
        let hello = try Self.curl(fixture, "http://localhost/v1/hello?name=curl")
        #expect(hello == (0, #"{"hello":"curl","tags":""}"#))
        let made = try Self.curl(
            fixture, "--json", #"{"a":1}"#, "-w", " %{http_code}", "http://localhost/v1/things")
        #expect(made == (0, #"{"bytes":7,"json":1} 201"#))
        let file = try fixture.file("large", [UInt8](repeating: 0x20, count: 4_000_000))
        let refused = try Self.curl(
            fixture, "--data-binary", "@\(file)", "-H", "Content-Type: application/json", "-w", "%{http_code}", "-o",
            "/dev/null", "http://localhost/v1/things")
        #expect(refused == (0, "413"))
        let head = try Self.curl(fixture, "-I", "http://localhost/v1/hello")
        #expect(head.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
        let foreign = try Self.curl(fixture, "-o", "/dev/null", "-w", "%{http_code}", "http://evil.example/v1/hello")
        #expect(foreign == (0, "403"))
        let events = try Self.curl(
            fixture, "-N", "--max-time", "1", "-H", "Last-Event-ID: e-0", "http://localhost/v1/events")
        // 28: curl's own time was over, as it has to be with a stream.
        #expect(events.status == 28)
        #expect(events.output.hasSuffix("id: e-1\nevent: n\ndata: first\n\n"))
        await fixture.stop()
    }

    @Test func `a passed socket goes on listening when the server has stopped`() async throws {
        let fixture = try ServerFixture()
        let path = fixture.folder + "/passed"
        let passed = try Self.listen(path)
        let manager = dup(passed)
        defer { close(manager) }
        let server = try HTTPServer(router: Router(ServerFixture.routes))
        try server.listen(onDescriptor: passed)
        #expect(try RawClient(path).ask("GET /v1/hello")?.status == 200)
        await server.stop(graceSeconds: 0.1)
        // The service manager's side still takes connections, which the next run of the daemon finds waiting.
        let waiting = try RawClient(path)
        let next = try HTTPServer(router: Router(ServerFixture.routes))
        try next.listen(onDescriptor: dup(manager))
        #expect(waiting.ask("GET /v1/hello")?.status == 200)
        await next.stop(graceSeconds: 0.1)
        #expect(access(path, F_OK) == 0)
        await fixture.stop()
    }

    @Test func `a descriptor that does not listen is refused`() throws {
        let server = try HTTPServer(router: Router([]))
        let plain = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(plain) }
        #expect(throws: ListenError.self) { try server.listen(onDescriptor: plain) }
    }

    @Test func `what lies at the path and is no socket stays there`() async throws {
        let fixture = try ServerFixture()
        let file = try fixture.file("precious", [1, 2, 3])
        let server = try HTTPServer(router: Router([]))
        #expect(throws: ListenError.self) { try server.listen(onUnixSocket: file) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)).count == 3)
        for path in ["", "/nonexistent/folder/s", "/tmp/" + String(repeating: "x", count: 108)] {
            #expect(throws: ListenError.self, "\(path)") { try server.listen(onUnixSocket: path) }
        }
        await fixture.stop()
    }

    private static func listen(_ path: String) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(number, 16) == 0 else { throw SystemError("listen") }
        return number
    }
}
