internal import KonzaAPI
internal import KonzaSystem
internal import Synchronization

/// A bound on the countdowns that run at once, of all accounts and of each, by `FairShares`.
final class CountdownPlaces: Sendable {
    /// The most countdowns at once: each keeps a task and an entry, no frame and no place among the postcards.
    static let limit = 32

    private struct State {
        var isClosed = false
        var shares = FairShares(capacity: CountdownPlaces.limit)
    }

    private let state = Mutex(State())

    /// How many run.
    var count: Int { state.withLock { $0.shares.taken } }

    /// Refuses everything from now on.
    func close() { state.withLock { $0.isClosed = true } }

    /// Takes a place for an account; give it back with `leave`.
    func enter(_ account: Account) throws(Problem) {
        let refusal = state.withLock { state -> Problem? in
            if state.isClosed {
                return Problem(.unavailable, "cannot start a countdown: konzad is stopping; try again in a moment")
            }
            guard !state.shares.takeFairly(1, for: account) else { return nil }
            return Problem(
                .tooManyRequests,
                "cannot start a countdown: \(state.shares.held(by: account)) of yours are running, of "
                    + "\(state.shares.taken) in all; try again when one has ended, or take the postcard without "
                    + "countdownSeconds")
        }
        if let refusal { throw refusal }
    }

    func leave(_ account: Account) { state.withLock { $0.shares.giveBack(1, of: account) } }
}
