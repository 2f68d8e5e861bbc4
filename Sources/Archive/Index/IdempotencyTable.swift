internal import KonzaModel

/// The SQL of the idempotency keys of one kind of record: which requests were done, for a day of operation.
///
/// Ages are by ``OperatingTime``, which no clock step reaches.
struct IdempotencyTable<Kind> {
    /// How long a finished key is remembered, and how many are.
    static var lifetimeNanoseconds: Int64 { 24 * 3600 * 1_000_000_000 }
    static var maximumCount: Int { 10_000 }

    /// The table and its column of ids.
    let name: String
    let column: String

    struct Entry: Sendable {
        let requestHash: String
        let id: RecordID<Kind>
    }

    func find(_ key: String, now: OperatingTime.Reading, in connection: inout Connection) throws(DatabaseError)
        -> Entry?
    {
        try connection.rows(
            "SELECT request_hash, \(column) FROM \(name) WHERE key = ? AND completed_ns > ?",
            [.text(key), .integer(now.nanoseconds.addingClamped(-Self.lifetimeNanoseconds))]
        ) { row in
            RecordID<Kind>(row.text(1)).map { Entry(requestHash: row.text(0), id: $0) }
        }.compactMap(\.self).first
    }

    /// Remembers that a request is done, and forgets the keys that are too old or too many.
    func complete(
        _ key: IdempotencyKey, id: RecordID<Kind>, at now: OperatingTime.Reading,
        maximumCount: Int = Self.maximumCount, in connection: inout Connection
    ) throws(DatabaseError) {
        try prune(at: now, maximumCount: maximumCount - 1, in: &connection)
        try add(key, id: id, at: now, in: &connection)
    }

    /// Remembers that a request is done.
    func add(
        _ key: IdempotencyKey, id: RecordID<Kind>, at now: OperatingTime.Reading, in connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "INSERT OR IGNORE INTO \(name) (key, request_hash, \(column), completed_ns) VALUES (?, ?, ?, ?)",
            [.text(key.key), .text(key.requestHash), .text(id.description), .integer(now.nanoseconds)])
    }

    /// Forgets the keys that are too old or too many.
    func prune(
        at now: OperatingTime.Reading, maximumCount: Int = Self.maximumCount, in connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "DELETE FROM \(name) WHERE completed_ns <= ?",
            [.integer(now.nanoseconds.addingClamped(-Self.lifetimeNanoseconds))])
        try connection.run(
            """
            DELETE FROM \(name) WHERE rowid IN
                (SELECT rowid FROM \(name) ORDER BY completed_ns DESC, rowid DESC LIMIT -1 OFFSET ?)
            """, [.integer(Int64(maximumCount))])
    }

    /// When the last key was remembered; nil without one.
    func newest(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading? {
        try connection.rows("SELECT max(completed_ns) FROM \(name)") { row in
            row.isNull(0) ? nil : OperatingTime.Reading(nanoseconds: row.integer(0))
        }.first ?? nil
    }
}

extension IdempotencyTable<PostcardRecord> {
    static var postcards: Self { Self(name: "idempotency", column: "postcard_id") }
}

extension IdempotencyTable<Specimen> {
    static var specimens: Self { Self(name: "specimen_requests", column: "specimen") }
}
