import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

@Suite("The file of what a standing receiver taught") struct StandingFileTests {
    /// How many random summaries.
    static let trials = RandomTest.cases(30)
    static let seed: UInt64 = 90_210

    @Test("A summary comes back from its bytes as it was, and is used once a half hour has confirmed it")
    func restart() throws {
        let learner = try Taught.learner()
        let summary = try #require(learner.summary)
        let bytes = summary.bytes
        let read = try StandingSummary(bytes: bytes)
        #expect(read.bytes == bytes)
        #expect(read.hours == summary.hours && read.device == "/dev/ttyACM0" && read.driver == "u-blox")
        var restarted = StandingLearner(summary: read)
        #expect(restarted.knowledge == nil)
        let seconds = Taught.stand(&restarted, try Taught.receiver(), seconds: 2400) { $0.knowledge != nil }
        #expect((1800...2000).contains(try #require(seconds)))
    }

    @Test("A station that was moved, or got other character, while it was off does not use it")
    func otherAfterRestart() throws {
        let summary = try Taught.learner().summary
        for receiver in [
            try Taught.receiver(north: 60), try Taught.receiver(.field[5]), try Taught.receiver(north: 12),
        ] {
            var restarted = StandingLearner(summary: summary)
            #expect(Taught.stand(&restarted, receiver, seconds: 5400) { $0.knowledge != nil } == nil)
        }
    }

