/// Whether a quantity of a process that runs for long grows, from samples of it over time.
///
/// What leaks grows all the time; what is taken once, a further thread of a pool or a buffer that was never needed
/// before, is a step. One straight line through the whole does not tell them apart: a step tilts it too. So the time is
/// halved: a leak has a slope in both halves, a step in one at most. A step that is large is not excused by being one:
/// then the second half's mean is too far over the first's.
public struct Growth: Sendable {
    /// What is still called flat.
    public struct Bounds: Sendable {
        /// The slope in both halves, an hour.
        let perHour: Double
        /// The second half's mean over the first half's.
        let step: Double

        /// - Parameters:
        ///   - perHour: the most that the slope may surely be in both halves, an hour.
        ///   - step: the most that the second half's mean may be over the first half's.
        public init(perHour: Double, step: Double) {
            self.perHour = perHour
            self.step = step
        }
    }

    /// The straight line of least squares through one half.
    public struct Line: Sendable {
        public let mean: Double
        public let most: Double
        /// Per hour.
        public let slope: Double
        /// The slope's standard error, per hour. It takes the samples' deviations to be independent.
        public let error: Double

        fileprivate init(_ points: ArraySlice<(seconds: Double, value: Double)>) throws {
            guard points.count >= 10 else { throw Complaint("\(points.count) samples are too few for a slope") }
            let count = Double(points.count)
            let meanX = points.reduce(0) { $0 + $1.seconds / 3600 } / count
            let meanY = points.reduce(0) { $0 + $1.value } / count
            let spread = points.reduce(0) { sum, point in
                sum + (point.seconds / 3600 - meanX) * (point.seconds / 3600 - meanX)
            }
            let slope =
                points.reduce(0) { $0 + ($1.seconds / 3600 - meanX) * ($1.value - meanY) } / spread
            let residue = points.reduce(0) { sum, point in
                let distance = point.value - meanY - slope * (point.seconds / 3600 - meanX)
                return sum + distance * distance
            }
            mean = meanY
            most = points.map(\.value).max() ?? 0
            self.slope = slope
            error = (residue / (count - 2) / spread).squareRoot()
        }
    }

    public let first: Line
    public let second: Line

    /// - Parameter samples: after the warm-up, in the order of their seconds.
    /// - Throws: ``Complaint`` if there are fewer than ten in a half of the time.
    public init(_ samples: [(seconds: Double, value: Double)]) throws {
        guard let begin = samples.first?.seconds, let end = samples.last?.seconds else {
            throw Complaint("there are no samples")
        }
        let middle = samples.firstIndex { $0.seconds >= (begin + end) / 2 } ?? samples.endIndex
        first = try Line(samples[..<middle])
        second = try Line(samples[middle...])
    }

    /// Whether it grows.
    ///
    /// - Parameter bounds: what is still called flat.
    /// - Returns: true if the slope less two standard errors is over its bound in both halves, or the step over its.
    public func isBeyond(_ bounds: Bounds) -> Bool {
        let isRising = [first, second].allSatisfy { $0.slope - 2 * $0.error > bounds.perHour }
        return isRising || second.mean - first.mean > bounds.step
    }
}
