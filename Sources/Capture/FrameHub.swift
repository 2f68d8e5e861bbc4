public import KonzaModel
public import KonzaSystem
internal import Synchronization

/// Where frames come together: one source offers them, everybody else takes them from here.
///
/// The hub counts demand. While nobody watches and no shot waits, the source rests after a settable time; the first
/// subscription or shot wakes it. Frames are shared without a copy: whoever holds one holds a buffer of the camera,
/// so hold it no longer than needed.
public final class FrameHub: Sendable {
    struct Shot {
        let id: UInt64
        let trigger: MonotonicInstant
        let continuation: CheckedContinuation<Frame, any Error>
    }

    struct State {
        var record = CameraRecord()
        var latest: Exposed?
        var watchers = 0
        var waiting = 0
        var shots: [Shot] = []
        var nextID: UInt64 = 0
        /// When the last demand ended; nil while there is some, or has never been any.
        var idleSince: MonotonicInstant?
        var wake: (@Sendable () -> Void)?
        var controlRequests: [ControlRequest] = []
        var reportedHealth: PartHealth?
        var isStopped = false
        /// The source's end is followed by another source's beginning.
        var hasSuccessor = false
    }

    /// A frame with the bound that shots are judged by.
    struct Exposed {
        let frame: Frame
        let earliest: MonotonicInstant
    }

    /// What happens to the camera, as it happens; sent on the source's thread.
    public let changes = Broadcaster<CameraChange>()

    let clock: any StationClock
    let idleSeconds: Double
    let state: Mutex<State>
    private let frames = Broadcaster<Frame>()

    /// - Parameters:
    ///   - clock: the station's clock.
    ///   - source: what the frames are, for the status before any source runs.
    ///   - idleSeconds: how long the source goes on without demand.
    public init(clock: any StationClock, source: SourceKind = .live, idleSeconds: Double = 30) {
        self.clock = clock
        self.idleSeconds = idleSeconds
        var state = State()
        state.record.source = source
        self.state = Mutex(state)
    }

    /// The newest sound frame, however old; see its `exposedAt`. Does not wake a resting source.
    public func latest() -> Frame? { state.withLock { $0.latest?.frame } }

    /// Hands every frame to the handler, on the source's thread. The handler must return at once.
    ///
    /// The subscription is demand: the source streams for as long as it lives.
    public func subscribe(_ handler: @escaping @Sendable (Frame) -> Void) -> Subscription {
        let inner = frames.subscribe(handler)
        addDemand { $0.watchers += 1 }
        return Subscription { [weak self] in
            inner.cancel()
            self?.endDemand { $0.watchers -= 1 }
        }
    }

    /// Keeps the newest frame for a reader of any speed; older ones that it did not take are dropped and counted.
    ///
    /// - Parameter onArrival: called on the source's thread when there is a frame to take.
    /// - Returns: the place to take it from.
    public func watch(onArrival: @escaping @Sendable () -> Void = {}) -> FrameWatcher {
        FrameWatcher(hub: self, onArrival: onArrival)
    }

    /// The camera's state at this moment.
    public func status() -> CameraStatus {
        let now = clock.monotonic()
        return state.withLock { state in
            let record = state.record
            return CameraStatus(
                source: record.source, device: record.device, isStreaming: record.isStreaming,
                demand: state.watchers + state.waiting, timestampSource: record.timestampSource,
                counters: record.counters, lastFrameAt: record.evidence.lastGood,
                lastFrameAge: record.evidence.lastGood.map { max(0, now.seconds(since: $0)) },
                health: record.evidence.health(at: now))
        }
    }

    // MARK: Demand

    func addDemand(_ count: (inout State) -> Void) {
        let wake = state.withLock { state in
            count(&state)
            state.idleSince = nil
            return state.wake
        }
        wake?()
    }

    func endDemand(_ count: (inout State) -> Void) {
        let now = clock.monotonic()
        state.withLock { state in
            count(&state)
            if state.watchers + state.waiting == 0 { state.idleSince = now }
        }
    }

