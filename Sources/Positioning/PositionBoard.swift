public import KonzaModel
public import KonzaSystem
internal import Synchronization

/// The one place that holds what is known of the position. Sources write to it; everybody else reads, in
/// microseconds and without ever waiting for a source.
public final class PositionBoard: Sendable {
    struct State {
        var version: UInt64 = 0
        var evidence: PositionEvidence
        /// Counts the epochs that were shown.
        var sequence: UInt64 = 0
        /// The receiver's own number of an epoch, and the one that it is shown under.
        var numbers: [(key: String, own: UInt64, shown: UInt64)] = []
        var track: Track
        var receiverClock = ReceiverClock()
        var counters = PositionCounters()
        var lastJudgement: (PositionState, String)?
        var waiters = TrackWaiters()
    }

    /// New epochs, skies and states, on the source's thread.
    public let changes = Broadcaster<PositionChange>()
    public let settings: PositionSettings
    let clock: any StationClock
    let state: Mutex<State>

    public init(clock: any StationClock, settings: PositionSettings = PositionSettings()) {
        self.clock = clock
        self.settings = settings
        state = Mutex(
            State(
                evidence: PositionEvidence(linkSince: clock.monotonic()), track: Track(settings: settings)))
    }

    /// Forgets the fix, the sky and the track, since another source takes over; what was counted stays. Waits for a
    /// fix end: the fix would have been the former source's.
    public func reset() {
        let linkSince = clock.monotonic()
        let waiting = state.withLock { state in
            let former = state
            state = State(
                evidence: PositionEvidence(linkSince: linkSince), track: Track(settings: settings))
            state.version = former.version &+ 1
            state.counters = former.counters
            // Waits that are about to begin have their numbers already.
            state.waiters = former.waiters
            return state.waiters.takeDue(track: state.track, isLive: false)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for a fix that have not ended.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    // MARK: Reading

    /// All that is known now. State and health are judged at this moment from what came in, never remembered.
    public func snapshot() -> PositionSnapshot {
        let now = clock.monotonic()
        return state.withLock { state in
            let evidence = state.evidence
            let (positionState, health) = evidence.judged(at: now, settings)
            var source = evidence.fix?.source ?? .live
            if source == .recorded { source = .live }
            if case .recorded = evidence.link { source = .recorded }
            var release: String?
            if case .connected(_, let name) = evidence.link { release = name }
            let sky = evidence.view?.sky.sky(at: now)
            var weeks = 0
            if case .corrected(let behind) = evidence.view?.date?.verdict { weeks = behind }
            return PositionSnapshot(
                version: state.version, takenAt: now, state: positionState, fix: evidence.fix,
                ageSeconds: evidence.fix.map { max(0, now.seconds(since: $0.arrival)) },
                newestMode: evidence.newestMode, sky: sky,
                skyAgeSeconds: sky.map { max(0, now.seconds(since: $0.arrival)) },
                skyIsOfFix: evidence.fix == nil || evidence.fixKey == evidence.chosen, source: source,
                health: health, accuracyNote: evidence.accuracyNote(at: now),
                notes: evidence.notes(at: now), correctedWeeks: weeks,
                receivers: evidence.receivers ?? [], gpsdRelease: release, trackCount: state.track.count,
                counters: state.counters)
        }
    }

    /// What of a snapshot changes while nothing comes in, without all the rest.
    public func reading() -> PositionReading {
        let now = clock.monotonic()
        return state.withLock { state in
            PositionReading(
                version: state.version, state: state.evidence.state(at: now, settings),
                ageSeconds: state.evidence.fix.map { max(0, now.seconds(since: $0.arrival)) })
        }
    }

    /// Rises with everything that comes in: a reply encoded for one version and millisecond stays right.
    public var snapshotVersion: UInt64 { state.withLock { $0.version } }

    /// The track's points after an instant, oldest first; the whole track without one.
    public func fixes(since instant: UTCInstant? = nil) -> [TrackPoint] {
        state.withLock { $0.track.points(since: instant) }
    }

    /// The position at an instant, from what is known now.
    public func position(at instant: UTCInstant) -> Result<PositionAtInstant, TrackError> {
        state.withLock { $0.track.position(at: instant) }
    }

    /// The receiver's UTC at a reading of the steady clock, for a station whose own clock is not set.
    ///
    /// It is late by the least time that a report took from the antenna to here, 10 to 700 ms with serial receivers.
    ///
    /// - Returns: nil without a live receiver that gave the time in the last hour.
    public func receiverUTC(at instant: MonotonicInstant) -> UTCInstant? {
        state.withLock { $0.receiverClock.utc(at: instant) }
    }

    // MARK: Writing

    /// A source tells how the way to the receiver is.
    public func report(link: PositionLink) {
        let now = clock.monotonic()
        update { state in
            guard state.evidence.link != link else { return [] }
            if case .connected = link {
                state.counters.connections += 1
                if state.counters.connections > 1 { state.counters.reconnections += 1 }
                state.evidence.receivers = nil
                // What lay between the two connections is not known.
                state.forgetSurroundings(of: { _ in true })
            }
            state.evidence.link = link
            state.evidence.linkSince = now
            if case .down(let failure) = link, !failure.keepsConnection { state.evidence.receivers = nil }
            return []
        }
    }

    /// The source has the same connection again after it was silent.
    public func reportRecovered(link: PositionLink) {
        let now = clock.monotonic()
        update { state in
            state.evidence.link = link
            state.evidence.linkSince = now
            return []
        }
    }

    /// gpsd listed all its receivers.
    public func report(receivers: [Receiver]) {
        let now = clock.monotonic()
        update { state in
            state.evidence.receivers = receivers
            state.evidence.receiversSince = now
            state.evidence.receiversTold = now
            state.forgetSurroundings(of: { path in !receivers.contains { $0.path == path && $0.isActivated } })
            return []
        }
    }

    /// One receiver came, went or changed.
    public func report(receiver: Receiver) {
        let now = clock.monotonic()
        update { state in
            var receivers = state.evidence.receivers ?? []
            let wasActivated: Bool
            if let index = receivers.firstIndex(where: { $0.path == receiver.path }) {
                wasActivated = receivers[index].isActivated
                receivers[index] = receiver
            } else {
                wasActivated = false
                // gpsd knows four receivers at most; what is not activated goes first.
                if receivers.count >= 16 { receivers.removeFirst() }
                receivers.append(receiver)
            }
            state.evidence.receivers = receivers
            state.evidence.receiversTold = now
            // Another one may be at the path from now on.
            if receiver.isActivated != wasActivated { state.forgetSurroundings(of: { $0 == receiver.path }) }
            if receiver.isActivated, !wasActivated { state.evidence.receiversSince = now }
            return []
        }
    }

    public func reportLine() {
        state.withLock { $0.counters.lines += 1 }
    }

    func report(refused: RefusedLine) {
        let now = clock.monotonic()
        update { state in
            state.takeRefusal(refused, at: now, settings)
            return []
        }
    }

    /// A receiver said something that tells no position.
    func reportWord(class kind: String, of device: String?) {
        let now = clock.monotonic()
        update { state in
            state.takeWord(kind, of: device, at: now, settings)
            return []
        }
    }

    /// A receiver stated its own errors.
    func report(_ statement: ErrorStatement, of device: String?) {
        let system = clock.utc()
        update { $0.take(statement, of: device, settings, system: system) }
    }

    /// Lines were passed over, since gpsd sends too many.
    func reportSkipped(lines: Int) {
        let now = clock.monotonic()
        update { state in
            state.counters.skippedLines += UInt64(lines)
            state.evidence.lastFlood = now
            return []
        }
    }

    public func reportGPSDError() {
        update { state in
            state.counters.gpsdErrors += 1
            return []
        }
    }

    /// A report of the receiver's solution, or that it has none.
    public func report(_ fix: Fix) {
        let system = clock.utc()
        update { $0.take(fix, settings, system: system) }
    }

    /// A report of the sky.
    ///
    /// - Parameters:
    ///   - sky: what was reported.
    ///   - hasSatellites: false if only dilutions were reported; the satellites known before are kept.
    public func report(_ sky: Sky, hasSatellites: Bool = true) {
        let system = clock.utc()
        update { $0.take(sky, hasSatellites: hasSatellites, settings, system: system) }
    }

    /// Judges anew, so that those who listen hear of what time alone changes. Sources call it twice a second.
    public func refresh() { update(isNews: false) { _ in [] } }

    private func update(isNews: Bool = true, _ body: (inout State) -> [PositionChange]) {
        let now = clock.monotonic()
        let (changes, due) = state.withLock { state in
            if isNews { state.version &+= 1 }
            var changes = body(&state)
            let (positionState, health) = state.evidence.judged(at: now, settings)
            if state.lastJudgement?.0 != positionState || state.lastJudgement?.1 != health.kind {
                state.lastJudgement = (positionState, health.kind)
                state.version &+= isNews ? 0 : 1
                changes.append(.state(positionState, health))
            }
            return (changes, state.waiters.takeDue(track: state.track, isLive: positionState == .fix))
        }
        for continuation in due { continuation.resume() }
        for change in changes { self.changes.send(change) }
    }
}
