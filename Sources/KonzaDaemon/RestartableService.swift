internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Keeps a service running: one that fails is told of once and tried again after a pause; one whose settings changed
/// is made anew.
final class RestartableService: Sendable {
    /// The pauses between two attempts, seconds.
    private static let firstPause = 1.0
    private static let longestPause = 60.0
    /// One that ran for so long had come up: what ends it then is a failure of its own, seconds.
    private static let soundSeconds = 60.0

    private let name: String
    private let clock: any StationClock
    private let log: Log
    private let make: @Sendable () throws -> any Service
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ name: String, _ clock: any StationClock, _ log: Log, _ make: @escaping @Sendable () throws -> any Service) {
        self.name = name
        self.clock = clock
        self.log = log
        self.make = make
    }

    func start() { replace(after: nil) }

    /// Ends the service and begins it again with what `make` gives now.
    func restart() {
        let old = task.withLock { $0 }
        old?.cancel()
        replace(after: old)
    }

    func stop() { task.withLock { $0 }?.cancel() }

    private func replace(after old: Task<Void, Never>?) {
        let new = Task {
            // The old one still holds the device.
            await old?.value
            await self.keepRunning()
        }
        task.withLock { $0 = new }
    }

    private func keepRunning() async {
        var pause = Self.firstPause
        var lastComplaint = ""
        while !Task.isCancelled {
            let begin = clock.monotonic()
            do {
                try await make().run()
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
