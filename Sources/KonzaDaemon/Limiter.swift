internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// A bound on how many of something are under way at once.
final class Limiter: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var lastID: UInt64 = 0
        /// Who waits for a place, first come first served.
        var waiting: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let limit: Int
    private let what: String
    private let state = Mutex(State())

    init(_ limit: Int, of what: String) {
        self.limit = limit
        self.what = what
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.count } }

    /// How many wait for a place.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Refuses everything from now on, also who waits for a place; what is under way goes on.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.continuation.resume(returning: false) }
    }

    /// Takes a place; give it back with `leave()`.
    func enter() throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            if state.isClosed { return stopping }
            guard state.count < limit else { return full }
            state.count += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Takes a place, and waits for one if need be; give it back with `leave()`.
    ///
    /// - Parameters:
    ///   - deadline: the end of the wait.
    ///   - clock: the deadline's.
    /// - Throws: a problem at the deadline, when nothing is taken any more, and when the task is cancelled.
    func enter(waitingUntil deadline: MonotonicInstant, clock: any StationClock) async throws(Problem) {
        let hasPlace = await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.waitForPlace() }
            group.addTask {
                try? await clock.sleep(until: deadline)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            // A place that came with the deadline is not lost.
            return await group.reduce(first) { $0 || $1 }
        }
        if !hasPlace { throw state.withLock { $0.isClosed } || Task.isCancelled ? stopping : full }
    }

    private func waitForPlace() async -> Bool {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> Bool? in
                    if state.isClosed || Task.isCancelled { return false }
                    if state.count < limit {
                        state.count += 1
                        return true
                    }
                    state.waiting.append((id, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
            }
            continuation?.resume(returning: false)
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            // The place goes to who has waited longest.
            if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            state.count -= 1
            return nil
        }
        next?.resume(returning: true)
    }

    private var stopping: Problem {
        Problem(.unavailable, "cannot start \(what): konzad is stopping; try again in a moment")
    }

    private var full: Problem {
        Problem(.tooManyRequests, "cannot start \(what): \(limit) are under way already; try again when one is done")
    }
}
