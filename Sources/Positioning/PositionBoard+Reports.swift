internal import KonzaModel

extension PositionBoard.State {
    private static let mostViews = 16
    /// How many numbered epochs are remembered: one that is taken back makes way for the one before.
    private static let rememberedNumbers = 4

    /// A report of a position.
    mutating func take(_ report: Fix, _ settings: PositionSettings, system: UTCInstant) -> [PositionChange] {
        counters.fixReports += 1
        if report.time == nil { counters.reportsWithoutTime += 1 }
        let key = evidence.key(report.device)
        let system = report.source == .live && !evidence.isRecorded ? system : nil
        let outcome = view(key, at: report.arrival, settings) { $0.take(report, system: system) }
        if case .corrected = evidence.views[key]?.date?.verdict, report.time != nil, system != nil {
            counters.weekRollovers += 1
        }
        guard isChosen(key, at: report.arrival, settings) else { return [] }
        count(outcome)
        evidence.lastReport = report.arrival
        switch outcome {
        case .late, .held: return []
        case .takenBack: return takeBack(key)
        case .restarted:
            restartTrack()
            return publish(key)
        case .began, .enriched: return publish(key)
        }
    }

    /// A report of the sky.
    mutating func take(
        _ sky: Sky, hasSatellites: Bool, _ settings: PositionSettings, system: UTCInstant
    ) -> [PositionChange] {
        counters.skyReports += 1
        let key = evidence.key(sky.device)
        let system = evidence.isRecorded ? nil : system
        let isOfEpoch = view(key, at: sky.arrival, settings) { view in
            view.take(sky, hasSatellites: hasSatellites, system: system)
            return view.isOfEpoch(view.skyTime, sky.arrival)
        }
        guard isChosen(key, at: sky.arrival, settings) else { return [] }
        evidence.lastReport = sky.arrival
        let shown = evidence.views[key]?.sky.sky(at: sky.arrival) ?? sky
        return [.sky(shown)] + (isOfEpoch ? publish(key) : [])
    }

    /// A report of the receiver's own errors.
    mutating func take(
        _ statement: ErrorStatement, of device: String?, _ settings: PositionSettings, system: UTCInstant
    ) -> [PositionChange] {
        let key = evidence.key(device)
        let system = evidence.isRecorded ? nil : system
        let isOfEpoch = view(key, at: statement.arrival, settings) { view in
            view.take(statement, system: system)
            return view.isOfEpoch(view.statementTime, statement.arrival)
        }
        guard evidence.chosen == key, isOfEpoch else { return [] }
        return publish(key)
    }

    /// Any other word of a receiver.
    mutating func takeWord(_ kind: String, of device: String?, at now: MonotonicInstant, _ settings: PositionSettings) {
        let key = evidence.key(device)
        view(key, at: now, settings) { $0.takeWord(kind, at: now) }
    }

    mutating func takeRefusal(_ refused: RefusedLine, at now: MonotonicInstant, _ settings: PositionSettings) {
        counters.rejectedLines[refused.rejection, default: 0] += 1
        guard refused.kind != nil else { return }
        let key = refused.device == nil ? evidence.chosen ?? evidence.key(nil) : evidence.key(refused.device)
        view(key, at: now, settings) { $0.takeRefusal(refused, at: now) }
    }

    /// Drops what holds only as long as one receiver stays connected.
    mutating func forgetSurroundings(of isMeant: (String) -> Bool) {
        for key in evidence.views.keys where isMeant(key) { evidence.views[key]?.forgetSurroundings() }
    }

    private mutating func view<Result>(
        _ key: String, at now: MonotonicInstant, _ settings: PositionSettings,
        _ body: (inout ReceiverView) -> Result
    ) -> Result {
        if evidence.views[key] == nil, evidence.views.count >= Self.mostViews {
            let oldest = evidence.views.filter { $0.key != evidence.chosen }.min {
                $0.value.lastWord < $1.value.lastWord
            }
            if let oldest { evidence.views[oldest.key] = nil }
        }
        return body(
            &evidence.views[key, default: ReceiverView(largestStep: settings.largestClockStepSeconds, at: now)])
    }

