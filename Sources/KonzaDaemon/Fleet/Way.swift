internal import Geodesy
internal import KonzaModel
internal import Positioning

/// Where the station went, in as few points as say it: one where it had left the one before by more than both positions' errors, and one
/// each quarter of an hour while it stands.
struct Way: Sendable {
    /// The most points; from there on only larger steps count.
    static let mostPoints = 240
    /// A step that counts has at least so many metres: receivers that stand still wander.
    private static let leastStep = 10.0
    /// A point of a station that stands still, seconds after the one before.
    private static let patience = 900.0

    private(set) var points: [TrackPoint] = []
    private var step = Way.leastStep

    /// Looks at the next fix; they come in the order of their times.
    mutating func add(_ point: TrackPoint) {
        guard let last = points.last, isClose(point, to: last) else {
            points.append(point)
            if points.count > Self.mostPoints { widen() }
            return
        }
    }

    private func isClose(_ point: TrackPoint, to last: TrackPoint) -> Bool {
        let errors = (point.horizontalAccuracy?.metres ?? 0) + (last.horizontalAccuracy?.metres ?? 0)
        return point.coordinate.distance(to: last.coordinate) <= max(step, errors)
            && point.time.seconds(since: last.time) < Self.patience
    }

    /// Takes larger steps until half of the points are left.
    private mutating func widen() {
        while points.count > Self.mostPoints / 2 {
            step *= 2
            var fewer: [TrackPoint] = []
            for point in points {
                if let last = fewer.last, isClose(point, to: last) { continue }
                fewer.append(point)
            }
            // Points a quarter of an hour apart stay.
            if fewer.count == points.count, step > 1e6 { return }
            points = fewer
        }
    }
}
