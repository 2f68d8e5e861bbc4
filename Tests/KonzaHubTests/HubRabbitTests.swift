import FleetMessaging
import Foundation
import KonzaClient
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Testing

@testable import KonzaHub

@Suite(
    "The hub's workers on RabbitMQ's queues", .serialized,
    .enabled(if: RealRabbit.isInstalled, "rabbitmq-server is missing"))
struct HubRabbitTests {
    private func boxes(_ rabbit: RealRabbit, _ name: String = "boxes") throws -> SimulatedBoxes {
        try SimulatedBoxes(port: rabbit.portForMQTT, name: name, isVersion5: false)
    }

    private func fill(_ boxes: SimulatedBoxes, box: String, _ numbers: ClosedRange<Int>) {
        for number in numbers {
            boxes.add(
                Said.record(box: box, id: Said.id(number), seq: Int64(number)), box: box, id: Said.id(number), rev: 1)
        }
    }

    @Test("records come home once whatever is killed, states in their order, and what cannot be kept holds up nothing")
    func whole() async throws {
        let rabbit = try RealRabbit()
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        let address = try TestDatabases.server.get().address(name)
        let boxes = try boxes(rabbit)

        // Nobody has a queue yet: the broker acknowledges, and keeps nothing. The boxes do.
        fill(boxes, box: "early", 1...20)
        #expect(boxes.run { boxes.sent > 40 })
        #expect(boxes.receipted.isEmpty)
        let hub = try RunningHub(port: rabbit.port, database: address, workers: 2, scheme: "amqp")
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        #expect(try store.ask("SELECT count(*) FROM postcards") == ["20"])

        // Of two workers one has the states, so the last word stays the last.
        for round in 1...20 {
            try boxes.say(Said.status("s\(round)", "online", box: "early"))
            try boxes.say(Said.status("s\(round)", "offline", box: "early"))
        }
        try boxes.say(Said.status("s21", "online", box: "early"))
        #expect(
            try await eventually {
                _ = boxes.run(within: 0.05) { false }
                return try store.ask("SELECT id, state FROM boxes WHERE box = 'early'") == ["s21|online"]
            }, "\(hub.log)")

        // What does not fit is put aside, and is not delivered again.
        try boxes.say(Said.message(.postcard, "early", Array("{bad".utf8)))
        fill(boxes, box: "early", 21...30)
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        #expect(try await eventually { try store.ask("SELECT box, times FROM quarantine") == ["early|1"] })

        // The hub is killed in the middle of its work, and then the broker.
        fill(boxes, box: "killed", 1...600)
        for part in 1...3 {
            let enough = boxes.receipted.count + 100
            #expect(boxes.run { boxes.receipted.count >= enough || boxes.waiting.isEmpty }, "\(hub.log)")
            if part < 3 {
                hub.kill()
                try hub.start()
            } else {
                rabbit.kill()
                _ = boxes.run(within: 10) { !boxes.isConnected }
                try rabbit.start()
            }
        }
        #expect(boxes.run(within: 120) { boxes.waiting.isEmpty }, "\(hub.log)")
        #expect(try store.ask("SELECT count(*), count(DISTINCT id) FROM postcards WHERE box = 'killed'") == ["600|600"])

