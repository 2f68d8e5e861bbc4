internal import KonzaModel

/// Makes epochs of reports: gpsd sends up to three TPVs of the same time, each richer than the last, some without a
/// time, and a receiver's time may go back or jump.
struct EpochMerger {
    enum Outcome: Equatable {
        /// The first report of an epoch.
        case began
        /// A further report of the current epoch.
        case enriched
        /// A little older than the current epoch; ignored.
        case late
        /// The receiver's time went back, or jumped: what was kept by time is of another time base.
        case restarted
    }

    /// A report at most this much older than the newest is a straggler, seconds.
    private static let straggling = 2.0
    /// A report without a time belongs to the epoch that began at most this long ago, seconds.
    private static let sameCycle = 0.3

    private let largestStep: Double
    private(set) var current: Fix?
    private var sequence: UInt64 = 0

    init(largestStep: Double) {
        self.largestStep = largestStep
    }

    mutating func take(_ report: Fix) -> Outcome {
        guard let known = current else { return begin(report) }
        guard let time = report.time else {
            let isSameCycle = report.arrival.seconds(since: known.arrival) < Self.sameCycle
            guard isSameCycle, report.mode >= .twoDimensional, known.mode >= .twoDimensional else {
                return begin(report)
            }
            enrich(known.enriched(by: report, preferringNew: false))
            return .enriched
        }
        guard let knownTime = known.time else { return begin(report) }
        if time == knownTime {
            enrich(known.enriched(by: report, preferringNew: true))
            return .enriched
        }
        let step = time.seconds(since: knownTime)
        if step < 0, step > -Self.straggling { return .late }
        let unexplained = step - report.arrival.seconds(since: known.arrival)
        _ = begin(report)
        return step < 0 || unexplained > largestStep ? .restarted : .began
    }

    /// Replaces the current epoch by a better-known one.
    mutating func enrich(_ fix: Fix) { current = fix }

    private mutating func begin(_ report: Fix) -> Outcome {
        sequence += 1
        var fix = report
        fix.sequence = sequence
        current = fix
        return .began
    }
}

extension Fix {
    /// This epoch with what a further report of it adds. A report that takes the fix back wins.
    func enriched(by report: Fix, preferringNew: Bool) -> Fix {
        if report.mode < .twoDimensional, mode >= .twoDimensional {
            var lost = report
            lost.sequence = sequence
            lost.arrival = arrival
            return lost
        }
        var fix = self
        func take<Value>(_ path: WritableKeyPath<Fix, Value?>) {
            guard let new = report[keyPath: path] else { return }
            if preferringNew || fix[keyPath: path] == nil { fix[keyPath: path] = new }
        }
        fix.mode = max(mode, report.mode)
        if report.status != .unknown { fix.status = report.status }
        take(\.coordinate)
        take(\.altitudeHAE)
        take(\.altitudeMSL)
        take(\.geoidSeparation)
        take(\.speed)
        take(\.track)
        take(\.climb)
        take(\.errors.epx)
        take(\.errors.epy)
        take(\.errors.epv)
        take(\.errors.eph)
        take(\.errors.sep)
        take(\.errors.ept)
        take(\.errors.eps)
        take(\.errors.epc)
        take(\.errors.epd)
        take(\.satellitesUsed)
        take(\.device)
        take(\.driver)
        return fix
    }
}
