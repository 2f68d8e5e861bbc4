internal import KonzaModel

/// Makes the specimens' rows agree with their folders, at start and after trouble. The files are the truth: each is
/// written before its row.
struct SpecimenReconciliation {
    /// What had to be put in order.
    struct Report: Sendable, Equatable {
        /// Specimens whose rows were missing or older than their files.
        var indexed = 0
        /// Specimens whose `specimen.json` was gone or unreadable, and was written again from the row.
        var restored = 0
        /// Folders whose `specimen.json` is gone or unreadable, and no row knows it.
        var damaged = 0
        /// Photographs that are not on the disk.
        var missing = 0
        /// Files that belong to no specimen, moved to `lost+found`.
        var lost = 0
    }

    let folder: String
    let files: DurableFiles
    /// false: only the index changes (it is in memory), nothing on the disk.
    let mayWrite: Bool
    let now: UTCInstant
    /// By which recovered keys of requests grow old.
    let operated: OperatingTime.Reading

    private var report = Report()
    private var keys = RecoveredKeys<Specimen>()

    init(folder: String, files: DurableFiles, mayWrite: Bool, now: UTCInstant, operated: OperatingTime.Reading) {
        self.folder = folder
        self.files = files
        self.mayWrite = mayWrite
        self.now = now
        self.operated = operated
    }