    /// Whether the source should stream: somebody wants frames, or did a short while ago.
    func isWanted(at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            if state.watchers + state.waiting > 0 { return true }
            guard let since = state.idleSince else { return false }
            return now.seconds(since: since) < idleSeconds
        }
    }

    /// Whether a shot waits, so that no frame may be left out.
    var hasShots: Bool { state.withLock { !$0.shots.isEmpty } }

    // MARK: The source's side

    /// Registers the source's way to be woken, and ends a former source's state.
    func attach(_ source: SourceKind, wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.wake = wake
            state.isStopped = false
            state.hasSuccessor = false
            state.record.source = source
        }
    }

    /// Says that the source will be replaced by another: who waits for a frame goes on waiting, for the next source's.
    public func expectSuccessor() { state.withLock { $0.hasSuccessor = true } }

    /// The source ends: everyone who waits for it is notified, unless another source follows.
    func detach() {
        let error = CameraError(.stopped, "cannot use the camera: the daemon is ending")
        let (shots, requests) = state.withLock { state -> ([Shot], [ControlRequest]) in
            state.wake = nil
            state.record.isStreaming = false
            defer { state.controlRequests = [] }
            if state.hasSuccessor {
                state.record.evidence.phase = .starting
                return ([], state.controlRequests)
            }
            state.isStopped = true
            state.record.evidence.phase = .closed(error)
            defer { state.shots = [] }
            return (state.shots, state.controlRequests)
        }
        for shot in shots { shot.continuation.resume(throwing: error) }
        for request in requests {
            request.continuation.resume(
                throwing: CameraError(.stopped, "cannot set a control: the camera is put away; ask again in a moment"))
        }
    }

    /// Changes what is known of the camera.
    func update<Result: Sendable>(_ body: (inout CameraRecord) -> Result) -> Result {
        state.withLock { body(&$0.record) }
    }

    /// Hands a sound frame on: to the shots that it satisfies, to the subscribers, and as the newest.
    func publish(_ frame: Frame, earliest: MonotonicInstant, arrival: MonotonicInstant) {
        let (due, previous) = state.withLock { state -> ([Shot], Exposed?) in
            let previous = state.latest
            state.latest = Exposed(frame: frame, earliest: earliest)
            state.record.noteGood(frame, at: arrival)
            let due = state.shots.filter { $0.trigger <= earliest }
            state.shots.removeAll { $0.trigger <= earliest }
            return (due, previous)
        }
        // The old frame's buffer goes back here, outside the lock.
        withExtendedLifetime(previous) {}
        for shot in due { shot.continuation.resume(returning: frame) }
        frames.send(frame)
    }

    /// Replaces a newest frame that is lent from a device by a copy, since the device goes to rest or away.
    func keepCopyOfLatest() {
        guard let latest = state.withLock({ $0.latest }) else { return }
        let frame = latest.frame
        let copy = frame.with(unsafe frame.data.withBytes { unsafe FrameData(copying: $0) })
        state.withLock { state in
            if state.latest?.frame.data === frame.data {
                state.latest = Exposed(frame: copy, earliest: latest.earliest)
            }
        }
    }

    /// Reports the health if it differs from the last one reported.
    func reviewHealth() {
        let now = clock.monotonic()
        let news = state.withLock { state -> PartHealth? in
            let health = state.record.evidence.health(at: now)
            guard health != state.reportedHealth else { return nil }
            state.reportedHealth = health
            return health
        }
        if let news { changes.send(.health(news)) }
    }
}

/// What the source keeps up to date.
struct CameraRecord: Sendable {
    var source = SourceKind.live
    var device: CameraDevice?
    var isStreaming = false
    var timestampSource: Frame.TimestampSource?
    var counters = CameraCounters()
    var evidence = CameraEvidence()

    mutating func noteGood(_ frame: Frame, at arrival: MonotonicInstant) {
        counters.delivered &+= 1
        timestampSource = frame.timestampSource
        evidence.lastGood = arrival
        evidence.lastAny = arrival
        evidence.recent.record(isGood: true)
    }
}
