import Foundation
import Glibc
import HTTPServing
import KonzaAPI
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Testing

@Suite(.offPool) struct HostileTests {
    /// Whatever a client has done, another is served.
    static func expectAlive(_ fixture: ServerFixture) throws {
        #expect(try RawClient(fixture.path).ask("GET /v1/hello")?.status == 200)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET /v1/hello\r\n\r\n", "GET /v1/hello HTTP/0.9\r\n\r\n", "\r\n\r\n\r\n\r\n",
        "GET /v1/hello HTTP/2.0\r\nHost: konza\r\n\r\n", "GET  HTTP/1.1\r\nHost: konza\r\n\r\n",
        "GET /v1/he\0llo HTTP/1.1\r\nHost: konza\r\n\r\n", "GET /v1/hello HTTP/1.1\r\nHost: k\0onza\r\n\r\n",
        "GET /v1/hello HTTP/1.1\r\nHost: konza\r\nHost: konza\r\n\r\n", "\u{16}\u{3}\u{1}\0\0\0",
        "GET /v1/hello HTTP/1.1\r\nHost: konza\r\nNo colon here\r\n\r\n", "GET konza HTTP/1.1\r\nHost: konza\r\n\r\n",
        "GET /v1/hello HTTP/1.1\nHost: konza\n\n", "GET /v1/hello HTTP/1.1\r\n folded: x\r\nHost: konza\r\n\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: -1\r\n\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 9223372036854775807\r\n\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\n",
        "POST /v1/things HTTP/1.1\r\nHost: konza\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ]) func `bad requests are refused or dropped`(_ request: String) async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send(request)
        shutdown(client.socket, Int32(SHUT_WR))
        let answer = client.readToEnd()
        let status = String(decoding: answer.prefix(12), as: UTF8.self)
        #expect(answer.isEmpty || status.hasPrefix("HTTP/1."), "\(status)")
        #expect(!status.hasSuffix(" 500") && !status.hasSuffix(" 201"), "\(status)")
        try Self.expectAlive(fixture)
        await fixture.stop()
    }

