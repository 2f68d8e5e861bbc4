internal import KonzaModel
internal import Storage
internal import Synchronization

/// Postcards as a kind of record, and what is known of them in memory.
final class PostcardKind: RecordKind {
    struct State {
        var totals = PostcardTable.Totals()
        /// The postcards that are being written now, and what they will take, bytes.
        var inFlight: Set<PostcardID> = []
        var inFlightBytes: Int64 = 0
        /// Days whose folders are marked as being written to in this run.
        var openDays: Set<String> = []
        /// Whether every postcard that was kept has its row: if not, one of them may have used a key that the index does
        /// not know, and the oldest that it knows may not be the oldest.
        var isWhole = false
        /// Requests with an idempotency key that are being worked on: key to hash.
        var inProgress: [String: String] = [:]
        var ids = RecordIDSource<PostcardRecord>()
        /// The last that were kept in this run, the oldest first: they are the youngest, whatever the clock said.
        var newest: [PostcardID] = []
        /// When the oldest of all was taken, at the last look.
        var oldestAt: UTCInstant?
        /// The limits as they are now set.
        var limits: RetentionLimits
    }

    let state: Mutex<State>

    init(limits: RetentionLimits) {
        state = Mutex(State(limits: limits))
    }

    var noun: String { "postcard" }

    var migrations: [Migration] { PostcardTable.migrations }

    func count(in connection: inout Connection) throws(DatabaseError) {
        let totals = try PostcardTable.totals(in: &connection)
        state.withLock { $0.totals = totals }
    }

    func newestKey(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading? {
        try IdempotencyTable.postcards.newest(in: &connection)
    }

    func comparison(_ scene: ComparisonScene) -> any RecordComparison {
        PostcardComparison(kind: self, scene: scene)
    }

    var deletable: DeletableSpace {
        state.withLock { DeletableSpace(bytes: $0.totals.prunableBytes, files: $0.totals.prunableFiles) }
    }

    func makeWay(for bytes: Int64, in database: Database, of store: Store) throws(StorageError) {
        try PostcardArchive(store: store, kind: self).prune(database, Excess(space: bytes))
    }

    /// Protected postcards alone fill the archive, or pictures were lost.
    var complaint: PartHealth? {
        let (totals, limits) = state.withLock { ($0.totals, $0.limits) }
        let bytesAreUsed = limits.maximumBytes.map { totals.bytes.addingClamped(-totals.prunableBytes) >= $0 } ?? false
        let countIsUsed = limits.maximumCount.map { totals.protectedCount >= $0 } ?? false
        guard bytesAreUsed || countIsUsed else { return nil }
        return PartHealth(
            level: .failed, kind: "archive-full",
            reason: """
                \(counted(totals.protectedCount, "protected postcard fills", "protected postcards fill")) the archive's \
                limits; unprotect or delete some, or \
                raise MaxBytes= or MaxCount=
                """)
    }

    var summary: String? {
        let totals = state.withLock { $0.totals }
        return "\(counted(totals.count, "postcard")), \(ByteText(totals.bytes))"
    }

    /// Pictures are not on the disk.
    static func missing(_ count: Int) -> PartHealth {
        PartHealth(
            level: .degraded, kind: "archive-files-missing",
            reason:
                "\(counted(count, "postcard has lost its picture", "postcards have lost their pictures")); restore the "
                + "files or delete the postcards")
    }
}
