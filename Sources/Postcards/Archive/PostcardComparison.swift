internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// Brings the postcards' rows and files into agreement, a portion of a day at a time, the newest days first. The files
/// are the truth: whatever was acknowledged has its picture and its sidecar on the disk.
struct PostcardComparison: RecordComparison {
    /// What had to be put in order.
    struct Report: Sendable, Equatable {
        /// Postcards without a row that were indexed again.
        var indexed = 0
        /// Rows without a picture.
        var missing = 0
        /// Files that belong to no whole postcard, moved to `lost+found`.
        var lost = 0
    }

    /// A day whose folder is being compared.
    private struct Day {
        let folder: PostcardDay
        /// What the folder held when it was listed, the newest first. Only a hint: the day goes on meanwhile.
        let listed: [(id: PostcardID, parts: PostcardNames.Parts)]
        var done = 0
        /// The oldest id that is done.
        var bound: PostcardID?
    }

    private let kind: PostcardKind
    private let scene: ComparisonScene
    private(set) var report = Report()
    private var keys: RecoveredKeys<PostcardRecord>
    /// Whether the index knew all postcards before.
    private(set) var wasWhole = true
    /// The folders of days that are still to be compared, the newest last.
    private var folders: [PostcardDay] = []
    private var folderCount = 0
    private var day: Day?
    /// Below it are the rows of which no folder has been compared.
    private var bound: PostcardID?

    init(kind: PostcardKind, scene: ComparisonScene) {
        self.kind = kind
        self.scene = scene
        keys = RecoveredKeys(wall: scene.now, operated: scene.operated)
    }

    /// Postcards that are looked at at once, in one transaction. An index in memory commits at no cost, and one that is
    /// full loses only what its last transaction had.
    private var portion: Int { scene.mayWrite ? 500 : 20 }

    var progress: ComparisonProgress {
        ComparisonProgress(folders: folderCount - folders.count, allFolders: folderCount, added: report.indexed)
    }

    // MARK: - Before the first write

    mutating func begin() throws(StorageError) {
        if scene.mayWrite { try beginWriting() }
        folders = try allFolders()
        folderCount = folders.count
    }

    private mutating func beginWriting() throws(StorageError) {
        try storing { () throws(FileError) in
            try scene.files.makeFolders(PostcardNames.root, below: scene.folder)
        }
        for entry in try scene.entries("") where DurableFiles.isTemporary(entry.name) { scene.sweep(entry.name) }
        kind.state.withLock { $0.openDays = [] }
        try finishDeletions()
        let marks = try scene.marks(PostcardTable.days)
        // Days that were being written to when konzad ended, however it did: only there are postcards without rows.
        let isWhole = !marks.contains(PostcardTable.days.everything)
        wasWhole = isWhole
        for name in marks {
            guard let folder = PostcardDay(folder: name) else { continue }
            try start(folder)
            while try advanceDay() {}
        }
        if isWhole { try scene.forget(marks, of: PostcardTable.days) }
        kind.state.withLock { $0.isWhole = isWhole }
    }

    /// Deletions that a crash had interrupted.
    private func finishDeletions() throws(StorageError) {
        let doomed = try scene.read { connection throws(DatabaseError) in
            try PostcardTable.ids(in: .deleting, in: &connection)
        }
        for id in doomed { try finishDeletion(of: id) }
    }

    private func finishDeletion(of id: PostcardID) throws(StorageError) {
        guard scene.mayWrite else { return }
        for part in PostcardNames.Part.allCases { try? scene.files.operations.remove(path(id, part)) }
        try scene.write { connection throws(DatabaseError) in try PostcardTable.remove(id, from: &connection) }
    }

    /// The folders of all days, the newest last.
    private func allFolders() throws(StorageError) -> [PostcardDay] {
        var paths = [PostcardNames.root]
        for _ in 0..<3 {
            var deeper: [String] = []
            for path in paths {
                for entry in try scene.entries(path)
                where entry.isFolder && entry.name.utf8.allSatisfy({ (48...57).contains($0) }) {
                    deeper.append("\(path)/\(entry.name)")
                }
            }
            paths = deeper
        }
        return paths.compactMap(PostcardDay.init(folder:)).sorted { $0.start < $1.start }
    }

    // MARK: - Day by day

    mutating func advance() throws(StorageError) -> Bool {
        if day == nil {
            guard let next = try nextFolder() else {
                try finish()
                return false
            }
            try start(next)
        }
        _ = try advanceDay()
        return true
    }

    /// The newest day that has a folder, or rows without one.
    private mutating func nextFolder() throws(StorageError) -> PostcardDay? {
        let below = bound
        let newest = try scene.read { connection throws(DatabaseError) in
            try PostcardTable.newest(below: below, in: &connection)
        }
        let ofRows = newest.map(PostcardDay.init(of:))
        guard let last = folders.last, last.start >= ofRows?.start ?? 0 else { return ofRows }
        return last
    }

