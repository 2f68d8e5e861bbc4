internal import KonzaModel
internal import Storage

extension PictureTable {
    /// The longest time that a picture which the store would not take is left alone, seconds.
    static let longestPause: Int64 = 86_400
    private static let firstPause: Int64 = 60

    private static let columns = """
        id, part, record, kind, media, rev, coalesce(key, ''), state = 2, tries, CASE
            WHEN part IN (0, 3) OR state = 2 THEN NULL
            WHEN kind = 'postcard' THEN
                (SELECT json_extract(r.record, '$.sha256') FROM postcards AS r
                    WHERE r.id = pictures.id AND json_valid(r.record))
            ELSE (SELECT json_extract(p.value, '$.sha256') FROM specimens AS r,
                    json_each(CASE WHEN json_valid(r.record) THEN r.record ELSE '{}' END, '$.photographs') AS p
                WHERE r.id = pictures.record AND json_extract(p.value, '$.id') = pictures.id) END
        """
    /// A time beyond every pause is of a clock that was wrong.
    private static let isDue = "(not_before_ns <= ?1 OR not_before_ns > ?2)"

    /// What the store is behind: removals, small pictures, wanted originals, and the others if they are to go too; of each the
    /// oldest first.
    ///
    /// - Parameters:
    ///   - limit: of them.
    ///   - allOriginals: whether originals that nobody asked for are to go.
    ///   - now: by the system's clock.
    ///   - naming: gives an object's name from the id, the part and the media type.
    ///   - connection: to the index.
    /// - Returns: the steps, each with its name, which is kept from now on.
    /// - Throws: ``DatabaseError``.
    static func steps(
        _ limit: Int, allOriginals: Bool, at now: UTCInstant,
        naming: (String, PicturePart, String) -> String?, in connection: inout Connection
    ) throws(DatabaseError) -> [PictureEntry] {
        var conditions = [
            "state = 2", "state = 0 AND part > 1", "state = 0 AND part = 0", "state = 0 AND is_wanted = 1",
        ]
        if allOriginals { conditions.append("state = 0 AND part = 1 AND is_wanted = 0") }
        var found: [PictureEntry] = []
        let latest = now.nanoseconds.addingClamped(2 * longestPause * 1_000_000_000)
        for condition in conditions where found.count < limit {
            found += try connection.rows(
                "SELECT \(columns) FROM pictures WHERE \(condition) AND \(isDue) ORDER BY id, part LIMIT ?3",
                [.integer(now.nanoseconds), .integer(latest), .integer(Int64(limit - found.count))], entry)
        }
        var steps: [PictureEntry] = []
        for var step in found {
            if step.key.isEmpty {
                guard let key = naming(step.id, step.part, step.mediaType) else { continue }
                try connection.run(
                    "UPDATE pictures SET key = ? WHERE id = ? AND part = ?",
                    [.text(key), .text(step.id), .integer(step.part.rawValue)])
                step.key = key
            }
            steps.append(step)
        }
        return steps
    }

    private static func entry(_ row: borrowing Row) -> PictureEntry {
        PictureEntry(
            id: row.text(0), part: PicturePart(rawValue: row.integer(1)) ?? .original, record: row.text(2),
            kind: ForwardedKind(rawValue: row.text(3)) ?? .postcard, mediaType: row.text(4),
            sha256: row.isNull(9) ? nil : row.text(9), rev: row.integer(5),
            key: row.text(6), isRemoval: row.integer(7) == 1, tries: Int(row.integer(8)))
    }

    /// Notes what came of a step.
    ///
    /// - Parameters:
    ///   - receipt: of the step.
    ///   - now: by the system's clock.
    ///   - tellsThumbnails: whether a small picture, too, is reported to the fleet's database, for no original follows soon.
    ///   - connection: to the index.
    /// - Returns: whether that was news.
    /// - Throws: ``DatabaseError``.
    static func confirm(
        _ receipt: PictureReceipt, at now: UTCInstant, tellsThumbnails: Bool, in connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let step: [SQLValue] = [.text(receipt.id), .integer(receipt.part.rawValue), .integer(receipt.rev)]
        let isStep = "id = ?1 AND part = ?2 AND rev = ?3"
        switch receipt.outcome {
        case .stored:
            let records = try connection.rows(
                """
                UPDATE pictures SET state = 1, stored_ns = ?4, is_wanted = 0, tries = 0, not_before_ns = 0
                    WHERE \(isStep) AND state = 0 RETURNING record
                """, step + [.integer(now.nanoseconds)]
            ) { $0.text(0) }
            guard let record = records.first else { return false }
            if receipt.part == .original || receipt.part == .thumbnail && tellsThumbnails {
                try connection.run(
                    "UPDATE forwarded SET rev = rev + 1 WHERE id = ? AND NOT is_deleted", [.text(record)])
            }
            return true
        case .removed: return try changes("DELETE FROM pictures WHERE \(isStep) AND state = 2", step, &connection)
        case .absent: return try changes("DELETE FROM pictures WHERE \(isStep) AND state = 0", step, &connection)
        case .deferred:
            return try changes(
                """
                UPDATE pictures SET tries = tries + 1,
                    not_before_ns = ?4 + 1000000000 * min(\(longestPause), \(firstPause) << min(tries, 12))
                    WHERE \(isStep) AND state <> 1
                """, step + [.integer(now.nanoseconds)], &connection)
        }
    }

