package import KonzaModel
package import KonzaSystem

/// One kind of record that a ``Store`` keeps: its tables, its files, and how the two are brought into agreement. The
/// store knows nothing else of it, and no kind knows another.
package protocol RecordKind: AnyObject, Sendable {
    /// One record in words, as in "postcard"; several are told by an s behind it.
    var noun: String { get }
    /// Steps of the schema of its tables, oldest first.
    var migrations: [Migration] { get }
    /// Counts afresh what the index holds; before the index is used.
    func count(in connection: inout Connection) throws(DatabaseError)
    /// When the last key of a request was remembered; nil without one.
    func newestKey(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading?
    /// The comparison of the index with the files, which has not begun.
    func comparison(_ scene: ComparisonScene) -> any RecordComparison
    /// What its records could give back to make room for others.
    var deletable: DeletableSpace { get }
    /// Deletes records, the least valuable first, until so many bytes are free or nothing is left that may be deleted.
    /// Only under the store's upkeep.
    func makeWay(for bytes: Int64, in database: Database, of store: Store) throws(StorageError)
    /// What is wrong with what it keeps, by its own limits; nil if nothing is.
    var complaint: PartHealth? { get }
    /// How much there is, in words, as in "12 postcards, 3.1 MB"; nil for nothing worth a word.
    var summary: String? { get }
}

extension RecordKind {
    package var deletable: DeletableSpace { DeletableSpace() }
    package func makeWay(for bytes: Int64, in database: Database, of store: Store) throws(StorageError) {}
    package var complaint: PartHealth? { nil }
    package var summary: String? { nil }
}

/// What deleting records that may be deleted would give back.
package struct DeletableSpace: Sendable {
    package var bytes: Int64
    package var files: Int

    package init(bytes: Int64 = 0, files: Int = 0) {
        self.bytes = bytes
        self.files = files
    }
}

/// What a comparison of the index with the files works on.
package struct ComparisonScene: Sendable {
    package let folder: String
    package let files: DurableFiles
    package let database: Database
    /// false: only the index changes (it is in memory), nothing on the disk.
    package let mayWrite: Bool
    package let now: UTCInstant
    /// By which recovered keys of requests grow old.
    package let operated: OperatingTime.Reading

    /// Runs a body as one transaction.
    package func write<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try database.write(storing: body)
    }

    /// Reads from the index.
    package func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try storing { () throws(DatabaseError) in try database.read(body) }
    }

    /// What is in a folder, named relative to the store's.
    package func entries(_ relative: String) throws(StorageError) -> [FolderEntry] {
        try storing { () throws(FileError) in try Folder.entries("\(folder)/\(relative)") }
    }

    /// Removes a file that is left of a write that never ended.
    package func sweep(_ relative: String) {
        if mayWrite { try? files.operations.remove("\(folder)/\(relative)") }
    }

    /// Moves a file to where files go that belong nowhere: nothing is deleted that nobody asked to delete.
    ///
    /// - Parameter relative: to the store's folder.
    package func moveToLostAndFound(_ relative: String) {
        guard mayWrite else { return }
        try? files.makeFolders(Store.lostAndFound, below: folder)
        let name = relative.split(separator: "/").last.map(String.init) ?? "unnamed"
        // Under its own name, or with a number behind it where that is taken.
        for attempt in 0..<1000 {
            let target = "\(folder)/\(Store.lostAndFound)/\(name)\(attempt == 0 ? "" : ".\(attempt)")"
            do throws(FileError) {
                return try files.operations.renameNew("\(folder)/\(relative)", to: target)
            } catch {
                guard error.isTaken else { return }
            }
        }
    }
}

/// Brings the index and the files of one kind into agreement, a portion at a time. The files are the truth: whatever
/// was acknowledged is in them.
package protocol RecordComparison: Sendable {
    /// Puts in order what must be so before the first write. Only once.
    mutating func begin() throws(StorageError)
    /// Puts a further portion in order, while others may read and write between two portions. Only under the store's
    /// upkeep.
    ///
    /// - Returns: whether there is more.
    mutating func advance() throws(StorageError) -> Bool
    var progress: ComparisonProgress { get }
    /// Whether the index knew all records before: if not, what is added is no loss of a crash.
    var wasWhole: Bool { get }
    /// What a person should look at, now that all is in order.
    ///
    /// - Parameter hadIndex: whether there was an index to compare with.
    /// - Returns: nil if nothing was out of order.
    func remark(hadIndex: Bool) -> PartHealth?
}

extension RecordComparison {
    package var wasWhole: Bool { true }
}

/// How far a comparison of the index with the files is.
package struct ComparisonProgress: Sendable, Equatable {
    /// Folders that are done, and all.
    package var folders: Int
    package var allFolders: Int
    /// Records that were added to the index.
    package var added: Int

    package init(folders: Int = 0, allFolders: Int = 0, added: Int = 0) {
        self.folders = folders
        self.allFolders = allFolders
        self.added = added
    }
}
