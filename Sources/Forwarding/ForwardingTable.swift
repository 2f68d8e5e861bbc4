internal import Storage

/// The outbox in the index: one row a record, which says how far the fleet knows it. What a record is stays where it is.
enum ForwardingTable {
    static let migrations: [Migration] = [
        Migration(
            name: "2026-12 forwarding",
            // `rev` is what the record has come to, `sent` what the fleet has confirmed. `seq` is the number of the message
            // that is under way; a record that changes meanwhile keeps it, so that no number is left out. Triggers write
            // in the record's own transaction. What retention deletes (`pruned`) stays with the fleet; what a person
            // deletes is deleted there too.
            sql: """
                CREATE TABLE forwarding (
                    one INTEGER PRIMARY KEY CHECK (one = 1), is_on INTEGER NOT NULL, log TEXT NOT NULL,
                    next_seq INTEGER NOT NULL, postcards_after TEXT, specimens_after TEXT
                ) STRICT;
                INSERT INTO forwarding VALUES (1, 0, '', 1, NULL, NULL);
                CREATE TABLE forwarded (
                    id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, rev INTEGER NOT NULL,
                    sent INTEGER NOT NULL DEFAULT 0, seq INTEGER, is_deleted INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX forwarded_waiting ON forwarded (id) WHERE rev > sent;
                CREATE INDEX forwarded_under_way ON forwarded (seq) WHERE seq IS NOT NULL;
                CREATE TRIGGER forward_new_postcard AFTER INSERT ON postcards
                    WHEN new.state = 0 AND (SELECT is_on FROM forwarding) BEGIN
                    INSERT INTO forwarded (kind, id, rev) VALUES ('postcard', new.id, 1)
                        ON CONFLICT DO UPDATE SET rev = rev + 1, is_deleted = 0;
                END;
                CREATE TRIGGER forward_changed_postcard AFTER UPDATE OF record ON postcards
                    WHEN new.record <> old.record AND (SELECT is_on FROM forwarding) BEGIN
                    UPDATE forwarded SET rev = rev + 1 WHERE id = new.id;
                END;
                CREATE TRIGGER forward_deleted_postcard AFTER UPDATE OF state ON postcards
                    WHEN new.state = 1 AND old.state <> 1 AND (SELECT is_on FROM forwarding) BEGIN
                    DELETE FROM forwarded WHERE id = new.id
                        AND (new.pruned AND rev = sent OR sent = 0 AND seq IS NULL);
                    UPDATE forwarded SET rev = rev + 1, is_deleted = 1
                        WHERE id = new.id AND NOT is_deleted AND NOT new.pruned;
                END;
                CREATE TRIGGER forward_new_specimen AFTER INSERT ON specimens
                    WHEN (SELECT is_on FROM forwarding) BEGIN
                    INSERT INTO forwarded (kind, id, rev) VALUES ('specimen', new.id, 1)
                        ON CONFLICT DO UPDATE SET rev = rev + 1, is_deleted = 0;
                END;
                CREATE TRIGGER forward_changed_specimen AFTER UPDATE OF record ON specimens
                    WHEN new.record <> old.record AND (SELECT is_on FROM forwarding) BEGIN
                    UPDATE forwarded SET rev = rev + 1 WHERE id = new.id;
                END;
                CREATE TRIGGER forward_deleted_specimen AFTER DELETE ON specimens
                    WHEN (SELECT is_on FROM forwarding) BEGIN
                    DELETE FROM forwarded WHERE id = old.id AND sent = 0 AND seq IS NULL;
                    UPDATE forwarded SET rev = rev + 1, is_deleted = 1
                        WHERE id = old.id AND NOT is_deleted;
                END;
                """),
        TrackTable.migration,
    ]

