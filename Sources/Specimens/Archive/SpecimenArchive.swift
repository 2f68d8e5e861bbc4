public import KonzaModel
public import Storage
internal import Synchronization

/// Keeps specimens, their photographs and how far their submissions are, each specimen in a folder of its own. What
/// a call returned is on the disk; every file is written whole and before its row, and the rows can be made anew from
/// the files. Nothing here is deleted but what somebody deleted 30 days ago.
///
/// All calls block on the disk and may be made from any thread; those that write take turns.
public final class SpecimenArchive: Sendable {
    /// How long a deleted specimen can be restored, seconds.
    public static let tombstoneSeconds = 30.0 * 86_400
    /// The most photographs of one specimen.
    public static let maximumPhotographs = 100
    /// The largest record of a submission, bytes.
    static let maximumSubmission = 512 << 10
    /// What a specimen with its rows may take on the disk beside its photographs, bytes.
    static let indexAllowance: Int64 = 65_536

    /// Has the folder, the index and the disk's reserve.
    public let store: Store
    let kind: SpecimenKind
    /// When submissions are due.
    let retries = Mutex(RetrySchedule())
    private let ids = Mutex(RecordIDSource<Specimen>())
    private let photographIDs = Mutex(RecordIDSource<Photograph>())

    /// The specimens of a store, which must not be open yet.
    public init(store: Store) {
        self.store = store
        kind = SpecimenKind()
        store.add(kind)
    }

    init(store: Store, kind: SpecimenKind) {
        self.store = store
        self.kind = kind
    }

    var files: DurableFiles { store.files }
    var now: UTCInstant { store.clock.utc() }

    /// An id for a specimen that is to be opened, at an instant by the clock that its times are from.
    public func newID(at instant: UTCInstant) -> SpecimenID { ids.withLock { $0.next(at: instant) } }

    func newPhotographID() -> PhotographID { photographIDs.withLock { [now] in $0.next(at: now) } }

    /// Where a specimen's files are.
    public func folder(of id: SpecimenID) -> String { "\(store.folder)/\(SpecimenNames.folder(id))" }

    /// Runs a body that writes, when it is its turn, with the index to write to.
    ///
    /// - Parameters:
    ///   - id: of the specimen that it writes to; nil for what belongs to none.
    ///   - bytes: what it will take, beside the disk's reserve; nil for a small change, which may use the reserve:
    ///     a full disk must not keep a submission from being noted.
    ///   - subject: what it is, for the refusal on a full disk.
    ///   - usesReserve: whether it may use the last space of a full disk: a deletion, and what must not be forgotten.
    ///     The body is run again then.
    ///   - body: what is to be done.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws, and what keeps the archive from taking anything.
    func writing<Value: Sendable>(
        to id: SpecimenID?, taking bytes: Int64? = nil, for subject: String = "specimen", usesReserve: Bool = false,
        _ body: (Database) throws(SpecimenError) -> Value
    ) throws(SpecimenError) -> Value {
        try kind.turn.withLock { _ throws(SpecimenError) in
            do throws(SpecimenError) {
                let database = try specimens { () throws(StorageError) in
                    let database = try store.holdIndex(makingRoomFor: bytes, subject)
                    guard kind.isWhole else {
                        store.letIndexGo(of: bytes ?? 0)
                        throw .database(.rebuilding(Self.comparing))
                    }
                    return database
                }
                defer { store.letIndexGo(of: bytes ?? 0) }
                if let id { kind.noteWriting(of: id) }
                let value =
                    usesReserve
                    ? try store.usingReserve(isDiskFull: \.isDiskFull) { () throws(SpecimenError) in try body(database)
                    }
                    : try body(database)
                store.forgetFailure()
                return value
            } catch {
                if case .storage(let failure) = error { store.note(failure) }
                throw error
            }
        }
    }

    private static let comparing = "the specimens' files are being compared with the index; try again in a moment"

    /// - Throws: where rows may still be older than their files: what was sent must not be taken for unsent.
    func requireWhole() throws(SpecimenError) {
        guard kind.isWhole else { throw .storage(.database(.rebuilding(Self.comparing))) }
    }

    func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(SpecimenError) -> Value {
        try specimens { () throws(StorageError) in try store.read(body) }
    }

    /// A file that gets new content, and what it had.
    struct Replacement {
        let name: String
        let new: [UInt8]
        /// nil for a file that is new.
        let old: [UInt8]?
    }

    /// Puts new content into files of one folder, in order, and then the rows. Where the rows are refused the files
    /// get their old content again, as far as the disk obeys, but where the commit's fate is unknown: then the next
    /// opening of the index goes by the files. The index has a mark of the specimen meanwhile, by which an opening finds it.
    func replace(
        _ replacements: [Replacement], of id: SpecimenID, _ database: Database,
        rows: (inout Connection) throws(DatabaseError) -> Void
    ) throws(SpecimenError) {
        let relative = SpecimenNames.folder(id)
        let path = "\(store.folder)/\(relative)"
        var touched: [Replacement] = []
        do throws(StorageError) {
            // One that is there already is of a write that failed: what that left in the files is for the next opening.
            let isMarkedByThis = try store.commit(database) { connection throws(DatabaseError) in
                try SpecimenTable.marks.set(id.description, in: &connection)
            }
            try storing { () throws(FileError) in
                try files.makeFolders(relative, below: store.folder)
                for replacement in replacements {
                    touched.append(replacement)
                    try files.replace(
                        DurableFiles.Item(name: replacement.name, content: FileContent(replacement.new)), in: path)
                }
            }
            try commit(id, database) { connection throws(DatabaseError) in
                try rows(&connection)
                if isMarkedByThis { try SpecimenTable.marks.remove(id.description, in: &connection) }
            }
        } catch {
            if case .database(let failure) = error, failure.needsReopening { throw .storage(error) }
            for replacement in touched.reversed() { undo(replacement, in: path) }
            throw .storage(error)
        }
    }

    /// Changes the rows of one specimen, and what is counted of it.
    func commit(
        _ id: SpecimenID, _ database: Database, _ rows: (inout Connection) throws(DatabaseError) -> Void
    ) throws(StorageError) {
        let (old, new) = try store.commit(database) { connection throws(DatabaseError) in
            let old = try SpecimenTable.usage(of: id, in: &connection)
            try rows(&connection)
            return (old, try SpecimenTable.usage(of: id, in: &connection))
        }
        kind.replaceUsage(old, by: new)
    }

    /// How many specimens there are, and how far their submissions are. Waits for nothing.
    public var figures: SpecimenUsage { kind.usage }

    private func undo(_ replacement: Replacement, in path: String) {
        guard let old = replacement.old else {
            try? store.operations.remove("\(path)/\(replacement.name)")
            return
        }
        try? files.replace(DurableFiles.Item(name: replacement.name, content: FileContent(old)), in: path)
    }
}

extension SpecimenArchive {
    /// A file to write to and read from, gone when nobody has it open.
    ///
    /// - Parameter limit: bytes.
    /// - Returns: the file, empty.
    /// - Throws: what the disk refuses.
    public func makeScratch(limit: Int64) throws(SpecimenError) -> ScratchFile {
        try specimens { () throws(StorageError) in try store.makeScratch(in: SpecimenNames.root, limit: limit) }
    }
}
