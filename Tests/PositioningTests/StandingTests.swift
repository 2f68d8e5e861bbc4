import Foundation
import Geodesy
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// A receiver that has stood in the open for 26 h, with a fix every other second.
enum Taught {
    static let seconds = 26 * 3600
    static let seed: UInt64 = 8_151
    static let wordFactor = 1.1

    static func receiver(
        _ conditions: StandingReceiver.Conditions = .field[0], north: Double = 0
    ) throws -> StandingReceiver {
        StandingReceiver(conditions, at: try place(39.1069 + north / 111_000, -96.6091))
    }

    private static let known = Result {
        var learner = StandingLearner()
        var events: [StandingLearner.Event] = []
        try receiver().stand(seconds: seconds, seed: seed, wordFactor: wordFactor, every: 2) { fix in
            if let event = learner.take(named(fix)) { events.append(event) }
        }
        return (learner, events)
    }

    static func learner() throws -> StandingLearner { try known.get().0 }
    static func events() throws -> [StandingLearner.Event] { try known.get().1 }

    /// The fix with its receiver's names.
    static func named(_ fix: Fix, device: String = "/dev/ttyACM0") -> Fix {
        var fix = fix
        (fix.device, fix.driver) = (device, "u-blox")
        return fix
    }

    /// Lets a learner stand on, and tells after how many seconds a condition held first.
    static func stand(
        _ learner: inout StandingLearner, _ receiver: StandingReceiver, seconds count: Int, after: Int = 2,
        device: String = "/dev/ttyACM0", until isDone: (StandingLearner) -> Bool = { _ in false }
    ) -> Int? {
        var found: Int?
        receiver.stand(
            seconds: count, seed: seed + 1, wordFactor: wordFactor, start: seconds + after, every: 2
        ) { fix in
            guard found == nil else { return }
            learner.take(named(fix, device: device))
            if isDone(learner) {
                found = Int(fix.arrival.seconds(since: MonotonicInstant(nanoseconds: 0))) - seconds - after
            }
        }
        return found
    }

    static func occupation(
        _ receiver: StandingReceiver, _ knowledge: StandingKnowledge?, seconds count: Int, seed: UInt64 = 77,
        device: String = "/dev/ttyACM0"
    ) throws -> OccupationResult {
        var occupation = Occupation(
            settings: OccupationSettings(timeLimit: .infinity), knowledge: knowledge,
            now: MonotonicInstant(nanoseconds: 0))
        for fix in receiver.fixes(seconds: count, seed: seed, wordFactor: wordFactor) {
            occupation.add(named(fix, device: device))
        }
        return try #require(occupation.estimate)
    }
}

@Suite("What a standing receiver teaches") struct StandingTests {
    @Test("After a day of standing an occupation claims less, says why, and the claim holds as often")
    func tighter() throws {
        let knowledge = try #require(try Taught.learner().knowledge)
        #expect(try Taught.events() == [.known(hours: 24)])
        let receiver = try Taught.receiver()
        var held = 0
        var (before, after) = ([Double](), [Double]())
        let trials = 40
        for number in 0..<trials {
            let seed = 1000 + UInt64(number)
            let general = try Taught.occupation(receiver, nil, seconds: 60, seed: seed)
            let own = try Taught.occupation(receiver, knowledge, seconds: 60, seed: seed)
            #expect(general.errorBasis == .general)
            #expect(own.errorBasis == .standing)
            #expect(own.horizontalError >= own.systematicError)
            before.append(general.horizontalError)
            after.append(own.horizontalError)
            if WGS84.chord(own.coordinate, receiver.truth) <= own.horizontalError { held += 1 }
        }
        print("held \(held) of \(trials), medians \(Median.of(before)) m and \(Median.of(after)) m")
        #expect(Double(held) >= OccupationCoverageTests.fewestHits(of: trials))
        #expect(Median.of(after) < 0.8 * Median.of(before))
    }

    @Test("Nothing is known before a day has passed")
    func tooEarly() throws {
        var learner = StandingLearner()
        try Taught.receiver().stand(seconds: 3 * 3600, seed: 5, every: 2) { learner.take($0) }
        #expect(learner.knowledge == nil)
        #expect((learner.summary?.hours ?? 0) > 2)
    }