    private mutating func start(_ folder: PostcardDay) throws(StorageError) {
        var found: [PostcardID: PostcardNames.Parts] = [:]
        let inFlight = kind.state.withLock { $0.inFlight }
        for entry in try scene.entries(folder.path) where !entry.isFolder {
            if DurableFiles.isTemporary(entry.name) {
                let own = PostcardID(
                    String(entry.name.dropFirst(DurableFiles.temporaryPrefix.count).prefix(PostcardID.length)))
                if own.map({ !inFlight.contains($0) }) ?? true { scene.sweep("\(folder.path)/\(entry.name)") }
            } else if let (id, part) = PostcardNames.parse(entry.name) {
                found[id, default: []].insert(part)
            }
        }
        day = Day(folder: folder, listed: found.map { (id: $0.key, parts: $0.value) }.sorted { $0.id > $1.id })
    }

    /// Compares a portion of the day.
    ///
    /// - Returns: whether there is more of it.
    private mutating func advanceDay() throws(StorageError) -> Bool {
        guard var current = day else { return false }
        let listed = current.listed[current.done...].prefix(portion)
        current.done += listed.count
        let isLast = current.done == current.listed.count
        let (from, to) = (isLast ? current.folder.first : listed.last?.id, current.bound ?? current.folder.end)
        let rows = try scene.read { connection throws(DatabaseError) in
            try PostcardTable.states(from: from, below: to, in: &connection)
        }
        try settle(Dictionary(listed.map { ($0.id, $0.parts) }) { $1 }, rows, current.folder)
        current.bound = from
        guard isLast else {
            day = current
            return true
        }
        if scene.mayWrite { try? scene.files.operations.synchronizeFolder("\(scene.folder)/\(current.folder.path)") }
        if folders.last?.path == current.folder.path { folders.removeLast() }
        bound = current.folder.first
        day = nil
        return false
    }

    private mutating func settle(
        _ listed: [PostcardID: PostcardNames.Parts], _ rows: [PostcardID: PostcardTable.State], _ day: PostcardDay
    ) throws(StorageError) {
        let inFlight = kind.state.withLock { $0.inFlight }
        var orphans: [(Sidecar, [UInt8])] = []
        for id in Set(listed.keys).union(rows.keys).sorted(by: >) where !inFlight.contains(id) {
            if rows[id] == .kept, let parts = listed[id], parts.contains(.postcard), parts.contains(.sidecar) {
                continue
            }
            if rows[id] == nil, let parts = listed[id], let whole = wholePostcard(id, parts, day) {
                orphans.append(whole)
                continue
            }
            // The listing may be older than the rows, and what is missing in it there by now.
            let parts = partsOnDisk(of: id, day.path)
            if let state = rows[id] {
                try settle(id, state, parts)
            } else if parts.isEmpty {
                continue
            } else if let whole = wholePostcard(id, parts, day) {
                orphans.append(whole)
            } else {
                report.lost += parts.all.count
                for part in parts.all { scene.moveToLostAndFound("\(day.path)/\(PostcardNames.name(id, part))") }
            }
        }
        if !orphans.isEmpty { try index(orphans) }
    }

    private func path(_ id: PostcardID, _ part: PostcardNames.Part) -> String {
        "\(scene.folder)/\(PostcardNames.folder(id))/\(PostcardNames.name(id, part))"
    }

    private func partsOnDisk(of id: PostcardID, _ folder: String) -> PostcardNames.Parts {
        PostcardNames.Parts(
            PostcardNames.Part.allCases.filter {
                Folder.status("\(scene.folder)/\(folder)/\(PostcardNames.name(id, $0))") != nil
            })
    }

    /// Puts one row in order.
    private mutating func settle(
        _ id: PostcardID, _ state: PostcardTable.State, _ parts: PostcardNames.Parts
    ) throws(StorageError) {
        switch (state, parts.contains(.postcard)) {
        case (.deleting, _): try finishDeletion(of: id)
        case (.kept, true):
            if scene.mayWrite, !parts.contains(.sidecar) { try writeSidecar(id) }
        case (.missing, true): try set(.kept, of: id)
        case (.missing, false): report.missing += 1
        case (.kept, false):
            report.missing += 1
            try set(.missing, of: id)
        }
    }

    private func set(_ state: PostcardTable.State, of id: PostcardID) throws(StorageError) {
        let change = try scene.write { connection throws(DatabaseError) in
            let before = try PostcardTable.entry(id, in: &connection)
            try PostcardTable.setState(state, of: id, in: &connection)
            return (before: before, after: try PostcardTable.entry(id, in: &connection))
        }
        kind.state.withLock { held in
            if let before = change.before { held.totals.remove(before) }
            if let after = change.after { held.totals.add(after) }
        }
    }

    private func writeSidecar(_ id: PostcardID) throws(StorageError) {
        let entry = try scene.read { connection throws(DatabaseError) in
            try PostcardTable.entry(id, in: &connection)
        }
        guard let entry else { return }
        let item = DurableFiles.Item(
            name: PostcardNames.name(id, .sidecar), content: FileContent(Array(entry.record.utf8)))
        try? scene.files.replace(item, in: "\(scene.folder)/\(PostcardNames.folder(id))")
    }

