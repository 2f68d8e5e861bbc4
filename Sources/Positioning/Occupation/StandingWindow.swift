internal import Glibc
internal import KonzaModel

/// A fix of the standing station in the plane of its place, metres.
struct StandingPoint: Sendable {
    var arrival: MonotonicInstant
    /// Hours since 1970, UTC.
    var hour: Int
    var east: Double
    var north: Double
    var up: Double?
    /// What the receiver says of its error, a standard deviation on one horizontal axis.
    var statedSigma: Double?
    var verticalSigma: Double?
    var satellites: Int?
    var dilution: Double?
    var status: FixStatus
}

/// What an occupation of a certain length would have come to.
struct StandingWindow: Sendable, Equatable {
    /// Seconds of the windows of each level; an occupation's radius is interpolated between them.
    static let durations: [Double] = (0..<10).map { 10 * Double(1 << $0) }
    /// Satellites that are not known.
    static let unknownSatellites: UInt8 = 255

    /// The robust mean, metres from the anchor; up is not a number where no height is known.
    var east: Float
    var north: Float
    var up: Float
    /// The standard deviation of the fixes around the mean, both axes together.
    var scatter: Float
    /// The median standard deviation that the fixes state; 0 if they state none.
    var stated: Float
    /// The median HDOP; 0 if it is not known.
    var dilution: Float
    /// Hours since 1970, UTC.
    var hour: Int32
    /// The median number of satellites used.
    var satellites: UInt8
    var status: UInt8

    /// Whether all could be of a receiver on the ground.
    var isPlausible: Bool {
        let lengths = [east, north, scatter, stated, dilution]
        return lengths.allSatisfy { $0.isFinite && abs($0) <= 10_000 } && scatter >= 0 && stated >= 0 && dilution >= 0
            && (up.isNaN || abs(up) <= 10_000) && hour >= 0
    }
}

extension StandingWindow {
    /// The mean of points, by the way of an occupation; at least one point.
    init(_ points: [StandingPoint]) {
        let stated = Median.ofAny(points.compactMap(\.statedSigma))
        let scales = points.map { point in
            stated.map { min(max((point.statedSigma ?? $0) / $0, 1 / 3), 3) } ?? 1
        }
        let axes = [points.map(\.east), points.map(\.north)]
        let centre = RobustCentre(
            axes, scales: scales, statedSigma: stated ?? OccupationEstimator.unknownHorizontalSigma)
        var squares = 0.0
        for index in points.indices {
            let (east, north) = (axes[0][index] - centre.centre[0], axes[1][index] - centre.centre[1])
            squares += centre.weights[index] * (east * east + north * north)
        }
        east = Float(centre.centre[0])
        north = Float(centre.centre[1])
        up = Float(Self.height(points) ?? .nan)
        scatter = Float(squares.squareRoot())
        self.stated = Float(stated ?? 0)
        dilution = Float(Median.ofAny(points.compactMap(\.dilution)) ?? 0)
        hour = Int32(clamping: points.first?.hour ?? 0)
        let used = Median.ofAny(points.compactMap { $0.satellites.map(Double.init) })
        satellites = used.map { UInt8(clamping: Int(min(max($0, 0), 254))) } ?? Self.unknownSatellites
        let differential = points.count { $0.status == .differential }
        let most = 2 * differential > points.count ? FixStatus.differential : points.first?.status ?? .unknown
        status = UInt8(clamping: most.rawValue)
    }

    /// The height by the same way; nil unless all have one.
    private static func height(_ points: [StandingPoint]) -> Double? {
        let heights = points.compactMap(\.up)
        guard heights.count == points.count else { return nil }
        let stated = Median.ofAny(points.compactMap(\.verticalSigma)) ?? OccupationEstimator.unknownVerticalSigma
        return RobustCentre([heights], scales: heights.map { _ in 1 }, statedSigma: stated).centre[0]
    }
}

/// Gathers points into windows of one length, at most one per spacing.
struct WindowCollector: Sendable {
    /// More points are thinned out: neighbours resemble each other.
    private static let mostPoints = 80
    /// Windows are not begun more often than this, seconds.
    static let leastSpacing = 600.0

    let duration: Double
    private let spacing: Double
    private var points: [StandingPoint] = []
    private var began: MonotonicInstant?
    private var newest: MonotonicInstant?
    private var nextBegin: MonotonicInstant?
    private var stride = 1
    private var count = 0

    /// - Parameters:
    ///   - duration: seconds.
    ///   - spacing: seconds between the beginnings of two windows.
    init(duration: Double, spacing: Double) {
        self.duration = duration
        self.spacing = spacing
    }

    /// Takes a point.
    ///
    /// - Returns: the window that ended just before it.
    mutating func take(_ point: StandingPoint) -> StandingWindow? {
        defer { newest = point.arrival }
        // A window with a hole is no occupation of its length.
        if let newest, point.arrival.seconds(since: newest) > max(5, duration / 5) { began = nil }
        var ended: StandingWindow?
        if let start = began, point.arrival.seconds(since: start) >= duration {
            if points.count > 1 { ended = StandingWindow(points) }
            began = nil
        }
        if began == nil {
            if let nextBegin, point.arrival < nextBegin { return ended }
            begin(at: point.arrival)
        }
        keep(point)
        return ended
    }

    private mutating func begin(at instant: MonotonicInstant) {
        began = instant
        // A beginning that came late does not move the next ones, unless it came very late.
        let due = nextBegin.map { $0.advanced(bySeconds: spacing) }
        nextBegin = due.flatMap { $0 > instant ? $0 : nil } ?? instant.advanced(bySeconds: spacing)
        points.removeAll(keepingCapacity: true)
        stride = 1
        count = 0
    }

    private mutating func keep(_ point: StandingPoint) {
        defer { count += 1 }
        guard count % stride == 0 else { return }
        if points.count == Self.mostPoints {
            points = points.indices.filter { $0 % 2 == 0 }.map { points[$0] }
            stride *= 2
            guard count % stride == 0 else { return }
        }
        points.append(point)
    }
}
