internal import KonzaModel
public import Storage

/// The outbox of a fleet, in the archive's own index: what records have come to is noted in the transaction that changes
/// them, and forgotten when the fleet's database has them. It keeps no copy of a record, so it takes some 80 bytes for
/// each and nothing for a month without a network.
///
/// All calls block on the disk and may be made from any thread.
public final class ForwardingArchive: Sendable {
    /// The most entries in one answer.
    public static let mostEntries = 200
    /// How many older records are added in one transaction.
    private static let portion = 2000

    let store: Store
    private let kind = ForwardingKind()

    /// The outbox of a store, which must not be open yet, after all kinds of records that it forwards.
    public init(store: Store) {
        self.store = store
        store.add(kind)
    }

    /// Begins, or goes on with, what is forwarded; or ends it.
    ///
    /// - Parameters:
    ///   - isOn: whether records are forwarded.
    ///   - log: a name for a log that has to begin; it is not used yet.
    /// - Throws: ``StorageError``.
    public func turn(_ isOn: Bool, log: String) throws(StorageError) {
        try store.changing { database throws(StorageError) in
            try store.commit(database) { connection throws(DatabaseError) in
                let figures = try ForwardingTable.figures(in: &connection)
                if isOn, !figures.isOn { try ForwardingTable.begin(log, in: &connection) }
                if !isOn, figures.isOn { try connection.run("UPDATE forwarding SET is_on = 0") }
            }
        }
    }

    /// Adds a portion of the records from before forwarding was on.
    ///
    /// - Returns: whether there are more.
    /// - Throws: ``StorageError``.
    public func addOlder() throws(StorageError) -> Bool {
        try store.changing { database throws(StorageError) in
            try store.commit(database) { connection throws(DatabaseError) in
                try ForwardingTable.addOlder(Self.portion, in: &connection)
            }
        }
    }

    /// What waits, oldest first, what is under way before all else. Each has its number from now on.
    ///
    /// - Parameters:
    ///   - limit: the most entries, at most ``mostEntries``.
    ///   - kinds: of which there may be entries.
    /// - Returns: the entries; asked again before a receipt came, the same ones.
    /// - Throws: ``StorageError``.
    public func entries(
        limit: Int, of kinds: Set<ForwardedKind> = Set(ForwardedKind.allCases)
    ) throws(StorageError) -> [ForwardingEntry] {
        let limit = min(max(limit, 1), Self.mostEntries)
        guard try figures().waiting > 0 else { return [] }
        return try store.changing { database throws(StorageError) in
            try store.commit(database) { connection throws(DatabaseError) in
                try ForwardingTable.claim(limit, of: kinds, in: &connection)
            }
        }
    }

    /// The fleet has these.
    ///
    /// - Returns: how many of the receipts were news.
    /// - Throws: ``StorageError``.
    public func confirm(_ receipts: [ForwardingReceipt]) throws(StorageError) -> Int {
        try store.changing { database throws(StorageError) in
            try store.commit(database) { connection throws(DatabaseError) in
                var count = 0
                for receipt in receipts where try ForwardingTable.confirm(receipt, in: &connection) { count += 1 }
                return count
            }
        }
    }

    /// Puts an hour of the station's way into the outbox. Where hours take more room than they may, every second one of those
    /// that are not under way goes: what is left says less of each hour, and something of all.
    ///
    /// - Parameters:
    ///   - id: a new one.
    ///   - body: as the local API gives it.
    /// - Returns: whether it is kept: not while nothing is forwarded.
    /// - Throws: ``StorageError``.
    @discardableResult
    public func addTrack(_ id: String, _ body: [UInt8]) throws(StorageError) -> Bool {
        try store.changing { database throws(StorageError) in
            try store.commit(database) { connection throws(DatabaseError) in
                guard try ForwardingTable.figures(in: &connection).isOn else { return false }
                try TrackTable.add(id, body, in: &connection)
                return true
            }
        }
    }

    /// An hour that waits.
    ///
    /// - Returns: its body; nil if there is none, or none any more.
    /// - Throws: ``StorageError``.
    public func track(_ id: String) throws(StorageError) -> [UInt8]? {
        try store.read { connection throws(DatabaseError) in try TrackTable.body(of: id, in: &connection) }
    }

    /// - Throws: ``StorageError``.
    public func figures() throws(StorageError) -> ForwardingFigures {
        try store.read { connection throws(DatabaseError) in try ForwardingTable.figures(in: &connection) }
    }
}

/// The outbox as a kind of record: it has tables and no files.
final class ForwardingKind: RecordKind {
    var noun: String { "messages" }
    var migrations: [Migration] { ForwardingTable.migrations + PictureTable.migrations }
    func count(in connection: inout Connection) throws(DatabaseError) {}
    func newestKey(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading? { nil }
    func comparison(_ scene: ComparisonScene) -> any RecordComparison { NoComparison() }

    private struct NoComparison: RecordComparison {
        mutating func begin() throws(StorageError) {}
        mutating func advance() throws(StorageError) -> Bool { false }
        var progress: ComparisonProgress { ComparisonProgress() }
        func remark(hadIndex: Bool) -> PartHealth? { nil }
    }
}
