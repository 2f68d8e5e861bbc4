internal import KonzaModel
internal import Storage

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
            INSERT INTO postcards
                (id, created_ns, exposed_ns, protected, latitude, longitude, stored_bytes, record)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(sidecar.id.description), .integer(sidecar.createdAt.instant.nanoseconds),
                .integer(sidecar.exposedAt.instant.nanoseconds),
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

    /// Marks a postcard as being deleted.
    static func doom(_ id: PostcardID, isPruned: Bool, in connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            "UPDATE postcards SET state = ?, pruned = ? WHERE id = ?",
            [.integer(State.deleting.rawValue), .integer(isPruned ? 1 : 0), .text(id.description)])
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

    /// The states of the postcards with ids from one on and below another, each nil for no bound.
    static func states(
        from first: PostcardID?, below end: PostcardID?, in connection: inout Connection
    ) throws(DatabaseError) -> [PostcardID: State] {
        let rows = try connection.rows(
            "SELECT id, state FROM postcards WHERE id >= ? AND id < ?",
            [.text(first?.description ?? ""), .text(end?.description ?? "~")]
        ) { row in
            PostcardID(row.text(0)).map { ($0, State(rawValue: row.integer(1)) ?? .missing) }
        }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    /// The largest id below another; nil without one.
    static func newest(
        below id: PostcardID?, in connection: inout Connection
    ) throws(DatabaseError) -> PostcardID? {
        try connection.rows(
            "SELECT id FROM postcards WHERE id < ? ORDER BY id DESC LIMIT 1", [.text(id?.description ?? "~")]
        ) { PostcardID($0.text(0)) }.compactMap(\.self).first
    }

    /// When the oldest that is kept was taken; nil without one.
    static func oldest(in connection: inout Connection) throws(DatabaseError) -> UTCInstant? {
        try connection.rows("SELECT created_ns FROM postcards WHERE state = 0 ORDER BY created_ns LIMIT 1") {
            UTCInstant(nanoseconds: $0.integer(0))
        }.first
    }

    static func ids(in state: State, in connection: inout Connection) throws(DatabaseError) -> [PostcardID] {
        try connection.rows("SELECT id FROM postcards WHERE state = ?", [.integer(state.rawValue)]) {
            PostcardID($0.text(0))
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

        /// Counts a row.
        mutating func add(_ entry: Entry) {
            switch entry.state {
            case .kept: add(bytes: entry.storedBytes, isProtected: entry.isProtected)
            case .missing: missingCount += 1
            case .deleting: break
            }
        }

        /// Counts a postcard no longer.
        mutating func remove(_ entry: Entry) {
            guard entry.state == .kept else {
                if entry.state == .missing { missingCount -= 1 }
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
            SELECT coalesce(sum(bytes) FILTER (WHERE state = 0), 0), coalesce(sum(count) FILTER (WHERE state = 0), 0),
                coalesce(sum(bytes) FILTER (WHERE state = 0 AND protected = 0), 0),
                coalesce(sum(count) FILTER (WHERE state = 0 AND protected = 1), 0),
                coalesce(sum(count) FILTER (WHERE state = 2), 0)
            FROM postcard_totals
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
