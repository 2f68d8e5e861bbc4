package import KonzaModel

extension Database {
    /// A database that was opened, and what was wrong with the one before it.
    package struct Opened: Sendable {
        package let database: Database
        /// Why the one before was put aside; nil if nothing was.
        package let complaint: String?
    }

    /// Opens a database that is no index of files, but all there is. The folder is made if it is not there. A damaged file
    /// is put aside and kept, and an empty one begins.
    ///
    /// - Parameters:
    ///   - folder: its absolute path.
    ///   - name: of the file.
    ///   - migrations: all steps of its schema.
    ///   - now: for the name of a file that is put aside.
    /// - Returns: the database, ready.
    /// - Throws: why it can neither be read nor written.
    package static func open(
        in folder: String, name: String, migrations: [Migration], at now: UTCInstant
    ) throws(StorageError) -> Opened {
        let files = DurableFiles(operations: SystemFileOperations())
        let path = "\(folder)/\(name)"
        try storing { () throws(FileError) in
            if !Folder.exists(folder) { try files.operations.makeFolder(folder) }
        }
        do throws(OpeningError) {
            return Opened(database: try Database(path: path, migrations: migrations), complaint: nil)
        } catch {
            switch error {
            case .failed(let failure): throw .database(failure)
            case .newer(let step): throw .unavailable(StorageHealth.newer(step: step, path: path))
            case .corrupt(let complaint):
                try files.putAside(path, in: folder, at: now)
                do throws(OpeningError) {
                    return Opened(database: try Database(path: path, migrations: migrations), complaint: complaint)
                } catch {
                    throw .database(DatabaseError(code: 1, action: "make \(path) anew", words: "\(error)"))
                }
            }
        }
    }
}

extension DurableFiles {
    /// Moves a damaged database with what SQLite put beside it to where nothing is lost.
    ///
    /// - Parameters:
    ///   - path: of the database.
    ///   - folder: whose `lost+found` takes it.
    ///   - now: for its name there.
    /// - Throws: why it cannot be moved.
    func putAside(_ path: String, in folder: String, at now: UTCInstant) throws(StorageError) {
        let stamp = now.rfc3339.filter { $0.isNumber || $0 == "T" }
        let name = path.split(separator: "/").last.map(String.init) ?? "database"
        try storing { () throws(FileError) in
            try makeFolders(Store.lostAndFound, below: folder)
            let kept = "\(folder)/\(Store.lostAndFound)/\(name).corrupt-\(stamp)"
            for suffix in DatabaseFiles.suffixes where Folder.exists(path + suffix) {
                try operations.renameReplacing(path + suffix, to: kept + suffix)
            }
            try operations.synchronizeFolder(folder)
        }
    }
}
