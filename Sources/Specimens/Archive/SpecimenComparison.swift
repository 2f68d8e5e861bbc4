internal import KonzaModel
internal import KonzaSystem
internal import Storage

/// Brings the specimens' rows and folders into agreement, the newest first. The files are the truth: each is written
/// before its row.
struct SpecimenComparison: RecordComparison {
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

    /// A year whose folder is being compared.
    private struct Year {
        let name: String
        /// The specimens whose folders there are, the newest first.
        let listed: [SpecimenID]
        var done = 0
    }

    private let kind: SpecimenKind
    private let scene: ComparisonScene
    private var report = Report()
    private var keys: RecoveredKeys<Specimen>
    /// The folders of years that are still to be compared, the newest last.
    private var years: [String] = []
    private var yearCount = 0
    private var year: Year?
    /// The oldest id that is done: below it are the rows of which no folder has been compared.
    private var bound: SpecimenID?

    init(kind: SpecimenKind, scene: ComparisonScene) {
        self.kind = kind
        self.scene = scene
        keys = RecoveredKeys(wall: scene.now, operated: scene.operated)
    }

    /// Specimens that are looked at at once. An index in memory that is full loses only what its last transaction had.
    private var portion: Int { scene.mayWrite ? 200 : 20 }

    var progress: ComparisonProgress {
        ComparisonProgress(folders: yearCount - years.count, allFolders: yearCount, added: report.indexed)
    }

