internal import KonzaModel

/// The dates of receivers that count the GPS week with ten bits (IS-GPS-200, 20.3.3.3.1.1): every 1024 weeks the
/// count starts over, and an old receiver is then 19.6 years behind.
enum WeekRollover {
    /// 2019-04-07T00:00:00Z, when the count started over for the second time. This program is younger: a receiver that
    /// tells an earlier time as the present one has missed it.
    static let latest = UTCInstant(nanoseconds: 1_554_595_200_000_000_000)
    /// 1024 weeks, seconds. Leap seconds are in UTC already, and move the result by less than the receiver's own error.
    static let period = 1024.0 * 7 * 86_400

    /// - Returns: the time moved on by the fewest whole periods that bring it after the last start of the count, and how
    ///   many these were.
    static func corrected(_ time: UTCInstant) -> (time: UTCInstant, periods: Int) {
        var time = time
        var periods = 0
        // No receiver tells a time before the first week, 1980-01-06; three periods reach any later one.
        while time < latest, periods < 3 {
            time = time.advanced(bySeconds: period)
            periods += 1
        }
        return (time, periods)
    }
}
