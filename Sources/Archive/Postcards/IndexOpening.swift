internal import KonzaModel

/// Opens the index of an archive's folder and brings it into agreement with the files; where that cannot be, makes
/// one in memory to read by.
struct IndexOpening {
    static let fileName = "konza.db"

    struct Opened {
        var index: PostcardArchive.Index
        var totals: PostcardTable.Totals
        /// What was found out of order.
        var remark: PartHealth?
    }

    let folder: String
    let files: DurableFiles
    let now: UTCInstant
    let operatingTime: OperatingTime

    private var path: String { "\(folder)/\(Self.fileName)" }

    func open() throws(ArchiveError) -> Opened {
        do throws(ArchiveError) {
            try prepareFolder()
            return try openFile()
        } catch {
            return try openStandIn(ArchiveHealth.health(opening: error, folder: folder))
        }
    }

    /// Makes the folders and proves that they can be written.
    private func prepareFolder() throws(ArchiveError) {
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
        let report = try reconciliation.run(on: database)
        var specimens = SpecimenReconciliation(
            folder: folder, files: files, mayWrite: true, now: now, operated: operatingTime.now)
        let specimenReport = try specimens.run(on: database)
        Ballast(folder: folder, files: files).load()
        return Opened(
            index: .ready(database), totals: try totals(database),
            remark: ArchiveHealth.remark(report, complaint: complaint, hadIndex: hadFile, folder: folder)
                ?? ArchiveHealth.remark(specimens: specimenReport, folder: folder))
    }

    private func openStandIn(_ health: PartHealth) throws(ArchiveError) -> Opened {
        do throws(Database.OpeningError) {
            let database = try Database(path: ":memory:")
            var reconciliation = Reconciliation(
                folder: folder, files: files, mayWrite: false, now: now, operated: operatingTime.now)
            // What cannot be listed cannot be shown; the health says why.
            _ = try? reconciliation.run(on: database)
            var specimens = SpecimenReconciliation(
                folder: folder, files: files, mayWrite: false, now: now, operated: operatingTime.now)
            _ = try? specimens.run(on: database)
            return Opened(index: .standIn(database, health), totals: (try? totals(database)) ?? .init(), remark: nil)
        } catch {
            throw .database(DatabaseError(code: 1, action: "make an index in memory", words: "\(error)"))
        }
    }

    private func totals(_ database: Database) throws(ArchiveError) -> PostcardTable.Totals {
        try archive { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try PostcardTable.totals(in: &connection) }
        }
    }
}
