internal import KonzaModel

/// Opens the index of a store's folder, and where that cannot be, finds one to read by.
struct IndexOpening {
    static let fileName = "konza.db"
    /// What an index in memory may take, bytes.
    static let memoryLimit = 48 << 20
    /// A larger index is checked page by page while it is in use already, bytes.
    static let checkedBytes: Int64 = 32 << 20

    /// An index that was opened, and the comparison with the files, which is still to be made.
    struct Opened {
        var database: Database
        /// What was wrong with the one before it, which was put aside; nil if nothing was.
        var complaint: String?
        /// Whether there was an index.
        var hadFile: Bool
    }

    let folder: String
    let files: DurableFiles
    let kinds: [any RecordKind]
    let now: UTCInstant
    let operatingTime: OperatingTime
    var memoryLimit = Self.memoryLimit

    private var path: String { "\(folder)/\(Self.fileName)" }
    private var migrations: [Migration] { kinds.flatMap(\.migrations) }

    /// Makes the folder and proves that it can be written.
    ///
    /// - Throws: what keeps it from that.
    func prepareFolder() throws(StorageError) {
        try storing { () throws(FileError) in
            if !Folder.exists(folder) { try files.operations.makeFolder(folder) }
            let probe = "\(folder)/\(DurableFiles.temporaryPrefix)probe\(DurableFiles.temporarySuffix)"
            try files.operations.remove(probe)
            files.operations.close(try files.operations.create(probe))
            try files.operations.remove(probe)
        }
    }

    /// Opens the index for reading and writing, and makes it where it is not there. A damaged one is put aside and
    /// kept. The folder must be prepared.
    func openForWriting() throws(StorageError) -> Opened {
        let hadFile = Folder.exists(path)
        var opened: Opened
        do throws(Database.OpeningError) {
            opened = Opened(
                database: try Database(path: path, migrations: migrations, checkedBytes: Self.checkedBytes),
                hadFile: hadFile)
        } catch {
            switch error {
            case .failed(let failure): throw .database(failure)
            case .newer(let step): throw .unavailable(StorageHealth.newer(step: step, path: path))
            case .corrupt(let complaint): opened = try startAfresh(complaint)
            }
        }
        operatingTime.goOn(
            from: try storing { () throws(DatabaseError) in
                try opened.database.read { connection throws(DatabaseError) in
                    var newest: OperatingTime.Reading?
                    for kind in kinds {
                        guard let reading = try kind.newestKey(in: &connection) else { continue }
                        if reading.nanoseconds > newest?.nanoseconds ?? .min { newest = reading }
                    }
                    return newest
                }
            })
        return opened
    }

    /// Puts a damaged index aside, keeps it, and makes an empty one.
    private func startAfresh(_ complaint: String) throws(StorageError) -> Opened {
        try files.putAside(path, in: folder, at: now)
        do throws(Database.OpeningError) {
            return Opened(
                database: try Database(path: path, migrations: migrations), complaint: complaint, hadFile: true)
        } catch {
            throw .database(DatabaseError(code: 1, action: "make the index \(path) anew", words: "\(error)"))
        }
    }

    /// The index as it is on the disk, for reading.
    ///
    /// - Returns: nil if there is none, or it is damaged, or it has another schema.
    func openForReading() -> Database? {
        guard Folder.exists(path) else { return nil }
        return try? Database(readingOnly: path, migrations: migrations)
    }

    struct MadeInMemory {
        var database: Database
        /// Whether all folders could be read.
        var isWhole: Bool
        /// Whether there was no room for all.
        var isCut: Bool
    }

    /// Makes an index in memory from the files, the newest records first: what exceeds the limit of memory is left
    /// out.
    ///
    /// - Parameter progress: called with how far it is.
    /// - Returns: the index, and what it lacks.
    /// - Throws: only if there is no memory for an empty one.
    func makeInMemory(_ progress: (ComparisonProgress) -> Void = { _ in }) throws(StorageError) -> MadeInMemory {
        let database: Database
        do throws(Database.OpeningError) {
            database = try Database(inMemory: memoryLimit, migrations: migrations)
        } catch {
            throw .database(DatabaseError(code: 1, action: "make an index in memory", words: "\(error)"))
        }
        var made = MadeInMemory(database: database, isWhole: true, isCut: false)
        // The last kind may fill it: postcards are by far the most.
        for kind in kinds.reversed() {
            var comparison = kind.comparison(scene(database, mayWrite: false))
            // What cannot be listed cannot be shown; the health says why.
            do throws(StorageError) {
                try comparison.begin()
                repeat { progress(comparison.progress) } while try comparison.advance()
            } catch {
                if error.isDiskFull { made.isCut = true } else { made.isWhole = false }
            }
        }
        return made
    }

    func scene(_ database: Database, mayWrite: Bool) -> ComparisonScene {
        ComparisonScene(
            folder: folder, files: files, database: database, mayWrite: mayWrite, now: now,
            operated: operatingTime.now)
    }
}
