/// What a number of measurements of one thing say together.
public struct Summary: Sendable, Equatable {
    /// How many measurements there were, at least one.
    public let count: Int
    public let minimum: Double
    public let lowerQuartile: Double
    public let median: Double
    public let upperQuartile: Double
    public let maximum: Double
    private let sorted: [Double]

    /// - Returns: nil without measurements, or if one of them is not finite.
    public init?(_ measurements: [Double]) {
        guard measurements.allSatisfy(\.isFinite) else { return nil }
        sorted = measurements.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        count = sorted.count
        minimum = first
        maximum = last
        lowerQuartile = Self.quantile(0.25, ofSorted: sorted)
        median = Self.quantile(0.5, ofSorted: sorted)
        upperQuartile = Self.quantile(0.75, ofSorted: sorted)
    }

    /// The distance between the quartiles as a share of the median: half of the measurements lie within it. 0 if the
    /// median is 0.
    public var spread: Double { median == 0 ? 0 : (upperQuartile - lowerQuartile) / abs(median) }

    /// The value below which a percentage of the measurements lies.
    ///
    /// - Parameter percent: 0 to 100.
    /// - Returns: A value between two measurements where no measurement stands there.
    public func percentile(_ percent: Double) -> Double {
        Self.quantile(min(max(percent, 0), 100) / 100, ofSorted: sorted)
    }

    /// Interpolated between the closest ranks: definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical
    /// Packages" (1996).
    private static func quantile(_ share: Double, ofSorted values: [Double]) -> Double {
        let rank = share * Double(values.count - 1)
        let low = Int(rank.rounded(.down))
        let high = min(low + 1, values.count - 1)
        return values[low] + (values[high] - values[low]) * (rank - Double(low))
    }
}
