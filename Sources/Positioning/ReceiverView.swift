internal import KonzaModel

/// What one receiver has said. Everything of one position comes from one view.
struct ReceiverView {
    private(set) var merger: EpochMerger
    private(set) var sky = SkyView()
    private var statement: ErrorStatement?
    /// The instant that the newest sky is for.
    private(set) var skyTime: UTCInstant?
    /// What was made of its last date.
    private(set) var date: ReceiverDate?
    /// How the dates of its fixes followed one another.
    private var dates = DateRun()
    /// The last word of any kind, the last position and the last sky.
    private(set) var lastWord: MonotonicInstant
    private(set) var lastPosition: MonotonicInstant?
    private(set) var lastSky: MonotonicInstant?
    /// When a position was last held because of its time.
    private(set) var heldAt: MonotonicInstant?
    /// The classes of what else it says, the newest last.
    private(set) var otherClasses: [String] = []
    private(set) var lastOther: MonotonicInstant?
    /// The position reports that could not be used since the last good one.
    private(set) var refusals: (count: Int, cause: LineRejection, at: MonotonicInstant)?

    private static let mostClasses = 4

    init(largestStep: Double, at now: MonotonicInstant) {
        merger = EpochMerger(largestStep: largestStep)
        lastWord = now
    }

    /// Whether its fresh statement is of an error that no receiver can have.
    func statesImplausibleError(at now: MonotonicInstant) -> Bool {
        statement.map { $0.isImplausible && now.seconds(since: $0.arrival) < SkyView.life } ?? false
    }

    /// The instant that the newest statement is for.
    var statementTime: UTCInstant? { statement?.time }

    var newestMode: FixMode { merger.current?.mode ?? .notSeen }

    /// The newest fix that was not taken back, if the newest report does not say that it is lost.
    var currentFix: Fix? { newestMode >= .twoDimensional ? merger.lastFix : nil }

    /// Takes a position in. A live receiver's date is judged by the system's clock, any other's is taken as it is.
    mutating func take(_ report: Fix, system: UTCInstant?) -> EpochMerger.Outcome {
        lastWord = report.arrival
        lastPosition = report.arrival
        refusals = nil
        var report = report
        if let time = report.time, let system {
            if report.mode >= .twoDimensional { dates.take(time, at: report.arrival) }
            let days = dates.days(to: time, at: report.arrival)
            let date = ReceiverDate(time, system: system, consistentFor: days)
            self.date = date
            report.time = date.time
        }
        // A latitude without a longitude, or a mode without a place, is no fix.
        if report.mode >= .twoDimensional, report.coordinate == nil,
            report.time == nil || merger.lastFix?.time != report.time
        {
            report.mode = .noFix
        }
        let outcome = merger.take(report)
        heldAt = outcome == .held ? report.arrival : outcome == .late ? heldAt : nil
        return outcome
    }

    mutating func take(_ report: Sky, hasSatellites: Bool, system: UTCInstant?) {
        lastWord = report.arrival
        lastSky = report.arrival
        var report = report
        report.time = inThisEra(report.time, report.arrival, system)
        skyTime = report.time
        sky.take(report, hasSatellites: hasSatellites)
    }

    mutating func take(_ report: ErrorStatement, system: UTCInstant?) {
        lastWord = report.arrival
        var report = report
        report.time = inThisEra(report.time, report.arrival, system)
        statement = report
    }

    /// It said something that tells no position.
    mutating func takeWord(_ kind: String, at now: MonotonicInstant) {
        lastWord = now
        lastOther = now
        otherClasses.removeAll { $0 == kind }
        otherClasses.append(kind)
        if otherClasses.count > Self.mostClasses { otherClasses.removeFirst() }
    }

    /// It said something that cannot be used.
    mutating func takeRefusal(_ refused: RefusedLine, at now: MonotonicInstant) {
        lastWord = now
        guard refused.kind == "TPV" else { return }
        refusals = ((refusals?.count ?? 0) + 1, refused.rejection, now)
    }

    /// Forgets what holds for one connection, or one receiver at a path, only.
    mutating func forgetSurroundings() {
        sky = SkyView()
        statement = nil
        otherClasses = []
        lastOther = nil
        refusals = nil
        lastSky = nil
    }

    /// Whether a further report is of the epoch of the newest fix: gpsd sends what belongs to a position right
    /// before or after it.
    func isOfEpoch(_ time: UTCInstant?, _ arrival: MonotonicInstant) -> Bool {
        guard let fix = currentFix else { return false }
        if let time, let fixTime = fix.time, time != fixTime { return false }
        return abs(arrival.seconds(since: fix.arrival)) < 0.5
    }

    /// Gives the newest fix the dilutions, the satellites and the accuracy that belong to it.
    mutating func complete(driver: String?) {
        guard var fix = merger.lastFix else { return }
        fix.dop = sky.dilutions(at: fix.arrival)
        if let satellites = sky.satellites(at: fix.arrival) {
            // A receiver with a fix and none marked as used says nothing about which: that is no count of 0.
            let used = satellites.count { $0.used }
            fix.satellitesUsed = used > 0 ? used : nil
        }
        if fix.driver == nil { fix.driver = driver }
        let accuracy = accuracy(of: fix)
        fix.horizontalAccuracy = accuracy.horizontal
        fix.verticalAccuracy = fix.mode == .threeDimensional ? accuracy.vertical : nil
        merger.complete(fix)
    }

    private func accuracy(of fix: Fix) -> FixAccuracy {
        let fresh = statement.flatMap { statement in
            abs(statement.arrival.seconds(since: fix.arrival)) < SkyView.life ? statement : nil
        }
        return FixAccuracy(
            errors: fix.errors, status: fix.status, dop: fix.dop, history: sky.history.map(\.dop),
            earlier: sky.history.count { $0.arrival <= fix.arrival }, statement: fresh,
            isStatementOfEpoch: fresh.map { isOfEpoch($0.time, $0.arrival) } ?? false)
    }

    private func inThisEra(_ time: UTCInstant?, _ arrival: MonotonicInstant, _ system: UTCInstant?) -> UTCInstant? {
        guard let time, let system else { return time }
        return ReceiverDate(time, system: system, consistentFor: dates.days(to: time, at: arrival)).time
    }
}
