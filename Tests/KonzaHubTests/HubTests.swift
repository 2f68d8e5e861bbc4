import FleetMessaging
import Foundation
import KonzaClient
import KonzaSystem
import KonzaTesting
import MQTTTransfer
import PostgresAccess
import Synchronization
import Testing

@testable import KonzaHub

/// For one thread to tell another.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

@Suite("The hub between a broker and a database", .serialized)
struct HubTests {
    /// Records of some boxes, a few of them changed or deleted later.
    private func fill(
        _ boxes: SimulatedBoxes, boxes count: Int, records: Int, using generator: inout some RandomNumberGenerator
    ) {
        for number in 1...count {
            let box = "box\(number)"
            for seq in 1...records {
                let isChange = seq > 5 && Int.random(in: 0..<10, using: &generator) == 0
                let id = Said.id(isChange ? seq - 5 : seq)
                let rev: Int64 = isChange ? 2 : 1
                let isDeleted = isChange && Bool.random(using: &generator)
                guard !isChange || boxes.waiting[SimulatedBoxes.key(box, id, 2)] == nil else { continue }
                boxes.add(
                    Said.record(box: box, id: id, seq: Int64(seq), rev: rev, isDeleted: isDeleted), box: box, id: id,
                    rev: rev)
            }
        }
    }

    /// What was receipted is there once, at that revision or a later one, and no number is missing.
    private func check(_ boxes: SimulatedBoxes, _ store: HubStore) throws {
        var newest: [String: Int64] = [:]
        for key in boxes.receipted {
            let parts = key.split(separator: " ")
            let name = "\(parts[0])|\(parts[1])"
            newest[name] = max(newest[name] ?? 0, Int64(parts[2]) ?? 0)
        }
        let rows = try store.ask("SELECT box, id, rev FROM postcards").sorted()
        #expect(rows == newest.map { "\($0.key)|\($0.value)" }.sorted())
        #expect(try store.ask("SELECT coalesce(sum(missing), 0) FROM sequence_gaps") == ["0"])
        #expect(try store.ask("SELECT count(*) FROM quarantine") == ["0"])
    }

    @Test("keeps what comes and receipts it, then ends when it is asked to")
    func whole() async throws {
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        var generator = SeededGenerator(seed: RandomTest.seed(of: "boxes of a hub"))
        fill(boxes, boxes: 3, records: 200, using: &generator)
        #expect(boxes.run { boxes.waiting.isEmpty })
        // Many receipts go in one message.
        #expect(boxes.receiptMessages < boxes.receipted.count)
        try check(boxes, HubStore(TestDatabases.address(name)))
        #expect(hub.stop() == 0, "\(hub.log)")
    }

    @Test("receipts nothing while the database is away, and everything when it is back")
    func databaseAway() async throws {
        let broker = try RealBroker()
        let server = try RealDatabase()
        try server.make("fleet")
        let hub = try RunningHub(port: broker.port, database: server.address("fleet"))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        _ = boxes.run { boxes.isConnected }
        server.stop()
        var generator = SeededGenerator(seed: RandomTest.seed(of: "boxes of a hub"))
        fill(boxes, boxes: 2, records: 50, using: &generator)
        // Sent and sent again, and never receipted.
        let count = boxes.waiting.count
        #expect(boxes.run { boxes.sent > 2 * count })
        #expect(boxes.receipted.isEmpty)
        #expect(try hub.get("/v1/status").body.contains("\"level\":\"failed\""))
        #expect(throws: ClientError.self) { try hub.get("/v1/boxes") }
        try server.start()
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        try check(boxes, HubStore(PostgresAddress(server.address("fleet"))))
    }

    @Test("says that the database is away, and that it is back, while nothing comes to be kept")
    func databaseAwayUnasked() async throws {
        let broker = try RealBroker()
        let server = try RealDatabase()
        try server.make("fleet")
        let hub = try RunningHub(port: broker.port, database: server.address("fleet"))
        #expect(await hub.ready(), "\(hub.log)")
        server.stop()
        #expect(try await eventually { try hub.get("/v1/status").body.contains("\"level\":\"failed\"") })
        try server.start()
        #expect(try await eventually { try hub.get("/v1/status").body.contains("\"level\":\"ok\"") }, "\(hub.log)")
    }

