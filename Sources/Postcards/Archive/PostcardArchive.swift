internal import KonzaModel
public import Storage
internal import Synchronization

/// Keeps postcards in a `Store`: what `keep` returned is on the disk. Retention makes room before a postcard is
/// written. All calls block on the disk and may be made from any thread.
public final class PostcardArchive: Sendable {
    /// Has the folder, the index and the disk's reserve.
    public let store: Store
    let kind: PostcardKind

    var files: DurableFiles { store.files }
    var folder: String { store.folder }

    /// The postcards of a store, which must not be open yet.
    ///
    /// - Parameters:
    ///   - store: where they are kept.
    ///   - limits: how many may be.
    public init(store: Store, limits: RetentionLimits) {
        self.store = store
        kind = PostcardKind(limits: limits)
        store.add(kind)
        store.setSpaceReserve(limits.spaceReserve)
    }

    init(store: Store, kind: PostcardKind) {
        self.store = store
        self.kind = kind
    }

    /// Changes the limits; they hold from the next postcard on.
    public func setLimits(_ limits: RetentionLimits) {
        kind.state.withLock { $0.limits = limits }
        store.setSpaceReserve(limits.spaceReserve)
    }

    /// How many postcards there are. Waits for nothing.
    public var figures: PostcardFigures {
        kind.state.withLock { state in
            PostcardFigures(
                storedBytes: state.totals.bytes, count: state.totals.count,
                protectedCount: state.totals.protectedCount, missingCount: state.totals.missingCount,
                prunableBytes: state.totals.prunableBytes, oldestAt: state.oldestAt, limits: state.limits)
        }
    }

    /// Runs a body, and remembers what its failure says about the store's health.
    func noting<Value>(_ body: () throws(StorageError) -> Value) throws(PostcardError) -> Value {
        do throws(StorageError) {
            return try body()
        } catch {
            store.note(error)
            throw .storage(error)
        }
    }
}
