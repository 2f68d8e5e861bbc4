public import KonzaModel
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: StationClock {
    private struct Sleeper {
        let id: UInt64
        let deadline: MonotonicInstant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var utc: UTCInstant
        var monotonic: MonotonicInstant
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
    }

    private let state: Mutex<State>

    public init(
        utc: UTCInstant = UTCInstant(nanoseconds: 1_780_000_000_000_000_000),
        monotonic: MonotonicInstant = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    ) {
        state = Mutex(State(utc: utc, monotonic: monotonic))
    }

    public func utc() -> UTCInstant { state.withLock { $0.utc } }

    public func monotonic() -> MonotonicInstant { state.withLock { $0.monotonic } }

    /// How many tasks sleep now.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves both clocks on and wakes everyone whose deadline has come.
    public func advance(bySeconds seconds: Double) {
        let due = state.withLock { state in
            state.utc = state.utc.advanced(bySeconds: seconds)
            state.monotonic = state.monotonic.advanced(bySeconds: seconds)
            let due = state.sleepers.filter { $0.deadline <= state.monotonic }
            state.sleepers.removeAll { $0.deadline <= state.monotonic }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the clock on the wall and leaves the steady one alone.
    public func setUTC(_ instant: UTCInstant) {
        state.withLock { $0.utc = instant }
    }

    public func sleep(until deadline: MonotonicInstant) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    if deadline <= state.monotonic || Task.isCancelled { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        try Task.checkCancellation()
    }
}
