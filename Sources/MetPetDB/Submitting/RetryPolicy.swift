public import KonzaModel

/// When to try again: after a random part of a time that doubles with every try, up to a cap ("full jitter"), so that
/// stations that lost the same server do not come back to it together.
public struct RetryPolicy: Sendable {
    /// Seconds, doubled at every further try.
    public var first = 10.0
    /// The longest wait, seconds.
    public var cap = 3600.0
    /// The shortest wait, seconds: what a server was still busy with shall have ended before it is asked about it.
    public var shortest = 5.0

    /// The shortest wait after the account was not let in, seconds.
    public var afterLogin = 300.0

    public init() {}

    /// The count of tries after one more; 1 to 1 000 000, whatever the record says.
    public static func attempts(after attempts: Int) -> Int { min(max(0, attempts), 999_999) + 1 }

    /// - Parameters:
    ///   - attempts: tries that came to nothing, this one among them.
    ///   - random: from 0 up to 1.
    /// - Returns: seconds.
    public func pause(attempts: Int, random: Double) -> Double {
        var longest = first
        for _ in 1..<min(max(attempts, 1), 41) where longest < cap { longest *= 2 }
        return max(shortest, min(cap, longest) * random)
    }

    /// Whether a submission is to be tried now. A time further away than any pause was written by a clock that has been
    /// set since, and does not hold.
    public func isDue(_ submission: Submission, at now: UTCInstant) -> Bool {
        guard submission.state == .ready || submission.state == .sending else { return false }
        guard let next = submission.nextAttemptAt, next > now else { return true }
        return next.seconds(since: now) > max(cap, 86_400) * 2
    }
}