    /// Begins a new log of messages: every record is to be told, what is gone included.
    static func begin(_ log: String, in connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            UPDATE forwarding SET is_on = 1, log = ?, next_seq = 1, postcards_after = '', specimens_after = ''
            """, [.text(log)])
        // What was confirmed in an earlier log is told again; what was deleted meanwhile is told as deleted.
        try connection.run(
            """
            UPDATE forwarded SET rev = rev + 1, seq = NULL, is_deleted = is_deleted OR CASE kind
                WHEN 'postcard' THEN NOT EXISTS (SELECT 1 FROM postcards WHERE postcards.id = forwarded.id AND state <> 1)
                WHEN 'track' THEN 0
                ELSE NOT EXISTS (SELECT 1 FROM specimens WHERE specimens.id = forwarded.id) END
            """)
    }

    /// Adds records from before forwarding was on, a portion at a time.
    ///
    /// - Returns: whether there are more.
    static func addOlder(_ portion: Int, in connection: inout Connection) throws(DatabaseError) -> Bool {
        if try addOlder("postcard", "postcards", "AND state = 0", portion, in: &connection) { return true }
        return try addOlder("specimen", "specimens", "", portion, in: &connection)
    }

    private static func addOlder(
        _ kind: String, _ table: String, _ condition: String, _ portion: Int, in connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let after = try connection.rows("SELECT \(table)_after FROM forwarding WHERE \(table)_after IS NOT NULL") {
            $0.text(0)
        }.first
        guard let after else { return false }
        let last = try connection.rows(
            "SELECT max(id), count(*) FROM (SELECT id FROM \(table) WHERE id > ? ORDER BY id LIMIT ?)",
            [.text(after), .integer(Int64(portion))]
        ) { (id: $0.text(0), count: $0.integer(1)) }.first
        guard let last, last.count > 0 else {
            try connection.run("UPDATE forwarding SET \(table)_after = NULL")
            return false
        }
        try connection.run(
            """
            INSERT OR IGNORE INTO forwarded (kind, id, rev)
                SELECT '\(kind)', id, 1 FROM \(table) WHERE id > ? AND id <= ? \(condition)
            """, [.text(after), .text(last.id)])
        try connection.run("UPDATE forwarding SET \(table)_after = ?", [.text(last.id)])
        return true
    }

    /// What waits, oldest record first, each under its number; a number is given once and for all.
    static func claim(
        _ limit: Int, of kinds: Set<ForwardedKind>, in connection: inout Connection
    ) throws(DatabaseError) -> [ForwardingEntry] {
        let names = ForwardedKind.allCases.filter(kinds.contains).map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let isWanted = kinds.count < ForwardedKind.allCases.count ? "AND kind IN (\(names))" : ""
        let columns = "kind, id, rev, coalesce(seq, 0), is_deleted"
        // Each by its own index: a month's outbox is not sorted for every portion.
        let waits = "SELECT \(columns) FROM forwarded WHERE rev > sent \(isWanted)"
        let underWay = "\(waits) AND seq IS NOT NULL ORDER BY seq LIMIT ?"
        var waiting = try connection.rows(underWay, [.integer(Int64(limit))], entry)
        let further = "\(waits) AND seq IS NULL ORDER BY id LIMIT ?"
        waiting += try connection.rows(further, [.integer(Int64(limit - waiting.count))], entry)
        guard waiting.contains(where: { $0.seq == 0 }) else { return waiting }
        var next = try connection.rows("SELECT next_seq FROM forwarding") { $0.integer(0) }.first ?? 1
        var claimed: [ForwardingEntry] = []
        for var entry in waiting {
            if entry.seq == 0 {
                entry.seq = next
                next += 1
                try connection.run(
                    "UPDATE forwarded SET seq = ? WHERE id = ?", [.integer(entry.seq), .text(entry.id)])
            }
            claimed.append(entry)
        }
        try connection.run("UPDATE forwarding SET next_seq = ?", [.integer(next)])
        return claimed
    }

    private static func entry(_ row: borrowing Row) -> ForwardingEntry {
        ForwardingEntry(
            kind: ForwardedKind(rawValue: row.text(0)) ?? .postcard, id: row.text(1), rev: row.integer(2),
            seq: row.integer(3), isDeleted: row.integer(4) == 1)
    }

    /// The fleet has a record as it was at a revision.
    ///
    /// - Returns: whether that was news.
    static func confirm(_ receipt: ForwardingReceipt, in connection: inout Connection) throws(DatabaseError) -> Bool {
        let rows = try connection.rows(
            """
            UPDATE forwarded SET sent = ?2, seq = NULL WHERE id = ?1 AND sent < ?2 AND rev >= ?2
                RETURNING rev = sent AND (is_deleted OR kind = 'track')
            """, [.text(receipt.id), .integer(receipt.rev)]
        ) { $0.integer(0) == 1 }
        // Nobody asks for what is gone here and there.
        if rows.first == true {
            try connection.run("DELETE FROM forwarded WHERE id = ?", [.text(receipt.id)])
            try TrackTable.remove(receipt.id, in: &connection)
        }
        return !rows.isEmpty
    }

    static func figures(in connection: inout Connection) throws(DatabaseError) -> ForwardingFigures {
        try connection.rows(
            """
            SELECT is_on, log, next_seq - 1, (SELECT count(*) FROM forwarded WHERE rev > sent),
                (SELECT min(id) FROM forwarded WHERE rev > sent),
                postcards_after IS NOT NULL OR specimens_after IS NOT NULL FROM forwarding
            """
        ) { row in
            ForwardingFigures(
                isOn: row.integer(0) == 1, log: row.text(1), lastSeq: row.integer(2), waiting: Int(row.integer(3)),
                oldest: row.isNull(4) ? nil : row.text(4), isCounting: row.integer(5) == 1)
        }.first ?? ForwardingFigures()
    }
}
