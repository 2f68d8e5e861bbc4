internal import Storage

/// Hours of the station's way and counts that wait for the fleet: the one thing in the outbox that is kept nowhere else.
enum TrackTable {
    static let migration = Migration(
        name: "2026-12 tracks of the fleet",
        sql: "CREATE TABLE tracks_forwarded (id TEXT PRIMARY KEY NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;")

    /// The most that they may take together, bytes: three months of hours that say little, and two weeks on the move.
    static let mostBytes: Int64 = 8 << 20

    static func add(_ id: String, _ body: [UInt8], in connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            "INSERT INTO tracks_forwarded VALUES (?, ?)", [.text(id), .text(String(decoding: body, as: UTF8.self))])
        try connection.run("INSERT INTO forwarded (kind, id, rev) VALUES ('track', ?, 1)", [.text(id)])
        while try bytes(in: &connection) > mostBytes {
            if try thin(in: &connection) == 0 { break }
        }
    }

    private static func bytes(in connection: inout Connection) throws(DatabaseError) -> Int64 {
        // The length of a text counts its characters, one by one; that of a blob is known.
        try connection.rows("SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM tracks_forwarded") {
            $0.integer(0)
        }.first ?? 0
    }

    /// Lets go of every second one that has no number yet: a number that was given must come.
    ///
    /// - Returns: how many went.
    private static func thin(in connection: inout Connection) throws(DatabaseError) -> Int {
        let spare = try connection.rows(
            """
            SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM forwarded
                WHERE kind = 'track' AND seq IS NULL) WHERE number % 2 = 1
            """
        ) { $0.text(0) }
        for id in spare {
            try remove(id, in: &connection)
            try connection.run("DELETE FROM forwarded WHERE id = ?", [.text(id)])
        }
        return spare.count
    }

    static func remove(_ id: String, in connection: inout Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM tracks_forwarded WHERE id = ?", [.text(id)])
    }

    static func body(of id: String, in connection: inout Connection) throws(DatabaseError) -> [UInt8]? {
        try connection.rows("SELECT body FROM tracks_forwarded WHERE id = ?", [.text(id)]) { Array($0.text(0).utf8) }
            .first
    }
}