    @Test("Recordings, simulators, and fixes without a time or a height of their own teach nothing")
    func teachesNothing() throws {
        let good = Taught.named(try #require(try Taught.receiver().fixes(seconds: 1, seed: 1).first))
        let changes: [(inout Fix) -> Void] = [
            { $0.source = .recorded }, { $0.source = .simulated }, { $0.status = .simulated },
            { $0.status = .timeOnly }, { $0.status = .deadReckoning }, { $0.time = nil }, { $0.mode = .twoDimensional },
        ]
        for change in changes {
            var (learner, fix) = (StandingLearner(), good)
            change(&fix)
            learner.take(fix)
            #expect(learner.summary == nil)
        }
        var learner = StandingLearner()
        learner.take(good)
        #expect(learner.summary != nil)
    }

    // MARK: What takes the knowledge away

    @Test("A move ends it within minutes, and another receiver at once")
    func moved() throws {
        var learner = try Taught.learner()
        let seconds = Taught.stand(&learner, try Taught.receiver(north: 60), seconds: 600) { $0.knowledge == nil }
        #expect(try #require(seconds) <= 320)
        #expect(learner.summary?.hours == 0)
        var other = try Taught.learner()
        #expect(
            Taught.stand(&other, try Taught.receiver(), seconds: 4, device: "/dev/ttyACM1") { $0.knowledge == nil }
                != nil)
        #expect(other.summary?.device == "/dev/ttyACM1")
    }

    @Test("An occupation just after a move, or by another receiver, does not use it though it is still there")
    func notElsewhere() throws {
        let knowledge = try Taught.learner().knowledge
        for (receiver, device) in [
            (try Taught.receiver(north: 60), "/dev/ttyACM0"), (try Taught.receiver(), "/dev/ttyACM1"),
        ] {
            let own = try Taught.occupation(receiver, knowledge, seconds: 60, device: device)
            #expect(own.errorBasis == .general)
            #expect(own == (try Taught.occupation(receiver, nil, seconds: 60, device: device)))
        }
    }

    @Test(
        "Another character is noticed within an hour, at any moment of a half hour", arguments: [0, 400, 900, 1500])
    func changed(after: Int) throws {
        for conditions in [StandingReceiver.Conditions.field[3], .field[5], .field[6]] {
            var learner = try Taught.learner()
            #expect(Taught.stand(&learner, try Taught.receiver(), seconds: after) { $0.knowledge == nil } == nil)
            let seconds = Taught.stand(&learner, try Taught.receiver(conditions), seconds: 3600, after: after + 2) {
                $0.knowledge == nil
            }
            #expect(seconds != nil, "\(conditions.name)")
        }
    }

    @Test("Errors that grow where neither the scatter of 80 s nor steps of 10 s do are noticed by where the means lie")
    func spread() {
        var generator = SeededGenerator(seed: 7)
        func halfHour(_ spread: Float) -> StandingHalfHour { StandingHalfHour(scatter: 1, step: 1, spread: spread) }
        let usual = (0..<100).map { _ in halfHour(Float.random(in: 0.8...1.2, using: &generator)) }
        // A standard deviation is 0.4 / √12, and five of them are a change.
        #expect(halfHour(1.45).isLike(usual) && halfHour(0.55).isLike(usual))
        #expect(!halfHour(1.65).isLike(usual) && !halfHour(0.35).isLike(usual))
        // What is not known is no difference, nor what is known of too few.
        #expect(halfHour(.nan).isLike(usual))
        #expect(halfHour(5).isLike(Array(repeating: halfHour(.nan), count: 100) + usual.prefix(47)))
        // Two means 6 m apart, and 8 m: a standard deviation of 5 √2 m.
        let windows = [(0, 0), (6, 8)].map { east, north in
            StandingWindow(
                east: east, north: north, up: 0, scatter: 1, stated: 1, dilution: 1, hour: 1, satellites: 9, status: 0)
        }
        #expect(abs(StandingHalfHour.spread(of: windows) - 1.956) < 1e-3)
    }

    @Test("An occupation that scatters as the receiver never did falls back at once")
    func scatters() throws {
        let knowledge = try Taught.learner().knowledge
        let own = try Taught.occupation(
            try Taught.receiver(.init(name: "noise", wanders: [.init(time: 20, sigma: 12)], white: 6)), knowledge,
            seconds: 60)
        #expect(own.errorBasis == .general)
    }

