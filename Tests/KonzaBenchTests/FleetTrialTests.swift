import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import KonzaBench

@Suite("A simulated fleet at real engines", .serialized)
struct FleetTrialTests {
    private static let boxes = RandomTest.cases(100)
    private static let kills = RandomTest.cases(2)

    private func trial(_ speed: Double) throws -> FleetTrial {
        try FleetTrial(boxes: Self.boxes, programs: Programs.folder.path, speed: speed)
    }

    @Test("what boxes were told is kept is in the tables, once and whole, however broker, database and hub are killed")
    func kills() throws {
        let seed = RandomTest.seed(of: "FleetTrialTests")
        var generator = SeededGenerator(seed: seed)
        let trial = try trial(500)
        var kills = FleetTrial.Kills()
        try trial.kill(Self.kills, using: &generator, into: &kills)
        #expect(trial.targets.count == 3 && trial.targets.allSatisfy { kills.kills[$0] == Self.kills })
        let ledger = try trial.ledger
        #expect(ledger.isRight, "\(ledger)")
        #expect(ledger.records >= kills.records && kills.records > 0)
        // The whole fleet comes back after that too.
        let storm = try trial.storm(.spread(seconds: 1), away: 0.2)
        #expect(storm.half <= storm.nearlyAll)
        #expect(trial.fleet.online == Self.boxes)
    }

    @Test("a quiet time is measured by what the kernel and the database count")
    func quiet() throws {
        let trial = try trial(200)
        let quiet = try trial.quiet(seconds: 5)
        #expect(quiet.wire.payload > quiet.sent.values.reduce(0) { $0 + $1.bytes })
        #expect(quiet.wire.total > quiet.wire.payload)
        #expect(quiet.sent.values.reduce(0) { $0 + $1.messages } == quiet.messages)
        #expect(quiet.syncs > 0 && quiet.rows > 0 && quiet.rowBytes > quiet.rows)
        #expect(!quiet.ages.isEmpty)
        let arithmetic = FleetArithmetic(quiet)
        // 96 states of health, 96 positions, 288 metrics and 41 records a day.
        #expect((400...700).contains(arithmetic.messages), "\(arithmetic.messages)")
        #expect(try trial.ledger.isRight)
    }

    @Test("what whole stations have acknowledged is in the tables, once and whole, whichever program is killed")
    func stations() throws {
        let seed = RandomTest.seed(of: "FleetTrialTests")
        var generator = SeededGenerator(seed: seed)
        let trial = try FleetTrial(boxes: 20, programs: Programs.folder.path, speed: 2000)
        try trial.bring(stations: 2, pause: 0.2)
        var kills = FleetTrial.Kills()
        try trial.kill(1, using: &generator, into: &kills)
        #expect(trial.targets.count == 5 && trial.targets.allSatisfy { kills.kills[$0] == 1 })
        // Somebody was there, however quickly that went.
        trial.fleet.run(seconds: 60) { (trial.visitors?.outcome.count ?? 0) >= 5 }
        let visits = try #require(try trial.endVisits())
        let ledger = try trial.ledger
        #expect(ledger.isRight, "\(ledger), KONZA_SEED=\(seed)")
        #expect(visits.count >= 5 && ledger.stationRecords == visits.count)
        // The oracle sees what is not right.
        let accounts = try trial.stations.map { try $0.account }
        let id = try #require(accounts.flatMap { Array($0.postcards.keys) }.first)
        try trial.engines.run("UPDATE postcards SET body = jsonb_set(body, '{sha256}', '\"0\"') WHERE id = '\(id)'")
        #expect(try trial.ledger.unequal == 1)
        try trial.engines.run("DELETE FROM postcards WHERE id = '\(id)'")
        #expect(try trial.ledger.lost == 1)
    }

    /// An oracle that finds nothing proves nothing.
    @Test("the ledger sees a row that is missing, one that is too old, and one that nobody wrote")
    func oracle() throws {
        let trial = try FleetTrial(boxes: 3, programs: Programs.folder.path, speed: 1)
        for box in trial.fleet.boxes { for _ in 0..<10 { box.makeRecord(at: steadySeconds()) } }
        try trial.settle()
        #expect(try trial.ledger.isRight)
        #expect(try trial.ledger.records > 3)
        try trial.engines.run("DELETE FROM postcards WHERE id = (SELECT min(id) FROM postcards)")
        #expect(try trial.ledger.lost == 1)
        try trial.engines.run("UPDATE postcards SET rev = 0 WHERE id = (SELECT max(id) FROM postcards)")
        #expect(try trial.ledger.lost == 2)
        try trial.engines.run("UPDATE postcards SET box = 'nobody' WHERE id = (SELECT max(id) FROM postcards)")
        #expect(try trial.ledger.strange == 1)
        try trial.engines.run("UPDATE logs SET seqs = seqs - '{[1,2)}'::int8multirange WHERE box = 'box0'")
        #expect(try trial.ledger.gaps == 1)
        #expect(try !trial.ledger.isRight)
    }

    @Test("the arithmetic multiplies, and nothing else")
    func arithmetic() {
        let table = FleetArithmetic(
            messages: 86_400, wireBytes: 1e9, rows: 1e6, rowBytes: 1e9, processorSeconds: 43_200
        ).table
        func value(_ row: Int, _ column: String) -> Value? { table.rows[row].values[column] }
        #expect(value(0, "boxes5") == .figure(5) && value(0, "boxes1000000") == .figure(1_000_000))
        #expect(value(1, "boxes2000") == .figure(60_000))
        #expect(value(2, "boxes5") == .figure(1825))
        #expect(value(4, "boxes5") == .figure(2.5))
    }
}