    mutating func begin() throws(StorageError) {
        if scene.mayWrite { try beginWriting() }
        let entries = try scene.entries(SpecimenNames.root)
        for entry in entries where !entry.isFolder && DurableFiles.isTemporary(entry.name) {
            scene.sweep("\(SpecimenNames.root)/\(entry.name)")
        }
        years = entries.filter { $0.isFolder && $0.name.utf8.allSatisfy { (48...57).contains($0) } }.map(\.name)
            .sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }
        yearCount = years.count
    }

    /// Compares what was being written to when konzad ended, however it did: only there is a row older than its files.
    private mutating func beginWriting() throws(StorageError) {
        kind.setWhole(false)
        kind.beginComparison()
        let marks = try scene.marks(SpecimenTable.marks)
        guard !marks.contains(SpecimenTable.marks.everything) else { return }
        for id in marks.compactMap({ SpecimenID($0) }) {
            let row = try scene.read { connection throws(DatabaseError) in
                try SpecimenTable.record(id, in: &connection)
            }
            try settle([id], row.map { [id: $0] } ?? [:])
        }
        try scene.forget(marks, of: SpecimenTable.marks)
        kind.setWhole(true)
    }

    mutating func advance() throws(StorageError) -> Bool {
        if year == nil { year = try nextYear() }
        guard var current = year else {
            // Rows without any folder.
            let rows = try rows(from: nil)
            try settle(rows.keys.sorted(by: >), rows)
            try finish()
            return false
        }
        let ids = current.listed[current.done...].prefix(portion)
        current.done += ids.count
        if let last = ids.last {
            let rows = try rows(from: last)
            try settle(Set(ids).union(rows.keys).sorted(by: >), rows)
            bound = last
        }
        let isLast = current.done == current.listed.count
        if isLast { years.removeLast() }
        year = isLast ? nil : current
        return true
    }

    private func nextYear() throws(StorageError) -> Year? {
        guard let name = years.last else { return nil }
        let ids = try scene.entries("\(SpecimenNames.root)/\(name)").compactMap { entry in
            entry.isFolder ? SpecimenID(entry.name).flatMap { SpecimenNames.year($0) == name ? $0 : nil } : nil
        }
        return Year(name: name, listed: ids.sorted(by: >))
    }

    private func rows(from first: SpecimenID?) throws(StorageError) -> [SpecimenID: String] {
        let below = bound
        return try scene.read { connection throws(DatabaseError) in
            try SpecimenTable.records(from: first, below: below, in: &connection)
        }
    }

    /// Every specimen was compared: from here on they can be written, if they could not before.
    private func finish() throws(StorageError) {
        guard scene.mayWrite else { return }
        kind.endComparison()
        guard !kind.isWhole else { return }
        try scene.forget(try scene.marks(SpecimenTable.marks), of: SpecimenTable.marks)
        kind.setWhole(true)
    }

    private func sweep(_ entries: [FolderEntry], in relative: String) {
        for entry in entries where !entry.isFolder && DurableFiles.isTemporary(entry.name) {
            scene.sweep("\(relative)/\(entry.name)")
        }
    }

    /// Rows of one specimen that differ from its files.
    private struct Change: Sendable {
        let id: SpecimenID
        let specimen: (stored: StoredSpecimen, text: [UInt8])?
        let submissions: [(Submission, [UInt8])]
        /// Of the request that opened it, where it had no row.
        let key: IdempotencyKey?
    }

    /// Puts specimens in order, in one transaction.
    private mutating func settle(_ ids: [SpecimenID], _ rows: [SpecimenID: String]) throws(StorageError) {
        var changes: [Change] = []
        for id in ids {
            if let change = try change(of: id, rows[id]) { changes.append(change) }
        }
        guard !changes.isEmpty else { return }
        let found = keys.chosen(
            changes.compactMap { change in
                guard let key = change.key, let stored = change.specimen?.stored else { return nil }
                return (key: key, id: change.id, at: stored.specimen.createdAt)
            })
        let usages = try scene.write { [changes, kind] connection throws(DatabaseError) in
            var usages: [(old: SpecimenUsage, new: SpecimenUsage)] = []
            for change in changes where !kind.isWritten(change.id) {
                let old = try SpecimenTable.usage(of: change.id, in: &connection)
                if let specimen = change.specimen {
                    try SpecimenTable.put(specimen.stored, text: specimen.text, in: &connection)
                }
                for (submission, text) in change.submissions {
                    try SubmissionTable.put(submission, text: text, in: &connection)
                }
                usages.append((old, try SpecimenTable.usage(of: change.id, in: &connection)))
            }
            try IdempotencyTable.specimens.add(found, at: scene.operated, in: &connection)
            return usages
        }
        for usage in usages { kind.replaceUsage(usage.old, by: usage.new) }
    }

    /// What the rows of a specimen lack, with its files put in order.
    private mutating func change(of id: SpecimenID, _ row: String?) throws(StorageError) -> Change? {
        let relative = SpecimenNames.folder(id)
        let found = try scene.entries(relative)
        guard !kind.isWritten(id) else { return nil }
        sweep(found, in: relative)
        let names = Set(found.filter { !$0.isFolder && !DurableFiles.isTemporary($0.name) }.map(\.name))
        let kept = try specimen(id, names, row)
        let submissions = kept == nil ? [:] : submissions(of: id, names)
        // What was read is from before somebody wrote, in part: whoever wrote has put all in order.
        guard !kind.isWritten(id) else { return nil }
        guard let (stored, text) = kept else {
            if names.isEmpty {
                if scene.mayWrite { scene.files.removeEmptyFolder("\(scene.folder)/\(relative)") }
            } else {
                report.damaged += 1
            }
            return nil
        }
        let isNew = row != String(decoding: text, as: UTF8.self)
        if isNew, row != nil || names.contains(SpecimenNames.specimen) { report.indexed += 1 }
        setPhotographsInOrder(stored.specimen, names, relative)
        let differing = try differing(submissions, of: id)
        guard isNew || !differing.isEmpty else { return nil }
        return Change(
            id: id, specimen: isNew ? (stored, text) : nil, submissions: differing,
            key: row == nil ? stored.idempotency : nil)
    }

    /// The submissions whose rows are not what their files say. A record whose file is gone or unreadable stays as the row
    /// has it: to forget that something was sent would send it twice.
    private func differing(
        _ submissions: [SubmissionTarget: (Submission, [UInt8])], of id: SpecimenID
    ) throws(StorageError) -> [(Submission, [UInt8])] {
        guard !submissions.isEmpty else { return [] }
        let rows = try scene.read { connection throws(DatabaseError) in
            try SubmissionTable.records(of: id, in: &connection)
        }
        return submissions.filter { rows[$0.key] != String(decoding: $0.value.1, as: UTF8.self) }.map(\.value)
    }

    /// The specimen as its file has it; where that cannot be read, as the row has it, and then the file is made again.
    private mutating func specimen(
        _ id: SpecimenID, _ names: Set<String>, _ row: String?
    ) throws(StorageError) -> (StoredSpecimen, [UInt8])? {
        let relative = SpecimenNames.folder(id)
        let path = "\(scene.folder)/\(relative)"
        let file = "\(path)/\(SpecimenNames.specimen)"
        if names.contains(SpecimenNames.specimen),
            let text = try? Folder.contents(file, limit: StoredSpecimen.maximumSize),
            let stored = StoredText.decode(StoredSpecimen.self, text), stored.specimen.id == id
        {
            return (stored, text)
        }
        guard let row, let stored = StoredText.decode(StoredSpecimen.self, row.utf8) else { return nil }
        let text = Array(row.utf8)
        kind.ifNobodyWrites(to: id) {
            report.restored += 1
            guard scene.mayWrite else { return }
            if names.contains(SpecimenNames.specimen) {
                scene.moveToLostAndFound("\(relative)/\(SpecimenNames.specimen)")
            }
            // The disk may refuse this too; the row still has it then.
            try? scene.files.makeFolders(relative, below: scene.folder)
            try? scene.files.replace(
                DurableFiles.Item(name: SpecimenNames.specimen, content: FileContent(text)), in: path)
        }
        return (stored, text)
    }

    private func submissions(of id: SpecimenID, _ names: Set<String>) -> [SubmissionTarget: (Submission, [UInt8])] {
        var found: [SubmissionTarget: (Submission, [UInt8])] = [:]
        for target in SubmissionTarget.allCases where names.contains(SpecimenNames.submission(target)) {
            let file = "\(scene.folder)/\(SpecimenNames.folder(id))/\(SpecimenNames.submission(target))"
            guard let text = try? Folder.contents(file, limit: SpecimenArchive.maximumSubmission),
                let submission = Submission.stored(text), submission.specimen == id,
                submission.target == target
            else { continue }
            found[target] = (submission, text)
        }
        return found
    }

    /// Photographs that no specimen names were being added or deleted when something went wrong.
    private mutating func setPhotographsInOrder(_ specimen: Specimen, _ names: Set<String>, _ relative: String) {
        let known = Set(specimen.photographs.map(\.id))
        report.missing += specimen.photographs.count { !names.contains(SpecimenNames.photograph($0)) }
        let strays = names.filter { name in SpecimenNames.photographID(name).map { !known.contains($0) } ?? false }
        guard !strays.isEmpty else { return }
        kind.ifNobodyWrites(to: specimen.id) {
            for name in strays.sorted() {
                report.lost += 1
                scene.moveToLostAndFound("\(relative)/\(name)")
            }
            guard scene.mayWrite else { return }
            try? scene.files.operations.synchronizeFolder("\(scene.folder)/\(relative)")
        }
    }

    func remark(hadIndex: Bool) -> PartHealth? {
        if report.damaged > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-damaged",
                reason: """
                    \(counted(report.damaged, "folder has", "folders have")) no readable \(SpecimenNames.specimen) in \
                    \(scene.folder)/\(SpecimenNames.root); nothing was changed there: restore it from a copy
                    """)
        }
        if report.missing > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-photographs-missing",
                reason:
                    "\(counted(report.missing, "photograph")) of specimens \(report.missing == 1 ? "is" : "are") not on the disk; restore or delete what is missing"
            )
        }
        if report.lost > 0 {
            return PartHealth(
                level: .degraded, kind: "archive-files-lost",
                reason: """
                    \(counted(report.lost, "photograph belongs", "photographs belong")) to no specimen, moved to \
                    \(scene.folder)/\(Store.lostAndFound); look there
                    """)
        }
        if report.restored > 0 {
            return PartHealth(
                level: .degraded, kind: "specimens-restored",
                reason:
                    "\(counted(report.restored, "specimen")) had lost files, which were written again from the index")
        }
        return nil
    }
}