        // What no queue takes has one, where the broker is told so.
        try rabbit.control([
            "set_policy", "konza", "^amq\\.topic$", #"{"alternate-exchange":"konza.unrouted"}"#, "--apply-to",
            "exchanges",
        ])
        #expect(boxes.run { boxes.isConnected })
        try boxes.say(MQTTMessage(topic: "konza/1/konza/knz07/sermon", payload: [0x7B, 0x7D], isRetained: false))
        #expect(
            try await eventually {
                _ = boxes.run(within: 0.05) { false }
                return try store.ask("SELECT reason FROM quarantine WHERE topic LIKE '%sermon'").count == 1
            }, "\(hub.log)")

        // While no hub is there, the queue keeps what comes: a late hub needs no box to send it again.
        #expect(hub.stop() == 0, "\(hub.log)")
        let before = boxes.acknowledged
        fill(boxes, box: "late", 1...50)
        #expect(boxes.run { boxes.acknowledged >= before + 50 })
        let sent = boxes.sent
        try hub.start()
        #expect(try await eventually { try store.ask("SELECT count(*) FROM postcards WHERE box = 'late'") == ["50"] })
        #expect(boxes.sent == sent)
        #expect(boxes.run { boxes.waiting.isEmpty })
        #expect(try store.ask("SELECT coalesce(sum(missing), 0) FROM sequence_gaps") == ["0"])
    }

    @Test("settings from afar are kept by the broker for a box that is away, though the hub's workers speak AMQP")
    func desired() async throws {
        let rabbit = try RealRabbit()
        let name = try TestDatabases.make()
        let store = try HubStore(TestDatabases.address(name))
        let address = try TestDatabases.server.get().address(name)
        let hub = try RunningHub(
            port: rabbit.port, database: address, scheme: "amqp", "MQTT=mqtt://127.0.0.1:\(rabbit.portForMQTT)")
        #expect(await hub.ready(), "\(hub.log)")
        for version in [1, 2] {
            let answer = try hub.put("/v1/boxes/knz07/desired?site=konza", Said.desired(box: "knz07", version: version))
            #expect(answer.status == 200, "\(answer.body)")
        }
        #expect(try store.ask("SELECT desired ->> 'version' FROM boxes WHERE box = 'knz07'") == ["2"])
        let again = #expect(throws: ClientError.self) {
            try hub.put("/v1/boxes/knz07/desired?site=konza", Said.desired(box: "knz07", version: 2))
        }
        #expect(again.map { "\($0)" }?.contains("has the version 2 already") == true, "\(String(describing: again))")

        // The box comes now.
        let box = try MQTTConnection(
            MQTTSettings(host: "127.0.0.1", port: rabbit.portForMQTT, clientID: "knz07"), isVersion5: false,
            wakeup: try Wakeup())
        var events: [MQTTEvent] = []
        func until(_ condition: () -> Bool) -> Bool {
            for _ in 0..<300 where !condition() { events += box.turn(seconds: 0.1) }
            return condition()
        }
        #expect(until { events.contains(.connected) })
        _ = try box.subscribe("konza/1/konza/knz07/desired", .atLeastOnce)
        let kept = MQTTMessage(
            topic: "konza/1/konza/knz07/desired", payload: Array(Said.desired(box: "knz07", version: 2).utf8),
            isRetained: true)
        #expect(until { events.contains(.message(kept)) }, "\(events)")

        // The broker lost it, and the hub begins anew.
        _ = try box.publish(
            MQTTPublication(topic: "konza/1/konza/knz07/desired", payload: [], quality: .atLeastOnce, isRetained: true))
        events = []
        hub.kill()
        try hub.start()
        let anew = MQTTMessage(topic: kept.topic, payload: kept.payload, isRetained: false)
        #expect(until { events.contains(.message(anew)) }, "\(events) \(hub.log)")

        // Without a way by MQTT it says so, and keeps nothing of it.
        let blind = try RunningHub(
            port: rabbit.port, database: address, scheme: "amqp", "MQTT=mqtt://127.0.0.1:\(try freeLoopbackPort())")
        #expect(await blind.ready(), "\(blind.log)")
        let refusal = #expect(throws: ClientError.self) {
            try blind.put("/v1/boxes/knz07/desired?site=konza", Said.desired(box: "knz07", version: 3))
        }
        #expect(refusal.map { "\($0)" }?.contains("look at [Hub] MQTT=") == true, "\(String(describing: refusal))")
        #expect(try store.ask("SELECT desired ->> 'version' FROM boxes WHERE box = 'knz07'") == ["2"])
    }

    @Test("a broker that does not know the user, or is not there, is said with what to look at")
    func refused() async throws {
        let name = try TestDatabases.make()
        let port = Int(try freeLoopbackPort())
        let hub = try RunningHub(
            port: port, database: TestDatabases.server.get().address(name), scheme: "amqp")
        #expect(await eventually { hub.log.contains("the connection to 127.0.0.1:\(port) failed") }, "\(hub.log)")
        #expect(try hub.get("/v1/status").body.contains("\"level\":\"failed\""))
    }
}