    @Test func `HTTP 1_0 is served without a host and closed`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("GET /v1/hello HTTP/1.0\r\n\r\n")
        #expect(client.answer()?.status == 200)
        #expect(client.readToEnd().isEmpty)
        await fixture.stop()
    }

    @Test func `pipelined requests are answered in order`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        let count = 200
        client.send((0..<count).map { "GET /v1/things/\($0) HTTP/1.1\r\nHost: konza\r\n\r\n" }.joined())
        for number in 0..<count { #expect(client.answer()?.text == #"{"id":"\#(number)"}"#) }
        await fixture.stop()
    }

    @Test func `a half-closed client still gets its answer`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 2\r\n\r\n{}")
        shutdown(client.socket, Int32(SHUT_WR))
        #expect(client.answer()?.status == 201)
        await fixture.stop()
    }

    @Test func `a header bomb ends in an answer or a close`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("GET /v1/hello HTTP/1.1\r\nHost: konza\r\n")
        for number in 0..<100_000 where !client.send("X-\(number): \(String(repeating: "y", count: 100))\r\n") { break }
        let answer = client.readToEnd()
        #expect(answer.isEmpty || String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 4"))
        try Self.expectAlive(fixture)
        await fixture.stop()
    }

    @Test func `a body of 64 MB is refused before it is sent, announced or not`() async throws {
        let fixture = try ServerFixture()
        let announced = try RawClient(fixture.path)
        announced.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 67108864\r\n\r\n")
        let answer = try #require(announced.answer())
        #expect(answer.status == 413)
        #expect(answer.kind == "body-too-large")

        let chunked = try RawClient(fixture.path)
        chunked.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 65_536) + Array("\r\n".utf8)
        for _ in 0..<1024 where !chunked.send(chunk) { break }
        let text = String(decoding: chunked.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 413"))
        try Self.expectAlive(fixture)
        await fixture.stop()
    }

    @Test func `a small refused body leaves the connection good`() async throws {
        let fixture = try ServerFixture()
        let client = try RawClient(fixture.path)
        client.send("POST /v1/nowhere HTTP/1.1\r\nHost: konza\r\nContent-Length: 100000\r\n\r\n")
        client.send([UInt8](repeating: 0x20, count: 100_000))
        #expect(client.answer()?.status == 404)
        #expect(client.ask("GET /v1/hello")?.status == 200)
        client.send("PUT /v1/things/1 HTTP/1.1\r\nHost: konza\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.send("20\r\n\(String(repeating: "x", count: 32))\r\n0\r\n\r\n")
        #expect(client.answer()?.status == 413)
        #expect(client.ask("GET /v1/hello")?.status == 200)
        await fixture.stop()
    }

    @Test func `a request that trickles in is cut off`() async throws {
        var limits = ServerLimits()
        limits.headSeconds = 0.2
        limits.bodySeconds = 0.2
        let fixture = try ServerFixture(limits: limits)
        let head = try RawClient(fixture.path)
        let body = try RawClient(fixture.path)
        head.send("GET /v1/hello HTTP/1.1\r\nHost: ")
        body.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 10\r\n\r\n")
        let texts = [head, body].map { String(decoding: $0.readToEnd(), as: UTF8.self) }
        #expect(texts.allSatisfy { $0.hasPrefix("HTTP/1.1 408") }, "\(texts)")
        #expect(await eventually { fixture.server.statistics.timedOutConnections == 2 })
        try Self.expectAlive(fixture)
        await fixture.stop()
    }

    @Test func `a client may take a long answer as slowly as its length allows, and no slower`() async throws {
        let large = Route(
            .get, "/v1/large", access: .everyone, operation: "large", summary: "Eight million bytes.",
            produces: ["text/plain"],
            handler: .immediate { _ in .bytes([UInt8](repeating: 0x61, count: 8_000_000), type: "text/plain") })
        var limits = ServerLimits()
        limits.replySeconds = 0.1
        for (rate, isCut) in [(100_000.0, false), (.infinity, true)] {
            limits.replyBytesPerSecond = rate
            let fixture = try ServerFixture(ServerFixture.routes + [large], limits: limits)
            let client = try RawClient(fixture.path)
            client.send("GET /v1/large HTTP/1.1\r\nHost: konza\r\n\r\n")
            if isCut { #expect(await eventually { fixture.server.statistics.timedOutConnections == 1 }) }
            // Longer than the first limit; what the kernel holds between the two is far less than the answer.
            usleep(400_000)
            client.send("GET /v1/hello HTTP/1.1\r\nHost: konza\r\nConnection: close\r\n\r\n")
            let count = client.readToEnd().count
            #expect(isCut ? count < 8_000_000 : count > 8_000_000, "\(count) bytes at \(rate)")
            try Self.expectAlive(fixture)
            await fixture.stop()
        }
    }

    @Test func `noise does not end the server`() async throws {
        let fixture = try ServerFixture()
        let seed = RandomTest.seed(of: "noise")
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("GETPOST /v1hello?%&=#: \r\n\r\n\0\u{7f}HTTP/1.1Host".utf8)
        for _ in 0..<300 {
            let client = try RawClient(fixture.path)
            let length = Int.random(in: 1...600, using: &generator)
            var bytes = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if Bool.random(using: &generator) {
                bytes = Array("GET /v1/hello HTTP/1.1\r\nHost: konza\r\n".utf8) + bytes + Array("\r\n\r\n".utf8)
            }
            client.send(bytes)
        }
        #expect(try RawClient(fixture.path).ask("GET /v1/hello")?.status == 200, "seed \(seed)")
        await fixture.stop()
    }

    @Test func `ten thousand requests leave no descriptor and no memory behind`() async throws {
        let hub = EventHub()
        let fixture = try ServerFixture(ServerFixture.routes + [StreamTests.eventsRoute(hub)])
        func round(_ count: Int) throws {
            for number in 0..<count {
                let client = try RawClient(fixture.path)
                _ = client.ask("GET /v1/hello?name=\(number)")
                _ = client.ask("GET /v1/nowhere")
                client.send("POST /v1/things HTTP/1.1\r\nHost: konza\r\nContent-Length: 2\r\n\r\n{}")
                _ = client.answer()
                client.send("GET /v1/events HTTP/1.1\r\nHost: konza\r\n\r\n")
                _ = client.read(until: "data: now\n\n")
            }
        }
        try round(500)
        let before = Self.residentKilobytes()
        try round(2500)
        #expect(Self.residentKilobytes() - before < 6000)
        while fixture.server.statistics.openConnections > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(fixture.server.statistics.openStreams == 0)
        #expect(hub.subscriberCount == 0)
        await fixture.stop()
    }

    static func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    }
}
