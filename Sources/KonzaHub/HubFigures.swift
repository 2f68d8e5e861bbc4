internal import FleetMessaging
internal import Synchronization

/// What the hub has done and how it is: counted by the workers, shown by the server.
final class HubFigures: Sendable {
    /// How a worker stands with the broker or the database.
    struct Link: Sendable, Equatable {
        var isUp = false
        /// Why not.
        var problem: String?
    }

    struct Worker: Sendable, Equatable {
        var broker = Link()
        var database = Link()
    }

    struct Counts: Sendable {
        var messages: [String: Int] = [:]
        var kept = 0
        var quarantined = 0
        var receipts = 0
        var batches = 0
        var batchSeconds = 0.0
        var failedBatches = 0
        var dropped = 0
        var brokerConnections = 0
        var databaseConnections = 0
        var refusedReceipts = 0
    }

    private struct State {
        var counts = Counts()
        var workers: [Worker]
    }

    private let state: Mutex<State>

    init(workers: Int) { state = Mutex(State(workers: Array(repeating: Worker(), count: workers))) }

    func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

    func set(_ number: Int, _ change: (inout Worker) -> Void) { state.withLock { change(&$0.workers[number]) } }

    /// Counts a receipt that the broker did not take.
    ///
    /// - Returns: whether it is the first.
    func refusedReceipt() -> Bool {
        state.withLock { state in
            state.counts.refusedReceipts += 1
            return state.counts.refusedReceipts == 1
        }
    }

    var counts: Counts { state.withLock { $0.counts } }

    var workers: [Worker] { state.withLock { $0.workers } }
}
