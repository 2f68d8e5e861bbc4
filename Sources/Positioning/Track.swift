public import KonzaModel

/// The fixes of the last half hour, oldest first, with times that only rise.
public struct Track: Sendable {
    private let settings: PositionSettings
    private var points: [TrackPoint] = []
    /// Where the kept points begin in `points`; what lies before is removed in blocks.
    private var start = 0

    public init(settings: PositionSettings = PositionSettings()) {
        self.settings = settings
    }

    public var count: Int { points.count - start }
    public var isEmpty: Bool { count == 0 }
    public var oldest: TrackPoint? { isEmpty ? nil : points[start] }
    public var newest: TrackPoint? { isEmpty ? nil : points[points.count - 1] }

    /// The point before the newest.
    var previous: TrackPoint? { count > 1 ? points[points.count - 2] : nil }

    /// Adds the fix of a later instant, or replaces the newest by a better one of the same instant.
    ///
    /// - Returns: false if the point is older than the newest; it is not kept.
    @discardableResult
    public mutating func append(_ point: TrackPoint) -> Bool {
        if let newest {
            if point.time < newest.time { return false }
            if point.time == newest.time {
                points[points.count - 1] = point
                return true
            }
        }
        points.append(point)
        drop(before: point.time.advanced(bySeconds: -settings.trackSeconds))
        return true
    }

    public mutating func removeAll() {
        points.removeAll(keepingCapacity: true)
        start = 0
    }

    private mutating func drop(before limit: UTCInstant) {
        while start < points.count, points[start].time < limit || count > max(1, settings.trackPoints) { start += 1 }
        if start > 1024, start > count {
            points.removeFirst(start)
            start = 0
        }
    }

    /// The points after an instant, oldest first; all of them without one.
    public func points(since instant: UTCInstant? = nil) -> [TrackPoint] {
        guard let instant else { return Array(points[start...]) }
        return Array(points[firstIndex(after: instant)...])
    }

    /// The position at an instant: a fix's own if there is one of exactly that instant, else between the fixes on
    /// either side, else a little beyond the newest.
    public func position(at instant: UTCInstant) -> Result<PositionAtInstant, TrackError> {
        guard let oldest, let newest else { return .failure(.empty) }
        if instant < oldest.time { return .failure(.beforeTrack(oldest: oldest.time)) }
        let next = firstIndex(after: instant)
        let before = points[next - 1]
        if before.time == instant { return .success(PositionAtInstant(before)) }
        if next < points.count {
            let after = points[next]
            let gap = after.time.seconds(since: before.time)
            guard gap <= settings.largestGapSeconds else {
                return .failure(.gapTooLarge(seconds: gap, limitSeconds: settings.largestGapSeconds))
            }
            // The way between is unknown, not just inexact: the truth is at one end or nowhere near either.
            if let metres = after.jump(from: before) { return .failure(.jump(metres: metres, seconds: gap)) }
            return .success(TrackSegment(from: before, to: after).position(at: instant))
        }
        guard instant.seconds(since: newest.time) <= settings.largestExtrapolationSeconds else {
            return .failure(
                .afterTrack(newest: newest.time, limitSeconds: settings.largestExtrapolationSeconds))
        }
        return .success(extrapolated(to: instant, from: newest))
    }

    private func extrapolated(to instant: UTCInstant, from newest: TrackPoint) -> PositionAtInstant {
        let near = previous.flatMap { point in
            newest.time.seconds(since: point.time) <= settings.largestGapSeconds ? point : nil
        }
        return TrackExtrapolation(newest: newest, previous: near).position(at: instant)
    }

    /// The index of the first point later than an instant, by bisection; `points.count` if there is none.
    private func firstIndex(after instant: UTCInstant) -> Int {
        var low = start
        var high = points.count
        while low < high {
            let middle = low + (high - low) / 2
            if points[middle].time <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
