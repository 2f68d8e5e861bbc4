internal import KonzaModel
internal import Storage

/// The outbox of pictures in the index: two rows a picture, which say how far the store has it. The pictures stay where they
/// are.
enum PictureTable {
    private static let addPostcard = """
        INSERT INTO pictures (id, part, record, kind, media)
            SELECT new.id, part, new.id, 'postcard', 'image/jpeg' FROM (SELECT 0 AS part UNION ALL SELECT 1) WHERE true
            ON CONFLICT DO UPDATE SET state = 0, rev = rev + 1, tries = 0, not_before_ns = 0 WHERE state = 2;
        """

    static let migrations: [Migration] = [
        Migration(
            name: "2026-12 pictures for a store",
            // `key` is the object's name, given when the picture is first handed out: until then nobody can have stored it,
            // and its deletion is no affair of the store. Triggers write in the record's own transaction; a specimen that
            // changed is only marked, since no trigger may use functions of JSON in a schema that is not trusted (SQLite
            // 3.40). What a person deletes goes from the store too, whether one is set or not; what retention deletes
            // (`pruned`) stays there, and its rows go. An object with an end (`ends_ns`) goes at that. `state` is 0 for what
            // waits, 1 for what is stored, 2 for what is to be removed.
            sql: """
                CREATE TABLE picture_store (
                    one INTEGER PRIMARY KEY CHECK (one = 1), is_on INTEGER NOT NULL, address TEXT NOT NULL,
                    postcards_after TEXT, specimens_after TEXT
                ) STRICT;
                INSERT INTO picture_store VALUES (1, 0, '', NULL, NULL);
                CREATE TABLE pictures (
                    id TEXT NOT NULL, part INTEGER NOT NULL, record TEXT NOT NULL, kind TEXT NOT NULL,
                    media TEXT NOT NULL, state INTEGER NOT NULL DEFAULT 0, rev INTEGER NOT NULL DEFAULT 1, key TEXT,
                    is_wanted INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0,
                    not_before_ns INTEGER NOT NULL DEFAULT 0, stored_ns INTEGER, ends_ns INTEGER,
                    PRIMARY KEY (id, part)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE picture_marks (specimen TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
                CREATE INDEX pictures_of_record ON pictures (record);
                CREATE INDEX pictures_waiting ON pictures (part, id) WHERE state = 0;
                CREATE INDEX pictures_wanted ON pictures (id) WHERE state = 0 AND is_wanted = 1;
                CREATE INDEX pictures_ending ON pictures (ends_ns) WHERE ends_ns IS NOT NULL;
                CREATE INDEX pictures_removing ON pictures (id) WHERE state = 2;
                CREATE INDEX pictures_latest ON pictures (id) WHERE state = 1 AND part = 0 AND kind = 'postcard';
                CREATE TRIGGER pictures_of_new_postcard AFTER INSERT ON postcards
                    WHEN new.state = 0 AND (SELECT is_on FROM picture_store) BEGIN
                    \(addPostcard)
                END;
                CREATE TRIGGER pictures_of_found_postcard AFTER UPDATE OF state ON postcards
                    WHEN new.state = 0 AND old.state <> 0 AND (SELECT is_on FROM picture_store) BEGIN
                    \(addPostcard)
                END;
                CREATE TRIGGER pictures_of_deleted_postcard AFTER UPDATE OF state ON postcards
                    WHEN new.state = 1 AND old.state <> 1 BEGIN
                    DELETE FROM pictures WHERE id = new.id AND state <> 2
                        AND (new.pruned AND ends_ns IS NULL OR state = 0 AND key IS NULL);
                    UPDATE pictures SET state = 2, rev = rev + 1, tries = 0, not_before_ns = 0
                        WHERE id = new.id AND state <> 2 AND NOT new.pruned;
                END;
                CREATE TRIGGER pictures_of_missing_postcard AFTER UPDATE OF state ON postcards
                    WHEN new.state = 2 BEGIN
                    DELETE FROM pictures WHERE id = new.id AND state = 0;
                END;
                CREATE TRIGGER pictures_of_forgotten_postcard AFTER DELETE ON postcards BEGIN
                    DELETE FROM pictures WHERE id = old.id AND state <> 2 AND ends_ns IS NULL;
                END;
                CREATE TRIGGER pictures_of_new_specimen AFTER INSERT ON specimens
                    WHEN new.deleted_ns IS NULL AND (SELECT is_on FROM picture_store) BEGIN
                    INSERT INTO picture_marks VALUES (new.id) ON CONFLICT DO NOTHING;
                END;
                CREATE TRIGGER pictures_of_changed_specimen AFTER UPDATE OF record, deleted_ns ON specimens
                    WHEN (new.record <> old.record OR new.deleted_ns IS NOT old.deleted_ns) AND (
                        (SELECT is_on FROM picture_store) OR EXISTS (SELECT 1 FROM pictures WHERE record = new.id)) BEGIN
                    INSERT INTO picture_marks VALUES (new.id) ON CONFLICT DO NOTHING;
                END;
                CREATE TRIGGER pictures_of_deleted_specimen AFTER UPDATE OF deleted_ns ON specimens
                    WHEN new.deleted_ns IS NOT NULL BEGIN
                    DELETE FROM pictures WHERE record = new.id AND state = 0 AND key IS NULL;
                    UPDATE pictures SET state = 2, rev = rev + 1, tries = 0, not_before_ns = 0
                        WHERE record = new.id AND state <> 2;
                END;
                CREATE TRIGGER pictures_of_forgotten_specimen AFTER DELETE ON specimens BEGIN
                    DELETE FROM pictures WHERE record = old.id AND state <> 2;
                    DELETE FROM picture_marks WHERE specimen = old.id;
                END;
                """)
    ]