    @Test("After a change that lasts, it is learned anew; after one that passes, the old knowledge returns")
    func passes() throws {
        let rough = try Taught.receiver(.field[5])
        var learner = try Taught.learner()
        #expect(Taught.stand(&learner, rough, seconds: 3600) { $0.knowledge == nil } != nil)
        let hours = try #require(learner.summary?.hours)
        #expect(
            Taught.stand(&learner, try Taught.receiver(), seconds: 7200, after: 3602) { $0.knowledge != nil } != nil)
        #expect((learner.summary?.hours ?? 0) >= hours)
        var lasting = try Taught.learner()
        _ = Taught.stand(&lasting, rough, seconds: 7 * 3600)
        #expect((lasting.summary?.hours ?? 100) < 2)
        #expect(lasting.knowledge == nil)
    }

    @Test("With fewer satellites, a larger HDOP or a worse word than ever seen it is not used, or claims more")
    func otherSky() throws {
        let knowledge = try #require(try Taught.learner().knowledge)
        let receiver = try Taught.receiver()
        func result(_ change: (inout Fix) -> Void) throws -> OccupationResult {
            var occupation = Occupation(knowledge: knowledge, now: MonotonicInstant(nanoseconds: 0))
            for var fix in receiver.fixes(seconds: 60, seed: 77, wordFactor: Taught.wordFactor) {
                change(&fix)
                occupation.add(Taught.named(fix))
            }
            return try #require(occupation.estimate)
        }
        let usual = try result { _ in }
        #expect(usual.errorBasis == .standing)
        #expect(try result { $0.satellitesUsed = 5 }.errorBasis == .general)
        #expect(try result { $0.dop.horizontal = 3 }.errorBasis == .general)
        #expect(try result { $0.status = .differential }.errorBasis == .general)
        let doubled = try result { fix in
            fix.horizontalAccuracy = fix.horizontalAccuracy.map { Accuracy(metres: 2 * $0.metres, source: $0.source) }
        }
        #expect(doubled.errorBasis == .standing)
        #expect(doubled.horizontalError > 1.8 * usual.horizontalError)
    }

    @Test("Fixes with a long hole claim as for the longest stretch without one")
    func hole() throws {
        let knowledge = try Taught.learner().knowledge
        let receiver = try Taught.receiver()
        func result(without hole: Range<Int>) throws -> OccupationResult {
            var occupation = Occupation(
                settings: OccupationSettings(lostAfter: 1000), knowledge: knowledge,
                now: MonotonicInstant(nanoseconds: 0))
            for (second, fix) in receiver.fixes(seconds: 590, seed: 77, wordFactor: Taught.wordFactor).enumerated()
            where !hole.contains(second) { occupation.add(Taught.named(fix)) }
            return try #require(occupation.estimate)
        }
        let holed = try result(without: 20..<570)
        #expect(holed.errorBasis == .standing)
        #expect(try result(without: 0..<0).horizontalError < holed.horizontalError)
        #expect(holed.horizontalError >= (try result(without: 20..<590)).horizontalError * 0.99)
    }

    @Test("Errors that come with the hour of the day are claimed by the hour, and others are not")
    func hours() throws {
        var generator = SeededGenerator(seed: 3)
        func windows(_ size: (Int) -> Double) -> [StandingWindow] {
            (0..<500).map { index in
                let hour = 400_000 + index / 5
                // The sum of twelve uniform numbers is all but normal.
                func normal() -> Double {
                    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0...1, using: &generator) }
                }
                return StandingWindow(
                    east: Float(size(hour) * normal()), north: Float(size(hour) * normal()), up: 0, scatter: 1,
                    stated: 2, dilution: 1, hour: Int32(hour), satellites: 9, status: 0)
            }
        }
        let uneven = StandingEffects(windows { $0 % 24 < 12 ? 1 : 4 }, east: 0, north: 0)
        let ratio =
            uneven.factor(hour: 18, satellites: 9, dilution: 1) / uneven.factor(hour: 6, satellites: 9, dilution: 1)
        #expect((2.5...5).contains(ratio))
        let even = StandingEffects(windows { _ in 2 }, east: 0, north: 0)
        for hour in 0..<24 {
            #expect((0.7...1.4).contains(even.factor(hour: hour, satellites: 9, dilution: 1)))
        }
    }
}
