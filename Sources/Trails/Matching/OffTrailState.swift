internal import KonzaModel

/// Whether somebody is on the trails: off beyond a limit for 10 seconds, on again below half of it for 5.
struct OffTrailState: Sendable {
    private static let secondsToLeave = 10.0
    private static let secondsToReturn = 5.0

    private(set) var isOff = false
    private var isKnown = false
    /// Since when the distance has spoken against the state.
    private var since: UTCInstant?

    /// The distance beyond which nobody is on a trail, metres.
    static func limit(sigma: Double) -> Double { max(25, 2.45 * sigma) }

    mutating func take(distance: Double, sigma: Double, at time: UTCInstant) -> TrailMatch.State {
        let limit = Self.limit(sigma: sigma)
        if !isKnown { (isKnown, isOff) = (true, distance > limit) }
        if isOff ? distance < limit / 2 : distance > limit {
            let begin = since ?? time
            since = begin
            if time.seconds(since: begin) >= (isOff ? Self.secondsToReturn : Self.secondsToLeave) {
                isOff.toggle()
                since = nil
            }
        } else {
            since = nil
        }
        if isOff { return distance > limit ? .off : .near }
        return distance <= limit / 2 ? .on : .near
    }
}
