import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTestTraits
import KonzaTesting
import Synchronization
import Testing

@testable import HTTPServing

@Suite(.offPool) struct StreamTests {
    static func eventsRoute(_ hub: EventHub) -> Route {
        Route(
            .get, "/v1/events", access: .everyone, operation: "events", summary: "Events.",
            produces: ["text/event-stream"],
            handler: .immediate { request in
                try hub.subscribe(request, first: [ServerSentEvent(event: "state", data: "now")]) { event in
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

    @Test func `everything that is kept reaches a client that comes back, in more bytes than may wait for it`()
        async throws
    {
        var limits = EventHub.Limits()
        limits.kept = 256
        let hub = EventHub(limits: limits, epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let filler = String(repeating: "x", count: 1300)
        for number in 1...250 { hub.publish("outbox", data: "\(filler)<\(number)>") }
        #expect(hub.keptBytes > limits.pendingBytes)
        let text = try Self.ask(fixture.path, "Last-Event-ID: e-1\r\n").read(until: "<250>\n\n")
        #expect(!text.contains("gap"))
        let told = text.components(separatedBy: "x<").dropFirst().map { String($0.prefix { $0 != "\n" }) }
        #expect(told == (2...250).map { "\($0)>" })
        #expect(fixture.server.statistics.droppedStreams == 0)
        await fixture.stop()
    }

    @Test func `what is kept is bounded in bytes, and what was forgotten is told`() async throws {
        var limits = EventHub.Limits()
        limits.keptBytes = 100_000
        limits.passingBytes = 30_000
        let hub = EventHub(limits: limits, epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let large = String(repeating: "x", count: 40_000)
        for number in 1...60 {
            hub.publish(number.isMultiple(of: 2) ? "a" : "b", data: "\(large)\(number)", isKept: number < 40)
            #expect(hub.keptBytes <= limits.bytes)
        }
        let text = try Self.ask(fixture.path, "Last-Event-ID: e-30\r\n").read(until: "anew\"}\n\n")
        #expect(text.contains("id: e-60\nevent: gap\n"))
        let resumed = try Self.ask(fixture.path, "Last-Event-ID: e-38\r\n").read(until: "x39\n\n")
        #expect(resumed.contains("id: e-39\n") && !resumed.contains("gap"))
        await fixture.stop()
    }

    @Test func `events that a subscriber does not want neither cut it nor make a gap`() async throws {
        var limits = EventHub.Limits()
        limits.kept = 4
        let hub = EventHub(limits: limits, epoch: "e")
        let fixture = try ServerFixture([
            Route(
                .get, "/v1/events", access: .everyone, operation: "events", summary: "Events.",
                produces: ["text/event-stream"],
                handler: .immediate { request in try hub.subscribe(request, names: ["wanted"]) })
        ])
        let client = try Self.ask(fixture.path)
        #expect(client.read(until: "retry: 2000\n\n").contains("200 OK"))
        let large = String(repeating: "x", count: 10_000)
        for _ in 0..<100 { hub.publish("other", data: large) }
        hub.publish("wanted", data: "now")
        #expect(client.read(until: "now\n\n").contains("id: e-101\nevent: wanted\n"))
        #expect(fixture.server.statistics.droppedStreams == 0)
        await fixture.stop()
    }

    @Test func `events that are not kept are for those who listened`() async throws {
        let hub = EventHub(epoch: "e")
        let fixture = try ServerFixture([Self.eventsRoute(hub)])
        let listening = try Self.ask(fixture.path)
        _ = listening.read(until: "data: now\n\n")
        hub.publish("kept", data: "1")
        hub.publish("passing", data: "2", isKept: false)
        hub.publish("kept", data: "3")
        #expect(listening.read(until: "data: 3\n\n").contains("data: 2\n\n"))
        let resumed = try Self.ask(fixture.path, "Last-Event-ID: e-0\r\n").read(until: "data: 3\n\n")
        #expect(resumed.contains("data: 1\n\n") && !resumed.contains("data: 2\n\n"))
        await fixture.stop()
    }

    @Test func `whoever comes back gets each kept event once and in order, or is told of a gap`() {
        let seed = RandomTest.seed(of: "events")
        let steps = RandomTest.cases(5000)
        var generator = SeededGenerator(seed: seed)
        var history = EventHistory(kept: 20, keptBytes: 2000, passingBytes: 500)
        var published: [(number: UInt64, isKept: Bool)] = []
        for _ in 0..<steps {
            let isKept = Bool.random(using: &generator)
            let size = Int.random(in: 1...400, using: &generator)
            history.append("n", FrameData([UInt8](repeating: 0, count: size)), isKept: isKept)
            published.append((history.last, isKept))
            #expect(history.bytes <= 2500, "seed \(seed)")
            let id = UInt64.random(in: 0...history.last + 2, using: &generator)
            guard let start = history.number(of: "e-\(id)", epoch: "e") else {
                #expect(id > history.last, "seed \(seed)")
                continue
            }
            guard !history.hasGap(after: start) else { continue }
            var replayed: [UInt64] = []
            var place = start
            while let event = history.first(after: place, joined: history.last) {
                replayed.append(event.number)
                place = event.number
            }
            let missed = published.suffix(Int(history.last - start)).filter(\.isKept).map(\.number)
            #expect(replayed == missed, "seed \(seed)")
        }
        for id in ["", "-", "e", "e-", "e-+1", "e- 1", "e-1 ", "f-1", "e-1-1", "e-99999999999999999999", "é-1"] {
            #expect(history.number(of: id, epoch: "e") == nil, "\(id)")
        }
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
                .get, "/s", access: .everyone, operation: "s", summary: "Bytes.",
                produces: ["application/octet-stream"],
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
