internal import KonzaSystem
internal import Synchronization

/// What several connections asked within a time.
struct LoadFigures: Sendable {
    /// Answers a second, of all connections together.
    let perSecond: Double
    /// Milliseconds from a question to its whole answer.
    let latency: Summary
}

/// Tells threads to end.
final class StopFlag: Sendable {
    private let isRaised = Atomic(false)

    var isSet: Bool { isRaised.load(ordering: .relaxed) }
    func raise() { isRaised.store(true, ordering: .relaxed) }
}

/// Asks on several connections at once, one question at a time on each, as fast as answers come.
enum Load {
    /// Seconds before the first question that counts.
    private static let warmUp = 0.3

    /// - Parameters:
    ///   - connections: How many, each on a thread of its own.
    ///   - seconds: How long.
    ///   - open: Connects, and gives what asks once and throws if the answer is wrong.
    /// - Returns: What was answered, after a short while to warm up.
    /// - Throws: the first failure of any connection.
    static func run(
        connections: Int, seconds: Double, open: @escaping @Sendable () throws -> () throws -> Void
    ) async throws -> LoadFigures {
        let begin = steadySeconds() + warmUp
        let end = begin + seconds
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for number in 0..<connections {
                group.addTask {
                    try await onDedicatedThread(named: "load \(number)") {
                        try askUntil(end, countingFrom: begin, try open())
                    }
                }
            }
            var all: [Double] = []
            for try await some in group { all += some }
            return all
        }
        guard let latency = Summary(latencies) else { throw BenchError("cannot measure a load: nothing was answered") }
        return LoadFigures(perSecond: Double(latency.count) / seconds, latency: latency)
    }

    private static func askUntil(_ end: Double, countingFrom begin: Double, _ ask: () throws -> Void) throws -> [Double]
    {
        var latencies: [Double] = []
        latencies.reserveCapacity(1 << 18)
        while true {
            let start = steadySeconds()
            guard start < end else { return latencies }
            try ask()
            if start >= begin { latencies.append((steadySeconds() - start) * 1000) }
        }
    }
}
