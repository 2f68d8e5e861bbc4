internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// One picture for a collage. Only the kind of its ids: what is known of it is in the shelf.
enum Shot {}

typealias ShotID = RecordID<Shot>

/// The shots that are under way or held, in memory alone. Bounded: `limit` of them, shared among accounts by
/// `FairShares`; their bytes are reserved in the station's `MemoryBudget`; each is forgotten after `lifeSeconds`.
final class ShotShelf: Sendable {
    /// The most shots of all accounts.
    static let limit = 32
    /// How long a shot is held after its countdown, seconds.
    static let lifeSeconds = 300.0

    /// How far a shot is.
    enum Stage: Sendable {
        case counting(remaining: Int)
        case capturing
        case taken(Exposure, MemoryReservation)
        case failed(Problem)
    }

    struct Entry: Sendable {
        let account: Account
        let expiry: MonotonicInstant
        let expiresAt: UTCInstant
        /// The end of the countdown, if there is one.
        let dueAt: UTCInstant?
        var stage: Stage
        /// The countdown.
        var task: Task<Void, Never>?
    }

    private struct State {
        var isClosed = false
        var ids = RecordIDSource<Shot>()
        var entries: [ShotID: Entry] = [:]
        var shares = FairShares(capacity: ShotShelf.limit)
    }

    private let clock: any StationClock
    private let state = Mutex(State())

    init(clock: any StationClock) {
        self.clock = clock
    }

    /// How many there are.
    var count: Int { state.withLock { $0.entries.count } }

    /// Makes room for a shot.
    ///
    /// - Throws: a problem if the account or all accounts hold too many.
    func add(_ entry: Entry, at instant: UTCInstant) throws(Problem) -> ShotID {
        sweep()
        let id = state.withLock { state -> ShotID? in
            guard !state.isClosed, state.shares.takeFairly(1, for: entry.account) else { return nil }
            let id = state.ids.next(at: instant)
            state.entries[id] = entry
            return id
        }
        if let id { return id }
        let (held, isClosed) = state.withLock { ($0.shares.held(by: entry.account), $0.isClosed) }
        if isClosed { throw Problem(.unavailable, "cannot take a shot: konzad is stopping; try again in a moment") }
        throw Problem(
            .tooManyRequests,
            "cannot take a shot: \(held) of yours are held, of \(count) in all; delete those that no collage needs, or wait "
                + "until they expire")
    }

    /// What is known of a shot; nil if there is none, or it is another account's.
    func entry(_ id: ShotID, of account: Account) -> Entry? {
        sweep()
        return state.withLock { state in state.entries[id].flatMap { $0.account == account ? $0 : nil } }
    }

    /// Writes down how far a shot is.
    ///
    /// - Returns: false if it was deleted meanwhile.
    @discardableResult
    func set(_ id: ShotID, _ stage: Stage) -> Bool {
        state.withLock { state in
            guard state.entries[id] != nil else { return false }
            state.entries[id]?.stage = stage
            return true
        }
    }

    /// Starts a shot's countdown.
    ///
    /// - Returns: false if it was deleted meanwhile.
    func run(_ id: ShotID, _ body: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.entries[id] != nil else { return false }
            // The countdown waits for the lock before it changes anything.
            state.entries[id]?.task = Task { await body() }
            return true
        }
    }

    /// Forgets a shot, and ends its countdown.
    ///
    /// - Returns: false if there is none of the account.
    @discardableResult
    func remove(_ id: ShotID, of account: Account) -> Bool {
        guard let entry = entry(id, of: account) else { return false }
        take([id])
        entry.task?.cancel()
        return true
    }

    /// Forgets what has expired.
    func sweep() {
        let now = clock.monotonic()
        let expired = state.withLock { state in
            state.entries.filter { $0.value.expiry <= now }.map { (id: $0.key, task: $0.value.task) }
        }
        take(expired.map(\.id))
        for one in expired { one.task?.cancel() }
    }

    /// Refuses new shots, and forgets all.
    func close() {
        let entries = state.withLock { state in
            state.isClosed = true
            return state.entries
        }
        take(Array(entries.keys))
        for entry in entries.values { entry.task?.cancel() }
    }

    private func take(_ ids: [ShotID]) {
        state.withLock { state in
            for id in ids {
                guard let entry = state.entries.removeValue(forKey: id) else { continue }
                state.shares.giveBack(1, of: entry.account)
            }
        }
    }
}
