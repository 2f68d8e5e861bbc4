internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// How much measuring is enough.
public struct RoundLimits: Sendable, Equatable {
    /// Rounds are ended after so long, seconds, but not before the fewest were done.
    public var seconds: Double
    public var fewest: Int
    public var most: Int

    public init(seconds: Double, fewest: Int, most: Int) {
        self.seconds = seconds
        self.fewest = max(1, fewest)
        self.most = max(self.fewest, most)
    }
}

/// Measures several things in turn, round after round, so that a slow spell of the machine falls on all of them. The order
/// of each round is drawn anew, by a fixed seed, so that none always finds the caches as the same neighbour left them.
///
/// - Parameters:
///   - limits: How much is enough.
///   - count: How many things there are.
///   - now: Seconds on a steady clock.
///   - measure: Measures the thing of an index once; nil leaves it out of all further rounds.
/// - Returns: The measurements of each; empty for what was left out.
public func interleavedRounds(
    _ limits: RoundLimits, count: Int, now: () -> Double = steadySeconds, measure: (Int) throws -> Double?
) rethrows -> [[Double]] {
    var measurements = [[Double]](repeating: [], count: count)
    var isOut = [Bool](repeating: false, count: count)
    var order = Array(0..<count)
    var generator = OrderGenerator()
    let start = now()
    for round in 0..<limits.most {
        if round >= limits.fewest, now() - start >= limits.seconds { break }
        order.shuffle(using: &generator)
        for index in order where !isOut[index] {
            if let value = try measure(index) {
                measurements[index].append(value)
            } else {
                isOut[index] = true
                measurements[index] = []
            }
        }
    }
    return measurements
}

/// A multiplicative congruential generator: the same orders in each run.
private struct OrderGenerator: RandomNumberGenerator {
    private var state: UInt64 = 0x5EED

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 32 | state << 32
    }
}

/// Seconds on the steady clock.
public func steadySeconds() -> Double { Double(SystemClock().monotonic().nanoseconds) / 1e9 }

/// How long a body takes, milliseconds.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = SystemClock().monotonic()
    try body()
    return SystemClock().monotonic().seconds(since: start) * 1000
}

/// How much of the processor a body takes on this thread, milliseconds: on an idle machine what the clock says, and on a
/// busy one without the time that others had it. A body that takes long is interrupted oftener than one that does not, so
/// that ratios by the clock would favour the short.
func processorMilliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = threadProcessorSeconds()
    try body()
    return (threadProcessorSeconds() - start) * 1000
}

private func threadProcessorSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
