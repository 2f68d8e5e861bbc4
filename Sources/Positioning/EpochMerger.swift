internal import KonzaModel

/// Makes epochs of one receiver's reports: gpsd sends up to three TPVs of the same time, each richer than the last,
/// some without a time, and a receiver's time may go back or jump.
///
/// The order of epochs is that of the fixes alone. A report without a fix says that there is none now; its time, which
/// a receiver without a fix often makes up, never makes a fix a straggler.
struct EpochMerger {
    enum Outcome: Equatable {
        /// The first report of an epoch.
        case began
        /// A further report of the current epoch.
        case enriched
        /// A further report of an epoch that says that it has no fix after all.
        case takenBack
        /// A little older than the newest fix; ignored.
        case late
        /// Its time does not follow from the fixes before it: ignored unless the next report confirms it.
        case held
        /// Two reports agree that the receiver's time went back, or jumped: what was kept by time is of another time
        /// base.
        case restarted
    }

    /// A report at most this much older than the newest is a straggler, seconds.
    private static let straggling = 2.0
    /// A report without a time belongs to the epoch that began at most this long ago, seconds.
    private static let sameCycle = 0.3

    private let largestStep: Double
    /// The newest epoch, with or without a fix.
    private(set) var current: Fix?
    /// The newest epoch that has a fix.
    private(set) var lastFix: Fix?
    /// The fix before the newest one, which counts again when that is taken back.
    private var previousFix: Fix?
    /// The newest fix with a time, from which the next time must follow.
    private var base: (time: UTCInstant, arrival: MonotonicInstant)?
    private var held: Fix?
    /// Counts this receiver's epochs.
    private var sequence: UInt64 = 0

    init(largestStep: Double) {
        self.largestStep = largestStep
    }

    mutating func take(_ report: Fix) -> Outcome {
        guard let time = report.time else { return takeUntimed(report) }
        guard report.mode >= .twoDimensional else { return takeLoss(report, time) }
        if let known = lastFix, known.time == time { return enrich(known, by: report) }
        if let current, current.mode < .twoDimensional, current.time == time {
            // The first report of the epoch had no fix yet.
            var fix = report
            fix.sequence = current.sequence
            fix.arrival = current.arrival
            if let outcome = misfit(report, time) { return outcome }
            keep(fix, time)
            return .enriched
        }
        let isConfirmed = confirms(report, time)
        if !isConfirmed, let outcome = misfit(report, time) { return outcome }
        keep(numbered(report), time)
        return isConfirmed ? .restarted : .began
    }

    /// Replaces the newest fix by the same one with what belongs to it.
    mutating func complete(_ fix: Fix) {
        if current?.sequence == lastFix?.sequence { current = fix }
        lastFix = fix
    }

    private mutating func enrich(_ known: Fix, by report: Fix) -> Outcome {
        let fix = known.enriched(by: report, preferringNew: report.time != nil)
        current = fix
        lastFix = fix
        if report.time != nil { held = nil }
        return .enriched
    }

    /// A report without a fix.
    private mutating func takeLoss(_ report: Fix, _ time: UTCInstant) -> Outcome {
        if let fix = lastFix, let fixTime = fix.time {
            if fixTime == time {
                if current?.sequence == fix.sequence {
                    var lost = report
                    lost.sequence = fix.sequence
                    lost.arrival = fix.arrival
                    current = lost
                }
                lastFix = previousFix
                previousFix = nil
                base = lastFix.flatMap { fix in fix.time.map { ($0, fix.arrival) } }
                return .takenBack
            }
            let step = time.seconds(since: fixTime)
            if step < 0, step > -Self.straggling, current?.sequence == fix.sequence { return .late }
        }
        if let known = current, known.time == time, known.mode < .twoDimensional {
            current = known.enriched(by: report, preferringNew: true)
            return .enriched
        }
        current = numbered(report)
        return .began
    }

    private mutating func takeUntimed(_ report: Fix) -> Outcome {
        if let known = lastFix, current?.sequence == known.sequence, report.mode >= .twoDimensional,
            report.arrival.seconds(since: known.arrival) < Self.sameCycle
        {
            return enrich(known, by: report)
        }
        let fix = numbered(report)
        if fix.mode >= .twoDimensional { keep(fix, nil) } else { current = fix }
        return .began
    }

    /// Why a fix does not follow from the newest one; nil if it does.
    private mutating func misfit(_ report: Fix, _ time: UTCInstant) -> Outcome? {
        guard let base else { return nil }
        let step = time.seconds(since: base.time)
        if step <= 0, step > -Self.straggling { return .late }
        guard step < 0 || step - report.arrival.seconds(since: base.arrival) > largestStep else { return nil }
        if held?.time != time { held = report }
        return .held
    }

    /// Whether the report follows from the one that is held.
    private func confirms(_ report: Fix, _ time: UTCInstant) -> Bool {
        guard let held, let heldTime = held.time else { return false }
        let step = time.seconds(since: heldTime)
        guard step > 0, step - report.arrival.seconds(since: held.arrival) <= largestStep else { return false }
        guard let base else { return true }
        // It may as well follow from the fixes before, and then the held one was the odd one out.
        let ownStep = time.seconds(since: base.time)
        return ownStep <= -Self.straggling || ownStep - report.arrival.seconds(since: base.arrival) > largestStep
    }

    private mutating func keep(_ fix: Fix, _ time: UTCInstant?) {
        previousFix = lastFix
        lastFix = fix
        current = fix
        guard let time else { return }
        held = nil
        base = (time, fix.arrival)
    }

    private mutating func numbered(_ report: Fix) -> Fix {
        sequence += 1
        var fix = report
        fix.sequence = sequence
        return fix
    }
}
