internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Storage
internal import Synchronization

/// Learns how the receiver wanders while the station stands still, and keeps that over a restart in a file of the state
/// folder. A file that is of no use is ignored with a warning, and replaced by what is learned from then on.
final class StandingKeeper: Service {
    let name = "standing receiver"

    /// The file's name in the state folder.
    static let fileName = "standing-receiver"
    /// Seconds between two writings; after a power cut as much standing is missing.
    private static let writePeriod = 6 * 3600.0

    private struct State {
        var learner = StandingLearner()
        /// The newest epoch, which may still be told more of.
        var epoch: Fix?
        var isLoaded = false
        /// What the file has.
        var written: StandingSummary?
        var isWriteFailureTold = false
    }

    private let board: PositionBoard
    private let clock: any StationClock
    private let log: Log
    private let file: StateFile
    private let state = Mutex(State())

    init(board: PositionBoard, clock: any StationClock, log: Log, folder: String) {
        self.board = board
        self.clock = clock
        self.log = log
        file = StateFile(Self.fileName, in: folder)
    }

    /// What an occupation may use now; nil while too little is known, or it is in doubt.
    var knowledge: StandingKnowledge? { state.withLock { $0.learner.knowledge } }

    func run() async throws {
        await load()
        let (events, continuation) = AsyncStream<StandingLearner.Event?>.makeStream(
            bufferingPolicy: .bufferingNewest(16))
        let nextWriting = Mutex(clock.monotonic().advanced(bySeconds: Self.writePeriod))
        let subscription = board.changes.subscribe { [weak self, clock] change in
            switch change {
            case .epoch(let fix), .enriched(let fix):
                let event = self?.take(fix)
                if event != nil || clock.monotonic() >= nextWriting.withLock({ $0 }) { continuation.yield(event) }
            case .sky, .state: break
            }
        }
        defer { subscription.cancel() }
        for await event in events {
            if let event { tell(event) }
            let now = clock.monotonic()
            guard event.map(Self.isUrgent) ?? (now >= nextWriting.withLock { $0 }) else { continue }
            nextWriting.withLock { $0 = now.advanced(bySeconds: Self.writePeriod) }
            await save()
        }
    }

    /// Takes a report. An epoch comes as several, each richer; it counts once, when the next one begins.
    ///
    /// - Returns: what the epoch before led to.
    func take(_ fix: Fix) -> StandingLearner.Event? {
        state.withLock { state in
            defer { state.epoch = fix }
            guard let epoch = state.epoch, epoch.sequence != fix.sequence else { return nil }
            return state.learner.take(epoch)
        }
    }

    /// Reads the file.
    func load() async {
        do {
            let bytes = try await onBlockingThread { [file] in
                try file.read(most: StandingSummary.mostBytes)
            }
            guard let bytes else { return state.withLock { $0.isLoaded = true } }
            let summary = try StandingSummary(bytes: bytes)
            state.withLock { state in
                state.learner = StandingLearner(summary: summary)
                (state.written, state.isLoaded) = (summary, true)
            }
            log(.info, "how the receiver wanders is known from \(Int(summary.hours)) h of standing")
        } catch {
            state.withLock { $0.isLoaded = true }
            log(
                .warning,
                "cannot use \(file.path): \(error), ignoring; it is learned anew while the station stands still")
        }
    }

    /// Writes the file, if there is anything new.
    func save() async {
        let summary = state.withLock { $0.isLoaded && $0.learner.summary != $0.written ? $0.learner.summary : nil }
        guard let summary else { return }
        do {
            try await onBlockingThread { [file] in try file.replace(with: summary.bytes) }
            state.withLock { state in
                state.written = summary
                state.isWriteFailureTold = false
            }
        } catch {
            let isTold = state.withLock { state in
                defer { state.isWriteFailureTold = true }
                return state.isWriteFailureTold
            }
            if !isTold { log(.warning, "cannot keep how the receiver wanders: \(error), ignoring") }
        }
    }

    /// Whether the file would mislead the next start.
    private static func isUrgent(_ event: StandingLearner.Event) -> Bool {
        switch event {
        case .known, .beganAnew(.moved), .beganAnew(.otherReceiver): true
        case .changed, .beganAnew(.changed): false
        }
    }

    private func tell(_ event: StandingLearner.Event) {
        switch event {
        case .known(let hours):
            log(.notice, "how the receiver wanders is known after \(Int(hours)) h of standing; occupations here use it")
        case .changed:
            log(
                .notice,
                "the receiver wanders differently than before; occupations use what holds for receivers in general")
        case .beganAnew(let reason):
            let cause =
                switch reason {
                case .moved: "the station moved"
                case .otherReceiver: "another receiver is there"
                case .changed: "the receiver has wandered differently for hours"
                }
            log(.info, "\(cause): how it wanders is learned anew")
        }
    }
}
