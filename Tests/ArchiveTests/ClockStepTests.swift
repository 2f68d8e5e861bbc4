import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Postcards
@testable import Samples
@testable import Specimens
@testable import Storage

/// Random work under a clock that is set at random.
@Suite("A clock that is set at random") struct ClockStepTests {
    @Test("loses nothing, does nothing twice, and makes nothing wait longer than it was put off")
    func runs() throws {
        let count = RandomTest.cases(4)
        let seed = RandomTest.seed(of: "clock steps")
        for number in 0..<count {
            var run = try ClockRun(seed: seed &+ UInt64(number))
            for _ in 0..<60 { try run.step() }
        }
    }

    @Test("and was not set when a specimen was deleted: its 30 days begin when it is")
    func tombstones() throws {
        let folder = try TemporaryFolder()
        let archive = try specimenArchive(openArchive(folder))
        let id = try archive.openNext().id
        try archive.delete(id, at: UTCInstant(nanoseconds: 0))
        #expect(try archive.purge(at: noon) >= 0)
        #expect(try archive.restore(id, at: noon).deletedAt == nil)
        try archive.delete(id, at: UTCInstant(nanoseconds: 0))
        _ = try archive.purge(at: noon)
        _ = try archive.purge(at: noon.advanced(bySeconds: 29 * 86_400))
        #expect(try archive.restore(id, at: noon.advanced(bySeconds: 29 * 86_400)).id == id)
    }

    @Test("and says 1970: the card that was just kept is not the oldest")
    func limits() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(utc: noon)
        let archive = try openArchive(
            folder, limits: RetentionLimits(maximumCount: 3, spaceReserve: 0), clock: clock)
        for _ in 0..<3 { _ = try archive.keep(draft()) }
        clock.setUTC(UTCInstant(nanoseconds: 0))
        let new = try archive.keep(draft()).id
        let newer = try archive.keep(draft()).id
        let left = Set(try archive.all().map(\.id))
        #expect(left.count == 3 && left.contains(new) && left.contains(newer))
    }

    @Test("sidecars and specimens with counts beyond all measure do not keep the archive from opening")
    func counts() throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(utc: noon)
        let specimen: Specimen
        do {
            let archive = try openArchive(folder, clock: clock)
            _ = try archive.keep(draft("a"))
            _ = try archive.keep(draft("b"))
            specimen = try specimenArchive(archive).openNext()
        }
        func rewrite(_ name: String, _ edit: (String) -> String) throws {
            let path = "\(folder.path)/\(name)"
            try edit(String(contentsOfFile: path, encoding: .utf8)).write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        for name in folder.files() where name.hasPrefix("postcards/") && name.hasSuffix(".json") {
            try rewrite(name) {
                $0.replacing("\"byteCount\":", with: "\"thumbnailByteCount\":\(Int.max),\"byteCount\":")
            }
        }
        try rewrite("specimens/2026/\(specimen.id)/specimen.json") {
            $0.replacing("\"revision\" : 1", with: "\"revision\" : \(Int.max)")
        }
        for name in folder.files() where name.hasPrefix("konza.db") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        let archive = try openArchive(folder, clock: clock)
        #expect(archive.usage().health.level != .failed)
        let specimens = specimenArchive(archive)
        #expect(throws: Never.self) { try specimens.change(specimen.id, at: noon) { $0.country = "USA" } }
    }
}

