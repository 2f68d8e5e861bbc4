internal import KonzaModel

/// The SQL of the postcards' table.
enum PostcardTable {
    enum State: Int64, Sendable {
        case kept = 0
        /// Deletion has begun and outlives a crash; readers do not see the row.
        case deleting = 1
        /// The picture's file is not there.
        case missing = 2
    }

    static func insert(
        _ sidecar: Sidecar, text: [UInt8], into connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            """
            INSERT INTO postcards (id, created_ns, protected, latitude, longitude, stored_bytes, record)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(sidecar.id.description), .integer(sidecar.createdAt.instant.nanoseconds),
                .integer(sidecar.isProtected ? 1 : 0), SQLValue(sidecar.position?.latitude),
                SQLValue(sidecar.position?.longitude), .integer(sidecar.storedBytes(sidecarSize: text.count)),
                .text(String(decoding: text, as: UTF8.self)),
            ])
    }

    static func setState(
        _ state: State, of id: PostcardID, in connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "UPDATE postcards SET state = ? WHERE id = ?", [.integer(state.rawValue), .text(id.description)])
    }

    static func remove(_ id: PostcardID, from connection: inout Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM postcards WHERE id = ?", [.text(id.description)])
    }

    /// One row as the index has it.
    struct Entry: Sendable {
        let state: State
        let isProtected: Bool
        let storedBytes: Int64
        let record: String
    }

    static func entry(_ id: PostcardID, in connection: inout Connection) throws(DatabaseError) -> Entry? {
        try connection.rows(
            "SELECT state, protected, stored_bytes, record FROM postcards WHERE id = ?", [.text(id.description)]
        ) { row in
            Entry(
                state: State(rawValue: row.integer(0)) ?? .missing, isProtected: row.integer(1) == 1,
                storedBytes: row.integer(2), record: row.text(3))
        }.first
    }

    /// All ids with their states.
    static func states(in connection: inout Connection) throws(DatabaseError) -> [(PostcardID, State)] {
        try connection.rows("SELECT id, state FROM postcards") { row in
            PostcardID(row.text(0)).map { ($0, State(rawValue: row.integer(1)) ?? .missing) }
        }.compactMap(\.self)
    }

    /// What retention counts.
    struct Totals: Sendable, Equatable {
        var bytes: Int64 = 0
        var count = 0
        var prunableBytes: Int64 = 0
        var protectedCount = 0
        var missingCount = 0

        /// Counts a postcard that has been kept.
        mutating func add(bytes added: Int64, isProtected: Bool) {
            bytes = bytes.addingClamped(added)
            count += 1
            if isProtected {
                protectedCount += 1
            } else {
                prunableBytes = prunableBytes.addingClamped(added)
            }
        }

        /// Counts a postcard no longer.
        mutating func remove(_ entry: Entry) {
            guard entry.state == .kept else {
                missingCount -= 1
                return
            }
            bytes = bytes.addingClamped(-entry.storedBytes)
            count -= 1
            if entry.isProtected {
                protectedCount -= 1
            } else {
                prunableBytes = prunableBytes.addingClamped(-entry.storedBytes)
            }
        }
    }

    static func totals(in connection: inout Connection) throws(DatabaseError) -> Totals {
        try connection.rows(
            """
            SELECT coalesce(sum(stored_bytes) FILTER (WHERE state = 0), 0), count(*) FILTER (WHERE state = 0),
                coalesce(sum(stored_bytes) FILTER (WHERE state = 0 AND protected = 0), 0),
                count(*) FILTER (WHERE state = 0 AND protected = 1), count(*) FILTER (WHERE state = 2)
            FROM postcards
            """
        ) { row in
            Totals(
                bytes: row.integer(0), count: Int(row.integer(1)), prunableBytes: row.integer(2),
                protectedCount: Int(row.integer(3)), missingCount: Int(row.integer(4)))
        }.first ?? Totals()
    }

    /// A postcard that retention may delete.
    struct Candidate: Sendable {
        let id: PostcardID
        let bytes: Int64
    }

    /// The oldest unprotected postcards of those that are older than an instant.
    static func prunable(
        before instant: UTCInstant, limit: Int, in connection: inout Connection
    ) throws(DatabaseError) -> [Candidate] {
        try connection.rows(
            """
            SELECT id, stored_bytes FROM postcards WHERE state = 0 AND protected = 0 AND created_ns < ?
            ORDER BY created_ns, id LIMIT ?
            """, [.integer(instant.nanoseconds), .integer(Int64(limit))]
        ) { row in
            PostcardID(row.text(0)).map { Candidate(id: $0, bytes: row.integer(1)) }
        }.compactMap(\.self)
    }
}