    /// Whether the station's position comes from this receiver, also if it does from now on.
    private mutating func isChosen(_ key: String, at now: MonotonicInstant, _ settings: PositionSettings) -> Bool {
        if evidence.chosen != key, evidence.takesOver(key, at: now, settings) {
            evidence.chosen = key
            receiverClock = ReceiverClock()
        }
        guard evidence.chosen == key else {
            counters.otherReceiverReports += 1
            return false
        }
        return true
    }

    private mutating func count(_ outcome: EpochMerger.Outcome) {
        switch outcome {
        case .late: counters.lateReports += 1
        case .held: counters.heldReports += 1
        case .began: counters.epochs += 1
        case .enriched, .takenBack: counters.mergedReports += 1
        case .restarted: counters.epochs += 1
        }
    }

    private mutating func restartTrack() {
        counters.trackRestarts += 1
        track.removeAll()
        receiverClock = ReceiverClock()
    }

    /// Shows the newest epoch of the chosen receiver.
    private mutating func publish(_ key: String) -> [PositionChange] {
        guard let current = evidence.views[key]?.merger.current else { return [] }
        guard current.mode >= .twoDimensional else {
            let (epoch, isNew) = numbered(current, key)
            return [isNew ? .epoch(epoch) : .enriched(epoch)]
        }
        let driver = current.driver ?? evidence.receivers?.first { $0.path == current.device }?.driver
        evidence.views[key]?.complete(driver: driver)
        guard let fix = evidence.views[key]?.merger.lastFix else { return [] }
        let (epoch, isNew) = numbered(fix, key)
        keep(epoch, of: key)
        return [isNew ? .epoch(epoch) : .enriched(epoch)]
    }

    private mutating func keep(_ epoch: Fix, of key: String) {
        if let known = evidence.fix, evidence.fixKey != key, isOfOtherTimeBase(epoch, than: known) { restartTrack() }
        if let known = evidence.fix, let step = ImpossibleStep(from: known, to: epoch) {
            evidence.lastImpossibleStep = step
        }
        evidence.fix = epoch
        evidence.fixKey = key
        let isGoodForClocks = evidence.views[key]?.date?.isGoodForClocks ?? true
        if epoch.source == .live, isGoodForClocks, let time = epoch.time { receiverClock.take(time, epoch.arrival) }
        guard let point = TrackPoint(epoch) else { return }
        if let newest = track.newest, newest.sequence != point.sequence { countJump(from: newest, to: point) }
        track.append(point)
    }

    /// The newest fix is none after all: the one before it is the last again, and the track loses it.
    private mutating func takeBack(_ key: String) -> [PositionChange] {
        guard let view = evidence.views[key], let current = view.merger.current else { return [] }
        if let fix = evidence.fix, evidence.fixKey == key {
            track.remove(sequence: fix.sequence)
            evidence.fix = view.merger.lastFix.flatMap { known in
                numbers.first { $0.key == key && $0.own == known.sequence }.map { number in
                    var fix = known
                    fix.sequence = number.shown
                    return fix
                }
            }
        }
        let (epoch, isNew) = numbered(current, key)
        return [isNew ? .epoch(epoch) : .enriched(epoch)]
    }

    /// An epoch with the number that it is shown under, and whether that is a new one.
    private mutating func numbered(_ fix: Fix, _ key: String) -> (Fix, isNew: Bool) {
        var fix = fix
        if let known = numbers.last(where: { $0.key == key && $0.own == fix.sequence }) {
            fix.sequence = known.shown
            return (fix, false)
        }
        sequence += 1
        numbers.append((key, fix.sequence, sequence))
        if numbers.count > Self.rememberedNumbers { numbers.removeFirst() }
        fix.sequence = sequence
        return (fix, true)
    }

    /// Whether two receivers' times cannot be on one track.
    private func isOfOtherTimeBase(_ fix: Fix, than known: Fix) -> Bool {
        guard let time = fix.time, let knownTime = known.time else { return false }
        let step = time.seconds(since: knownTime)
        return abs(step - fix.arrival.seconds(since: known.arrival)) > 2
    }

    private mutating func countJump(from newest: TrackPoint, to point: TrackPoint) {
        guard let distance = point.jump(from: newest) else { return }
        counters.positionJumps += 1
        evidence.lastJump = (distance, evidence.fix?.arrival ?? evidence.linkSince)
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
