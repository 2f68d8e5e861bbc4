internal import KonzaModel

/// How long the dates of a receiver's fixes have followed one another by the steady clock.
///
/// A receiver with a fix knows the time of the week from the satellites. Weeks of fixes whose dates advance with the steady clock
/// show that it counts the weeks on, which a date that is made up, or read wrongly, does not. They do not show in which period of
/// 1024 weeks it is, so that they are evidence only where nothing contradicts them. It is kept in memory: a restart begins anew.
struct DateRun {
    /// By how much a date may miss, seconds: reports are late by up to a second and cycles up to some seconds long.
    private static let tolerance = 5.0
    /// The most that the steady clock of a board may drift, as a share.
    private static let drift = 0.000_2
    private static let day = 86_400.0

    private var began: MonotonicInstant?
    private var last: (time: UTCInstant, arrival: MonotonicInstant)?
    /// One that does not follow; the next that follows it begins a new run.
    private var odd: (time: UTCInstant, arrival: MonotonicInstant)?

    /// Takes the date of a fix.
    mutating func take(_ time: UTCInstant, at arrival: MonotonicInstant) {
        if follows(time, at: arrival, last) {
            odd = nil
        } else if last == nil || follows(time, at: arrival, odd) {
            began = odd?.arrival ?? arrival
            odd = nil
        } else {
            odd = (time, arrival)
            return
        }
        last = (time, arrival)
    }

    /// Days of fixes that this date follows from; 0 if it does not.
    func days(to time: UTCInstant, at arrival: MonotonicInstant) -> Double {
        guard let began, follows(time, at: arrival, last) else { return 0 }
        return arrival.seconds(since: began) / Self.day
    }

    private func follows(
        _ time: UTCInstant, at arrival: MonotonicInstant, _ known: (time: UTCInstant, arrival: MonotonicInstant)?
    ) -> Bool {
        guard let known else { return false }
        let passed = arrival.seconds(since: known.arrival)
        return abs(time.seconds(since: known.time) - passed) <= Self.tolerance + Self.drift * max(0, passed)
    }
}
