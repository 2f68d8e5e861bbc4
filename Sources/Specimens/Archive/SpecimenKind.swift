internal import KonzaModel
internal import Storage
internal import Synchronization

/// Specimens as a kind of record, and what is known of them in memory.
final class SpecimenKind: RecordKind {
    private let counted = Mutex(SpecimenUsage())
    private let whole = Mutex(false)
    /// Held by whoever writes.
    let turn = Mutex(())
    /// The specimens that were written to since the comparison with the files began; nil while none goes on.
    private let written = Mutex<Set<SpecimenID>?>(nil)

    /// How many there are.
    var usage: SpecimenUsage { counted.withLock { $0 } }

    /// Whether no row can be older than its files: until then nothing is written.
    var isWhole: Bool { whole.withLock { $0 } }

    func setWhole(_ value: Bool) {
        whole.withLock { $0 = value }
    }

    // MARK: - Writing during a comparison

    /// A comparison with the files begins: from here on it is noted what is written to.
    func beginComparison() { written.withLock { $0 = [] } }

    func endComparison() { written.withLock { $0 = nil } }

    /// Somebody writes to a specimen; before the first of its files changes. The rows and files are in the writer's hands
    /// from here on.
    func noteWriting(of id: SpecimenID) { written.withLock { _ = $0?.insert(id) } }

    /// Whether somebody writes to a specimen, or has since the comparison began: it has nothing to put in order there.
    func isWritten(_ id: SpecimenID) -> Bool { written.withLock { $0?.contains(id) ?? false } }

    /// Runs a body that changes files of a specimen for a comparison, unless somebody writes to any, or has written to this
    /// one: the next start is soon enough then. A comparison that waited for a writer would keep it from the index.
    func ifNobodyWrites(to id: SpecimenID, _ body: () -> Void) {
        _ = turn.withLockIfAvailable { _ in
            if !isWritten(id) { body() }
        }
    }

    /// Puts what a specimen is now in the place of what it was.
    func replaceUsage(_ old: SpecimenUsage, by new: SpecimenUsage) {
        counted.withLock { $0.replace(old, by: new) }
    }

    var noun: String { "specimen" }

    var migrations: [Migration] { SpecimenTable.migrations }

    func count(in connection: inout Connection) throws(DatabaseError) {
        let usage = try SpecimenTable.usage(in: &connection)
        counted.withLock { $0 = usage }
    }

    func newestKey(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading? {
        try IdempotencyTable.specimens.newest(in: &connection)
    }

    func comparison(_ scene: ComparisonScene) -> any RecordComparison {
        SpecimenComparison(kind: self, scene: scene)
    }
}

extension IdempotencyTable<Specimen> {
    static var specimens: Self { Self(name: "specimen_requests", column: "specimen") }
}