private struct ClockRun {
    private let folder: TemporaryFolder
    private let clock = ManualClock(utc: noon)
    private var random: SeededGenerator
    private let seed: UInt64
    private var archive: PostcardArchive
    private var specimens: SpecimenArchive
    /// What was acknowledged, and when by the steady clock.
    private var kept: Set<PostcardID> = []
    private var keys: [String: (id: PostcardID, at: MonotonicInstant)] = [:]
    private var opened: Set<SpecimenID> = []
    private let cache: SampleCache
    /// What was fetched last, the newest last, and by what clock.
    private var fetched: [(id: String, at: UTCInstant)] = []
    private static let cachedSamples = 5
    /// The one that is put off, and the latest instant at which it must be due.
    private var delayed: (submission: Submission, from: MonotonicInstant, until: MonotonicInstant)?

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        archive = try openArchive(folder, clock: clock)
        specimens = specimenArchive(archive)
        var limits = SampleCache.Limits()
        limits.samples = Self.cachedSamples
        limits.answers = Self.cachedSamples
        cache = try SampleCache(folder: "\(folder.path)/cache", origin: "one", limits: limits)
    }

    mutating func step() throws {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: setClock()
        case 2: try takePostcard()
        case 3: try repeatRequest()
        case 4: try openSpecimen()
        case 5: try putOff()
        case 6: clock.advance(bySeconds: Double.random(in: 0...4000, using: &random))
        case 7: try fetchSample()
        default: try restart()
        }
        try check()
    }

    private mutating func setClock() {
        let steps: [Double] = [-2 * 86_400, 2 * 86_400, -11 * 31_557_600, 11 * 31_557_600, -1e12, 1e12, 3600, -3600]
        if Bool.random(using: &random) {
            clock.setUTC(clock.utc().advanced(bySeconds: steps.randomElement(using: &random) ?? 0))
        } else {
            let year = [1, 1600, 1677, 1678, 1970, 2026, 2037, 2261, 2262, 9999].randomElement(using: &random) ?? 1
            clock.setUTC(CivilTime(year: year, month: 1, day: 1).instant())
        }
    }

    private mutating func takePostcard() throws {
        let key = IdempotencyKey(key: "k\(kept.count)", requestHash: "h")
        #expect(try archive.reserve(key) == .new, "KONZA_SEED=\(seed)")
        let id = try archive.keep(draft(key: key)).id
        kept.insert(id)
        keys[key.key] = (id, clock.monotonic())
    }

    private mutating func repeatRequest() throws {
        for (key, made) in keys where clock.monotonic().seconds(since: made.at) < 86_400 {
            #expect(try archive.reserve(.init(key: key, requestHash: "h")) == .existing(made.id), "KONZA_SEED=\(seed)")
        }
    }

    private mutating func openSpecimen() throws {
        let specimen = try specimens.open(
            specimenDraft(specimens, at: clock.utc()), number: .next(.standard, CivilTime(clock.utc())))
        opened.insert(specimen.specimen.id)
        #expect(try specimens.purge(at: noon) == 0)
    }

    private mutating func putOff() throws {
        guard delayed == nil, let id = opened.randomElement(using: &random) else { return }
        var record = try specimens.submit(id, to: .metpetdb)
        guard record.state == .ready else { return }
        let pause = Double.random(in: 10...3600, using: &random)
        record.attempts = 1
        record.state = .sending
        record.changedAt = clock.utc()
        record.nextAttemptAt = clock.utc().advanced(bySeconds: pause)
        // The clock may be set while the record is on its way.
        if Bool.random(using: &random) { setClock() }
        record = try specimens.write(record)
        let now = clock.monotonic()
        delayed = (record, now.advanced(bySeconds: RetrySchedule.shortestDelay), now.advanced(bySeconds: pause + 1))
    }

    private mutating func fetchSample() throws {
        let sample = FoundSample(id: "s\(fetched.count)", number: "N", isPublic: true)
        try cache.keep(SampleDetails(sample), at: clock.utc())
        fetched.append((sample.id, clock.utc()))
        try specimens.keep(Vocabulary(origin: "one", fetchedAt: clock.utc(), terms: [:]))
        let at = try #require(specimens.vocabulary()?.fetchedAt)
        // Records have milliseconds.
        #expect(abs(at.seconds(since: clock.utc())) <= 0.001, "KONZA_SEED=\(seed)")
    }

    /// What was fetched last is there, by whatever clock, and older samples are not.
    private func checkSamples() throws {
        for (index, one) in fetched.enumerated() {
            let kept = try cache.wholeDetails(one.id)
            #expect(kept?.at == (index >= fetched.count - Self.cachedSamples ? one.at : nil), "KONZA_SEED=\(seed)")
            #expect(kept.map { $0.age(at: clock.utc()) >= 0 } ?? true, "KONZA_SEED=\(seed)")
        }
    }

    private mutating func restart() throws {
        archive = try openArchive(folder, clock: clock)
        specimens = specimenArchive(archive)
        // What is left of a delay is by the wall clock now: it may end at once, and is never longer than it was.
        guard let delayed else { return }
        let longest = delayed.until.seconds(since: delayed.from) + RetrySchedule.shortestDelay
        let now = clock.monotonic()
        self.delayed = (delayed.submission, now, now.advanced(bySeconds: longest))
    }

    private mutating func check() throws {
        #expect(Set(try archive.all().map(\.id)) == kept, "KONZA_SEED=\(seed)")
        #expect(Set(try specimens.all().map(\.id)) == opened, "KONZA_SEED=\(seed)")
        try checkSamples()
        guard let waiting = delayed else { return }
        let due = try specimens.due(targets: [.metpetdb])?.submission
        if clock.monotonic() < waiting.from { #expect(due == nil, "KONZA_SEED=\(seed)") }
        if clock.monotonic() > waiting.until { #expect(due == waiting.submission, "KONZA_SEED=\(seed)") }
        guard var done = due else { return }
        done.state = .refused
        done.nextAttemptAt = nil
        _ = try specimens.write(done)
        delayed = nil
    }
}
