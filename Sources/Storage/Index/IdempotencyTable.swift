package import KonzaModel

/// The SQL of the idempotency keys of one kind of record: which requests were done, for a day of operation.
///
/// Ages are by ``OperatingTime``, which no clock step reaches.
package struct IdempotencyTable<Kind> {
    /// How long a finished key is remembered, and how many are.
    package static var lifetimeNanoseconds: Int64 { 24 * 3600 * 1_000_000_000 }
    package static var maximumCount: Int { 10_000 }

    /// The table and its column of ids.
    let name: String
    let column: String

    package init(name: String, column: String) {
        self.name = name
        self.column = column
    }

    package struct Entry: Sendable {
        package let requestHash: String
        package let id: RecordID<Kind>
    }

    package func find(_ key: String, now: OperatingTime.Reading, in connection: inout Connection) throws(DatabaseError)
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
    package func complete(
        _ key: IdempotencyKey, id: RecordID<Kind>, at now: OperatingTime.Reading,
        maximumCount: Int = Self.maximumCount, in connection: inout Connection
    ) throws(DatabaseError) {
        try prune(at: now, maximumCount: maximumCount - 1, in: &connection)
        try add(key, id: id, at: now, in: &connection)
    }

    /// Remembers that a request is done.
    package func add(
        _ key: IdempotencyKey, id: RecordID<Kind>, at now: OperatingTime.Reading, in connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "INSERT OR IGNORE INTO \(name) (key, request_hash, \(column), completed_ns) VALUES (?, ?, ?, ?)",
            [.text(key.key), .text(key.requestHash), .text(id.description), .integer(now.nanoseconds)])
    }

    /// Forgets the keys that are too old or too many.
    package func prune(
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
    package func newest(in connection: inout Connection) throws(DatabaseError) -> OperatingTime.Reading? {
        try connection.rows("SELECT max(completed_ns) FROM \(name)") { row in
            row.isNull(0) ? nil : OperatingTime.Reading(nanoseconds: row.integer(0))
        }.first ?? nil
    }
}
