public import KonzaModel
internal import Synchronization

/// How full the disk of a store is, and how the store is.
public struct StoreFigures: Sendable, Equatable {
    /// Of the file system, bytes; nil when it cannot be asked.
    public var freeBytes: Int64?
    public var capacityBytes: Int64?
    /// Bytes that stay free for everything else.
    public var spaceReserve: Int64
    /// How far the comparison of the index with the files is; nil when none goes on.
    public var comparison: Comparison?
    public var health: PartHealth

    public struct Comparison: Sendable, Equatable {
        /// Folders that are done, and all.
        public var folders: Int
        public var allFolders: Int
        /// Records that were added to the index.
        public var added: Int
    }
}

extension Store {
    /// A disk that is asked for its free space for longer does not answer, seconds.
    private static let patience = 5.0

    /// Brings `figures` up to date: looks at the disk, opens the index where it is not open, and goes on with what was
    /// left of its comparison with the files. Waits for the disk, and where the index has to be made anew for long.
    public func refresh() {
        open()
        // What was written meanwhile has taken room.
        if compare() { measure() }
    }

    /// Opens the index where it is not open: what is left of its comparison with the files is left to `refresh()`.
    public func open() {
        reopenIfDue()
        measure()
    }

    private func measure() {
        let space = askForSpace()
        // What a deletion on a full disk has used comes back when there is room.
        if case .ready = state.withLock({ $0.index }), let space, space.free > 4 * SpaceReserveFile.size {
            upkeep.withLock { _ in spaceReserveFile.fill() }
        }
    }

    /// Asks the disk how full it is. Of two that ask at a time the one that began later is believed.
    @discardableResult
    func askForSpace() -> DiskSpace? {
        let now = clock.monotonic()
        let question = state.withLock { state in
            state.measuringSince = state.measuringSince ?? now
            state.spaceQuestions += 1
            return state.spaceQuestions
        }
        let space = try? operations.space(ofFolder: folder)
        state.withLock { state in
            state.measuringSince = nil
            guard question > state.spaceAnswered else { return }
            state.spaceAnswered = question
            state.space = space
        }
        return space
    }

    /// How full the disk is and how the store is, by what was so at the last `refresh()` or refusal.
    /// Waits for nothing.
    public var figures: StoreFigures {
        let now = clock.monotonic()
        // Kinds have their own locks, which they hold while they ask the store: none is asked under the store's.
        let (deletable, complaint) = (deletable, kinds.lazy.compactMap(\.complaint).first)
        let summary = kinds.compactMap(\.summary).joined(separator: "; ")
        return state.withLock { state in
            StoreFigures(
                freeBytes: state.space?.free, capacityBytes: state.space?.total, spaceReserve: state.spaceReserve,
                comparison: state.progress.map {
                    StoreFigures.Comparison(folders: $0.folders, allFolders: $0.allFolders, added: $0.added)
                },
                health: Self.health(state, deletable, complaint, summary, at: now))
        }
    }

    /// The size of the disk by the last `refresh()`, bytes; nil while it is not known. Waits for nothing.
    public var capacityBytes: Int64? { state.withLock { $0.space?.total } }

    private static func health(
        _ state: State, _ deletable: DeletableSpace, _ complaint: PartHealth?, _ summary: String,
        at now: MonotonicInstant
    ) -> PartHealth {
        switch state.index {
        case .standIn(nil, _): return state.rebuilding
        case .standIn(_, let health): return health
        case .ready: break
        }
        if let since = state.measuringSince, now.seconds(since: since) > patience {
            return StorageHealth.silent(now.seconds(since: since))
        }
        guard state.spaceAnswered > 0 else { return .ok("the disk has not been looked at yet") }
        guard let space = state.space else {
            return state.lastFailure
                ?? PartHealth(
                    level: .failed, kind: "archive-failed",
                    reason: "the archive's folder cannot be looked at; see that it is there and its disk is mounted")
        }
        if let health = fullness(state, space, deletable) { return health }
        if let complaint { return complaint }
        // A full disk is no longer one when space is seen again; other failures stand until something is kept.
        if let failure = state.lastFailure, failure.kind != StorageHealth.diskFullKind { return failure }
        if let remark = state.remark { return remark }
        let words = "\(summary); \(ByteText(space.free)) free"
        return .ok(state.progress.map { "\(words); \(StorageHealth.words($0))" } ?? words)
    }

    private static func fullness(_ state: State, _ space: DiskSpace, _ deletable: DeletableSpace) -> PartHealth? {
        let free = space.free
        let lacksFiles = (space.freeFiles ?? .max) < Int64(1 + filesOfRecord) && deletable.files < filesOfRecord
        let isFull =
            free.addingClamped(deletable.bytes)
            < max(state.spaceReserve, SpaceReserveFile.size).addingClamped(state.refusedBytes)
        if isFull || lacksFiles {
            return StorageHealth.diskFull(
                StorageShortage(
                    needed: 0, free: free, reserve: state.spaceReserve, stored: 0, limit: nil,
                    prunable: deletable.bytes, freeFiles: lacksFiles ? space.freeFiles : nil))
        }
        if free < SpaceReserveFile.size { return StorageHealth.nearlyFull(free: free, prunable: deletable.bytes) }
        return nil
    }

    /// The most files that one record takes with the first.
    private static let filesOfRecord = 4
}
