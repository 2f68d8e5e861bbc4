import KonzaLab
import KonzaTesting
import Testing

/// A soak's verdict on made series: half an hour less its warm-up, a sample every two seconds.
@Suite("What grows in a soak")
struct GrowthTests {
    /// Those of the resident memory, MB.
    private static let bounds = Growth.Bounds(perHour: 4, step: 8)
    private static let seconds = stride(from: 360.0, to: 1800, by: 2)

    /// - Parameters:
    ///   - seed: of the noise, ± 1 MB.
    ///   - level: MB after so many seconds.
    /// - Returns: how it grows.
    /// - Throws: never: there are samples enough.
    private static func growth(seed: UInt64, _ level: (Double) -> Double) throws -> Growth {
        var noise = SeededGenerator(seed: seed)
        return try Growth(seconds.map { ($0, level($0) + Double.random(in: -1...1, using: &noise)) })
    }

    @Test("a leak of 8 MB an hour is found in its noise", arguments: UInt64(1)...20)
    func leak(seed: UInt64) throws {
        let growth = try Self.growth(seed: seed) { 40 + 8 * $0 / 3600 }
        #expect(growth.isBeyond(Self.bounds), "\(growth)")
    }

    @Test("a leak in small steps, one after another, is a leak", arguments: UInt64(1)...20)
    func stairs(seed: UInt64) throws {
        let growth = try Self.growth(seed: seed) { 40 + ($0 / 60).rounded(.down) * 0.2 }
        #expect(growth.isBeyond(Self.bounds), "\(growth)")
    }

    @Test(
        "what is taken once is no growth, whenever it is",
        arguments: [400.0, 700, 1000, 1079, 1081, 1200, 1500, 1790])
    func step(at instant: Double) throws {
        let growth = try Self.growth(seed: UInt64(instant)) { $0 < instant ? 40 : 42 }
        #expect(!growth.isBeyond(Self.bounds), "\(growth)")
    }

    @Test("a step that is large is growth")
    func largeStep() throws {
        #expect(try Self.growth(seed: 1) { $0 < 1080 ? 40 : 52 }.isBeyond(Self.bounds))
    }

    @Test("noise is no growth", arguments: UInt64(1)...50)
    func flat(seed: UInt64) throws {
        let growth = try Self.growth(seed: seed) { _ in 40 }
        #expect(!growth.isBeyond(Self.bounds), "\(growth)")
    }

    @Test("what shrinks is no growth")
    func shrinking() throws {
        #expect(!(try Self.growth(seed: 1) { 60 - 10 * $0 / 1800 }.isBeyond(Self.bounds)))
    }

    @Test("too few samples are refused")
    func few() {
        #expect(throws: Complaint.self) { try Growth((0..<15).map { (Double($0), 1) }) }
        #expect(throws: Complaint.self) { try Growth([]) }
    }
}
