internal import KonzaModel

/// Makes the index and the files agree, at start and after trouble. The files are the truth: whatever was
/// acknowledged has its picture and its sidecar on the disk.
struct Reconciliation {
    /// What had to be put in order.
    struct Report: Sendable, Equatable {
        /// Postcards without a row that were indexed again.
        var indexed = 0
        /// Rows without a picture.
        var missing = 0
        /// Files that belong to no whole postcard, moved to `lost+found`.
        var lost = 0
        /// Temporary files of a write that never ended, removed.
        var swept = 0
        /// Deletions that a crash had interrupted, finished.
        var finishedDeletions = 0
    }

    let folder: String
    let files: DurableFiles
    /// false: only the index changes (it is in memory), nothing on the disk.
    let mayWrite: Bool
    let now: UTCInstant
    /// By which recovered keys of requests grow old.
    let operated: OperatingTime.Reading
    var progress: @Sendable (IndexProgress) -> Void = { _ in }

    /// Postcards that are indexed in one transaction: what is held in memory of a day. An index in memory commits at no
    /// cost, and one that is full loses only what its last transaction had.
    private var batch: Int { mayWrite ? 200 : 20 }

    private var report = Report()
    private var keys = RecoveredKeys<PostcardRecord>()
    /// Rows whose files have not been seen yet.
    private var unseen: [PostcardID: PostcardTable.State] = [:]

    init(folder: String, files: DurableFiles, mayWrite: Bool, now: UTCInstant, operated: OperatingTime.Reading) {
        self.folder = folder
        self.files = files
        self.mayWrite = mayWrite
        self.now = now
        self.operated = operated
    }