    /// Compares every specimen's folder with the index.
    mutating func run(on database: Database) throws(ArchiveError) -> Report {
        var rows = try archive { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try SpecimenTable.ids(in: &connection) }
        }
        let root = "\(folder)/\(SpecimenNames.root)"
        sweep(try entries(root), in: root)
        for year in try entries(root) where year.isFolder && year.name.utf8.allSatisfy({ (48...57).contains($0) }) {
            for entry in try entries("\(root)/\(year.name)") where entry.isFolder {
                guard let id = SpecimenID(entry.name), SpecimenNames.year(id) == year.name else { continue }
                try settle(id, hasRow: rows.remove(id) != nil, database)
            }
        }
        for id in rows.sorted() { try settle(id, hasRow: true, database) }
        let (found, now, operated) = (keys, now, operated)
        try archive { () throws(DatabaseError) in
            try database.write({ connection throws(DatabaseError) in
                var found = found
                try found.keep(in: .specimens, wall: now, at: operated, &connection)
            }) { $0 }
        }
        return report
    }

    private func entries(_ path: String) throws(ArchiveError) -> [Folder.Entry] {
        try archive { () throws(FileError) in try Folder.entries(path) }
    }

    private func sweep(_ entries: [Folder.Entry], in path: String) {
        guard mayWrite else { return }
        for entry in entries where !entry.isFolder && DurableFiles.isTemporary(entry.name) {
            try? files.operations.remove("\(path)/\(entry.name)")
        }
    }

    /// Puts one specimen in order.
    private mutating func settle(_ id: SpecimenID, hasRow: Bool, _ database: Database) throws(ArchiveError) {
        let row =
            try !hasRow
            ? nil
            : archive { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in try SpecimenTable.record(id, in: &connection) }
            }
        let path = "\(folder)/\(SpecimenNames.folder(id))"
        let found = try entries(path)
        sweep(found, in: path)
        let names = Set(found.filter { !$0.isFolder && !DurableFiles.isTemporary($0.name) }.map(\.name))
        guard let (stored, text) = try specimen(id, names, row) else {
            if names.isEmpty {
                if mayWrite { files.removeEmptyFolder(path) }
            } else {
                report.damaged += 1
            }
            return
        }
        let submissions = submissions(of: id, names)
        let isNew = row != String(decoding: text, as: UTF8.self)
        if isNew, row != nil || names.contains(SpecimenNames.specimen) { report.indexed += 1 }
        if row == nil, let key = stored.idempotency { keys.add(key, id: id, at: stored.specimen.createdAt) }
        try archive { () throws(DatabaseError) in
            try database.write({ connection throws(DatabaseError) in
                if isNew { try SpecimenTable.put(stored, text: text, in: &connection) }
                try Self.settle(submissions, of: id, in: &connection)
            }) { $0 }
        }
        setPhotographsInOrder(stored.specimen, names, path)
    }

    /// The specimen as its file has it; where that cannot be read, as the row has it, and then the file is made again.
    private mutating func specimen(
        _ id: SpecimenID, _ names: Set<String>, _ row: String?
    ) throws(ArchiveError) -> (StoredSpecimen, [UInt8])? {
        let path = "\(folder)/\(SpecimenNames.folder(id))"
        let file = "\(path)/\(SpecimenNames.specimen)"
        if names.contains(SpecimenNames.specimen),
            let text = try? Folder.contents(file, limit: StoredSpecimen.maximumSize),
            let stored = StoredText.decode(StoredSpecimen.self, text), stored.specimen.id == id
        {
            return (stored, text)
        }
        guard let row, let stored = StoredText.decode(StoredSpecimen.self, row.utf8) else { return nil }
        let text = Array(row.utf8)
        if mayWrite {
            if names.contains(SpecimenNames.specimen) { moveToLostAndFound(file) }
            // The disk may refuse this too; the row still has it then.
            try? files.makeFolders(SpecimenNames.folder(id), below: folder)
            try? files.replace(
                DurableFiles.Item(name: SpecimenNames.specimen, content: FileContent(text)), in: path)
        }
        report.restored += 1
        return (stored, text)
    }

    private func submissions(of id: SpecimenID, _ names: Set<String>) -> [SubmissionTarget: (Submission, [UInt8])] {
        var found: [SubmissionTarget: (Submission, [UInt8])] = [:]
        for target in SubmissionTarget.allCases where names.contains(SpecimenNames.submission(target)) {
            let file = "\(folder)/\(SpecimenNames.folder(id))/\(SpecimenNames.submission(target))"
            guard let text = try? Folder.contents(file, limit: SpecimenArchive.maximumSubmission),
                let submission = Submission.stored(text), submission.specimen == id,
                submission.target == target
            else { continue }
            found[target] = (submission, text)
        }
        return found
    }

    /// A record whose file is gone or unreadable stays as the row has it: to forget that something was sent would send
    /// it twice.
    private static func settle(
        _ submissions: [SubmissionTarget: (Submission, [UInt8])], of id: SpecimenID, in connection: inout Connection
    ) throws(DatabaseError) {
        let rows = try SubmissionTable.records(of: id, in: &connection)
        for (target, (submission, text)) in submissions
        where rows[target] != String(decoding: text, as: UTF8.self) {
            try SubmissionTable.put(submission, text: text, in: &connection)
        }
    }

    /// Photographs that no specimen names were being added or deleted when something went wrong.
    private mutating func setPhotographsInOrder(_ specimen: Specimen, _ names: Set<String>, _ path: String) {
        let known = Set(specimen.photographs.map(\.id))
        let strays = names.filter { name in SpecimenNames.photographID(name).map { !known.contains($0) } ?? false }
        for name in strays.sorted() {
            report.lost += 1
            if mayWrite { moveToLostAndFound("\(path)/\(name)") }
        }
        report.missing += specimen.photographs.count { !names.contains(SpecimenNames.photograph($0)) }
        if !strays.isEmpty, mayWrite { try? files.operations.synchronizeFolder(path) }
    }

    private func moveToLostAndFound(_ path: String) {
        try? files.makeFolders(PostcardNames.lostAndFound, below: folder)
        LostAndFound.move(path, in: folder, files.operations)
    }
}

extension ArchiveHealth {
    /// What was found out of order with the specimens at start; nil if nothing was that a person should look at.
    static func remark(specimens report: SpecimenReconciliation.Report, folder: String) -> PartHealth? {
        if report.damaged > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-damaged",
                reason: """
                    \(report.damaged) folders in \(folder)/\(SpecimenNames.root) have no readable \
                    \(SpecimenNames.specimen); nothing was changed there: restore it from a copy
                    """)
        }
        if report.missing > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-photographs-missing",
                reason: "\(report.missing) photographs of specimens are not on the disk; restore or delete them")
        }
        if report.lost > 0 {
            return PartHealth(
                level: .degraded, kind: "archive-files-lost",
                reason: """
                    \(report.lost) photographs belong to no specimen and were moved to \
                    \(folder)/\(PostcardNames.lostAndFound); look at them
                    """)
        }
        if report.restored > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-restored",
                reason: "\(report.restored) specimens had lost their files, which were written again from the index")
        }
        return nil
    }
}
