internal import KonzaModel
internal import Storage
internal import Synchronization

/// Specimens as a kind of record, and what is known of them in memory.
final class SpecimenKind: RecordKind {
    private let counted = Mutex(SpecimenUsage())
    private let whole = Mutex(false)

    /// How many there are.
    var usage: SpecimenUsage { counted.withLock { $0 } }

    /// Whether every row is known to agree with its files: until then nothing is written.
    var isWhole: Bool { whole.withLock { $0 } }

    func setWhole(_ value: Bool) {
        whole.withLock { $0 = value }
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
