internal import Glibc

/// How the receiver behaved in a half hour: logarithms of lengths in metres.
struct StandingHalfHour: Sendable, Equatable {
    /// The median scatter of its windows of 80 s.
    var scatter: Float
    /// The median distance between two fixes 10 s apart.
    var step: Float
    /// The standard deviation of the means of its windows of 80 s, both axes together: errors that change within minutes, of which
    /// neither of the other two tells. Not a number where it is not known.
    var spread: Float = .nan

    /// Whether it could be of a receiver on the ground.
    var isPlausible: Bool {
        [scatter, step].allSatisfy { $0.isFinite && abs($0) < 100 } && (spread.isNaN || abs(spread) < 100)
    }

    /// What is compared. No standard deviation is taken for less than `least`, however alike those before were, and fewer than
    /// `count` half hours do not say what is usual: of the spread, which varies more, those of a day.
    private static var comparisons: [(value: KeyPath<Self, Float>, least: Float, count: Int)] {
        [(\.scatter, 0.08, 12), (\.step, 0.05, 12), (\.spread, 0.08, 48)]
    }
    /// So many standard deviations are a change.
    private static let limit: Float = 5

    /// Whether it is like others.
    func isLike(_ others: [StandingHalfHour]) -> Bool {
        Self.comparisons.allSatisfy { comparison in
            let value = self[keyPath: comparison.value]
            let known = others.map { $0[keyPath: comparison.value] }.filter { !$0.isNaN }
            guard !value.isNaN, known.count >= comparison.count else { return true }
            let count = Float(known.count)
            let mean = known.reduce(0, +) / count
            let squares = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            let deviation = (squares / (count - 1)).squareRoot()
            return abs(value - mean) <= Self.limit * max(deviation, comparison.least)
        }
    }

    /// The logarithm of how far the means of windows lie apart; at least two of them.
    static func spread(of windows: [StandingWindow]) -> Float {
        let count = Double(windows.count)
        let east = windows.reduce(0) { $0 + Double($1.east) } / count
        let north = windows.reduce(0) { $0 + Double($1.north) } / count
        let squares = windows.reduce(0) { sum, window in
            let (x, y) = (Double(window.east) - east, Double(window.north) - north)
            return sum + x * x + y * y
        }
        return Float(log(max((squares / max(1, count - 1)).squareRoot(), 0.001)))
    }
}
