public import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Holds the newest frame until its reader takes it. Never more than one, so a slow reader costs one buffer.
///
/// A watcher is demand for as long as it lives and is not cancelled.
public final class FrameWatcher: Sendable {
    private struct State {
        var newest: Frame?
        var missed: UInt64 = 0
        var isCancelled = false
    }

    /// What the subscription's handler holds, so that it does not keep the watcher itself alive.
    private final class Slot: Sendable {
        let state = Mutex(State())
    }

    private let slot = Slot()
    private let subscription: Subscription

    init(hub: FrameHub, onArrival: @escaping @Sendable () -> Void) {
        let slot = slot
        subscription = hub.subscribe { frame in
            let isKept = slot.state.withLock { state in
                guard !state.isCancelled else { return false }
                if state.newest != nil { state.missed += 1 }
                state.newest = frame
                return true
            }
            if isKept { onArrival() }
        }
    }

    /// The newest frame that was not yet taken.
    public func take() -> Frame? {
        slot.state.withLock { state in
            defer { state.newest = nil }
            return state.newest
        }
    }

    /// How many frames came and were replaced before they were taken.
    public var missed: UInt64 { slot.state.withLock { $0.missed } }

    /// Ends the demand and lets go of the frame.
    public func cancel() {
        subscription.cancel()
        slot.state.withLock { state in
            state.isCancelled = true
            state.newest = nil
        }
    }
}
