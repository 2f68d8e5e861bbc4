internal import KonzaModel

/// How many lines of a connection are looked at. The fastest receiver's reports are a tenth of it; a gpsd that sends
/// more must not cost a processor, and what it sends in excess is passed over rather than kept until it is old.
struct LineBudget {
    /// What may come for ever, lines a second.
    static let perSecond = 500.0
    /// What may come at once.
    static let burst = 1000.0

    private var left = LineBudget.burst
    private var last: MonotonicInstant?

    /// - Returns: false if a line is one too many.
    mutating func take(at now: MonotonicInstant) -> Bool {
        if let last { left = min(Self.burst, left + max(0, now.seconds(since: last)) * Self.perSecond) }
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
