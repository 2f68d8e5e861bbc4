import FleetMessaging
import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// The real programs over links and with brokers that are bad, and over RabbitMQ.
@Suite("A fleet on bad days", .serialized)
struct FleetFaultTests {
    private let database: RealDatabase

    init() throws {
        database = try RealDatabase()
        try database.make("konza")
    }

    private func rows(_ query: String) throws -> [String] {
        let outcome = try run("psql", ["-AtX", "-d", database.address("konza"), "-c", query])
        guard outcome.status == 0 else { throw Complaint("psql: \(outcome.errors)") }
        return outcome.text.split(separator: "\n").map(String.init)
    }

    /// 300 kbit/s with 2 % loss, cut again and again in the middle of something.
    @Test("a slow link that loses and is cut brings every record home once")
    func link() throws {
        let seed = RandomTest.seed(of: "FleetFaultTests")
        let broker = try RealBroker()
        let hub = try RunningHub(port: broker.port, database: database.address("konza"))
        try hub.waitUntilItTakesMessages()
        let link = try LossyLink(to: broker.port, seed: seed)
        defer { link.end() }
        link.set {
            $0.bytesPerSecond = 300_000 / 8
            $0.lossOneIn = 50
            $0.cutAfterBytes = 9000
        }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(link.port)"))
        let program = RunningFleet(station)
        try program.start()
        var kept: Set<String> = []
        for _ in 0..<12 {
            kept.insert(try station.takePostcard())
            kept.insert(try station.openSpecimen())
        }
        try waitUntil("the link was cut, and the fleet has records", seconds: 60) {
            try link.cuts >= 2 && !rows("SELECT id FROM specimens").isEmpty
        }
        link.set { $0.cutAfterBytes = nil }
        try waitUntil("everything is confirmed", seconds: 120) { try station.fleet().waiting == 0 }
        let found = try rows("SELECT id FROM postcards UNION ALL SELECT id FROM specimens")
        #expect(found.count == kept.count && Set(found) == kept)
        #expect(try rows("SELECT missing FROM sequence_gaps") == ["0"])
        hub.kill()
    }

