import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import LocalAPI
import Testing

@Suite(.offPool) struct StreamTests {
    static func eventsRoute(_ hub: EventHub) -> Route {
        Route(
            .get, "/v1/events", operation: "events", summary: "Events.", produces: ["text/event-stream"],
            handler: .immediate { request in
                try hub.subscribe(request, first: [ServerSentEvent(event: "state", data: "now")]) { event, _ in
                    event != "quiet"
                }
            })
    }

    static func ask(_ path: String, _ headers: String = "") throws -> RawClient {
        let client = try RawClient(path)
        client.send("GET /v1/events HTTP/1.1\r\nHost: konza\r\n\(headers)\r\n")
        return client
    }

    @Test func `events arrive in order, filtered, with ids`() async throws {
        let hub = EventHub(epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let client = try Self.ask(fixture.path)
        #expect(client.read(until: "data: now\n\n").contains("text/event-stream"))
        hub.publish("a", data: "1")
        hub.publish("quiet", data: "2")
        hub.publish("b", data: "3\n4")
        let text = client.read(until: "data: 4\n\n")
        #expect(text.contains("id: e-1\nevent: a\ndata: 1\n\n"))
        #expect(!text.contains("quiet"))
        #expect(text.contains("id: e-3\nevent: b\ndata: 3\ndata: 4\n\n"))
        await fixture.stop()
    }

    @Test func `resumes after the last id and tells of a gap`() async throws {
        var limits = EventHub.Limits()
        limits.kept = 3
        let hub = EventHub(limits: limits, epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        for number in 1...10 { hub.publish("n", data: "<\(number)>") }
        let resumed = try Self.ask(fixture.path, "Last-Event-ID: e-8\r\n").read(until: "data: <10>\n\n")
        #expect(resumed.contains("<9>") && !resumed.contains("<8>") && !resumed.contains("gap"))
        for lost in ["e-2", "other-9", "nonsense", "e-99"] {
            let text = try Self.ask(fixture.path, "Last-Event-ID: \(lost)\r\n").read(until: "anew\"}\n\n")
            #expect(text.contains("id: e-10\nevent: gap\n"), "\(lost)")
        }
        await fixture.stop()
    }

    @Test func `a client that does not read is dropped, and the others go on`() async throws {
        let hub = EventHub(epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)] + ServerFixture.routes)
        let slow = try Self.ask(fixture.path)
        let quick = try Self.ask(fixture.path)
        _ = slow.read(until: "data: now\n\n")
        _ = quick.read(until: "data: now\n\n")
        let big = String(repeating: "x", count: 4096)
        var rounds = 0
        while fixture.server.statistics.droppedStreams == 0, rounds < 5000 {
            rounds += 1
            hub.publish("big", data: "\(big)\(rounds)")
            #expect(!quick.read(until: "\(rounds)\n\n").isEmpty)
        }
        #expect(fixture.server.statistics.droppedStreams == 1)
        #expect(try RawClient(fixture.path).ask("GET /v1/hello")?.status == 200)
        while hub.subscriberCount > 1, rounds < 10_000 {
            rounds += 1
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        #expect(hub.subscriberCount == 1)
        await fixture.stop()
    }

    @Test func `a subscriber that goes is forgotten at once`() async throws {
        let hub = EventHub()
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        do {
            let client = try Self.ask(fixture.path)
            _ = client.read(until: "data: now\n\n")
            #expect(hub.subscriberCount == 1)
        }
        var rounds = 0
        while hub.subscriberCount > 0, rounds < 5000 {
            rounds += 1
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        #expect(hub.subscriberCount == 0)
        await fixture.stop()
    }

    @Test func `the number of subscribers is limited`() async throws {
        var limits = EventHub.Limits()
        limits.subscribersPerUser = 2
        let hub = EventHub(limits: limits)
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let clients = try (0..<2).map { _ in try Self.ask(fixture.path) }
        for client in clients { _ = client.read(until: "data: now\n\n") }
        #expect(try RawClient(fixture.path).ask("GET /v1/events")?.status == 503)
        await fixture.stop()
    }

    @Test func `stopping ends streams at once`() async throws {
        let hub = EventHub()
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let client = try Self.ask(fixture.path)
        _ = client.read(until: "data: now\n\n")
        await fixture.stop()
        #expect(String(decoding: client.readToEnd(), as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }

    @Test func `a silent stream is kept alive by comments`() async throws {
        var limits = EventHub.Limits()
        limits.heartbeatSeconds = 0.01
        let fixture = try ServerFixture([Self.eventsRoute(EventHub(limits: limits))])
        let client = try Self.ask(fixture.path)
        #expect(client.read(until: ": alive\n\n").contains(": alive"))
        await fixture.stop()
    }

    @Test func `shared bytes cross the queue in pieces of any size`() async throws {
        let stream = ResponseStream(limit: 10_000_000)
        let fixture = try ServerFixture([
            Route(
                .get, "/s", operation: "s", summary: "Bytes.", produces: ["application/octet-stream"],
                handler: .immediate { _ in .stream(stream, type: "application/octet-stream") })
        ])
        let client = try RawClient(fixture.path)
        client.send("GET /s HTTP/1.0\r\n\r\n")
        var sent: [UInt8] = []
        for size in [1, 100_000, 3, 65_536, 0, 1_000_000] {
            let part = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ size) }
            sent += part
            #expect(stream.push(part))
        }
        stream.finish()
        #expect(!stream.push([1]))
        let all = client.readToEnd()
        #expect(Array(all.suffix(sent.count)) == sent)
        await fixture.stop()
    }
}

@Suite struct MetricsTextTests {
    @Test func `writes help, type and escaped labels`() {
        var metrics = MetricsText()
        metrics.add("a_total", .counter, "One\\line\nmore", 3)
        metrics.add("b", .gauge, "Parts", [([("name", "q\"\\\n")], 0.5), ([], .infinity)])
        metrics.add("c", .gauge, "Unknown", nil)
        #expect(
            metrics.text == """
                # HELP a_total One\\\\line\\nmore
                # TYPE a_total counter
                a_total 3
                # HELP b Parts
                # TYPE b gauge
                b{name="q\\"\\\\\\n"} 0.5
                b +Inf

                """)
    }
}
