internal import KonzaAPI
internal import Synchronization

/// A bound on the countdowns that run at once, of all users and of each: a user is given one more while it holds no
/// more with it than are left for everybody else.
final class CountdownPlaces: Sendable {
    /// The most countdowns at once: each keeps a task and an entry, no frame and no place among the postcards.
    static let limit = 32

    private struct State {
        var isClosed = false
        var count = 0
        var byUser: [UInt32: Int] = [:]
    }

    private let state = Mutex(State())

    /// How many run.
    var count: Int { state.withLock { $0.count } }

    /// Refuses everything from now on.
    func close() { state.withLock { $0.isClosed = true } }

    /// Takes a place for a user; give it back with `leave`.
    func enter(_ user: UInt32) throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            if state.isClosed {
                return Problem(.unavailable, "cannot start a countdown: konzad is stopping; try again in a moment")
            }
            let held = state.byUser[user, default: 0]
            guard held + 1 <= Self.limit - state.count - 1 else {
                return Problem(
                    .tooManyRequests,
                    "cannot start a countdown: \(held) of yours are running, of \(state.count) in all; try again when one "
                        + "has ended, or take the postcard without countdownSeconds")
            }
            state.count += 1
            state.byUser[user] = held + 1
            return nil
        }
        if let refusal { throw refusal }
    }

    func leave(_ user: UInt32) {
        state.withLock { state in
            state.count -= 1
            let left = state.byUser[user, default: 0] - 1
            state.byUser[user] = left > 0 ? left : nil
        }
    }
}
