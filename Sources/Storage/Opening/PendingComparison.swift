internal import KonzaModel

/// The comparison of an index with the files of all kinds, which goes on while the index is in use.
struct PendingComparison {
    /// A kind's part of it.
    private struct Part {
        let noun: String
        var comparison: any RecordComparison
        var isDone = false
    }

    let database: Database
    /// What was wrong with the index before this one; nil if nothing was.
    let complaint: String?
    let hadFile: Bool
    private var parts: [Part] = []
    /// Of a large index every page is looked at when all else is done.
    private var isChecked: Bool

    init(_ opened: IndexOpening.Opened, _ kinds: [any RecordKind], _ scene: ComparisonScene) {
        database = opened.database
        complaint = opened.complaint
        hadFile = opened.hadFile
        isChecked = opened.database.isCheckedWhole
        parts = kinds.map { Part(noun: $0.noun, comparison: $0.comparison(scene)) }
    }

    mutating func begin() throws(StorageError) {
        for index in parts.indices { try parts[index].comparison.begin() }
    }

    /// Puts a further portion in order.
    ///
    /// - Returns: whether there is more.
    mutating func advance() throws(StorageError) -> Bool {
        guard let index = parts.firstIndex(where: { !$0.isDone }) else { return false }
        parts[index].isDone = try !parts[index].comparison.advance()
        return parts.contains { !$0.isDone }
    }

    /// Looks at every page of an index that was too large for that at its opening.
    ///
    /// - Throws: `database` with a damage that `isCorrupt`.
    mutating func check() throws(StorageError) {
        guard !isChecked else { return }
        isChecked = true
        guard let complaint = try storing({ () throws(DatabaseError) in try database.complaint() }) else { return }
        throw .database(.corrupt(complaint))
    }

    var progress: ComparisonProgress {
        parts.map(\.comparison.progress).reduce(ComparisonProgress()) { sum, one in
            ComparisonProgress(
                folders: sum.folders + one.folders, allFolders: sum.allFolders + one.allFolders,
                added: sum.added + one.added)
        }
    }

    /// What a person should look at.
    ///
    /// - Parameter folder: of the store.
    /// - Returns: nil if all was in order.
    func remark(in folder: String) -> PartHealth? {
        let added = parts.filter { $0.comparison.progress.added > 0 }
            .map { counted($0.comparison.progress.added, $0.noun) }
        let words = added.isEmpty ? "nothing was in them" : added.joined(separator: ", ")
        if let complaint {
            return PartHealth(
                level: .degraded, kind: "archive-corrupt-recovered",
                reason: """
                    the index was damaged (\(complaint)) and was made anew from the files: \(words); the damaged one is \
                    kept in \(folder)/\(Store.lostAndFound)
                    """)
        }
        for part in parts {
            if let remark = part.comparison.remark(hadIndex: hadFile) { return remark }
        }
        guard !hadFile || parts.contains(where: { !$0.comparison.wasWhole }), !added.isEmpty else { return nil }
        return PartHealth(
            level: .degraded, kind: "archive-index-recovered",
            reason: "the index was gone and was made anew from the files: \(words)")
    }
}
