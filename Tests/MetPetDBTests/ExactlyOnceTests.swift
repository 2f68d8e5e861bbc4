import Foundation
import KonzaModel
import KonzaTestTraits
import KonzaTesting
import Testing

@testable import MetPetDB

/// Random specimens, each sent through random crashes and faults, on one server.
@Suite("Exactly once", .offPool)
struct ExactlyOnceTests {
    @Test("Crashes at any write and faults at any request end in one sample with all its photographs, once")
    func everyRun() throws {
        let runs = RandomTest.cases(200)
        let seed = RandomTest.seed(of: "exactly once")
        let field = try Field()
        var totals = Totals()
        for run in 0..<runs {
            let runSeed = seed &+ UInt64(run)
            try RandomRun(seed: runSeed, field: field).check(&totals)
            field.server.clear()
        }
        print(
            "exactly once: \(totals.requests) requests, \(totals.faults) faults, \(totals.crashes) crashes, "
                + "\(totals.photographs) photographs, \(totals.edits) edits between")
        #expect(totals.faults > 0)
        #expect(totals.crashes > 0)
    }
}

struct Totals {
    var requests = 0
    var faults = 0
    var crashes = 0
    var photographs = 0
    var edits = 0
}

private struct RandomRun {
    let seed: UInt64
    let field: Field

    /// How often something goes wrong in this run, from hardly ever to more often than not.
    private struct Weather {
        var faultRate: Double
        var crashRate: Double
        var faultsLeft: Int
        var crashesLeft: Int
        var generator: SeededGenerator
        var faults = 0
        var crashes = 0

        mutating func nextFault() -> StandInFault {
            guard faultsLeft > 0, Double.random(in: 0..<1, using: &generator) < faultRate else { return .none }
            faultsLeft -= 1
            faults += 1
            // Those that cost a whole time-out come less often.
            let fault = StandInFault.allCases.randomElement(using: &generator) ?? .none
            let isSilent = fault == .silentAfter || fault == .silentBefore
            return isSilent && Int.random(in: 0..<3, using: &generator) > 0 ? .dropAfter : fault
        }

        mutating func nextCrash() -> MemoryLedger.Crash? {
            guard crashesLeft > 0, Double.random(in: 0..<1, using: &generator) < crashRate else { return nil }
            crashesLeft -= 1
            crashes += 1
            return Bool.random(using: &generator) ? .beforeDurable : .afterDurable
        }
    }

    func check(_ totals: inout Totals) throws {
        var generator = SeededGenerator(seed: seed)
        var specimen = try randomSpecimen(&generator)
        let weather = Shared(
            Weather(
                faultRate: Double.random(in: 0.05...0.7, using: &generator),
                crashRate: Double.random(in: 0...0.5, using: &generator),
                faultsLeft: Int.random(in: 0...25, using: &generator),
                crashesLeft: Int.random(in: 0...15, using: &generator),
                generator: SeededGenerator(seed: seed ^ 0xFACE)))
        let ledger = MemoryLedger(folder: field.folder.path) { weather.with { $0.nextCrash() } }
        field.ready(specimen, in: ledger)
        field.server.setFaults { _ in weather.with { $0.nextFault() } }
        var quirks = StandInQuirks()
        for name in StandInQuirks.switches.keys.sorted() where Int.random(in: 0..<8, using: &generator) == 0 {
            if let path = StandInQuirks.switches[name] { quirks[keyPath: path].toggle() }
        }
        field.server.quirks = quirks

        var isSettled = false
        for turn in 0..<400 where !isSettled {
            // A process that was started anew: nothing is left but what was durable.
            var record = try #require(ledger[specimen.id])
            if record.state == .refused, record.refusals.contains(where: { $0.words.contains("nope") }) {
                // The stand-in's own refusal half-way through an update, which a collector tries again.
                record.state = .ready
                ledger[specimen.id] = record
            }
            let submitter = try field.submitter(ledger, seconds: 0.3)
            if let left = try? submitter.run(record, of: specimen, vocabulary: field.vocabulary) {
                isSettled = left.state != .ready && left.state != .sending && left.state != .refused
                if left.state == .refused, left.refusals.contains(where: { !$0.words.contains("nope") }) { break }
            }
            // Once in a while the collector goes on writing while it is under way.
            if turn % 7 == 3, Int.random(in: 0..<4, using: &generator) == 0, !isSettled {
                specimen.revision += 1
                specimen.description = "Edited in turn \(turn)."
                // konzad makes a submitted one ready again when its specimen is changed.
                if ledger[specimen.id]?.state == .submitted { ledger[specimen.id]?.state = .ready }
                totals.edits += 1
            }
            field.clock.advance(bySeconds: 90_000)
        }
        let record = try #require(ledger[specimen.id])
        let samples = field.server.samples
        let words =
            "seed \(seed): \(record.state) \(record.lastFailure ?? "") \(record.refusals) \(record.conflict?.reason ?? "")"
        try #require(record.state == .submitted, "\(words)")
        try #require(samples.count == 1, "\(words): \(samples.count) samples")
        try #require(samples[0].id == record.remoteID, "\(words)")
        let names = PhotographNames(specimen.photographs)
        let images = samples[0].images.map { RemoteImage(id: $0.id, fileName: $0.fileName) }
        try #require(images.count == specimen.photographs.count, "\(words): \(images.count) images")
        try #require(
            Set(names.matches(among: images).keys) == Set(specimen.photographs.map(\.id)), "\(words): wrong images")
        let wanted = try SampleBody(specimen, vocabulary: field.vocabulary).content
        let held = SampleContent(json: record.lastKnown)
        try #require(held?.agrees(with: wanted) == true, "\(words): content differs")
        try #require(samples[0].minerals.map(\.amount).sorted() == specimen.minerals.map(\.amount).sorted(), "\(words)")
        try #require(samples[0].latitude != nil, "\(words): poisoned")
        totals.requests += field.server.requests.count
        totals.photographs += specimen.photographs.count
        totals.faults += weather.with { $0.faults }
        totals.crashes += weather.with { $0.crashes }
    }

    private func randomSpecimen(_ generator: inout SeededGenerator) throws -> Specimen {
        var specimen = try field.specimen(photographs: 0)
        specimen.number =
            ["KNZ-\(seed)", "v.10 (b)*\(seed)", "Größe+1&\(seed % 1000)"].randomElement(using: &generator) ?? "x"
        specimen.number = String(specimen.number.prefix(35))
        let latitude = [0, -0.0, 90, -90, 1e-8, Double.random(in: -90...90, using: &generator)]
            .randomElement(using: &generator)
        let longitude = [0, 180, -180, Double.random(in: -180...180, using: &generator)]
            .randomElement(using: &generator)
        specimen.position = try Field.position(latitude ?? 1, longitude ?? 1)
        specimen.isPublic = Bool.random(using: &generator)
        if Bool.random(using: &generator) { specimen.minerals = [] }
        if Bool.random(using: &generator) { specimen.metamorphicGrades = [] }
        if Bool.random(using: &generator) { specimen.collectionDate = nil }
        if Bool.random(using: &generator) { specimen.description = "[konza:1 not=ours]\n\\[konza:2" }
        for number in 0..<Int.random(in: 0...4, using: &generator) {
            try field.addPhotograph(to: &specimen, number, bytes: Int.random(in: 5...9000, using: &generator))
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            for index in specimen.photographs.indices {
                specimen.photographs[index].fileName = "outcrop \(index) ä.jpg"
            }
        }
        return specimen
    }
}
