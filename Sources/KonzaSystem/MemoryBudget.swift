internal import Glibc
internal import Synchronization

/// One bound on all memory that clients can make the process hold: bodies of requests, answers that are not read yet,
/// events that are kept, pictures that are decoded.
///
/// Memory is reserved before it is allocated, and given back when the reservation is released or deallocated. A user
/// holds at most as much as is left for all others (``FairShares``). Root and the process's own user, and what belongs
/// to no user, are bound by the capacity alone.
public final class MemoryBudget: Sendable {
    /// What memory is reserved for.
    public enum Use: String, Sendable, CaseIterable {
        /// Bodies of requests while they come in and are worked on.
        case bodies
        /// Answers until their clients have taken them.
        case answers
        /// Events that are kept for clients that come back.
        case events
        /// Pictures that are checked, decoded and encoded.
        case pictures
    }

    /// What is reserved at one instant, and what was refused so far.
    public struct Figures: Sendable, Equatable {
        /// Bytes by use.
        public var reserved: [Use: Int] = [:]
        /// Bytes of all uses together.
        public var total = 0
        /// The largest total since the start, bytes.
        public var peak = 0
        /// Reservations that were refused, by use.
        public var refusals: [Use: UInt64] = [:]
    }

    private struct State {
        var shares: FairShares
        var figures = Figures()
    }

    /// The capacity of a station, bytes. `Decisions.md` has the arithmetic.
    public static let stationBytes = 80 << 20

    /// The account of root, of the process's own user, and of what belongs to no user.
    private static let unbound = Account(user: .max)

    /// Bytes that may be reserved at once.
    public let capacity: Int
    private let state: Mutex<State>

    /// - Parameter bytes: that may be reserved at once.
    public init(bytes: Int = MemoryBudget.stationBytes) {
        capacity = bytes
        state = Mutex(State(shares: FairShares(capacity: bytes)))
    }

    /// What is reserved now.
    public var figures: Figures { state.withLock { $0.figures } }

    /// Bytes that an account holds; for root and the process's own user, what all of these hold.
    public func held(by account: Account?) -> Int {
        let account = Self.bound(account)
        return state.withLock { $0.shares.held(by: account) }
    }

    /// Reserves memory.
    ///
    /// - Parameters:
    ///   - bytes: how much; 0 is always given, for a reservation that grows later.
    ///   - use: what for.
    ///   - account: in whose name; nil for what nobody asked for.
    /// - Returns: nil if that would exceed the account's share or the capacity. Answer then with 503 and Retry-After.
    public func reserve(_ bytes: Int, for use: Use, account: Account?) -> MemoryReservation? {
        let account = Self.bound(account)
        guard take(bytes, for: use, account: account, isForced: false) else { return nil }
        return MemoryReservation(budget: self, use: use, account: account, bytes: bytes)
    }

    private static func bound(_ account: Account?) -> Account {
        guard let account else { return unbound }
        let isOwn = account.client == nil && (account.user == 0 || account.user == geteuid())
        return isOwn ? unbound : account
    }

    fileprivate func take(_ bytes: Int, for use: Use, account: Account, isForced: Bool) -> Bool {
        state.withLock { state in
            let isTaken =
                if isForced || bytes <= 0 {
                    state.shares.take(bytes, for: account)
                } else if account == Self.unbound {
                    state.shares.take(bytes, for: account, upTo: capacity)
                } else {
                    state.shares.takeFairly(bytes, for: account)
                }
            guard isTaken else {
                state.figures.refusals[use, default: 0] += 1
                return false
            }
            state.figures.reserved[use, default: 0] += bytes
            state.figures.total = state.shares.taken
            state.figures.peak = max(state.figures.peak, state.shares.taken)
            return true
        }
    }

    fileprivate func giveBack(_ bytes: Int, of use: Use, account: Account) {
        state.withLock { state in
            state.shares.giveBack(bytes, of: account)
            state.figures.reserved[use, default: 0] -= bytes
            state.figures.total = state.shares.taken
        }
    }
}

/// Memory that is reserved in a ``MemoryBudget`` until ``release()`` or the end of its life.
public final class MemoryReservation: Sendable {
    private let budget: MemoryBudget
    private let use: MemoryBudget.Use
    private let account: Account
    private let held: Mutex<Int>

    fileprivate init(budget: MemoryBudget, use: MemoryBudget.Use, account: Account, bytes: Int) {
        self.budget = budget
        self.use = use
        self.account = account
        held = Mutex(bytes)
    }

    deinit { release() }

    /// How much is reserved.
    public var bytes: Int { held.withLock { $0 } }

    /// Makes the reservation this large, or leaves it as it is if it is larger.
    ///
    /// - Parameters:
    ///   - bytes: in all, not in addition.
    ///   - isForced: never refused, not even beyond the capacity: for what already exists and cannot be dropped, as the
    ///     answer that tells what has been done. The caller bounds it by other means.
    /// - Returns: false, and nothing changes, if the user's share or the capacity does not have it.
    public func grow(to bytes: Int, isForced: Bool = false) -> Bool {
        held.withLock { held in
            guard bytes > held else { return true }
            guard budget.take(bytes - held, for: use, account: account, isForced: isForced) else { return false }
            held = bytes
            return true
        }
    }

    /// Gives back what is reserved beyond so many bytes.
    public func shrink(to bytes: Int) {
        held.withLock { held in
            guard bytes < held else { return }
            budget.giveBack(held - bytes, of: use, account: account)
            held = bytes
        }
    }

    /// Gives everything back.
    public func release() { shrink(to: 0) }
}
