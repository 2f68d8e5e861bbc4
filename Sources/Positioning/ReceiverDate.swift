internal import KonzaModel

/// Whether a receiver's date can be true.
///
/// Receivers that count the GPS week with ten bits (IS-GPS-200, 20.3.3.3.1.1) start over every 1024 weeks, and an old
/// one is then 19.6 years behind. Others make a date up before they know it, or are just wrong. So a date is judged by
/// what else is known: when GPS began, when this program was made, the system's clock where that was ever set, and
/// whether its fixes have followed one another for three weeks.
struct ReceiverDate: Equatable {
    enum Verdict: Equatable {
        case plain
        /// Moved on by so many weeks.
        case corrected(weeks: Int)
        /// Cannot be true; the time is not used.
        case impossible
    }

    var time: UTCInstant?
    var verdict: Verdict
    /// What a note says of it; nil for a plain date.
    var note: String?
    /// Whether clocks may be set by it.
    var isGoodForClocks = true

    /// 1980-01-06T00:00:00Z, when GPS weeks began.
    static let first = UTCInstant(nanoseconds: 315_964_800_000_000_000)
    /// 2019-04-07T00:00:00Z, when the count of weeks started over for the second time. This program is younger: a
    /// receiver that tells an earlier time as the present one has missed it.
    static let latestStart = UTCInstant(nanoseconds: 1_554_595_200_000_000_000)
    /// 1024 weeks, seconds. Leap seconds are in UTC already, and move the result by less than the receiver's own error.
    static let period = 1024.0 * 7 * 86_400
    /// Days of fixes after which a date counts as consistent.
    static let consistentDays = 21.0
    /// A system clock that was ever set is at most this wrong, seconds: two years.
    private static let agreement = 2.0 * 366 * 86_400

    private init(time: UTCInstant?, verdict: Verdict, note: String? = nil, isGoodForClocks: Bool = true) {
        self.time = time
        self.verdict = verdict
        self.note = note
        self.isGoodForClocks = isGoodForClocks
    }

    /// - Parameters:
    ///   - time: what a live receiver tells.
    ///   - system: what the system's clock says.
    ///   - days: for how long the receiver's fixes have followed one another up to this date, days.
    init(_ time: UTCInstant, system: UTCInstant, consistentFor days: Double = 0) {
        let clock = system >= .believedFrom ? system : nil
        let agrees = { (time: UTCInstant) in clock.map { abs($0.seconds(since: time)) < Self.agreement } }
        let impossible = ReceiverDate(
            time: nil, verdict: .impossible,
            note: "the receiver's date \(time.description.prefix(10)) cannot be true and its time is not used",
            isGoodForClocks: false)
        if time < Self.first {
            self = impossible
        } else if time < Self.latestStart {
            // In the era of this program there is one such time.
            var corrected = time
            while corrected < Self.latestStart { corrected = corrected.advanced(bySeconds: Self.period) }
            guard corrected >= .believedFrom, agrees(corrected) != false else {
                self = impossible
                return
            }
            let weeks = Int((corrected.seconds(since: time) / (7 * 86_400)).rounded())
            let evidence = agrees(corrected) == true ? "the system's clock agrees" : "this program is younger"
            self.init(
                time: corrected, verdict: .corrected(weeks: weeks),
                note: "the receiver's date is \(weeks) weeks behind and was corrected, since \(evidence)")
        } else if time < Self.latestStart.advanced(bySeconds: Self.period) {
            self.init(time: time, verdict: .plain, isGoodForClocks: time >= .believedFrom)
        } else if agrees(time) == true {
            self.init(time: time, verdict: .plain)
        } else if clock == nil, days >= Self.consistentDays {
            // Beyond the years that this program can tell from those of another period, and nothing contradicts it.
            self.init(
                time: time, verdict: .plain,
                note:
                    "the receiver's date \(time.description.prefix(10)) is believed, since its fixes have followed one "
                    + "another for \(Int(days)) days and the system's clock was never set")
        } else {
            self = impossible
        }
    }
}