    /// The sidecar of files that make a whole postcard.
    private func wholePostcard(
        _ id: PostcardID, _ parts: PostcardNames.Parts, _ day: PostcardDay
    ) -> (Sidecar, [UInt8])? {
        let path = "\(scene.folder)/\(day.path)/\(id)"
        guard parts.contains(.sidecar), parts.contains(.postcard), day.keeps(id),
            let text = try? Folder.contents(path + PostcardNames.Part.sidecar.suffix, limit: Sidecar.maximumSize),
            var sidecar = Sidecar(encoded: text), sidecar.id == id,
            Folder.status(path + PostcardNames.Part.postcard.suffix)?.byteCount == Int64(sidecar.byteCount)
        else { return nil }
        // A companion that is gone or cut does not make the postcard less whole.
        let hasOriginal = sidecar.originalByteCount == nil || parts.contains(.original)
        let hasThumbnail = sidecar.thumbnailByteCount == nil || parts.contains(.thumbnail)
        let hasAnimation = sidecar.animationByteCount == nil || parts.contains(.animation)
        if hasOriginal, hasThumbnail, hasAnimation { return (sidecar, text) }
        if !hasOriginal { sidecar.originalByteCount = nil }
        if !hasAnimation { sidecar.animationByteCount = nil }
        if !hasThumbnail { sidecar.thumbnailByteCount = nil }
        guard let adjusted = try? sidecar.encoded() else { return nil }
        return (sidecar, adjusted)
    }

    private mutating func index(_ orphans: [(Sidecar, [UInt8])]) throws(StorageError) {
        let found = keys.chosen(
            orphans.compactMap { sidecar, _ in
                sidecar.idempotency.map { (key: $0, id: sidecar.id, at: sidecar.createdAt.instant) }
            })
        try scene.write { connection throws(DatabaseError) in
            for (sidecar, text) in orphans { try PostcardTable.insert(sidecar, text: text, into: &connection) }
            try IdempotencyTable.postcards.add(found, at: scene.operated, in: &connection)
        }
        kind.state.withLock { state in
            for (sidecar, text) in orphans {
                state.totals.add(
                    bytes: sidecar.storedBytes(sidecarSize: text.count), isProtected: sidecar.isProtected)
            }
        }
        report.indexed += orphans.count
    }

    /// Every day was compared: from here on a key that the index does not know was never used.
    private mutating func finish() throws(StorageError) {
        guard scene.mayWrite else { return }
        try scene.forget([PostcardTable.days.everything], of: PostcardTable.days)
        kind.state.withLock { $0.isWhole = true }
    }

    func remark(hadIndex: Bool) -> PartHealth? {
        if report.missing > 0 { return PostcardKind.missing(report.missing) }
        guard report.lost > 0 else { return nil }
        return PartHealth(
            level: .degraded, kind: "archive-files-lost",
            reason: """
                \(counted(report.lost, "file belongs", "files belong")) to no whole postcard, moved to \
                \(scene.folder)/\(Store.lostAndFound); look there
                """)
    }
}

/// A day (UTC) whose postcards share a folder.
struct PostcardDay {
    private static let milliseconds: UInt64 = 86_400_000
    /// The last day that an instant can name: the folder of all ids from it on.
    private static let last = UInt64(Int64.max / 1_000_000) / milliseconds * milliseconds

    /// Relative to the archive's folder.
    let path: String
    /// Milliseconds since 1970.
    let start: UInt64
    /// Whether the folder is the one that names of files lead to: other texts may say the same day.
    private let isOfNames: Bool

    /// The day that is in an id.
    init(of id: PostcardID) {
        path = PostcardNames.folder(id)
        isOfNames = true
        start = min(id.milliseconds / Self.milliseconds * Self.milliseconds, Self.last)
    }

    /// - Returns: nil unless the path is `postcards/YYYY/MM/DD`.
    init?(folder path: String) {
        let parts = path.split(separator: "/").dropFirst().compactMap { Int($0) }
        guard parts.count == 3, parts.allSatisfy({ (0...99_999).contains($0) }) else { return nil }
        self.path = path
        let days = CivilTime.days(year: parts[0], month: parts[1], day: parts[2])
        start = UInt64(clamping: days).multipliedReportingOverflow(by: Self.milliseconds).partialValue
        isOfNames = PostcardNames.folder(PostcardID(milliseconds: start, high: 0, low: 0)) == path
    }

    /// Whether the postcard's files belong into this folder.
    func keeps(_ id: PostcardID) -> Bool {
        isOfNames && min(id.milliseconds / Self.milliseconds * Self.milliseconds, Self.last) == start
    }

    /// No id of the day is smaller.
    var first: PostcardID { PostcardID(milliseconds: start, high: 0, low: 0) }

    /// All ids of the day are smaller; nil without a bound.
    var end: PostcardID? {
        start >= Self.last ? nil : PostcardID(milliseconds: start + Self.milliseconds, high: 0, low: 0)
    }
}
