import Foundation
import Glibc
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Synchronization
import Testing

@testable import HTTPServing

/// Clients of the TLS port that do not shake hands, or not to the end.
@Suite(.offPool, .timeLimit(.minutes(2))) struct TLSHostileTests {
    /// The beginning of a ClientHello: a record of 512 bytes of which 6 are sent.
    private static let begun: [UInt8] = [0x16, 3, 1, 2, 0, 1]

    /// A whole ClientHello of openssl's, as it goes over the wire.
    private static func hello() throws -> [UInt8] {
        let listener = try HelloCatcher()
        let client = Process()
        client.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        client.arguments = ["s_client", "-connect", "127.0.0.1:\(listener.port)"]
        client.standardInput = FileHandle.nullDevice
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try client.run()
        defer { client.waitUntilExit() }
        return listener.take()
    }

    private static func limits(handshake seconds: Double) -> ServerLimits {
        var limits = ServerLimits()
        limits.handshakeSeconds = seconds
        return limits
    }

    @Test func `a thousand that do not end their handshake stay in bounds and end, and others are served`() async throws
    {
        // Clients hold a thousand descriptors in this process, and the server as many.
        var descriptors = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
        try #require(descriptors.rlim_max > 4000)
        let fixture = try TLSFixture(limits: Self.limits(handshake: 4))
        let hello = try Self.hello()
        let clients = try (0..<1000).map { number in
            // No client is one of the address that asks below.
            let client = try TCPSocket(port: fixture.port, from: "127.0.1.\(1 + number % 20)")
            switch number % 3 {
            case 0: break
            case 1: client.send(Self.begun)
            default: client.send(hello)
            }
            return client
        }
        #expect(await eventually { fixture.server.statistics.acceptedConnections >= 1000 })
        #expect(fixture.server.statistics.refusedConnections == 0)
        for _ in 0..<5 { #expect(try fixture.curl("/v1/hello").status == 0) }
        #expect(clients.allSatisfy { $0.readToEnd() != nil })
        #expect(await eventually { fixture.server.statistics.openConnections == 0 })
        #expect(fixture.server.statistics.timedOutConnections == 1000)
        #expect(fixture.server.statistics.failedHandshakes == 1000)
        #expect(try fixture.curl("/v1/hello").status == 0)
        await fixture.stop()
    }

    @Test func `one address has so many connections and no more, with TLS and without`() async throws {
        let fixture = try TLSFixture()
        let limit = ServerLimits().connectionsOfAddress
        let clients = try (0..<limit + 20).map { _ in try TCPSocket(port: fixture.port, from: "127.0.2.1") }
        #expect(await eventually { fixture.server.statistics.refusedConnections == 20 })
        #expect(await eventually { clients.count { $0.isClosed } == 20 })
        #expect(try fixture.curl("/v1/hello").status == 0)
        await fixture.stop()

        let plain = try HTTPServer(router: Router(ServerFixture.routes))
        let port = try plain.listen(onAddress: "127.0.0.1", port: 0)
        let others = try (0..<limit).map { _ in try TCPSocket(port: port, from: "127.0.2.1") }
        #expect(await eventually { plain.statistics.openConnections == limit })
        let refused = try TCPSocket(port: port, from: "127.0.2.1").readToEnd() ?? []
        let text = String(decoding: refused, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 503") && text.contains("the address 127.0.2.1 has 64"), "\(text)")
        let served = try TCPSocket(port: port, from: "127.0.2.2")
        served.send(Array(TLSFixture.request.utf8))
        #expect(String(decoding: served.readToEnd() ?? [], as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        withExtendedLifetime(others) {}
        await plain.stop(graceSeconds: 0.2)
    }

    @Test func `a handshake in small pieces is waited for, but not longer than the limit`() async throws {
        let fixture = try TLSFixture(limits: Self.limits(handshake: 1.5))
        let hello = try Self.hello()
        let slow = try TCPSocket(port: fixture.port, from: "127.0.3.1")
        var sent = 0
        // Never the last byte.
        while sent < hello.count - 1, slow.send([hello[sent]]), !slow.isClosed {
            sent += 1
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(slow.readToEnd() == [], "closed without an answer after \(sent) bytes")
        #expect(sent < hello.count - 1)
        #expect(fixture.server.statistics.timedOutConnections == 1)
        #expect(try fixture.curl("/v1/hello").status == 0)
        await fixture.stop()
    }

    @Test func `who comes is served while addresses that say nothing hold every place between them`() async throws {
        var limits = Self.limits(handshake: 60)
        limits.connections = 16
        let fixture = try TLSFixture(limits: limits)
        let silent = try (0..<64).map { number in
            let client = try TCPSocket(port: fixture.port, from: "127.0.6.\(1 + number % 8)")
            client.send(Self.begun)
            return client
        }
        // An address that holds one gets no second once 14 are taken: its share is less than what is left (`FairShares`).
        #expect(await eventually { fixture.server.statistics.openConnections >= 14 })
        for _ in 0..<6 { #expect(try fixture.curl("/v1/hello").status == 0) }
        #expect(silent.count == 64)
        await fixture.stop()
    }

    /// libmicrohttpd 0.9.75 with epoll asks such a client for more without a pause.
    @Test func `a client in the midst of its handshake takes no processor`() async throws {
        let fixture = try TLSFixture(limits: Self.limits(handshake: 3))
        let answer = try fixture.curl("/v1/thread").text
        let thread = try #require(Int(answer.filter(\.isNumber)))
        let clients = try [Self.begun, Self.hello()].map { bytes in
            let client = try TCPSocket(port: fixture.port, from: "127.0.4.1")
            client.send(bytes)
            return client
        }
        #expect(await eventually { fixture.server.statistics.acceptedConnections == 3 })
        let before = try Self.processorTicks(ofThread: thread)
        #expect(clients.allSatisfy { $0.readToEnd() != nil })
        // 100 a second: two and more seconds of spinning are 200.
        #expect(try Self.processorTicks(ofThread: thread) - before < 50)
        await fixture.stop()
    }

    private static func processorTicks(ofThread thread: Int) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        // proc(5): utime and stime are the 14th and 15th field, the first here is the 2nd.
        return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
    }

    @Test func `plain requests are closed, and the log says so a few times`() async throws {
        let fixture = try TLSFixture()
        for _ in 0..<40 {
            let client = try TCPSocket(port: fixture.port)
            client.send(Array(TLSFixture.request.utf8))
            let answer = client.readToEnd()
            #expect(answer != nil && !String(decoding: answer ?? [], as: UTF8.self).contains("HTTP/"))
        }
        #expect(await eventually { fixture.server.statistics.failedHandshakes == 40 })
        #expect(fixture.log.count == LineLimit.lines)
        #expect(fixture.log.allSatisfy { $0.hasPrefix("libmicrohttpd: ") && !$0.contains("\n") }, "\(fixture.log)")
        #expect(try fixture.curl("/v1/hello").status == 0)
        await fixture.stop()
    }

    @Test func `damaged handshakes and records end alone`() async throws {
        let fixture = try TLSFixture(limits: Self.limits(handshake: 1))
        let hello = try Self.hello()
        let count = RandomTest.cases(300)
        let seed = RandomTest.seed(of: "damaged hellos")
        var generator = SeededGenerator(seed: seed)
        var clients: [TCPSocket] = []
        for number in 0..<count {
            let client = try TCPSocket(port: fixture.port, from: "127.0.5.\(1 + number % 100)")
            var bytes = hello
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes += (0..<100).map { _ in .random(in: 0...255, using: &generator) }
            }
            client.send(bytes)
            clients.append(client)
            if clients.count == 200 { clients.removeFirst() }
        }
        #expect(try fixture.curl("/v1/hello").status == 0, "seed \(seed)")
        #expect(clients.allSatisfy { $0.readToEnd() != nil }, "seed \(seed)")
        #expect(await eventually { fixture.server.statistics.openConnections == 0 }, "seed \(seed)")
        await fixture.stop()
    }

    @Test func `a stop ends all`() async throws {
        let fixture = try TLSFixture(TLSFixture.routes + [StreamTests.eventsRoute(EventHub(epoch: "e"))])
        let silent = try TCPSocket(port: fixture.port)
        let begun = try TCPSocket(port: fixture.port)
        begun.send(Self.begun)
        let stream = Process()
        stream.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        stream.arguments = [
            "-sN", "--cacert", fixture.folder + "/first.pem", "https://localhost:\(fixture.port)/v1/events",
        ]
        stream.standardOutput = FileHandle.nullDevice
        try stream.run()
        let slow = Process()
        slow.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
        slow.arguments = [
            "-s", "--cacert", fixture.folder + "/first.pem", "-w", "%{http_code}",
            "https://localhost:\(fixture.port)/v1/slow",
        ]
        let answer = Pipe()
        slow.standardOutput = answer
        try slow.run()
        #expect(
            await eventually {
                let statistics = fixture.server.statistics
                return statistics.openStreams == 1 && statistics.asynchronousRequests == 1
                    && statistics.openConnections == 4
            })
        await fixture.server.stop(graceSeconds: 0.3)
        #expect(silent.readToEnd() != nil)
        #expect(begun.readToEnd() != nil)
        stream.waitUntilExit()
        #expect(String(decoding: answer.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).hasSuffix("503"))
        slow.waitUntilExit()
        #expect(fixture.server.statistics.openConnections == 0)
        #expect(throws: SystemError.self) { try TCPSocket(port: fixture.port) }
    }

    @Test func `an address of the network is an account, as long as it names a machine`() {
        let rows: [(address: [UInt8], text: String, network: String)] = [
            ([192, 0, 2, 7], "192.0.2.7", "192.0.2.7"),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 7], "192.0.2.7", "192.0.2.7"),
            ([0x20, 1, 0xD, 0xB8, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9], "2001:db8:1:2::9", "2001:db8:1:2::/64"),
            ([0xFD, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9], "fd01:0:0:2::9", "fd01:0:0:2::9"),
            ([0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], "fe80::9", "fe80::9"),
            ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "::1", "::1"), ([], "unknown", "unknown"),
        ]
        for row in rows {
            #expect(Channel.text(ofAddress: row.address) == row.text)
            #expect(Channel.tcp(address: row.text, isEncrypted: true).network == row.network)
        }
        #expect(Channel.unixSocket.network == nil)
    }

    @Test func `lines beyond the limit are counted and said with the next`() {
        var limit = LineLimit()
        let start = MonotonicInstant(nanoseconds: 5)
        for _ in 0..<LineLimit.lines { #expect(limit.pass("x", at: start) == "x") }
        for _ in 0..<7 { #expect(limit.pass("x", at: start.advanced(bySeconds: LineLimit.seconds - 1)) == nil) }
        let next = start.advanced(bySeconds: LineLimit.seconds)
        #expect(limit.pass("y", at: next) == "y (7 more such lines were left out before)")
        #expect(limit.pass("z", at: next) == "z")
    }
}

/// A port that takes one client and what it says first.
private final class HelloCatcher {
    private let listener: ListeningSocket
    let port: UInt16

    init() throws {
        listener = try ListeningSocket(address: "127.0.0.1", port: 0)
        port = try #require(listener.port)
    }

    func take() -> [UInt8] {
        var poll = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, 10_000)
        let client = accept(listener.number, nil, nil)
        guard client >= 0 else { return [] }
        defer { close(client) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
