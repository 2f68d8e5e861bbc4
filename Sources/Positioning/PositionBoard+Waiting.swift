public import KonzaModel
internal import Synchronization

extension PositionBoard {
    /// The position at an instant, waiting for the fix after it if that is still to come: a picture is taken
    /// between two fixes, and the second one arrives later.
    ///
    /// It never waits while there is no live fix to wait for.
    ///
    /// - Parameters:
    ///   - instant: UTC, as the receiver counts it.
    ///   - seconds: the longest wait, 60 at most; then the position is extrapolated, or there is none.
    /// - Returns: the position, or why there is none.
    public func position(
        at instant: UTCInstant, waitingAtMost seconds: Double
    ) async -> Result<PositionAtInstant, TrackError> {
        let deadline = clock.monotonic().advanced(bySeconds: min(max(0, seconds), 60))
        let id = state.withLock { $0.waiters.newID() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForFix(after: instant, id: id) }
            group.addTask { try? await self.clock.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
        return position(at: instant)
    }

    private func waitForFix(after instant: UTCInstant, id: UInt64) async {
        let now = clock.monotonic()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    let isLive = state.evidence.judged(at: now, settings).0 == .fix
                    guard isLive, !Task.isCancelled, !state.track.hasSettledFix(after: instant) else { return false }
                    return state.waiters.add(id: id, instant: instant, continuation)
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.take(id: id) }?.resume()
        }
    }
}

/// Who waits for a fix, bounded in number.
struct TrackWaiters {
    private struct Waiter {
        let id: UInt64
        let instant: UTCInstant
        let continuation: CheckedContinuation<Void, Never>
    }

    private static let limit = 256

    private var waiters: [Waiter] = []
    private var lastID: UInt64 = 0

    var count: Int { waiters.count }

    mutating func newID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// - Returns: false if too many wait already.
    mutating func add(id: UInt64, instant: UTCInstant, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
        guard waiters.count < Self.limit else { return false }
        waiters.append(Waiter(id: id, instant: instant, continuation: continuation))
        return true
    }

    mutating func take(id: UInt64) -> CheckedContinuation<Void, Never>? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).continuation
    }

    /// Takes out those whose fix is there, or all when no fix will come.
    mutating func takeDue(track: Track, isLive: Bool) -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        let due = waiters.filter { !isLive || track.hasSettledFix(after: $0.instant) }
        waiters.removeAll { waiter in due.contains { $0.id == waiter.id } }
        return due.map(\.continuation)
    }
}

extension Track {
    /// Whether a fix of the instant or later is there and complete: the first report of an epoch often lacks the
    /// altitude that the next one brings.
    func hasSettledFix(after instant: UTCInstant) -> Bool {
        guard let newest, newest.time >= instant else { return false }
        guard newest.mode < .threeDimensional, let previous else { return true }
        return previous.time >= instant || previous.mode < .threeDimensional
    }
}
