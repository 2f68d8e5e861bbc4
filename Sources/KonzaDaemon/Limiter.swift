internal import KonzaAPI
internal import Synchronization

/// A bound on how many of something are under way at once.
final class Limiter: Sendable {
    private let limit: Int
    private let what: String
    private let state = Mutex((count: 0, isClosed: false))

    init(_ limit: Int, of what: String) {
        self.limit = limit
        self.what = what
    }

    /// How many are under way.
    var count: Int { state.withLock { $0.count } }

    /// Refuses everything from now on; what is under way goes on.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Takes a place; give it back with `leave()`.
    func enter() throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            if state.isClosed {
                return Problem(.unavailable, "cannot start \(what): konzad is stopping; try again in a moment")
            }
            guard state.count < limit else {
                return Problem(
                    .tooManyRequests,
                    "cannot start \(what): \(limit) are under way already; try again when one is done")
            }
            state.count += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    func leave() {
        state.withLock { $0.count -= 1 }
    }
}
