internal import Glibc

/// The middle of points that are not all to be trusted: Huber's M-estimator by iterated reweighting, beside a hard limit
/// in units of the median absolute deviation (P. Huber, "Robust Statistics", 1981, 6.7; F. Hampel et al., "Robust
/// Statistics", 1986). Up to half of the points may be anywhere.
struct RobustCentre {
    /// The stable name of the rule, for results.
    static let ruleName = "huber-1.5-mad-99.9"

    /// A point is rejected if a normal variable is that far off in one of a thousand cases.
    private static let tail = 0.001
    /// Up to here, in standard deviations per dimension, a point has its full weight.
    private static let fullWeight = 1.5
    private static let mostRounds = 20
    /// The spread is taken to be at least this share of what the receiver says: a fix well within that is no outlier,
    /// however well the others agree for the moment.
    private static let leastSpread = 0.25

    /// The centre on each axis.
    private(set) var centre: [Double]
    /// The weight of each point in the centre, 0 if rejected; their sum is 1.
    private(set) var weights: [Double]

    /// - Parameters:
    ///   - axes: one list of coordinates, or two of the same length; at least one point.
    ///   - scales: the error that each point states, in units of the median one.
    ///   - statedSigma: that median one, as a standard deviation on an axis.
    init(_ axes: [[Double]], scales: [Double], statedSigma: Double) {
        let count = scales.count
        let isPlane = axes.count == 2
        let limit = isPlane ? (-2 * log(Self.tail)).squareRoot() : StatedError.interval(within: 1 - Self.tail)
        // The median of the distance from the centre, in standard deviations: of Rayleigh's distribution or the normal.
        let medianDistance = isPlane ? (2 * log(2.0)).squareRoot() : StatedError.interval(within: 0.5)
        let knee = Self.fullWeight * Double(axes.count).squareRoot()
        centre = axes.map { Median.of($0) }
        weights = [Double](repeating: 1 / Double(count), count: count)
        var distances = [Double](repeating: 0, count: count)
        for _ in 0..<Self.mostRounds {
            for index in 0..<count {
                var squared = 0.0
                for axis in axes.indices {
                    let offset = axes[axis][index] - centre[axis]
                    squared += offset * offset
                }
                distances[index] = squared.squareRoot() / scales[index]
            }
            let spread = max(Median.of(distances) / medianDistance, Self.leastSpread * statedSigma, 1e-6)
            var sum = 0.0
            var next = [Double](repeating: 0, count: axes.count)
            for index in 0..<count {
                let distance = distances[index] / spread
                let trust = distance > limit ? 0 : distance > knee ? knee / distance : 1
                let weight = trust / (scales[index] * scales[index])
                weights[index] = weight
                sum += weight
                for axis in axes.indices { next[axis] += weight * axes[axis][index] }
            }
            guard sum > 0 else { break }
            var moved = 0.0
            for axis in axes.indices {
                next[axis] /= sum
                moved = max(moved, abs(next[axis] - centre[axis]))
            }
            centre = next
            if moved < 1e-4 { break }
        }
        let sum = weights.reduce(0, +)
        for index in 0..<count { weights[index] = sum > 0 ? weights[index] / sum : 1 / Double(count) }
    }
}

/// Medians.
enum Median {
    /// The middle value, or the mean of the two in the middle; 0 of none.
    static func of(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The same, nil of none.
    static func ofAny(_ values: [Double]) -> Double? { values.isEmpty ? nil : of(values) }
}
