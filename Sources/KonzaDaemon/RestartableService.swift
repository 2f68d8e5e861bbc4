internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Keeps a service running: a failure is logged once and the service tried again after a pause; one whose settings changed
/// is made anew.
final class RestartableService: Sendable {
    /// The pauses between two attempts, seconds.
    private static let firstPause = 1.0
    private static let longestPause = 60.0
    /// One that ran for so long had come up: what ends it then is a failure of its own, seconds.
    private static let soundSeconds = 60.0

    private struct State {
        var task: Task<Void, Never>?
        var isStopped = false
    }

    private let name: String
    private let clock: any StationClock
    private let log: Log
    private let make: @Sendable () throws -> any Service
    private let state = Mutex(State())

    init(_ name: String, _ clock: any StationClock, _ log: Log, _ make: @escaping @Sendable () throws -> any Service) {
        self.name = name
        self.clock = clock
        self.log = log
        self.make = make
    }

    func start() { replace() }

    /// Ends the service and begins it again with what `make` gives now. Nothing begins after `stop()`.
    func restart() { replace() }

    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private func replace() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.task = Task { [old = state.task] in
                old?.cancel()
                // It still holds the device.
                await old?.value
                await self.keepRunning()
            }
        }
    }

    private func keepRunning() async {
        var pause = Self.firstPause
        var lastComplaint = ""
        while !Task.isCancelled {
            let begin = clock.monotonic()
            do {
                // It may read a recording first.
                try await onBlockingThread { try make() }.run()
                if Task.isCancelled { return }
            } catch is CancellationError {
                return
            } catch {
                if clock.monotonic().seconds(since: begin) >= Self.soundSeconds { lastComplaint = "" }
                if "\(error)" != lastComplaint { log(.error, "\(name): \(error)") }
                lastComplaint = "\(error)"
            }
            if clock.monotonic().seconds(since: begin) >= Self.soundSeconds { pause = Self.firstPause }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: pause))
            pause = min(pause * 2, Self.longestPause)
        }
    }
}
