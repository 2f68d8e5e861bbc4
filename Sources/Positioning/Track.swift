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

    /// Takes the newest point away, if it is of an epoch that was taken back.
    mutating func remove(sequence: UInt64) {
        guard newest?.sequence == sequence else { return }
        points.removeLast()
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
    /// either side, else a little beyond the newest. Two receivers' fixes are never mixed: where the receiver changed,
    /// the position is carried on from the fix before.
    public func position(at instant: UTCInstant) -> Result<PositionAtInstant, TrackError> {
        guard let oldest, let newest else { return .failure(.empty) }
        if instant < oldest.time { return .failure(.beforeTrack(oldest: oldest.time)) }
        let next = firstIndex(after: instant)
        let before = points[next - 1]
        if before.time == instant { return .success(PositionAtInstant(before)) }
        if next < points.count {
            let after = points[next]
            let gap = after.time.seconds(since: before.time)
            guard after.device == before.device else { return carriedOn(to: instant, from: before, index: next - 1) }
            guard gap <= settings.largestGapSeconds else {
                return .failure(.gapTooLarge(seconds: gap, limitSeconds: settings.largestGapSeconds))
            }
            // The way between is unknown, not just inexact: the truth is at one end or nowhere near either.
            if let metres = after.jump(from: before) { return .failure(.jump(metres: metres, seconds: gap)) }
            return .success(TrackSegment(from: before, to: after).position(at: instant))
        }
        return carriedOn(to: instant, from: newest, index: points.count - 1)
    }

    /// The position a little beyond a point that no point of the same receiver follows.
    private func carriedOn(
        to instant: UTCInstant, from last: TrackPoint, index: Int
    ) -> Result<PositionAtInstant, TrackError> {
        guard instant.seconds(since: last.time) <= settings.largestExtrapolationSeconds else {
            return .failure(.afterTrack(newest: last.time, limitSeconds: settings.largestExtrapolationSeconds))
        }
        let earlier = index > start ? points[index - 1] : nil
        let near = earlier.flatMap { point in
            point.device == last.device && last.time.seconds(since: point.time) <= settings.largestGapSeconds
                ? point : nil
        }
        return .success(TrackExtrapolation(newest: last, previous: near).position(at: instant))
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
