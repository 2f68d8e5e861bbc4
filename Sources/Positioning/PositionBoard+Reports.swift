internal import KonzaModel

extension PositionBoard.State {
    /// How long a sky's dilutions stand for the fixes after it, seconds.
    private static let skyLife = 10.0

    mutating func take(_ report: Fix, _ settings: PositionSettings) -> [PositionChange] {
        counters.fixReports += 1
        let report = inThisEra(report)
        if report.time == nil { counters.reportsWithoutTime += 1 }
        if isOfOtherReceiver(report, settings) {
            counters.otherReceiverReports += 1
            return []
        }
        let outcome = merger.take(report)
        switch outcome {
        case .late:
            counters.lateReports += 1
            return []
        case .restarted:
            counters.trackRestarts += 1
            track.removeAll()
            receiverClock = ReceiverClock()
            counters.epochs += 1
        case .began: counters.epochs += 1
        case .enriched: counters.mergedReports += 1
        }
        evidence.lastReport = report.arrival
        guard let epoch = completed() else { return [] }
        keep(epoch)
        return [outcome == .enriched ? .enriched(epoch) : .epoch(epoch)]
    }

    mutating func take(_ sky: Sky, hasSatellites: Bool, _ settings: PositionSettings) -> [PositionChange] {
        counters.skyReports += 1
        var sky = sky
        if !hasSatellites, let known = evidence.sky { sky.satellites = known.satellites }
        evidence.sky = sky
        evidence.lastReport = sky.arrival
        // gpsd sends the sky of an epoch right after its position.
        guard let current = merger.current, current.mode >= .twoDimensional,
            sky.arrival.seconds(since: current.arrival) < 0.5, sky.time == nil || sky.time == current.time,
            let epoch = completed()
        else { return [.sky(sky)] }
        keep(epoch)
        return [.sky(sky), .enriched(epoch)]
    }

    /// The current epoch with the dilutions, the accuracy and the driver that belong to it.
    private mutating func completed() -> Fix? {
        guard var epoch = merger.current else { return nil }
        let fresh = evidence.sky.flatMap { sky in
            abs(epoch.arrival.seconds(since: sky.arrival)) < Self.skyLife ? sky : nil
        }
        epoch.apply(fresh)
        if epoch.driver == nil, let device = epoch.device {
            epoch.driver = evidence.receivers?.first { $0.path == device }?.driver
        }
        merger.enrich(epoch)
        return epoch
    }

    private mutating func keep(_ epoch: Fix) {
        evidence.newestMode = epoch.mode
        // A latitude without a longitude, or a mode without a place, is no fix.
        guard epoch.mode >= .twoDimensional, epoch.coordinate != nil else {
            evidence.newestMode = min(epoch.mode, .noFix)
            return
        }
        evidence.fix = epoch
        if epoch.source == .live, let time = epoch.time { receiverClock.take(time, epoch.arrival) }
        guard let point = TrackPoint(epoch) else { return }
        if let newest = track.newest, newest.sequence != point.sequence { countJump(from: newest, to: point) }
        track.append(point)
    }

    /// A live receiver's time, moved on where it has missed that the count of weeks started over.
    private mutating func inThisEra(_ report: Fix) -> Fix {
        guard report.source == .live, let time = report.time else { return report }
        let (corrected, periods) = WeekRollover.corrected(time)
        evidence.missedWeekRollovers = periods
        guard periods > 0 else { return report }
        counters.weekRollovers += 1
        var report = report
        report.time = corrected
        return report
    }

    private mutating func countJump(from newest: TrackPoint, to point: TrackPoint) {
        guard let distance = point.jump(from: newest) else { return }
        counters.positionJumps += 1
        evidence.lastJump = (distance, evidence.fix?.arrival ?? evidence.linkSince)
    }

    private func isOfOtherReceiver(_ report: Fix, _ settings: PositionSettings) -> Bool {
        guard let device = report.device, let current = evidence.fix, let known = current.device, device != known,
            evidence.newestMode >= .twoDimensional
        else { return false }
        return report.arrival.seconds(since: current.arrival) <= settings.staleAfterSeconds
    }
}

/// The receiver's UTC against the steady clock, by the quickest of the last reports.
struct ReceiverClock {
    private static let window = 60
    private static let life = 3600.0

    private var offsets: [Int64] = []
    private var next = 0
    private var newest: MonotonicInstant?

    mutating func take(_ time: UTCInstant, _ arrival: MonotonicInstant) {
        let offset = time.nanoseconds &- arrival.nanoseconds
        if offsets.count < Self.window { offsets.append(offset) } else { offsets[next] = offset }
        next = (next + 1) % Self.window
        newest = arrival
    }

    func utc(at instant: MonotonicInstant) -> UTCInstant? {
        guard let newest, abs(instant.seconds(since: newest)) < Self.life, let offset = offsets.max() else {
            return nil
        }
        return UTCInstant(nanoseconds: instant.nanoseconds &+ offset)
    }
}
