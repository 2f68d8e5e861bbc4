internal import Foundation

/// Seconds that count less while the machine is slowed down by what goes on beside it.
///
/// A promise of ten seconds is meant for a machine that has its processors for itself. How much slower it is at present
/// is measured: a short sum is done again and again; the fastest ever is what the machine can do, the mean is what it
/// gets.
struct PacedTime {
    /// No machine is believed to be slower than by this factor.
    private static let mostSlowness = 12.0
    /// Seconds between two measurements.
    private static let period = 2.0

    /// Seconds of an undisturbed machine.
    private(set) var elapsed = 0.0
    /// How many times slower than undisturbed, the last time it was measured.
    private(set) var slowness = 1.0
    private var last = ContinuousClock.now
    private var measured: ContinuousClock.Instant?

    /// Lets the time pass that has passed.
    mutating func advance() {
        if measured.map({ $0.duration(to: .now) > .seconds(Self.period) }) ?? true {
            slowness = Self.measure()
            measured = .now
        }
        let now = ContinuousClock.now
        elapsed += last.duration(to: now).inSeconds / slowness
        last = now
    }

    private static let fastest = LockedValue(Double.infinity)

    private static func measure() -> Double {
        let sums = (0..<40).map { _ in timeOfASum() }
        let best = min(fastest.value, sums.min() ?? 0)
        fastest.set(best)
        return min(max(sums.reduce(0, +) / Double(sums.count) / best, 1), mostSlowness)
    }

    /// About a millisecond of an emulated machine.
    private static func timeOfASum() -> Double {
        let start = ContinuousClock.now
        var value = UInt64(start.duration(to: .now).components.attoseconds & 0xFF) | 1
        for _ in 0..<100_000 { value = value &* 6_364_136_223_846_793_005 &+ (value >> 33) }
        sink.set(value)
        return start.duration(to: .now).inSeconds
    }

    /// Where the sums go, so that they are done.
    private static let sink = LockedValue<UInt64>(0)
}
