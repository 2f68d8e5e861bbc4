internal import KonzaModel
internal import Storage

extension PictureTable {
    /// The most public links at one time.
    static let mostLinks = 5000

    /// Has a postcard stored under an unguessable name, with a page beside it. A postcard has one such name: again, it gets
    /// another end.
    ///
    /// - Returns: false if there is no such postcard, or there are too many links.
    static func publish(
        _ id: String, name: String, until end: UTCInstant, in connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let count = try connection.rows(
            "SELECT count(*) FROM pictures WHERE ends_ns IS NOT NULL AND id <> ?", [.text(id)]
        ) {
            $0.integer(0)
        }.first
        guard count ?? 0 < 2 * mostLinks else { return false }
        let rows = try connection.rows(
            """
            INSERT INTO pictures (id, part, record, kind, media, key, ends_ns)
                SELECT id, part, id, 'postcard', media, 'p/' || ?2 || '/' || name, ?3 FROM postcards, (
                    SELECT 2 AS part, 'image/jpeg' AS media, 'postcard.jpg' AS name
                    UNION ALL SELECT 3, 'text/html; charset=utf-8', 'index.html')
                WHERE id = ?1 AND state = 0
                ON CONFLICT DO UPDATE SET ends_ns = excluded.ends_ns, rev = rev + 1, tries = 0, not_before_ns = 0,
                    state = CASE state WHEN 2 THEN 0 ELSE state END
                RETURNING part
            """, [.text(id), .text(name), .integer(end.nanoseconds)]
        ) { $0.integer(0) }
        return !rows.isEmpty
    }

    /// Has the public objects of a postcard removed.
    ///
    /// - Returns: whether there were any.
    static func unpublish(_ id: String, in connection: inout Connection) throws(DatabaseError) -> Bool {
        try !end("id = ?", [.text(id)], in: &connection).isEmpty
    }

    /// Whether the time of public objects is over.
    static func hasEnded(at now: UTCInstant, in connection: inout Connection) throws(DatabaseError) -> Bool {
        try !connection.rows(
            "SELECT 1 FROM pictures WHERE ends_ns <= ? AND state <> 2 LIMIT 1", [.integer(now.nanoseconds)]
        ) { _ in true }.isEmpty
    }

    /// Has the public objects removed whose time is over.
    ///
    /// - Returns: whether there were any.
    static func endPublic(at now: UTCInstant, in connection: inout Connection) throws(DatabaseError) -> Bool {
        try !end("ends_ns <= ?", [.integer(now.nanoseconds)], in: &connection).isEmpty
    }

    private static func end(
        _ condition: String, _ values: [SQLValue], in connection: inout Connection
    ) throws(DatabaseError) -> [Bool] {
        try connection.rows(
            """
            UPDATE pictures SET state = 2, rev = rev + 1, tries = 0, not_before_ns = 0
                WHERE ends_ns IS NOT NULL AND state <> 2 AND \(condition) RETURNING id
            """, values
        ) { _ in true }
    }

    /// The public link of a postcard; nil without one.
    static func link(of id: String, in connection: inout Connection) throws(DatabaseError) -> PublicLinkState? {
        try connection.rows(
            """
            SELECT page.key, page.ends_ns, page.state = 1 AND card.state = 1 FROM pictures AS page
                JOIN pictures AS card ON card.id = page.id AND card.part = 2
                WHERE page.id = ? AND page.part = 3 AND page.state <> 2 AND card.state <> 2
            """, [.text(id)]
        ) { row in
            PublicLinkState(
                pageKey: row.text(0), endsAt: UTCInstant(nanoseconds: row.integer(1)), isStored: row.integer(2) == 1)
        }.first
    }
}
