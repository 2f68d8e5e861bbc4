internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Knows which capture buffers are lent out as frames, and collects those that come back so that the camera's
/// thread can queue them again.
final class LeasePool: Sendable {
    private struct State {
        var lent: Set<Int> = []
        var returned: [Int] = []
        var isWaiting = false
    }

    private let state = Mutex(State())
    private let wakeup: Wakeup

    init(wakeup: Wakeup) { self.wakeup = wakeup }

    /// Lends the first `count` bytes of a buffer as a frame's data. The buffer stays mapped, and out of the queue,
    /// until the data is let go, on whatever thread that happens.
    func lend(_ buffer: MappedBuffer, index: Int, count: Int) -> FrameData {
        _ = state.withLock { $0.lent.insert(index) }
        return unsafe buffer.withBytes(first: count) { bytes in
            unsafe FrameData(lending: bytes) { [self] in
                withExtendedLifetime(buffer) { giveBack(index) }
            }
        }
    }

    private func giveBack(_ index: Int) {
        let mustWake = state.withLock { state in
            state.lent.remove(index)
            state.returned.append(index)
            return state.isWaiting
        }
        if mustWake { wakeup.signal() }
    }

    /// The buffers that came back since the last call.
    func takeReturned() -> [Int] {
        state.withLock { state in
            defer { state.returned = [] }
            return state.returned
        }
    }

    /// Marks the thread as about to wait, so that a return wakes it.
    ///
    /// - Returns: false if something already came back: take it first.
    func beginWaiting() -> Bool {
        state.withLock { state in
            state.isWaiting = state.returned.isEmpty
            return state.isWaiting
        }
    }

    func endWaiting() { state.withLock { $0.isWaiting = false } }

    /// Whether a frame from this buffer is still held by somebody.
    func isLent(_ index: Int) -> Bool { state.withLock { $0.lent.contains(index) } }

    /// How many buffers are lent out now.
    var lentCount: Int { state.withLock { $0.lent.count } }
}
