import Foundation
import Geodesy
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite("What an occupation claims is true") struct OccupationCoverageTests {
    /// A trial's error and claim, in metres, on the ground and up.
    struct Trial {
        var error: Double
        var claim: Double
        var heightError: Double
        var heightClaim: Double
    }

    /// How many occupations of each condition and duration.
    static let trials = RandomTest.cases(40)
    static let seed: UInt64 = 4_711

    static func run(_ conditions: StandingReceiver.Conditions, _ duration: Int) throws -> [Trial] {
        let receiver = StandingReceiver(conditions, at: try place(39.1069, -96.6091))
        return try (0..<trials).map { number in
            var occupation = Occupation(
                settings: OccupationSettings(timeLimit: .infinity), now: MonotonicInstant(nanoseconds: 0))
            for fix in receiver.fixes(seconds: duration, seed: seed + UInt64(number * 10_000 + duration)) {
                occupation.add(fix)
            }
            let result = try #require(occupation.estimate)
            return Trial(
                error: WGS84.chord(result.coordinate, receiver.truth), claim: result.horizontalError,
                heightError: abs(try #require(result.altitudeHAE) - receiver.height),
                heightClaim: try #require(result.verticalError))
        }
    }

    /// The fewest hits that are no evidence against 95 %: three standard deviations of the binomial distribution below.
    static func fewestHits(of trials: Int) -> Double {
        let count = Double(trials)
        return 0.95 * count - 3 * (count * 0.95 * 0.05).squareRoot()
    }

    static let durations = [10, 60, 300, 1800]

    @Test(
        "95 of 100 claims hold the truth, under each condition and for each duration, and are not simply huge",
        arguments: StandingReceiver.Conditions.field.indices)
    func coverage(index: Int) throws {
        let conditions = StandingReceiver.Conditions.field[index]
        var ratios: [Double] = []
        var hits = 0
        for duration in Self.durations {
            let trials = try Self.run(conditions, duration)
            let held = trials.count { $0.error <= $0.claim }
            let heightHeld = trials.count { $0.heightError <= $0.heightClaim }
            let errors = trials.map(\.error).sorted()
            let ratio = Median.of(trials.map(\.claim)) / errors[errors.count * 95 / 100]
            print(
                "occupation, \(conditions.name), \(duration) s, seed \(Self.seed): \(held) of \(trials.count) held, height",
                "\(heightHeld), claimed/true 95 % \((ratio * 100).rounded() / 100)")
            #expect(Double(held) >= Self.fewestHits(of: trials.count), "\(duration) s")
            #expect(Double(heightHeld) >= Self.fewestHits(of: trials.count), "height, \(duration) s")
            hits += held
            ratios.append(ratio)
        }
        let all = Self.trials * Self.durations.count
        #expect(Double(hits) >= Self.fewestHits(of: all))
        // gpsd's model knows nothing of the receiver, and without data its claim stands.
        if conditions.word != .model { #expect(Median.of(ratios) < 4) }
    }

    @Test("The claim holds as often when the occupation ends itself at the wanted accuracy")
    func optionalStopping() throws {
        let truth = try place(39.1069, -96.6091)
        let receiver = StandingReceiver(StandingReceiver.Conditions.field[0], at: truth)
        var (held, ended) = (0, 0)
        for number in 0..<40 {
            let settings = OccupationSettings(wantedAccuracy: 3.5, timeLimit: 900)
            var occupation = Occupation(settings: settings, now: MonotonicInstant(nanoseconds: 0))
            for fix in receiver.fixes(seconds: 901, seed: Self.seed + UInt64(number)) { occupation.add(fix) }
            guard occupation.state == .ended(.accuracyReached) else { continue }
            ended += 1
            let result = try #require(occupation.estimate)
            if WGS84.chord(result.coordinate, truth) <= result.horizontalError { held += 1 }
        }
        print("occupations that ended themselves: \(ended) of 40, \(held) held, seed \(Self.seed)")
        #expect(ended >= 10)
        #expect(Double(held) >= Self.fewestHits(of: ended))
    }

    @Test("The mean as if fixes were independent claims far too little, so the simulation is a test at all")
    func naiveMeanFails() throws {
        let receiver = StandingReceiver(StandingReceiver.Conditions.field[0], at: try place(39.1069, -96.6091))
        var held = 0
        for number in 0..<Self.trials {
            let fixes = receiver.fixes(seconds: 300, seed: Self.seed + UInt64(number))
            let heights = fixes.compactMap(\.altitudeHAE)
            let mean = heights.reduce(0, +) / 300
            let sigma = (heights.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 299).squareRoot()
            if abs(mean - receiver.height) <= 1.96 * sigma / 300.0.squareRoot() { held += 1 }
        }
        #expect(held < 50)
    }
}
