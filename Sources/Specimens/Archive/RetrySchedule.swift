internal import KonzaModel

/// When each submission may be tried again, by the steady clock alone: what the clock on the wall says when a delay is
/// set, or later, neither lengthens nor shortens it.
///
/// A delay that was set before this run is known by the wall clock's times in its record only. It is taken as what is
/// left of it if the clock went right, and never as longer than it was set for.
struct RetrySchedule: Sendable {
    /// No delay is longer, seconds: the longest that a server may ask for.
    static let longestDelay = 86_400.0
    /// The shortest delay after a try that came to nothing, seconds.
    static let shortestDelay = 5.0
    /// How often an unchanged record is handed out without a delay: its sender does that when it is started anew.
    private static let freeHandOuts = 3

    struct Key: Hashable, Sendable {
        let specimen: SpecimenID
        let target: SubmissionTarget
    }

    /// A row of the index as far as the schedule needs it.
    struct Row: Sendable {
        let key: Key
        let isSending: Bool
        let next: UTCInstant?
        let changed: UTCInstant
    }

    private struct Entry: Sendable {
        /// Tells whether the record was written since.
        let changed: UTCInstant
        var dueAt: MonotonicInstant
        /// How many flushes there were before the delay was set.
        let flushes: Int
        var handOuts = 0
    }

    private var entries: [Key: Entry] = [:]
    private var flushes = 0

    /// Delays that were set before do not count any more.
    mutating func flush() { flushes += 1 }

    /// Takes a record that is written now.
    ///
    /// - Parameters:
    ///   - submission: as it is kept.
    ///   - delay: seconds until it is due.
    ///   - now: of the steady clock.
    mutating func note(_ submission: Submission, delay: Double, now: MonotonicInstant) {
        entries[Key(specimen: submission.specimen, target: submission.target)] = Entry(
            changed: submission.changedAt, dueAt: now.advanced(bySeconds: delay), flushes: flushes)
    }

    /// Takes a record that somebody was given to work on. One that comes back unchanged again and again, since its
    /// sender fails at it, is delayed longer every time, so that it does not keep the others waiting.
    mutating func noteHandOut(_ key: Key, now: MonotonicInstant) {
        guard var entry = entries[key] else { return }
        entry.handOuts = min(entry.handOuts + 1, 40)
        if entry.handOuts >= Self.freeHandOuts {
            var delay = Self.shortestDelay
            for _ in Self.freeHandOuts..<entry.handOuts where delay < 3600 { delay *= 2 }
            // A flush does not help what fails without a word.
            entry = Entry(
                changed: entry.changed, dueAt: now.advanced(bySeconds: min(delay, 3600)), flushes: .max,
                handOuts: entry.handOuts)
        }
        entries[key] = entry
    }

    /// Ends a record's delay.
    mutating func makeDue(_ key: Key, now: MonotonicInstant) {
        guard let entry = entries[key] else { return }
        entries[key] = Entry(changed: entry.changed, dueAt: now, flushes: flushes)
    }

    /// Those that are due, what is under way before what is ready, the longest due first; forgets what is in no row.
    ///
    /// - Parameters:
    ///   - rows: of the targets, all that wait.
    ///   - targets: that are asked for; what is known of others stays.
    ///   - wall: now, by the wall clock, for delays of an earlier run.
    ///   - now: of the steady clock.
    /// - Returns: their keys.
    mutating func due(
        _ rows: [Row], of targets: Set<SubmissionTarget>, wall: UTCInstant, now: MonotonicInstant
    ) -> [Key] {
        var kept = entries.filter { !targets.contains($0.key.target) }
        var due: [(row: Row, since: MonotonicInstant)] = []
        for row in rows {
            var entry = entries[row.key]
            if entry?.changed != row.changed { entry = nil }
            let known =
                entry
                ?? Entry(
                    changed: row.changed,
                    dueAt: now.advanced(bySeconds: Self.delay(until: row.next, from: wall, setAt: row.changed)),
                    flushes: -1)
            kept[row.key] = known
            if known.dueAt <= now || known.flushes < flushes { due.append((row, known.dueAt)) }
        }
        entries = kept
        due.sort { left, right in
            if left.row.isSending != right.row.isSending { return left.row.isSending }
            if left.since != right.since { return left.since < right.since }
            return (left.row.key.specimen, left.row.key.target.rawValue)
                < (right.row.key.specimen, right.row.key.target.rawValue)
        }
        return due.map(\.row.key)
    }

    /// What is left of a delay, seconds.
    ///
    /// - Parameters:
    ///   - next: when it ends; nil for none.
    ///   - now: by the wall clock.
    ///   - setAt: when it was set, by the wall clock as it was then.
    /// - Returns: 0 to `longestDelay`, and never more than it was set for.
    static func delay(until next: UTCInstant?, from now: UTCInstant, setAt: UTCInstant) -> Double {
        guard let next else { return 0 }
        return min(max(0, min(next.seconds(since: now), next.seconds(since: setAt))), longestDelay)
    }
}