    /// FNV-1a of 64 bits.
    private static func checked(_ bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return bytes + (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }

    @Test("A file of the first format, without the spread of half hours, is read; one of a later format is not")
    func formats() throws {
        let summary = try #require(try Taught.learner().summary)
        let bytes = summary.bytes
        let count = summary.halfHours.count
        var first = Array(bytes.dropLast(8 + 12 * count))
        for index in 0..<count { first += bytes.dropLast(8).suffix(12 * (count - index)).prefix(8) }
        first[15] = 1
        let read = try StandingSummary(bytes: Self.checked(first))
        #expect(read.windows == summary.windows && read.hours == summary.hours)
        #expect(read.halfHours.map(\.step) == summary.halfHours.map(\.step))
        #expect(read.halfHours.allSatisfy(\.spread.isNaN) && summary.halfHours.allSatisfy { !$0.spread.isNaN })
        var restarted = StandingLearner(summary: read)
        #expect(Taught.stand(&restarted, try Taught.receiver(), seconds: 2400) { $0.knowledge != nil } != nil)
        #expect(restarted.summary?.halfHours.last?.spread.isNaN == false)
        var later = Array(bytes.dropLast(8))
        later[15] = 3
        #expect(throws: StandingSummaryError.newerFormat(3)) { try StandingSummary(bytes: Self.checked(later)) }
    }

    @Test("It stays within its bound however long the station stands")
    func bounded() throws {
        var summary = StandingSummary(
            anchor: try place(39, -96), height: 350, device: String(repeating: "d", count: 9000), driver: nil)
        let window = StandingWindow(
            east: 1, north: 1, up: 1, scatter: 1, stated: 1, dilution: 1, hour: 1, satellites: 9, status: 0)
        for _ in 0..<1000 {
            for level in StandingWindow.durations.indices { summary.add(window, level: level) }
            summary.add(StandingHalfHour(scatter: 0.5, step: 0.5))
        }
        #expect(summary.bytes.count <= StandingSummary.mostBytes)
        #expect(try StandingSummary(bytes: summary.bytes).windows == summary.windows)
    }

    @Test("Damage of any kind is found, and told")
    func damage() throws {
        let bytes = try #require(try Taught.learner().summary).bytes
        var generator = SeededGenerator(seed: Self.seed)
        for _ in 0..<200 {
            var broken = bytes
            broken[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            #expect(throws: StandingSummaryError.self) { try StandingSummary(bytes: broken) }
        }
        for length in [0, 1, 14, 15, 19, 23, 40, 100, bytes.count - 9, bytes.count - 1] {
            #expect(throws: StandingSummaryError.self) { try StandingSummary(bytes: Array(bytes.prefix(length))) }
        }
        #expect(throws: StandingSummaryError.damaged) { try StandingSummary(bytes: bytes + [0]) }
        #expect(throws: StandingSummaryError.notASummary) { try StandingSummary(bytes: Array("hello".utf8)) }
        #expect(throws: StandingSummaryError.tooLarge) {
            try StandingSummary(bytes: [UInt8](repeating: 0, count: StandingSummary.mostBytes + 1))
        }
    }

    @Test(
        "No summary, however wrong, makes a claim smaller than a share of the general one, or than the scatter allows"
    )
    func hostile() throws {
        var generator = SeededGenerator(seed: Self.seed)
        print("summaries \(Self.trials), seed \(Self.seed)")
        var used = 0
        for trial in 0..<Self.trials {
            let knowledge = try Self.knowledge(&generator)
            let conditions = StandingReceiver.Conditions.field[trial % StandingReceiver.Conditions.field.count]
            let receiver = try Taught.receiver(conditions)
            let seconds = [10, 60, 300].randomElement(using: &generator) ?? 10
            let seed = UInt64(trial)
            let general = try Taught.occupation(receiver, nil, seconds: seconds, seed: seed)
            let own = try Taught.occupation(receiver, knowledge, seconds: seconds, seed: seed)
            if own.errorBasis == .standing { used += 1 }
            let share = conditions.word == .model ? 0.1 : seconds > 120 ? 0.158 : 0.25
            // As if fixes were independent after 10 s: 2 x 10 s make one.
            let spread = (own.spreadEast * own.spreadEast + own.spreadNorth * own.spreadNorth).squareRoot()
            let scatter = 1.73 * spread * min(1, 20 / Double(seconds)).squareRoot()
            #expect(own.horizontalError >= share * general.horizontalError * 0.999, "trial \(trial)")
            #expect(own.horizontalError >= min(scatter, general.horizontalError) * 0.999, "trial \(trial)")
            #expect(own.horizontalError >= 0.999)
            #expect(own.horizontalError.isFinite && own.verticalError?.isFinite == true)
            #expect((own.verticalError ?? 0) >= share * (general.verticalError ?? 0) * 0.999)
            #expect(own.coordinate == general.coordinate)
        }
        #expect(used > Self.trials / 10)
    }

    /// What a made-up summary is worth: any sizes, some of them absurd.
    private static func knowledge(_ generator: inout SeededGenerator) throws -> StandingKnowledge? {
        var summary = StandingSummary(anchor: try place(39.1069, -96.6091), height: 350, device: nil, driver: nil)
        func size() -> Float { Float(pow(10, Double.random(in: -4...3, using: &generator))) }
        let (sigma, scatter, stated) = (size(), size() * 1000, Bool.random(using: &generator) ? 0 : size())
        for level in StandingWindow.durations.indices {
            for index in 0..<60 {
                summary.add(
                    StandingWindow(
                        east: Float.random(in: -1...1, using: &generator) * sigma,
                        north: Float.random(in: -1...1, using: &generator) * sigma,
                        up: Float.random(in: -1...1, using: &generator) * sigma, scatter: min(scatter, 9999),
                        stated: stated, dilution: 0.9, hour: Int32(400_000 + index), satellites: 9,
                        status: UInt8([0, 0, 0, 2].randomElement(using: &generator) ?? 0)), level: level)
                // So that the occupation is not too far from the middle.
                if index == 0 {
                    summary.add(
                        StandingWindow(
                            east: 100, north: 0, up: 0, scatter: 1, stated: stated, dilution: 0.9, hour: 400_000,
                            satellites: 9, status: 0), level: level)
                }
            }
        }
        for _ in 0..<60 { summary.add(StandingHalfHour(scatter: 0, step: 0)) }
        return StandingKnowledge(try StandingSummary(bytes: summary.bytes), systematic: SystematicError())
    }
}