    /// The photographs that specimens' records name, two parts each. A record that is no JSON has none.
    private static let photographs = """
        SELECT json_extract(p.value, '$.id') AS id, q.part AS part, s.id AS record,
            CASE q.part WHEN 0 THEN 'image/jpeg' ELSE json_extract(p.value, '$.mediaType') END AS media
        FROM specimens AS s,
            json_each(CASE WHEN json_valid(s.record) THEN s.record ELSE '{}' END, '$.photographs') AS p,
            (SELECT 0 AS part UNION ALL SELECT 1) AS q
        WHERE s.deleted_ns IS NULL AND json_extract(p.value, '$.id') IS NOT NULL
            AND json_extract(p.value, '$.mediaType') IS NOT NULL
        """

    // MARK: - Marks

    /// Whether specimens have changed whose photographs were not looked at since.
    static func hasMarks(in connection: inout Connection) throws(DatabaseError) -> Bool {
        try !connection.rows("SELECT 1 FROM picture_marks LIMIT 1") { _ in true }.isEmpty
    }

    /// Looks at the photographs of specimens that have changed.
    static func settleMarks(_ portion: Int, in connection: inout Connection) throws(DatabaseError) {
        let marked = try connection.rows("SELECT specimen FROM picture_marks LIMIT ?", [.integer(Int64(portion))]) {
            $0.text(0)
        }
        let isOn = try connection.rows("SELECT is_on FROM picture_store") { $0.integer(0) == 1 }.first ?? false
        for specimen in marked {
            let id = [SQLValue.text(specimen)]
            let isGone = "record = ?1 AND state <> 2 AND id NOT IN (SELECT id FROM (\(photographs) AND s.id = ?1))"
            try connection.run("DELETE FROM pictures WHERE \(isGone) AND state = 0 AND key IS NULL", id)
            try connection.run(
                "UPDATE pictures SET state = 2, rev = rev + 1, tries = 0, not_before_ns = 0 WHERE \(isGone)", id)
            if isOn {
                try connection.run(
                    """
                    INSERT INTO pictures (id, part, record, kind, media)
                        SELECT id, part, record, 'specimen', media FROM (\(photographs) AND s.id = ?1) WHERE true
                        ON CONFLICT DO UPDATE SET state = 0, rev = rev + 1, tries = 0, not_before_ns = 0
                            WHERE state = 2
                    """, id)
            }
            try connection.run("DELETE FROM picture_marks WHERE specimen = ?1", id)
        }
    }

    // MARK: - Beginning

    /// Begins, goes on with or ends what is stored. In another store everything is stored anew.
    static func turn(_ isOn: Bool, address: String, in connection: inout Connection) throws(DatabaseError) {
        let was = try connection.rows("SELECT is_on, address FROM picture_store") { row in
            (isOn: row.integer(0) == 1, address: row.text(1))
        }.first
        guard isOn else {
            if was?.isOn == true { try connection.run("UPDATE picture_store SET is_on = 0") }
            return
        }
        guard was?.isOn != true || was?.address != address else { return }
        try connection.run(
            "UPDATE picture_store SET is_on = 1, address = ?, postcards_after = '', specimens_after = ''",
            [.text(address)])
        guard was?.address != "", was?.address != address else { return }
        try connection.run(
            """
            UPDATE pictures SET state = 0, rev = rev + 1, tries = 0, not_before_ns = 0, stored_ns = NULL WHERE state = 1
            """)
    }

    /// Adds pictures of records from before, a portion at a time.
    ///
    /// - Returns: whether there are more.
    static func addOlder(_ portion: Int, in connection: inout Connection) throws(DatabaseError) -> Bool {
        if let ids = try nextOlder("postcards", portion, in: &connection) {
            try connection.run(
                """
                INSERT OR IGNORE INTO pictures (id, part, record, kind, media)
                    SELECT id, part, id, 'postcard', 'image/jpeg' FROM postcards,
                        (SELECT 0 AS part UNION ALL SELECT 1)
                    WHERE id > ? AND id <= ? AND state = 0 AND (part = 1 OR json_valid(record)
                        AND json_extract(record, '$.thumbnailByteCount') IS NOT NULL)
                """, [.text(ids.after), .text(ids.last)])
            return true
        }
        guard let ids = try nextOlder("specimens", portion, in: &connection) else { return false }
        try connection.run(
            """
            INSERT OR IGNORE INTO pictures (id, part, record, kind, media)
                SELECT id, part, record, 'specimen', media FROM (\(photographs) AND s.id > ? AND s.id <= ?)
            """, [.text(ids.after), .text(ids.last)])
        return true
    }

    /// The next ids to look at; nil after the last.
    private static func nextOlder(
        _ table: String, _ portion: Int, in connection: inout Connection
    ) throws(DatabaseError) -> (after: String, last: String)? {
        let after = try connection.rows(
            "SELECT \(table)_after FROM picture_store WHERE \(table)_after IS NOT NULL"
        ) { $0.text(0) }.first
        guard let after else { return nil }
        let last = try connection.rows(
            "SELECT max(id), count(*) FROM (SELECT id FROM \(table) WHERE id > ? ORDER BY id LIMIT ?)",
            [.text(after), .integer(Int64(portion))]
        ) { (id: $0.text(0), count: $0.integer(1)) }.first
        guard let last, last.count > 0 else {
            try connection.run("UPDATE picture_store SET \(table)_after = NULL")
            return nil
        }
        try connection.run("UPDATE picture_store SET \(table)_after = ?", [.text(last.id)])
        return (after, last.id)
    }
}
