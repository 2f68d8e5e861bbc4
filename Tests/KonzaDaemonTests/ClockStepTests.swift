import Foundation
import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Settings
import Testing

@testable import Capture
@testable import KonzaDaemon
@testable import Postcards
@testable import Storage

/// Random work of the daemon's desks under a clock that is set at random.
@Suite("A station whose clock is set at random") struct StationClockStepTests {
    @Test("takes every postcard once, with its position, and has the vocabulary fetched when it must be, no oftener")
    func runs() async throws {
        let count = RandomTest.cases(3)
        let seed = RandomTest.seed(of: "clock steps of a station")
        for number in 0..<count {
            var run = try StationRun(seed: seed &+ UInt64(number))
            for _ in 0..<24 { try await run.step() }
        }
    }
}

private struct StationRun {
    private let desks: Desks
    private let desk: PostcardDesk
    private let seed: UInt64
    private var random: SeededGenerator
    /// Postcards by the number of their key, and when they were kept by the steady clock.
    private var taken: [(id: PostcardID, at: MonotonicInstant)] = []
    private var lastErrand: MonotonicInstant?
    /// When the vocabulary was fetched.
    private var fetched: (wall: UTCInstant, at: MonotonicInstant)?

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        // Nobody vouches for the system's clock in every other run.
        let isSynchronized = seed % 2 == 0
        desks = try Desks(isSynchronized: { isSynchronized })
        desk = PostcardDesk(parts: desks.parts)
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1, 2: setClock()
        case 3, 4: try await takePostcard()
        case 5: desks.clock.advance(bySeconds: Double.random(in: 0...4000, using: &random))
        case 6: try fetchVocabulary()
        default: try await repeatRequests()
        }
        try await checkVocabulary()
    }

    private mutating func setClock() {
        let year = [1, 1600, 1677, 1970, 2025, 2026, 2027, 2037, 2261, 2262, 9999].randomElement(using: &random) ?? 1
        let steps: [Double] = [-3600, 3600, -2 * 86_400, 2 * 86_400, -40 * 86_400, 40 * 86_400]
        desks.clock.setUTC(
            Bool.random(using: &random)
                ? CivilTime(year: year, month: 6, day: 1).instant()
                : desks.clock.utc().advanced(bySeconds: steps.randomElement(using: &random) ?? 0))
    }

    private func key(_ number: Int) -> IdempotencyKey { IdempotencyKey(key: "k\(number)", requestHash: "h") }

    private mutating func takePostcard() async throws {
        desks.reportFix()
        desks.clock.advance(bySeconds: 0.1)
        let task = Task { [desk, key = key(taken.count)] in
            try await desk.take(PostcardRequest(), key: key, account: 1000)
        }
        try await settle("the shot waits") { desks.parts.hub.hasShots }
        // Between the request, the exposure and the keeping, too.
        if Bool.random(using: &random) { setClock() }
        try desks.publishFrame()
        if Bool.random(using: &random) { setClock() }
        // The shot waits for 5 s, which would be over before a busy machine has looked at the frame.
        let end = desks.clock.monotonic().advanced(bySeconds: 4)
        try await settle("the postcard is made") { [desks, desk] in
            if desks.clock.monotonic() < end { desks.clock.advance(bySeconds: 0.01) }
            return desk.isIdle
        }
        guard case .kept(let record) = try await task.value else {
            Issue.record("no postcard, KONZA_SEED=\(seed)")
            return
        }
        #expect(record.position != nil, "KONZA_SEED=\(seed)")
        #expect(!taken.contains { $0.id == record.id }, "KONZA_SEED=\(seed)")
        taken.append((record.id, desks.clock.monotonic()))
    }

    private func repeatRequests() async throws {
        for (number, one) in taken.enumerated() where desks.clock.monotonic().seconds(since: one.at) < 86_400 {
            guard case .known(let record) = try await desk.take(PostcardRequest(), key: key(number), account: 1000)
            else {
                Issue.record("another postcard, KONZA_SEED=\(seed)")
                return
            }
            #expect(record.id == one.id, "KONZA_SEED=\(seed)")
        }
        #expect(try desks.parts.archive.list(PostcardQuery(limit: 200)).postcards.count == taken.count)
    }

    private mutating func fetchVocabulary() throws {
        let wall = desks.parts.time.now().instant
        let settings = desks.parts.settings.current.metPetDB
        try desks.outbox.specimens.vocabulary.replace(
            with: Vocabulary(
                origin: settings.url, fetchedAt: wall, terms: [.rockTypes: [Vocabulary.Term(name: "Gneiss")]]))
        fetched = (wall, desks.clock.monotonic())
    }

    private mutating func checkVocabulary() async throws {
        let now = desks.clock.monotonic()
        let isGiven = try await desks.outbox.nextErrand(waitingSeconds: 0)?.kind == "vocabulary"
        let mayBeGiven = lastErrand.map { now.seconds(since: $0) >= OutboxDesk.vocabularyPause } ?? true
        if isGiven {
            #expect(mayBeGiven, "KONZA_SEED=\(seed)")
            lastErrand = now
        }
        let age = fetched.map { desks.parts.time.now().instant.seconds(since: $0.wall) }
        let isFresh = age.map { (0...desks.parts.settings.current.metPetDB.vocabularyMaxAge).contains($0) } ?? false
        // Of no age, of one that cannot be, or old: fetched at the next occasion.
        #expect(isGiven == (mayBeGiven && !isFresh), "KONZA_SEED=\(seed)")
    }
}