    @Test("two workers share the records, and each is kept once")
    func workers() async throws {
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name), workers: 2)
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        var generator = SeededGenerator(seed: RandomTest.seed(of: "boxes of a hub"))
        fill(boxes, boxes: 5, records: 200, using: &generator)
        _ = boxes.run { boxes.isConnected }
        for number in 1...5 { try boxes.say(Said.status("s1", "online", box: "box\(number)")) }
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        let store = try HubStore(TestDatabases.address(name))
        try check(boxes, store)
        #expect(try await eventually { try store.ask("SELECT count(*) FROM boxes WHERE state = 'online'") == ["5"] })
        let metrics = try hub.get("/metrics").body
        #expect(metrics.contains("konza_hub_broker_up{worker=\"2\"} 1"), "\(metrics)")
        #expect(metrics.contains("konza_fleet_boxes{state=\"online\"} 5"), "\(metrics)")
    }

    @Test("killed at any moment it loses nothing that it receipted, with one worker and with two", arguments: [1, 2])
    func killed(_ workers: Int) async throws {
        let seed = RandomTest.seed(of: "HubTests")
        var generator = SeededGenerator(seed: seed)
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(
            port: broker.port, database: TestDatabases.server.get().address(name), workers: workers)
        let boxes = try SimulatedBoxes(port: broker.port)
        let kills = RandomTest.cases(5)
        fill(boxes, boxes: 20, records: 20 * kills, using: &generator)
        let all = boxes.waiting.count
        for kill in 1...kills {
            // After so many receipts more, in the middle of whatever it does then.
            let enough = min(all * kill / (kills + 1), all - 1) + Int.random(in: 0...20, using: &generator)
            #expect(boxes.run { boxes.receipted.count >= enough || boxes.waiting.isEmpty }, "\(hub.log)")
            hub.kill()
            try hub.start()
        }
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        try check(boxes, HubStore(TestDatabases.address(name)))
    }

    @Test("a broker that is killed is found again, and nothing is lost")
    func brokerKilled() async throws {
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        let boxes = try SimulatedBoxes(port: broker.port)
        var generator = SeededGenerator(seed: RandomTest.seed(of: "boxes of a hub"))
        fill(boxes, boxes: 4, records: 300, using: &generator)
        let all = boxes.waiting.count
        for part in 1...2 {
            #expect(boxes.run { boxes.receipted.count > all * part / 4 }, "\(hub.log)")
            broker.kill()
            _ = boxes.run(within: 5) { !boxes.isConnected }
            try broker.start()
        }
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        try check(boxes, HubStore(TestDatabases.address(name)))
    }

    /// Over a Unix socket, of which the system has no time-out.
    @Test("a database that stands still is noticed long before a patient client does, and is come back to")
    func frozen() async throws {
        let broker = try RealBroker()
        let server = try RealDatabase()
        try server.make("konza")
        let address = try PostgresAddress(server.address("konza"))
        let hub = try RunningHub(port: broker.port, database: server.address("konza"))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        _ = boxes.run { boxes.isConnected }
        let (isWaiting, isFrozen, isOver) = (Flag(), Flag(), Flag())
        try startThread(named: "patient") {
            do {
                var patient = try PostgresConnection(address, program: "test")
                isWaiting.set()
                while !isFrozen.isSet { usleep(1000) }
                try patient.run("SELECT 1")
            } catch {}
            isOver.set()
        }
        #expect(await eventually { isWaiting.isSet })
        server.freeze(true)
        isFrozen.set()
        boxes.add(Said.record(id: Said.id(1), seq: 1), box: "knz07", id: Said.id(1), rev: 1)
        #expect(boxes.run { hub.log.contains("did not answer in time") }, "\(hub.log)")
        #expect(!isOver.isSet)
        server.freeze(false)
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
    }

    @Test("one bad box holds up nobody else, and is told where its record can be read")
    func badBox() async throws {
        let broker = try RealBroker()
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        #expect(await hub.ready(), "\(hub.log)")
        let boxes = try SimulatedBoxes(port: broker.port)
        _ = boxes.run { boxes.isConnected }
        for number in 1...200 { try boxes.say(Said.message(.postcard, "badbox", Array("{bad \(number)".utf8))) }
        try boxes.say(Said.record(box: "badbox", id: Said.id(1), seq: 1, body: String(repeating: "[", count: 200_000)))
        let bad = Said.record(box: "badbox", id: Said.id(2), seq: 2, body: "{\"m\":\"\\u0000\"}")
        boxes.add(bad, box: "badbox", id: Said.id(2), rev: 1)
        boxes.add(Said.record(box: "good", id: Said.id(1), seq: 1), box: "good", id: Said.id(1), rev: 1)
        #expect(boxes.run { boxes.waiting.isEmpty }, "\(hub.log)")
        let store = try HubStore(TestDatabases.address(name))
        #expect(try store.ask("SELECT box FROM postcards") == ["good"])
        #expect(try store.ask("SELECT count(*) FROM quarantine WHERE box = 'badbox'") == ["100"])
        #expect(try hub.get("/v1/boxes/badbox").body.contains("NUL"))
    }

    @Test("a broker that does not let it read says so")
    func refused() async throws {
        let broker = try RealBroker(["allow_anonymous false"])
        let name = try TestDatabases.make()
        let hub = try RunningHub(port: broker.port, database: TestDatabases.server.get().address(name))
        #expect(await eventually { hub.log.contains("check the certificate, or user and password") }, "\(hub.log)")
        #expect(try hub.get("/v1/status").body.contains("\"level\":\"failed\""))
    }
}
