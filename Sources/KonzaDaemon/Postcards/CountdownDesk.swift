internal import KonzaAPI
internal import KonzaModel
internal import Synchronization

/// The postcards that are under way: what their `Location` answers until the archive has them.
///
/// Bounded: `limit` postcards at most are remembered, those that ended longest ago are forgotten first.
final class CountdownDesk: Sendable {
    private struct Entry {
        var reply: PendingPostcardReply
        var hasEnded = false
    }

    private struct State {
        var entries: [PostcardID: Entry] = [:]
        var order: [PostcardID] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 128) {
        self.limit = limit
    }

    /// Writes down how far a postcard is.
    func set(_ id: PostcardID, _ reply: PendingPostcardReply, hasEnded: Bool = false) {
        state.withLock { state in
            if state.entries.updateValue(Entry(reply: reply, hasEnded: hasEnded), forKey: id) == nil {
                state.order.append(id)
            }
            while state.order.count > limit,
                let index = state.order.firstIndex(where: { state.entries[$0]?.hasEnded ?? true })
            {
                state.entries[state.order.remove(at: index)] = nil
            }
        }
    }

    /// The archive has it: its own record answers from now on.
    func forget(_ id: PostcardID) {
        state.withLock { state in
            state.entries[id] = nil
            state.order.removeAll { $0 == id }
        }
    }

    func reply(_ id: PostcardID) -> PendingPostcardReply? {
        state.withLock { $0.entries[id]?.reply }
    }
}
