internal import KonzaModel

/// Opens the index of an archive's folder and brings it into agreement with the files; where that cannot be, finds
/// one to read by.
struct IndexOpening {
    static let fileName = "konza.db"
    /// What an index in memory may take, bytes.
    static let memoryLimit = 48 << 20

    struct Opened {
        var database: Database
        var totals: PostcardTable.Totals
        var specimens: SpecimenUsage
        /// What was found out of order.
        var remark: PartHealth?
    }

    let folder: String
    let files: DurableFiles
    let now: UTCInstant
    let operatingTime: OperatingTime
    /// Told how far a comparison with the files is.
    var progress: @Sendable (IndexProgress) -> Void = { _ in }
    var memoryLimit = Self.memoryLimit

    private var path: String { "\(folder)/\(Self.fileName)" }

    /// Opens the index for reading and writing, and makes the folder and the index where they are not there.
    ///
    /// - Throws: what keeps the folder from being written.
    func openForWriting() throws(ArchiveError) -> Opened {
        try prepareFolder()
        return try openFile()
    }

    /// The index as it is on the disk, for reading.
    ///
    /// - Returns: nil if there is none, or it is damaged, or it has another schema.
    func openForReading() -> Opened? {
        guard Folder.exists(path), let database = try? Database(readingOnly: path) else { return nil }
        return try? opened(database, remark: nil)
    }

    struct MadeInMemory {
        var opened: Opened
        /// Whether all folders could be read.
        var isWhole: Bool
        /// What is to be said of what was left out.
        var words: String?
    }

    /// Makes an index in memory from the files, the newest postcards first: what exceeds the limit of memory is left
    /// out.
    ///
    /// - Throws: only if there is no memory for an empty one.
    func makeInMemory() throws(ArchiveError) -> MadeInMemory {
        let database: Database
        do throws(Database.OpeningError) {
            database = try Database(inMemory: memoryLimit)
        } catch {
            throw .database(DatabaseError(code: 1, action: "make an index in memory", words: "\(error)"))
        }
        // What cannot be listed cannot be shown; the health says why.
        var isWhole = true
        var isCut = false
        func attempt(_ body: () throws(ArchiveError) -> Void) {
            do throws(ArchiveError) {
                try body()
            } catch {
                if error.isDiskFull { isCut = true } else { isWhole = false }
            }
        }
        var specimens = SpecimenReconciliation(
            folder: folder, files: files, mayWrite: false, now: now, operated: operatingTime.now)
        attempt { () throws(ArchiveError) in _ = try specimens.run(on: database) }
        var reconciliation = Reconciliation(
            folder: folder, files: files, mayWrite: false, now: now, operated: operatingTime.now)
        reconciliation.progress = progress
        attempt { () throws(ArchiveError) in _ = try reconciliation.run(on: database) }
        let opened = try opened(database, remark: nil)
        return MadeInMemory(
            opened: opened, isWhole: isWhole,
            words: isCut
                ? "the index that is read meanwhile is in memory and has room for the newest "
                    + "\(opened.totals.count) postcards only" : nil)
    }

    /// Makes the folders and proves that they can be written.
    ///
    /// - Throws: what keeps them from it.
    func prepareFolder() throws(ArchiveError) {
        try archive { () throws(FileError) in
            if !Folder.exists(folder) { try files.operations.makeFolder(folder) }
            try files.makeFolders(PostcardNames.root, below: folder)
            let probe = "\(folder)/\(DurableFiles.temporaryPrefix)probe\(DurableFiles.temporarySuffix)"
            try files.operations.remove(probe)
            files.operations.close(try files.operations.create(probe))
            try files.operations.remove(probe)
        }
    }

    private func openFile() throws(ArchiveError) -> Opened {
        let hadFile = Folder.exists(path)
        let database: Database
        do throws(Database.OpeningError) {
            database = try Database(path: path)
        } catch {
            switch error {
            case .failed(let failure): throw .database(failure)
            case .newer(let step): throw .unavailable(ArchiveHealth.newer(step: step, path: path))
            case .corrupt(let complaint): return try startAfresh(complaint)
            }
        }
        return try reconciled(database, complaint: nil, hadFile: hadFile)
    }

    /// Puts a damaged index aside, keeps it, and makes a new one from the files.
    private func startAfresh(_ complaint: String) throws(ArchiveError) -> Opened {
        let stamp = now.rfc3339.filter { $0.isNumber || $0 == "T" }
        try archive { () throws(FileError) in
            try files.makeFolders(PostcardNames.lostAndFound, below: folder)
            let kept = "\(folder)/\(PostcardNames.lostAndFound)/\(Self.fileName).corrupt-\(stamp)"
            for suffix in ["", "-wal", "-shm"] where Folder.exists(path + suffix) {
                try files.operations.renameReplacing(path + suffix, to: kept + suffix)
            }
            try files.operations.synchronizeFolder(folder)
        }
        let database: Database
        do throws(Database.OpeningError) {
            database = try Database(path: path)
        } catch {
            throw .database(
                DatabaseError(code: 1, action: "make the index \(path) anew", words: "\(error)"))
        }
        return try reconciled(database, complaint: complaint, hadFile: true)
    }

    private func reconciled(
        _ database: Database, complaint: String?, hadFile: Bool
    ) throws(ArchiveError) -> Opened {
        operatingTime.goOn(
            from: try archive { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in
                    let newest = [
                        try IdempotencyTable.postcards.newest(in: &connection),
                        try IdempotencyTable.specimens.newest(in: &connection),
                    ]
                    return newest.compactMap(\.self).max { $0.nanoseconds < $1.nanoseconds }
                }
            })
        var reconciliation = Reconciliation(
            folder: folder, files: files, mayWrite: true, now: now, operated: operatingTime.now)
        reconciliation.progress = progress
        let report = try reconciliation.run(on: database)
        var specimens = SpecimenReconciliation(
            folder: folder, files: files, mayWrite: true, now: now, operated: operatingTime.now)
        let specimenReport = try specimens.run(on: database)
        SpaceReserveFile(folder: folder, files: files).fill()
        return try opened(
            database,
            remark: ArchiveHealth.remark(report, complaint: complaint, hadIndex: hadFile, folder: folder)
                ?? ArchiveHealth.remark(specimens: specimenReport, folder: folder))
    }

    private func opened(_ database: Database, remark: PartHealth?) throws(ArchiveError) -> Opened {
        let (totals, specimens) = try archive { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                (try PostcardTable.totals(in: &connection), try SpecimenTable.usage(in: &connection))
            }
        }
        return Opened(database: database, totals: totals, specimens: specimens, remark: remark)
    }
}

/// How far a comparison of the index with the files is.
struct IndexProgress: Sendable, Equatable {
    /// Folders of days that are done, and all.
    var days = 0
    var allDays = 0
    /// Postcards that were indexed.
    var indexed = 0
}
