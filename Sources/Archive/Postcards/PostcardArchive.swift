public import KonzaModel
internal import Synchronization

/// Keeps postcards: what `keep` returned is on the disk, and a power cut at any instant loses nothing that was
/// returned and leaves no half file that a reader can see.
///
/// The files come first, then the row, then the return; retention makes room before the write. All calls block on the
/// disk and may be made from any thread.
public final class PostcardArchive: Sendable {
    /// The index in use.
    enum Index {
        /// Reads and writes.
        case ready(Database)
        /// For reading alone, while nothing can be written: the file as it is, or one in memory that was made from the
        /// files; nil while there is none.
        case standIn(Database?, PartHealth)

        var database: Database? {
            switch self {
            case .ready(let database): database
            case .standIn(let database, _): database
            }
        }
    }

    struct State {
        var index: Index
        var totals = PostcardTable.Totals()
        var specimens = SpecimenUsage()
        /// The disk's space when it was last looked at; nil if it could not be.
        var space: DiskSpace?
        var isSpaceKnown = false
        /// Since when somebody has been looking at the disk's space.
        var measuringSince: MonotonicInstant?
        /// Somebody opens the index, or makes it anew.
        var isOpening = false
        var progress: IndexProgress?
        /// When an index in memory is made again; nil if it is whole.
        var remakeAt: MonotonicInstant?
        /// What postcards that are being written now will take.
        var inFlightBytes: Int64 = 0
        var inFlightCount = 0
        /// Specimens that are being written, and what they will take.
        var specimenWrites = 0
        var specimenBytes: Int64 = 0
        /// Requests with an idempotency key that are being worked on: key to hash.
        var inProgress: [String: String] = [:]
        var ids = RecordIDSource<PostcardRecord>()
        /// The last that were kept in this run, the oldest first: they are the youngest, whatever the clock said.
        var newest: [PostcardID] = []
        /// What went wrong last; forgotten when a postcard is kept.
        var lastFailure: PartHealth?
        /// Bytes that the last refused postcard would have taken; 0 when one is kept. As long as they are not there the
        /// disk is full, whatever its reserve.
        var refusedBytes: Int64 = 0
        /// What was found out of order when the index was opened.
        var remark: PartHealth?
        /// The limits as they are now set.
        var limits: RetentionLimits
        /// Whether what is read meanwhile is the file of the index, opened for reading only.
        var readsFile = false
        /// When an index that is not ready is tried again.
        var retryAt: MonotonicInstant
    }

    /// Where everything is kept.
    public let folder: String
    let clock: any StationClock
    /// By which requests' keys grow old.
    let operatingTime: OperatingTime
    let files: DurableFiles
    /// The time by which postcards are too old; nil while no clock can be believed.
    let believedTime: @Sendable () -> UTCInstant?
    let state: Mutex<State>
    /// Held by whoever deletes, protects or reopens: one at a time.
    let upkeep = Mutex(())

    var operations: any FileOperations { files.operations }

    /// Opens the archive in a folder, and makes the folder if it is not there. Whatever is wrong with the folder or
    /// the index is told by `usage().health`, while reads go on with what can be read. The first `refresh()` opens it:
    /// until then it says that its index is being made.
    ///
    /// - Parameters:
    ///   - folder: its absolute path.
    ///   - limits: how much it may hold.
    ///   - clock: the time.
    ///   - believedTime: the time by which postcards are deleted as too old; nil while no clock can be believed: one
    ///     that jumps a year ahead would take them all.
    /// - Throws: `ArchiveError.invalid` if the path is not absolute.
    public convenience init(
        folder: String, limits: RetentionLimits, clock: any StationClock,
        believedTime: @escaping @Sendable () -> UTCInstant?
    ) throws(ArchiveError) {
        try self.init(
            folder: folder, limits: limits, clock: clock, operations: SystemFileOperations(),
            believedTime: believedTime, opensAtOnce: false)
    }

    init(
        folder: String, limits: RetentionLimits, clock: any StationClock, operations: any FileOperations,
        believedTime: (@Sendable () -> UTCInstant?)? = nil, opensAtOnce: Bool = true
    ) throws(ArchiveError) {
        guard folder.hasPrefix("/") else { throw .invalid("the archive's folder \(folder) is not an absolute path") }
        self.folder = folder
        self.clock = clock
        self.believedTime = believedTime ?? { clock.utc() }
        files = DurableFiles(operations: operations)
        operatingTime = OperatingTime(clock: clock)
        state = Mutex(
            State(
                index: .standIn(nil, ArchiveHealth.rebuilding(nil)), limits: limits, retryAt: clock.monotonic()))
        if opensAtOnce { refresh() }
    }

    /// Changes the limits; they hold from the next postcard on.
    public func setLimits(_ limits: RetentionLimits) {
        state.withLock { $0.limits = limits }
    }

    /// Remembers what a failure says about the archive's health.
    func note(_ error: ArchiveError) {
        guard let health = ArchiveHealth.health(after: error) else { return }
        state.withLock { state in
            state.lastFailure = health
            if case .insufficientStorage(let shortage) = error { state.refusedBytes = shortage.needed }
            // A damaged index, or a commit whose fate is unknown, is opened afresh: that settles what is in it.
            guard case .database(let failure) = error, failure.needsReopening,
                case .ready(let database) = state.index
            else { return }
            state.index = .standIn(failure.isCorrupt ? nil : database, health)
            state.retryAt = clock.monotonic()
        }
    }

    /// Runs a change of the index as one durable transaction.
    func commit<Value: Sendable>(
        _ database: Database, _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(ArchiveError) -> Value {
        let value = try database.write(
            { connection throws(ArchiveError) in
                let value = try archive { () throws(DatabaseError) in try body(&connection) }
                try archive { () throws(FileError) in try operations.willCommit(in: folder) }
                return value
            }, failing: { .database($0) })
        try archive { () throws(FileError) in try operations.didCommit(in: folder) }
        return value
    }
}
