import Glibc
import Testing

@testable import KonzaBench

@Suite("Statistics") struct StatisticsTests {
    @Test("The median is the middle value, or the mean of the two in the middle")
    func median() {
        #expect(Summary([3, 1, 2])?.median == 2)
        #expect(Summary([4, 1, 3, 2])?.median == 2.5)
        #expect(Summary([7])?.median == 7)
    }

    // R: quantile(c(1, 2, 3, 4, 10), c(0, .1, .25, .5, .75, .99, 1)), type 7 by default.
    @Test(
        "Percentiles are interpolated between the closest ranks",
        arguments: [(0.0, 1.0), (10, 1.4), (25, 2), (50, 3), (75, 4), (99, 9.76), (100, 10), (-5, 1), (120, 10)])
    func percentiles(percent: Double, expected: Double) throws {
        let summary = try #require(Summary([10, 4, 2, 3, 1]))
        #expect(abs(summary.percentile(percent) - expected) < 1e-12)
    }

    @Test("The spread is the distance between the quartiles as a share of the median")
    func spread() {
        // Quartiles 2 and 4, median 3.
        #expect(Summary([1, 2, 3, 4, 10])?.spread == 2.0 / 3)
        #expect(Summary([5, 5, 5])?.spread == 0)
        #expect(Summary([0, 0, 0])?.spread == 0)
    }

    @Test("There is no summary of nothing, or of what is not finite")
    func refusals() {
        #expect(Summary([]) == nil)
        #expect(Summary([1, .nan]) == nil)
        #expect(Summary([1, .infinity]) == nil)
    }

    @Test("A summary knows its extremes and how many measurements it is of")
    func extremes() throws {
        let summary = try #require(Summary([5, -1, 2]))
        #expect(summary.minimum == -1)
        #expect(summary.maximum == 5)
        #expect(summary.count == 3)
    }

    @Test(
        "Equal samples have an infinite signal-to-noise ratio, others the one of the definition",
        arguments: [(UInt64(0), UInt64(10), Double.infinity), (10, 10, 48.1308), (65_025, 1, 0)])
    func signalToNoise(squares: UInt64, count: UInt64, expected: Double) {
        let ratio = peakSignalToNoise(squares: squares, count: count)
        #expect(ratio == expected || abs(ratio - expected) < 1e-4)
    }
}

@Suite("Rounds") struct RoundTests {
    @Test("Processor time is of work, not of waiting")
    func processorTime() {
        #expect(processorMilliseconds { usleep(50_000) } < 25)
        var sum: UInt64 = 1
        let work = processorMilliseconds {
            for value in 0..<UInt64(1_000_000) { sum = sum &* 31 &+ value }
        }
        #expect(work > 0 && sum != 0)
    }

    @Test("Each round measures everything once, in an order of its own that the next run repeats")
    func order() {
        func run() -> [Int] {
            var turns: [Int] = []
            // The time is over at once, so only the fewest rounds are done.
            let limits = RoundLimits(seconds: 0, fewest: 20, most: 30)
            let measured = interleavedRounds(limits, count: 4, now: { 0 }) { index in
                turns.append(index)
                return Double(index)
            }
            #expect(measured == (0..<4).map { [Double](repeating: Double($0), count: 20) })
            return turns
        }
        let turns = run()
        let rounds = stride(from: 0, to: turns.count, by: 4).map { Array(turns[$0..<$0 + 4]) }
        #expect(rounds.allSatisfy { $0.sorted() == [0, 1, 2, 3] })
        #expect(Set(rounds).count > 8)
        #expect(run() == turns)
    }

    @Test("Rounds end when the time is over or the most were done", arguments: [(5.0, 5), (100, 8)])
    func bounds(seconds: Double, expected: Int) {
        var time = 0.0
        let limits = RoundLimits(seconds: seconds, fewest: 1, most: 8)
        let measured = interleavedRounds(limits, count: 1, now: { time }) { _ in
            time += 1
            return 1
        }
        #expect(measured[0].count == expected)
    }

    @Test("What cannot be measured is left out of all further rounds")
    func leftOut() {
        var asked = 0
        let measured = interleavedRounds(RoundLimits(seconds: 0, fewest: 4, most: 4), count: 2, now: { 0 }) { index in
            guard index == 1 else { return 1 }
            asked += 1
            return asked == 1 ? 5 : nil
        }
        #expect(measured == [[1, 1, 1, 1], []])
        #expect(asked == 2)
    }
}