    private static func changes(
        _ sql: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        try !connection.rows("\(sql) RETURNING id", values) { _ in true }.isEmpty
    }

    /// Somebody asks for an original.
    ///
    /// - Returns: whether it is stored already; nil if there is no such picture.
    static func want(_ id: String, in connection: inout Connection) throws(DatabaseError) -> Bool? {
        let stored = try isStored(id, in: &connection)
        guard stored == false else { return stored }
        try connection.run(
            "UPDATE pictures SET is_wanted = 1, not_before_ns = 0 WHERE id = ? AND part = 1 AND state = 0",
            [.text(id)])
        return false
    }

    /// Whether an original is in the store; nil if there is no such picture.
    static func isStored(_ id: String, in connection: inout Connection) throws(DatabaseError) -> Bool? {
        try connection.rows("SELECT state FROM pictures WHERE id = ? AND part = 1 AND state <> 2", [.text(id)]) {
            $0.integer(0) == 1
        }.first
    }

    /// How far the store is with the pictures of a record, in the order of their ids.
    static func states(of record: String, in connection: inout Connection) throws(DatabaseError) -> [PictureState] {
        try connection.rows(
            """
            SELECT o.id, o.media, o.state = 1, o.is_wanted, o.key, t.id IS NOT NULL, coalesce(t.state = 1, 0), t.key
                FROM pictures AS o LEFT JOIN pictures AS t ON t.id = o.id AND t.part = 0
                WHERE o.record = ? AND o.part = 1 AND o.state <> 2 ORDER BY o.id
            """, [.text(record)]
        ) { row in
            PictureState(
                id: row.text(0), mediaType: row.text(1), isStored: row.integer(2) == 1, isWanted: row.integer(3) == 1,
                key: row.isNull(4) ? nil : row.text(4), hasThumbnail: row.integer(5) == 1,
                isThumbnailStored: row.integer(6) == 1, thumbnailKey: row.isNull(7) ? nil : row.text(7))
        }
    }

    /// The newest postcard whose small picture is stored.
    static func latest(in connection: inout Connection) throws(DatabaseError) -> LatestPicture? {
        try connection.rows(
            """
            SELECT t.id, t.key, o.key FROM pictures AS t
                LEFT JOIN pictures AS o ON o.id = t.id AND o.part = 1 AND o.state = 1
                WHERE t.state = 1 AND t.part = 0 AND t.kind = 'postcard' ORDER BY t.id DESC LIMIT 1
            """
        ) { row in
            LatestPicture(id: row.text(0), thumbnailKey: row.text(1), key: row.isNull(2) ? nil : row.text(2))
        }.first
    }

    static func figures(in connection: inout Connection) throws(DatabaseError) -> PictureFigures {
        try connection.rows(
            """
            SELECT is_on, address, (SELECT count(*) FROM pictures WHERE state = 0 AND part = 0),
                (SELECT count(*) FROM pictures WHERE state = 0 AND part = 1),
                (SELECT count(*) FROM pictures WHERE state = 0 AND is_wanted = 1),
                (SELECT count(*) FROM pictures WHERE state = 2),
                (SELECT count(*) FROM pictures WHERE state = 0 AND tries > 0),
                (SELECT min(id) FROM (SELECT min(id) AS id FROM pictures WHERE state = 0 AND part = 0
                    UNION ALL SELECT min(id) FROM pictures WHERE state = 0 AND part > 1
                    UNION ALL SELECT min(id) FROM pictures WHERE state = 0 AND is_wanted = 1)),
                postcards_after IS NOT NULL OR specimens_after IS NOT NULL,
                (SELECT count(*) FROM pictures WHERE state = 0 AND part > 1) FROM picture_store
            """
        ) { row in
            var figures = PictureFigures()
            figures.isOn = row.integer(0) == 1
            figures.address = row.text(1)
            figures.thumbnails = Int(row.integer(2))
            figures.originals = Int(row.integer(3))
            figures.wanted = Int(row.integer(4))
            figures.removals = Int(row.integer(5))
            figures.deferred = Int(row.integer(6))
            figures.oldest = row.isNull(7) ? nil : row.text(7)
            figures.isCounting = row.integer(8) == 1
            figures.publics = Int(row.integer(9))
            return figures
        }.first ?? PictureFigures()
    }
}
