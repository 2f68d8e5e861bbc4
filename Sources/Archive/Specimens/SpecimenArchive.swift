public import KonzaModel
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

    /// Has the folder, the index and the disk's reserve, which specimens share with the postcards.
    let base: PostcardArchive
    /// Held by whoever writes.
    private let turn = Mutex(())
    /// When submissions are due.
    let retries = Mutex(RetrySchedule())
    private let ids = Mutex(RecordIDSource<Specimen>())
    private let photographIDs = Mutex(RecordIDSource<Photograph>())

    /// The specimens of the same folder as an archive of postcards, in the same index.
    public init(sharing base: PostcardArchive) {
        self.base = base
    }

    var files: DurableFiles { base.files }
    var now: UTCInstant { base.clock.utc() }

    /// An id for a specimen that is to be opened, at an instant by the clock that its times are from.
    public func newID(at instant: UTCInstant) -> SpecimenID { ids.withLock { $0.next(at: instant) } }

    func newPhotographID() -> PhotographID { photographIDs.withLock { [now] in $0.next(at: now) } }

    /// Where a specimen's files are.
    public func folder(of id: SpecimenID) -> String { "\(base.folder)/\(SpecimenNames.folder(id))" }

    /// Runs a body that writes, when it is its turn, with the index to write to.
    ///
    /// - Parameters:
    ///   - bytes: what it will take, beside the disk's reserve; nil for a small change, which may use the reserve:
    ///     a full disk must not keep a submission from being noted.
    ///   - subject: what it is, for the refusal on a full disk.
    ///   - usesReserve: whether it may use the last space of a full disk: a deletion, and what must not be forgotten.
    ///     The body is run again then.
    ///   - body: what is to be done.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws, and what keeps the archive from taking anything.
    func writing<Value: Sendable>(
        taking bytes: Int64? = nil, for subject: String = "specimen", usesReserve: Bool = false,
        _ body: (Database) throws(SpecimenError) -> Value
    ) throws(SpecimenError) -> Value {
        try turn.withLock { _ throws(SpecimenError) in
            do throws(SpecimenError) {
                let database = try specimens { () throws(ArchiveError) in try base.holdIndex(for: bytes, subject) }
                defer { base.letIndexGo(of: bytes) }
                let value =
                    usesReserve
                    ? try base.usingReserve(isDiskFull: \.isDiskFull) { () throws(SpecimenError) in try body(database) }
                    : try body(database)
                base.forgetFailure()
                return value
            } catch {
                if case .archive(let failure) = error { base.note(failure) }
                throw error
            }
        }
    }

    func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(SpecimenError) -> Value {
        do throws(DatabaseError) {
            return try base.readable.read(body)
        } catch {
            base.note(.database(error))
            throw .archive(.database(error))
        }
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
    /// opening of the index goes by the files.
    func replace(
        _ replacements: [Replacement], of id: SpecimenID, _ database: Database,
        rows: (inout Connection) throws(DatabaseError) -> Void
    ) throws(SpecimenError) {
        let relative = SpecimenNames.folder(id)
        let path = "\(base.folder)/\(relative)"
        var touched: [Replacement] = []
        do throws(ArchiveError) {
            try archive { () throws(FileError) in
                try files.makeFolders(relative, below: base.folder)
                for replacement in replacements {
                    touched.append(replacement)
                    try files.replace(
                        DurableFiles.Item(name: replacement.name, content: FileContent(replacement.new)), in: path)
                }
            }
            try commit(id, database, rows)
        } catch {
            if case .database(let failure) = error, failure.needsReopening { throw .archive(error) }
            for replacement in touched.reversed() { undo(replacement, in: path) }
            throw .archive(error)
        }
    }

    /// Changes the rows of one specimen, and what is counted of it.
    func commit(
        _ id: SpecimenID, _ database: Database, _ rows: (inout Connection) throws(DatabaseError) -> Void
    ) throws(ArchiveError) {
        let (old, new) = try base.commit(database) { connection throws(DatabaseError) in
            let old = try SpecimenTable.usage(of: id, in: &connection)
            try rows(&connection)
            return (old, try SpecimenTable.usage(of: id, in: &connection))
        }
        base.state.withLock { $0.specimens.replace(old, by: new) }
    }

    /// How many specimens there are, and how far their submissions are. Waits for nothing.
    public var figures: SpecimenUsage { base.state.withLock { $0.specimens } }

    private func undo(_ replacement: Replacement, in path: String) {
        guard let old = replacement.old else {
            try? base.operations.remove("\(path)/\(replacement.name)")
            return
        }
        try? files.replace(DurableFiles.Item(name: replacement.name, content: FileContent(old)), in: path)
    }
}

extension PostcardArchive {
    /// Keeps the index from being opened anew while specimens are written, and sets space aside for what comes.
    /// Unprotected postcards make room for specimens where the disk has none.
    ///
    /// - Parameters:
    ///   - bytes: nil for a small change that may use the reserve.
    ///   - subject: what it is, for the refusal.
    /// - Returns: the index to write to; give it back with `letIndexGo`.
    /// - Throws: `insufficientStorage`, and `unavailable` while there is no index.
    func holdIndex(for bytes: Int64?, _ subject: String) throws(ArchiveError) -> Database {
        try changing { database throws(ArchiveError) in
            if let bytes { try makeSpace(for: bytes, subject, database) }
            return try state.withLock { state throws(ArchiveError) in
                let current = try state.writable()
                state.specimenWrites += 1
                state.specimenBytes = state.specimenBytes.addingClamped(bytes ?? 0)
                return current
            }
        }
    }

    func letIndexGo(of bytes: Int64?) {
        state.withLock { state in
            state.specimenWrites -= 1
            state.specimenBytes = state.specimenBytes.addingClamped(-(bytes ?? 0))
        }
    }

    func forgetFailure() { state.withLock { $0.lastFailure = nil } }

    private func makeSpace(for bytes: Int64, _ subject: String, _ database: Database) throws(ArchiveError) {
        for _ in 0..<3 {
            let free = try freeSpace().free
            let lacking = state.withLock { $0.lack(bytes.addingClamped($0.inFlightBytes), free) }
            if lacking <= 0 { return }
            guard lacking <= state.withLock({ $0.totals.prunableBytes }) else { break }
            try prune(database, Excess(space: lacking))
        }
        var shortage = shortage(needed: bytes)
        shortage.subject = subject
        throw .insufficientStorage(shortage)
    }
}
