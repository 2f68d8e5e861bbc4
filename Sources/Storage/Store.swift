public import KonzaModel
internal import Synchronization

/// Keeps records of several kinds in one folder: their files, and an index of them that can be made anew from the
/// files. What a write returned is on the disk, and a power cut at any instant loses nothing that was returned and
/// leaves no half file that a reader can see.
///
/// The files come first, then the row, then the return. All calls block on the disk, but for those that say that they
/// wait for nothing, and may be made from any thread.
public final class Store: Sendable {
    package static let lostAndFound = "lost+found"

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
        var kinds: [any RecordKind] = []
        var index = Index.standIn(nil, StorageHealth.rebuilding(nil))
        /// The disk's space when it was last looked at; nil if it could not be.
        var space: DiskSpace?
        /// How often the disk was asked for its space, and which of these questions `space` answers; 0 before the first.
        var spaceQuestions = 0
        var spaceAnswered = 0
        /// Since when somebody has been looking at the disk's space.
        var measuringSince: MonotonicInstant?
        /// Somebody opens the index, or makes it anew.
        var isOpening = false
        /// How far the comparison with the files is; nil when it is over.
        var progress: ComparisonProgress?
        /// When an index in memory is made again; nil if it is whole.
        var remakeAt: MonotonicInstant?
        /// Writes that are under way, and what they will take.
        var writes = 0
        var writeBytes: Int64 = 0
        /// Bytes that stay free on the disk for everything else.
        var spaceReserve: Int64
        /// What went wrong last; forgotten when something is kept.
        var lastFailure: PartHealth?
        /// Bytes that the last refused record would have taken; 0 when one is kept. As long as they are not there the
        /// disk is full, whatever its reserve.
        var refusedBytes: Int64 = 0
        /// What was found out of order.
        var remark: PartHealth?
        /// Whether what is read meanwhile is the file of the index, opened for reading only.
        var readsFile = false
        /// When an index that is not ready is tried again.
        var retryAt: MonotonicInstant
    }

    /// Where everything is kept.
    public let folder: String
    package let clock: any StationClock
    /// By which requests' keys grow old.
    package let operatingTime: OperatingTime
    package let files: DurableFiles
    /// The time by which records are too old; nil while no clock can be believed.
    package let believedTime: @Sendable () -> UTCInstant?
    let state: Mutex<State>
    /// Held by whoever deletes, changes or reopens: one at a time.
    let upkeep = Mutex(())
    /// The comparison that goes on while the index is in use.
    let pending = Mutex<PendingComparison?>(nil)

    package var operations: any FileOperations { files.operations }

    /// A store in a folder, which is made if it is not there. Its kinds of records are added, then it is opened by
    /// the first `refresh()`. Whatever is wrong with the folder or the index is reported by `health`, while reads go on
    /// with what can be read.
    ///
    /// - Parameters:
    ///   - folder: its absolute path.
    ///   - clock: the time.
    ///   - spaceReserve: bytes that stay free on the disk for everything else.
    ///   - believedTime: the time by which records grow old; nil while no clock can be believed: one that jumps a year
    ///     ahead would take them all.
    /// - Throws: `StorageError.invalid` if the path is not absolute.
    public convenience init(
        folder: String, clock: any StationClock, spaceReserve: Int64 = 256_000_000,
        believedTime: @escaping @Sendable () -> UTCInstant?
    ) throws(StorageError) {
        try self.init(
            folder: folder, clock: clock, spaceReserve: spaceReserve, operations: SystemFileOperations(),
            believedTime: believedTime)
    }

    /// The same over other operations on files, for tests.
    package init(
        folder: String, clock: any StationClock, spaceReserve: Int64, operations: any FileOperations,
        believedTime: (@Sendable () -> UTCInstant?)? = nil
    ) throws(StorageError) {
        guard folder.hasPrefix("/") else { throw .invalid("the archive's folder \(folder) is not an absolute path") }
        self.folder = folder
        self.clock = clock
        self.believedTime = believedTime ?? { clock.utc() }
        files = DurableFiles(operations: operations)
        operatingTime = OperatingTime(clock: clock)
        state = Mutex(State(spaceReserve: spaceReserve, retryAt: clock.monotonic()))
    }

    /// Adds a kind of record; before the first `refresh()`.
    package func add(_ kind: any RecordKind) {
        state.withLock { $0.kinds.append(kind) }
    }

    var kinds: [any RecordKind] { state.withLock { $0.kinds } }

    /// The time that records are kept by: the one by which they grow old, where there is one. One that was kept in
    /// the past of a clock that had jumped would be too old as soon as it is kept.
    package var time: UTCInstant { believedTime() ?? clock.utc() }

    /// Changes how many bytes stay free on the disk; from the next record on.
    package func setSpaceReserve(_ bytes: Int64) {
        state.withLock { $0.spaceReserve = bytes }
    }

    // MARK: - Reading

    /// The index to read from.
    ///
    /// - Throws: an error that `isRebuilding` while there is none.
    package var readable: Database {
        get throws(DatabaseError) {
            let (database, words) = state.withLock { ($0.index.database, $0.rebuilding.reason) }
            guard let database else { throw .rebuilding(words) }
            return database
        }
    }

    /// Reads from the index; from a new one, made from the files at once, where the old one turns out to be damaged.
    package func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        do throws(DatabaseError) {
            return try readable.read(body)
        } catch {
            note(.database(error))
            guard error.needsReopening else { throw .database(error) }
        }
        reopenIfDue()
        return try storing { () throws(DatabaseError) in try readable.read(body) }
    }

    /// Whether what is read is not the index that is written to: nothing is added to it any more.
    package var isStandingIn: Bool {
        switch state.withLock({ $0.index }) {
        case .ready: false
        case .standIn: true
        }
    }

    // MARK: - Failures

    /// Remembers what a failure says about the store's health.
    package func note(_ error: StorageError) {
        guard let health = StorageHealth.health(after: error) else { return }
        // Whoever asks for the status after a refusal hears of the same disk.
        if health.kind == StorageHealth.diskFullKind { askForSpace() }
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

    /// Something was kept: what went wrong before is over.
    package func forgetFailure() {
        state.withLock { state in
            state.lastFailure = nil
            state.refusedBytes = 0
        }
    }

    /// Says what a person should look at, until the next start.
    package func remark(_ health: PartHealth) {
        state.withLock { $0.remark = health }
    }
}