    /// What the broker says, its acknowledgements and the receipts, does not arrive any more; the records do.
    @Test("a record whose receipt is lost stays at the station, and is in the table once when it was sent again")
    func lostReceipt() throws {
        let broker = try RealBroker()
        let hub = try RunningHub(port: broker.port, database: database.address("konza"))
        try hub.waitUntilItTakesMessages()
        let link = try LossyLink(to: broker.port, seed: 1)
        defer { link.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(link.port)"))
        let program = RunningFleet(station)
        try program.start()
        try waitUntil("it is connected", seconds: 30) { try station.fleet().connection?.state == .connected }
        link.set { $0.losesAnswers = true }
        let id = try station.openSpecimen()
        try waitUntil("the table has it", seconds: 30) { try rows("SELECT id FROM specimens") == [id] }
        #expect(try station.fleet().waiting == 1)
        link.set { $0.losesAnswers = false }
        link.cut()
        try waitUntil("it was sent again and confirmed", seconds: 60) { try station.fleet().waiting == 0 }
        #expect(try rows("SELECT id, rev FROM specimens").count == 1)
        #expect(try rows("SELECT missing FROM sequence_gaps") == ["0"])
        hub.kill()
    }

    @Test("a broker that takes all kinds of messages but one is told of, as long as it does")
    func notAllowed() throws {
        let folder = try TemporaryFolder()
        // mosquitto reads it as another user.
        #expect(chmod(folder.path, 0o755) == 0)
        let list = "\(folder.path)/acl"
        func allow(_ kinds: [String]) throws {
            let lines = ["topic read #"] + kinds.map { "topic write konza/1/konza/knz07/\($0)" }
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: list))
        }
        // The reader's receipts are in it, too.
        let others = FleetKind.allCases.filter { $0 != .postcard }.map(\.rawValue)
        try allow(others)
        let broker = try RealBroker(["allow_anonymous true", "acl_file \(list)"])
        let reader = try FleetReader(broker)
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        let program = RunningFleet(station)
        try program.start()
        _ = try station.takePostcard()
        try waitUntil("the station says so", seconds: 30) { try station.fleet().connection?.kind == "not-allowed" }
        #expect(try station.fleet().connection?.reason?.contains("write konza/1/konza/knz07/postcard") == true)
        // What else is taken says nothing of it.
        let specimen = try station.openSpecimen()
        try waitUntil("the specimen is taken", seconds: 30) { reader.records[specimen] != nil }
        #expect(try station.fleet().connection?.kind == "not-allowed")
        let health = try station.get("/v1/status").json()["fleet"] as? [String: Any]
        #expect((health?["health"] as? [String: Any])?["kind"] as? String == "fleet-not-allowed")
        try allow(others + ["postcard"])
        broker.kill()
        try broker.start()
        try waitUntil("all is taken", seconds: 90) { try station.fleet().waiting == 0 }
        try waitUntil("nothing is said of it", seconds: 30) { try station.fleet().connection?.kind == nil }
    }

    /// Whoever owns the broker can withhold, and can say that a record is kept which is not: that is in the contract. He cannot make
    /// a station forget what it has in a later revision, nor stop it.
    @Test("a hostile broker's receipts, of another station, huge, malformed or old, change nothing")
    func hostileBroker() throws {
        let broker = try RealBroker()
        let reader = try FleetReader(broker)
        reader.confirm(false)
        defer { reader.end() }
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)"))
        let program = RunningFleet(station)
        try program.start()
        let id = try station.openSpecimen()
        try waitUntil("it is sent", seconds: 30) { reader.records[id] != nil }
        try waitUntil("it says that it is connected", seconds: 30) {
            try station.fleet().connection?.state == .connected
        }
        let rev = try #require(reader.records[id]?.rev)
        func receipt(_ box: String, _ id: String, _ rev: Int64) -> String {
            String(decoding: FleetReceipts(box: box, pairs: [.init(id: id, rev: rev)]).encoded, as: UTF8.self)
        }
        let good = receipt("knz07", id, rev)
        let bad = [
            "{", "null", "[]", String(repeating: "[", count: 100_000), receipt("knz08", id, rev),
            receipt("knz07", id, rev - 1), receipt("knz07", id, rev + 1), receipt("knz07", id.uppercased(), rev),
            good.replacing("konza.receipt/1", with: "konza.receipt/2"),
            good.replacing(
                "[[", with: "[" + String(repeating: "[\"01j00000000000000000000000\",1],", count: 6000) + "["),
            good.replacing("\(rev)]]", with: "1e400]]"), good.replacing("\(rev)]]", with: "-1]]"),
        ]
        let folder = try TemporaryFolder()
        for (index, message) in bad.enumerated() {
            let file = "\(folder.path)/\(index)"
            try Data(message.utf8).write(to: URL(fileURLWithPath: file))
            for kind in ["receipt", "command", "desired"] {
                let outcome = try run(
                    "mosquitto_pub",
                    [
                        "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "konza/1/konza/knz07/\(kind)", "-f",
                        file,
                    ])
                #expect(outcome.status == 0)
            }
        }
        // Forty megabytes that the broker keeps: they do not become the station's.
        let before = try #require(program.peakKilobytes)
        let file = "\(folder.path)/large"
        try Data(repeating: UInt8(ascii: "{"), count: 40 << 20).write(to: URL(fileURLWithPath: file))
        let large = try run(
            "mosquitto_pub",
            [
                "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-r", "-t", "konza/1/konza/knz07/desired", "-f",
                file,
            ])
        #expect(large.status == 0)
        // It is there and as it was, and takes the right one after all of these: one connection has one order.
        #expect(try station.fleet().waiting == 1)
        let outcome = try run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "konza/1/konza/knz07/receipt", "-m", good])
        #expect(outcome.status == 0)
        try waitUntil("the right one is taken", seconds: 30) { try station.fleet().waiting == 0 }
        #expect(try station.fleet().connection?.state == .connected)
        #expect(try #require(program.peakKilobytes) - before < 16 << 10)
    }

    @Test(
        "over RabbitMQ a station speaks 3.1.1, its records come home, and its end is told at once",
        .enabled(if: RealRabbit.isInstalled, "rabbitmq-server is missing"))
    func rabbit() throws {
        let rabbit = try RealRabbit()
        let hub = try RunningHub(port: rabbit.port, database: database.address("konza"), scheme: "amqp")
        try hub.waitUntilItTakesMessages()
        let station = try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(rabbit.portForMQTT)"))
        let program = RunningFleet(station)
        try program.start()
        let kept = [try station.takePostcard(), try station.openSpecimen()]
        try waitUntil("everything is confirmed", seconds: 60) { try station.fleet().waiting == 0 }
        #expect(Set(try rows("SELECT id FROM postcards UNION ALL SELECT id FROM specimens")) == Set(kept))
        func state() throws -> [String] { try rows("SELECT state FROM boxes WHERE box = 'knz07'") }
        try waitUntil("it is online", seconds: 30) { try state() == ["online"] }
        // Its will is published without the delay that RabbitMQ would not retain.
        program.cutOff()
        try waitUntil("it is offline", seconds: 30) { try state() == ["offline"] }
        // RabbitMQ keeps the last word for who asks for this very topic.
        let found = try run(
            "mosquitto_sub",
            [
                "-V", "311", "-h", "127.0.0.1", "-p", "\(rabbit.portForMQTT)", "-t", "konza/1/konza/knz07/status", "-C",
                "1", "-W", "10",
            ])
        #expect(found.text.contains("offline"), "\(found.text)")
        hub.kill()
    }
}
