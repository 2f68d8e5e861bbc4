internal import KonzaModel
internal import Synchronization

/// Wakes those who wait for something to do.
final class Bell: Sendable {
    private struct State {
        var count: UInt64 = 0
        var nextToken: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// How often it has rung. Read before looking for something to do, so that no ring is missed.
    var count: UInt64 { state.withLock { $0.count } }

    /// How many wait for it.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    func ring() {
        let woken = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until it has rung more often than `seen`, the deadline comes, or the task is cancelled.
    func wait(after seen: UInt64, until deadline: MonotonicInstant, clock: any StationClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: seen) }
            group.addTask { try? await clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(after seen: UInt64) async {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count != seen || Task.isCancelled { return true }
                    state.waiting[token] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: token) }?.resume()
        }
    }
}
