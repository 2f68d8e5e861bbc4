internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Settings
internal import Synchronization
internal import Trails

/// Records a trail with the station's own receiver, fix by fix, and makes it one of the network when it ends.
///
/// What was walked is saved every ten seconds, and at once after each junction: a power cut loses at most these ten seconds and the
/// junction that is just occupied. konzad goes on with it when it starts again.
final class TrailRecorderDesk: Service {
    let name = "trail recorder"
    /// Seconds between two looks at the time, and between two savings.
    private static let tick = 0.5
    private static let savingSeconds = 10.0

    private enum Signal: Sendable {
        case fix(Fix)
        case tick
    }

    private struct State {
        var running: RunningRecording?
        /// While one begins or ends.
        var isBusy = false
        var ticker: Task<Void, Never>?
        var fault: String?
    }

    private let trails: TrailDesk
    private let archive: RecordingArchive
    private let state = Mutex(State())
    private let signals: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation

    private var parts: StationParts { trails.parts }
    private var now: UTCInstant { parts.time.believedNow ?? parts.clock.utc() }

    init(trails: TrailDesk) {
        self.trails = trails
        archive = RecordingArchive(folder: trails.parts.settings.current.general.state)
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    /// Points of the recording; nil without one.
    var pointCount: Int? { state.withLock { $0.running?.recording.pointCount } }

    /// Why a recording cannot be saved, or gone on with.
    var fault: String? { state.withLock { $0.fault } }

    // MARK: - Life

    func run() async throws {
        await resume()
        let subscription = parts.board.changes.subscribe { [weak self] change in
            switch change {
            case .epoch(let fix), .enriched(let fix): self?.note(fix)
            case .sky, .state: break
            }
        }
        defer {
            subscription.cancel()
            state.withLock { $0.ticker?.cancel() }
        }
        for await signal in signals { await take(signal) }
    }

    private func note(_ fix: Fix) {
        if state.withLock({ $0.running != nil }) { continuation.yield(.fix(fix)) }
    }

    /// Goes on with the recording that was under way when konzad ended.
    func resume() async {
        await onBlockingThread { [self] in
            do throws(TrailError) {
                guard let recording = try archive.load() else { return }
                let instant = parts.clock.monotonic()
                state.withLock { state in
                    state.running = RunningRecording(
                        recording, savedCount: recording.items.count, savedAt: nil, nextSave: instant)
                }
                startTicking()
                parts.log(
                    .notice, "the recording of \(recording.head.trail) goes on, with \(recording.pointCount) points")
            } catch {
                state.withLock { $0.fault = error.description }
                parts.log(.warning, error.description)
            }
        }
    }

    private func startTicking() {
        let ticker = Task { [clock = parts.clock, continuation] in
            while (try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: Self.tick))) != nil {
                continuation.yield(.tick)
            }
        }
        state.withLock { state in
            state.ticker?.cancel()
            state.ticker = ticker
        }
    }

    private func take(_ signal: Signal) async {
        let instant = parts.clock.monotonic()
        let isDue = state.withLock { state in
            switch signal {
            case .fix(let fix): state.running?.take(fix)
            case .tick: state.running?.tick(instant)
            }
            guard let running = state.running, !state.isBusy, instant >= running.nextSave else { return false }
            return running.savedCount != running.recording.items.count
        }
        if isDue { await save() }
    }

    /// Saves what was walked.
    func save() async {
        let instant = now
        guard let recording = state.withLock({ $0.running?.recording }) else { return }
        let problem = await onBlockingThread { [archive] () -> Problem? in
            do throws(TrailError) { try archive.save(recording) } catch { return Problem(error) }
            return nil
        }
        let next = parts.clock.monotonic().advanced(bySeconds: Self.savingSeconds)
        let isNews = state.withLock { state in
            let isNews = state.fault != problem?.detail
            state.fault = problem?.detail
            guard state.running?.recording.head == recording.head else { return isNews }
            state.running?.nextSave = next
            if problem == nil {
                state.running?.savedCount = recording.items.count
                state.running?.savedAt = instant
            }
            return isNews
        }
        if isNews, let problem { parts.log(.warning, problem.detail) }
    }

    // MARK: - Requests

    private static let none = Problem(
        .conflict, "cannot do this: no trail is recorded now; konza trails record NAME begins one")

    /// How the recording is.
    func reply() -> TrailRecordingReply {
        let (running, fault) = state.withLock { ($0.running, $0.fault) }
        var reply = running.map { TrailRecordingReply($0, .recording) } ?? TrailRecordingReply(state: .none)
        if let fault { reply.problem = Problem(.archiveUnavailable, fault) }
        if running != nil { reply.notice = notice }
        return reply
    }

    /// What will become of the demonstration's trails; nil where they are not in use.
    private var notice: String? {
        trails.archive.isDemonstrationUsed
            ? "the demonstration's made-up trails stay in use for now: \(TrailDesk.short)" : nil
    }

    /// Begins a recording, durably.
    ///
    /// - Throws: `conflict` while another one runs, or where the trail is there already; `no-position` without a fix.
    func begin(_ request: TrailRecordingRequest) async throws(Problem) -> TrailRecordingReply {
        let snapshot = parts.board.snapshot()
        guard snapshot.state == .fix, let fix = snapshot.fix else {
            throw Problem(.noPosition, "cannot record a trail: \(snapshot.health.reason); begin it when there is a fix")
        }
        let isMadeUp = RunningRecording.isMadeUp(fix)
        let trail = isMadeUp && !request.trail.hasSuffix(Self.mark) ? request.trail + Self.mark : request.trail
        try check(request, trail, isMadeUp)
        try state.withLock { state throws(Problem) in
            guard !state.isBusy, state.running == nil else {
                let other = state.running?.recording.head.trail ?? "another one"
                throw Problem(.conflict, "cannot record \(trail): \(other) is recorded already; end that first")
            }
            state.isBusy = true
        }
        defer { state.withLock { $0.isBusy = false } }
        let recording = TrailRecording(
            TrailRecording.Head(trail: trail, source: request.source, startedAt: now, isMadeUp: isMadeUp))
        try await trails.change { [archive] () throws(TrailError) in try archive.save(recording) }
        let running = RunningRecording(
            recording, savedCount: 0, savedAt: recording.head.startedAt,
            nextSave: parts.clock.monotonic().advanced(bySeconds: Self.savingSeconds))
        state.withLock { state in
            state.fault = nil
            state.running = running
        }
        startTicking()
        parts.log(.notice, "the trail \(trail) is recorded")
        var reply = TrailRecordingReply(running, .recording)
        reply.notice = notice
        return reply
    }

    private static let mark = " (made up)"

    private func check(_ request: TrailRecordingRequest, _ trail: String, _ isMadeUp: Bool) throws(Problem) {
        let sources = trails.archive.sources
        guard let source = sources.first(where: { $0.name == request.source }) else {
            guard sources.count < TrailLimits.sources else {
                throw Problem(
                    .conflict,
                    "cannot record \(trail): there are \(TrailLimits.sources) sources; remove one with konza trails remove"
                )
            }
            return
        }
        guard source.origin == (isMadeUp ? .demonstration : .recorded) else {
            throw Problem(
                .conflict,
                "cannot record \(trail) into \(source.name): its trails are \(source.origin.rawValue), and the receiver is "
                    + "\(isMadeUp ? "a replay or a simulation" : "live"); choose another source")
        }
        guard request.replaces || !source.trails.contains(where: { $0.name == trail }) else {
            throw Problem(
                .conflict,
                "cannot record \(trail): \(source.name) has a trail of that name; choose another, or replace it")
        }
    }

    /// Begins to occupy a junction.
    ///
    /// - Throws: `conflict` without a recording, and while another junction is occupied.
    func occupy(_ request: TrailJunctionRequest) throws(Problem) -> TrailRecordingReply {
        let occupation = Occupation(
            settings: OccupationSettings(
                timeLimit: request.timeLimit, minimumDuration: request.timeLimit,
                acceptsSimulated: parts.settings.current.position.source == .recorded),
            knowledge: parts.standing.knowledge, now: parts.clock.monotonic())
        let standing = StandingAtJunction(
            name: request.name, kind: TrailPlace.Kind(rawValue: request.kind) ?? .junction, occupation)
        try state.withLock { state throws(Problem) in
            guard state.running != nil else { throw Self.none }
            guard state.running?.standing == nil else {
                throw Problem(.conflict, "cannot occupy the junction: another one is occupied; end that, or walk on")
            }
            state.running?.begin(standing)
        }
        return reply()
    }

    /// Ends the occupation and saves its mean.
    ///
    /// - Throws: `conflict` without a recording.
    func leave() async throws(Problem) -> TrailRecordingReply {
        try state.withLock { state throws(Problem) in
            guard state.running != nil else { throw Self.none }
            state.running?.endJunction()
        }
        await save()
        return reply()
    }

    /// Ends the recording.
    ///
    /// - Parameter discards: whether nothing of it is kept.
    /// - Returns: with the report of the trail, which is on the disk.
    /// - Throws: `conflict` without a recording; what keeps the trail from being kept, and then the recording goes on.
    func end(discards: Bool) async throws(Problem) -> TrailRecordingReply {
        let running = try state.withLock { state throws(Problem) in
            guard !state.isBusy, state.running != nil else { throw Self.none }
            state.running?.settle()
            state.isBusy = true
            return state.running
        }
        defer { state.withLock { $0.isBusy = false } }
        guard let running else { throw Self.none }
        var reply = TrailRecordingReply(running, discards ? .discarded : .kept)
        let instant = now
        let recording = running.recording
        let wasDemonstration = trails.archive.isDemonstrationUsed
        let report = try await trails.change { [trails, archive] () throws(TrailError) in
            var report: TrailReport?
            if !discards {
                let known = trails.archive.sources.first { $0.name == recording.head.source }
                let made = try RecordedTrail.source(of: recording, in: known, at: instant)
                try trails.archive.keep(made.source)
                trails.remake()
                report = made.report
            }
            // Cut off before this, konzad goes on with it, and the same trail is replaced at its end.
            try archive.clear()
            return report
        }
        state.withLock { state in
            state.ticker?.cancel()
            (state.running, state.ticker, state.fault) = (nil, nil, nil)
        }
        reply.savedAt = report == nil ? nil : instant
        reply.report = report.map { TrailReportReply($0, source: recording.head.source, isDryRun: false) }
        if report != nil, !wasDemonstration, trails.archive.apart.contains(where: { $0.name == recording.head.source })
        {
            reply.notice =
                "the trail is kept apart from the real ones, since it is made up: from a replay or a simulation"
        } else if report != nil, wasDemonstration {
            reply.notice =
                trails.archive.apart.isEmpty
                ? "the recorded trails are in use from now on, in place of the demonstration's made-up ones"
                : "the trail is kept apart, and the demonstration's made-up trails stay in use: \(TrailDesk.short)"
        }
        parts.log(.notice, "the recording of \(recording.head.trail) was \(discards ? "discarded" : "kept")")
        return reply
    }
}
