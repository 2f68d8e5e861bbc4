import Foundation
import KonzaAPI
import KonzaTesting
import Testing

/// Everything between a station and the fleet's database with the real programs, any of which is killed at any time.
@Suite("A whole fleet")
struct WholeFleetTests {
    private let broker: RealBroker
    private let database: RealDatabase

    init() throws {
        broker = try RealBroker()
        database = try RealDatabase(isDurable: true)
        try database.make("konza")
    }

    private func rows(_ query: String) throws -> [String] {
        let outcome = try run("psql", ["-AtX", "-d", database.address("konza"), "-c", query])
        guard outcome.status == 0 else { throw Complaint("psql: \(outcome.errors)") }
        return outcome.text.split(separator: "\n").map(String.init)
    }

    @Test("what was acknowledged at the stations is in the database once, whatever is killed, and no number is missing")
    func kills() throws {
        let seed = RandomTest.seed(of: "a whole fleet")
        let rounds = RandomTest.cases(8)
        var generator = SeededGenerator(seed: seed)
        let hub = try RunningHub(port: broker.port, database: database.address("konza"))
        try hub.waitUntilItTakesMessages()
        let stations = try ["creek", "ridge"].map { box in
            try Station(Station.recorded(inFleetOf: "mqtt://127.0.0.1:\(broker.port)", box: box))
        }
        let programs = stations.map(RunningFleet.init)
        for program in programs { try program.start() }
        var kept: Set<String> = []
        for _ in 0..<rounds {
            for station in stations {
                kept.insert(try station.takePostcard())
                kept.insert(try station.openSpecimen())
            }
            let which = Int.random(in: stations.indices, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                programs[which].cutOff()
                try programs[which].start()
            case 1:
                broker.kill()
                try broker.start()
            case 2:
                hub.kill()
                try hub.start()
            case 3:
                database.stop()
                try database.start()
            default:
                stations[which].cutOff()
                try stations[which].start()
            }
        }
        let deleted = try stations[0].takePostcard()
        try waitUntil("everything is confirmed", seconds: 120) {
            try stations.allSatisfy { try $0.fleet().waiting == 0 }
        }
        #expect(try stations[0].request("DELETE", "/v1/postcards/\(deleted)").status == 204)
        try waitUntil("the deletion is confirmed", seconds: 60) { try stations[0].fleet().waiting == 0 }
        let found = try rows("SELECT id FROM postcards WHERE deleted_at IS NULL UNION ALL SELECT id FROM specimens")
        #expect(found.count == kept.count && Set(found) == kept, "KONZA_SEED=\(seed)")
        #expect(try rows("SELECT box, missing FROM sequence_gaps WHERE missing > 0").isEmpty, "KONZA_SEED=\(seed)")
        #expect(try rows("SELECT count(*) FROM sequence_gaps") == ["2"])
        #expect(try rows("SELECT body IS NULL FROM postcards WHERE id = '\(deleted)'") == ["t"])
        #expect(try rows("SELECT count(*) FROM quarantine") == ["0"])
        // The picture of the table is the station's own.
        for station in stations {
            let own = try station.get("/v1/postcards").json()["postcards"] as? [[String: Any]] ?? []
            for card in own {
                let id = try #require(card["id"] as? String)
                #expect(
                    try rows("SELECT body->>'sha256' FROM postcards WHERE id = '\(id)'").first == card["sha256"]
                        as? String)
            }
        }
    }
}