    /// Compares every day's folder with the index.
    mutating func run(on database: Database) throws(ArchiveError) -> Report {
        unseen = Dictionary(
            uniqueKeysWithValues: try archive { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in try PostcardTable.states(in: &connection) }
            })
        if mayWrite { sweep(folder) }
        // An index in memory may have no room for all: the newest ones come first.
        let days = try Self.days(in: folder, isNewestFirst: !mayWrite)
        for (index, day) in days.enumerated() {
            progress(IndexProgress(days: index, allDays: days.count, indexed: report.indexed))
            try reconcile(day, database)
        }
        try settleUnseen(database)
        let (found, now, operated) = (keys, now, operated)
        try write(database) { connection throws(DatabaseError) in
            var found = found
            try found.keep(in: .postcards, wall: now, at: operated, &connection)
        }
        return report
    }

    /// The folders of all days, relative to the archive's.
    private static func days(in folder: String, isNewestFirst: Bool) throws(ArchiveError) -> [String] {
        var paths = [PostcardNames.root]
        for _ in 0..<3 {
            var deeper: [String] = []
            for path in paths {
                let entries = try archive { () throws(FileError) in try Folder.entries("\(folder)/\(path)") }
                for entry in entries where entry.isFolder && entry.name.utf8.allSatisfy({ (48...57).contains($0) }) {
                    deeper.append("\(path)/\(entry.name)")
                }
            }
            paths = deeper
        }
        return isNewestFirst ? paths.sorted(by: >) : paths.sorted()
    }

    private mutating func reconcile(_ day: String, _ database: Database) throws(ArchiveError) {
        var found: [PostcardID: Set<PostcardNames.Part>] = [:]
        let path = "\(folder)/\(day)"
        let entries = try archive { () throws(FileError) in try Folder.entries(path) }
        for entry in entries where !entry.isFolder {
            if DurableFiles.isTemporary(entry.name) {
                if mayWrite { sweepFile("\(path)/\(entry.name)") }
            } else if let (id, part) = PostcardNames.parse(entry.name) {
                found[id, default: []].insert(part)
            }
        }
        var orphans: [(Sidecar, [UInt8])] = []
        for (id, parts) in found.sorted(by: { mayWrite ? $0.key < $1.key : $0.key > $1.key }) {
            if PostcardNames.folder(id) == day, let state = unseen.removeValue(forKey: id) {
                try settle(id, state, parts, day, database)
            } else if let whole = wholePostcard(id, parts, day) {
                orphans.append(whole)
                if orphans.count == batch {
                    try index(orphans, database)
                    orphans = []
                }
            } else {
                moveToLostAndFound(id, parts, day)
            }
        }
        if !orphans.isEmpty { try index(orphans, database) }
        if mayWrite { try? files.operations.synchronizeFolder(path) }
    }

    /// Puts one row in order whose files, or some of them, are there.
    private mutating func settle(
        _ id: PostcardID, _ state: PostcardTable.State, _ parts: Set<PostcardNames.Part>, _ day: String,
        _ database: Database
    ) throws(ArchiveError) {
        switch (state, parts.contains(.postcard)) {
        case (.deleting, _):
            guard mayWrite else { return }
            for part in parts { try? files.operations.remove("\(folder)/\(day)/\(PostcardNames.name(id, part))") }
            try write(database) { connection throws(DatabaseError) in try PostcardTable.remove(id, from: &connection) }
            report.finishedDeletions += 1
        case (.kept, true):
            guard mayWrite, !parts.contains(.sidecar) else { return }
            let entry = try archive { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in try PostcardTable.entry(id, in: &connection) }
            }
            guard let entry else { return }
            let item = DurableFiles.Item(
                name: PostcardNames.name(id, .sidecar), content: FileContent(Array(entry.record.utf8)))
            try? files.replace(item, in: "\(folder)/\(day)")
        case (.missing, true):
            try write(database) { connection throws(DatabaseError) in
                try PostcardTable.setState(.kept, of: id, in: &connection)
            }
        case (.kept, false), (.missing, false):
            report.missing += 1
            guard state == .kept else { return }
            try write(database) { connection throws(DatabaseError) in
                try PostcardTable.setState(.missing, of: id, in: &connection)
            }
        }
    }

    /// Rows of which no file was seen: their deletion had been interrupted late, or somebody took the files away.
    private mutating func settleUnseen(_ database: Database) throws(ArchiveError) {
        for (id, state) in unseen.sorted(by: { $0.key < $1.key }) {
            try settle(id, state, [], PostcardNames.folder(id), database)
        }
    }

    /// The sidecar of files that make a whole postcard.
    private func wholePostcard(
        _ id: PostcardID, _ parts: Set<PostcardNames.Part>, _ day: String
    ) -> (Sidecar, [UInt8])? {
        func path(_ part: PostcardNames.Part) -> String { "\(folder)/\(day)/\(PostcardNames.name(id, part))" }
        guard parts.contains(.sidecar), parts.contains(.postcard), PostcardNames.folder(id) == day,
            let text = try? Folder.contents(path(.sidecar), limit: Sidecar.maximumSize),
            var sidecar = Sidecar(encoded: text), sidecar.id == id,
            Folder.status(path(.postcard))?.byteCount == Int64(sidecar.byteCount)
        else { return nil }
        // A companion that is gone or cut does not make the postcard less whole.
        if !parts.contains(.original) { sidecar.originalByteCount = nil }
        if !parts.contains(.thumbnail) { sidecar.thumbnailByteCount = nil }
        guard let adjusted = try? sidecar.encoded() else { return nil }
        return (sidecar, adjusted)
    }

    private mutating func index(_ orphans: [(Sidecar, [UInt8])], _ database: Database) throws(ArchiveError) {
        try write(database) { connection throws(DatabaseError) in
            for (sidecar, text) in orphans { try PostcardTable.insert(sidecar, text: text, into: &connection) }
        }
        for (sidecar, _) in orphans {
            if let key = sidecar.idempotency { keys.add(key, id: sidecar.id, at: sidecar.createdAt.instant) }
        }
        report.indexed += orphans.count
    }

    private mutating func moveToLostAndFound(
        _ id: PostcardID, _ parts: Set<PostcardNames.Part>, _ day: String
    ) {
        report.lost += parts.count
        guard mayWrite else { return }
        try? files.makeFolders(PostcardNames.lostAndFound, below: folder)
        for part in parts {
            LostAndFound.move("\(folder)/\(day)/\(PostcardNames.name(id, part))", in: folder, files.operations)
        }
    }

    private mutating func sweep(_ path: String) {
        for entry in (try? Folder.entries(path)) ?? [] where DurableFiles.isTemporary(entry.name) {
            sweepFile("\(path)/\(entry.name)")
        }
    }

    private mutating func sweepFile(_ path: String) {
        if (try? files.operations.remove(path)) != nil { report.swept += 1 }
    }

    private func write(
        _ database: Database, _ body: (inout Connection) throws(DatabaseError) -> Void
    ) throws(ArchiveError) {
        try archive { () throws(DatabaseError) in try database.write(body) { $0 } }
    }
}

/// Where files go that belong nowhere: nothing is deleted that nobody asked to delete.
enum LostAndFound {
    /// Moves a file under its own name, or with a number behind it where that name is taken.
    static func move(_ path: String, in folder: String, _ operations: any FileOperations) {
        let name = path.split(separator: "/").last.map(String.init) ?? "unnamed"
        for attempt in 0..<1000 {
            let suffix = attempt == 0 ? "" : ".\(attempt)"
            let target = "\(folder)/\(PostcardNames.lostAndFound)/\(name)\(suffix)"
            do throws(FileError) {
                return try operations.renameNew(path, to: target)
            } catch {
                guard error.isTaken else { return }
            }
        }
    }
}

/// Runs a body and words its error as the archive's.
func archive<Value>(_ body: () throws(DatabaseError) -> Value) throws(ArchiveError) -> Value {
    do throws(DatabaseError) {
        return try body()
    } catch {
        throw .database(error)
    }
}

/// Runs a body and words its error as the archive's.
func archive<Value>(_ body: () throws(FileError) -> Value) throws(ArchiveError) -> Value {
    do throws(FileError) {
        return try body()
    } catch {
        throw .file(error)
    }
}
