internal import KonzaModel

/// Tells whether somebody walks or stands, by the receiver's speed, and without one by how far the fixes of the last 20
/// seconds have gone. Both need more to begin than to go on.
struct MovementSense: Sendable {
    private static let beginSpeed = 0.5
    private static let endSpeed = 0.3
    private static let advanceFixes = 12
    /// Fixes in a row that must have advanced before an edge is changed.
    private static let leastAdvances = 6
    /// Fixes in a row that it takes.
    private static let confirming = 2
    private static let memory = 25.0
    /// Of it what tells that one has stopped.
    private static let memoryToStop = 20.0
    private static let mostFixes = 40
    /// Without a speed: how far one must have come in the last seconds to be called on the way now, metres.
    private static let leastAdvance = 7.0

    private(set) var isMoving = false
    private var knowsSpeed = false
    private var streak = 0
    /// Fixes in a row that have gone so far.
    private var advances = 0
    private var recent: [(time: UTCInstant, point: PlanePoint)] = []

    mutating func take(_ fix: TrailFix, _ point: PlanePoint) {
        let oldest = fix.time.advanced(bySeconds: -Self.memory)
        recent.removeAll { $0.time < oldest || $0.time >= fix.time }
        if recent.count >= Self.mostFixes { recent.removeFirst() }
        recent.append((fix.time, point))
        let says: Bool
        if let speed = fix.speed {
            says = speed >= (isMoving ? Self.endSpeed : Self.beginSpeed)
        } else {
            // A standing receiver's error wanders 15 m in 20 seconds once in some hours.
            says =
                isMoving
                ? hasGone(farther: max(8, 2 * fix.sigma), within: Self.memoryToStop)
                : hasGone(farther: max(17, 3.5 * fix.sigma), within: Self.memory)
        }
        knowsSpeed = fix.speed != nil
        advances = hasAdvanced ? advances + 1 : 0
        streak = says == isMoving ? 0 : streak + 1
        if streak >= Self.confirming { (isMoving, streak) = (says, 0) }
    }

    /// Whether one goes on at present. Without a speed it is noticed late that somebody has stopped, and an edge that is chosen in
    /// the meantime is chosen by errors alone.
    var isAdvancing: Bool {
        isMoving && (knowsSpeed || recent.count < Self.advanceFixes || advances >= Self.leastAdvances)
    }

    private var hasAdvanced: Bool {
        guard recent.count >= Self.advanceFixes else { return false }
        let now = Self.mean(recent.suffix(4))
        return Self.mean(recent.suffix(Self.advanceFixes).prefix(4)).distance(to: now) > Self.leastAdvance
    }

    /// Whether the newest fixes are so far from those so many seconds before.
    private func hasGone(farther metres: Double, within seconds: Double) -> Bool {
        guard let last = recent.last else { return false }
        let oldest = last.time.advanced(bySeconds: -seconds)
        let used = recent.drop { $0.time < oldest }
        guard used.count >= 4, let first = used.first, last.time.seconds(since: first.time) >= seconds / 2 else {
            return false
        }
        let count = max(1, used.count / 4)
        return Self.mean(used.prefix(count)).distance(to: Self.mean(used.suffix(count))) > metres
    }

    private static func mean(_ fixes: ArraySlice<(time: UTCInstant, point: PlanePoint)>) -> PlanePoint {
        let count = Double(fixes.count)
        return PlanePoint(
            fixes.reduce(0) { $0 + $1.point.east } / count, fixes.reduce(0) { $0 + $1.point.north } / count)
    }
}
