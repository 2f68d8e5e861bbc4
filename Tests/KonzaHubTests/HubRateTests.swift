import FleetMessaging
import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Testing

@testable import KonzaHub

/// `KONZA_HUB_RECORDS=20000 make test TEST=HubRateTests` measures; elsewhere it is a backlog that arrives whole.
@Suite("A backlog", .serialized)
struct HubRateTests {
    /// Nil where nothing is measured.
    private static let asked = ProcessInfo.processInfo.environment["KONZA_HUB_RECORDS"].flatMap(Int.init)
    private static let records = asked ?? 2000

    /// As large as a postcard's reply.
    private static func message(_ number: Int, box: String) -> MQTTMessage {
        let id = Said.id(number)
        let body = """
            {"id":"\(id)","state":"kept","createdAt":"2026-11-20T12:00:00.412Z","requestedAt":"2026-11-20T12:00:00.001Z",\
            "exposedAt":"2026-11-20T12:00:00.034Z","timeSource":"gps","template":"vintage","place":"Konza Prairie",\
            "message":"Greetings from card \(number)","width":1920,"height":1080,"bytes":464512,\
            "sha256":"\(String(repeating: "0123456789abcdef", count: 4))","source":"live","stamping":{"way":"restartSplice"},\
            "position":{"state":"fix","fixType":"3d","latitude":39.\(100 + number % 800),"longitude":-96.\(100 + number % 700),\
            "altitude":351.2,"accuracy":3.1,"accuracySource":"gpsd","confidence":0.95,"satellitesUsed":11},\
            "links":{"image":"/v1/postcards/\(id)/image","thumbnail":"/v1/postcards/\(id)/thumbnail"}}
            """
        return Said.record(box: box, id: id, seq: Int64(number), body: body)
    }

    @Test("is kept whole by one worker and by two, and receipted in few messages", arguments: [1, 2])
    func rate(_ workers: Int) async throws {
        let broker = try RealBroker(["allow_anonymous true", "max_queued_messages 100000", "max_inflight_messages 100"])
        let server = Self.asked != nil ? try RealDatabase(isDurable: true) : try TestDatabases.server.get()
        let name = "rate\(workers)"
        try server.make(name)
        let hub = try RunningHub(port: broker.port, database: server.address(name), workers: workers)
        #expect(await hub.ready(), "\(hub.log)")
        let store = try HubStore(PostgresAddress(server.address(name)))
        let clock = SystemClock()
        let sender = try MQTTConnection(
            MQTTSettings(host: "127.0.0.1", port: broker.port, clientID: "sender"), wakeup: Wakeup())
        while !sender.turn(seconds: 1).contains(.connected) {}
        let begin = clock.monotonic()
        var unacknowledged = 0
        for number in 1...Self.records {
            let message = Self.message(number, box: "box\(number % 50)")
            try sender.publish(
                MQTTPublication(topic: message.topic, payload: message.payload, quality: .atLeastOnce))
            unacknowledged += 1
            while unacknowledged > 50 {
                for case .acknowledged in sender.turn(seconds: 1) { unacknowledged -= 1 }
            }
        }
        while unacknowledged > 0 { for case .acknowledged in sender.turn(seconds: 1) { unacknowledged -= 1 } }
        let isSent = clock.monotonic().seconds(since: begin)
        let isKept = await eventually(within: 300) {
            (try? store.ask("SELECT count(*) FROM postcards").first) == "\(Self.records)"
        }
        let seconds = clock.monotonic().seconds(since: begin)
        #expect(isKept, "\(hub.log)")
        print(
            "KONZA_HUB_RATE workers=\(workers) records=\(Self.records) sent=\(Int(Double(Self.records) / isSent))/s "
                + "kept=\(Int(Double(Self.records) / seconds))/s")
        let metrics = try hub.get("/metrics").body.split(separator: "\n")
        let batches = metrics.filter { $0.hasPrefix("konza_hub_batch") || $0.hasPrefix("konza_hub_dropped") }
        print(batches.joined(separator: ", "))
        #expect(batches.contains("konza_hub_dropped_total 0"))
    }

    @Test("one record at a time is receipted soon after it is sent", .enabled(if: asked != nil))
    func latency() async throws {
        let broker = try RealBroker(["allow_anonymous true", "set_tcp_nodelay true"])
        let server = try RealDatabase(isDurable: true)
        try server.make("latency")
        let hub = try RunningHub(port: broker.port, database: server.address("latency"))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        _ = boxes.run { boxes.isConnected }
        let clock = SystemClock()
        var times: [Double] = []
        for number in 1...300 {
            boxes.add(Self.message(number, box: "box1"), box: "box1", id: Said.id(number), rev: 1)
            let begin = clock.monotonic()
            #expect(boxes.run { boxes.waiting.isEmpty })
            times.append(clock.monotonic().seconds(since: begin))
        }
        times.sort()
        print("KONZA_HUB_LATENCY p50=\(Int(times[150] * 1000))ms p99=\(Int(times[297] * 1000))ms")
    }
}
