internal import KonzaModel
internal import Storage

extension PostcardTable {
    /// The days whose folders are being written to, as their paths.
    static let days = MarkTable(name: "postcard_days", column: "folder", everything: "every day")

    static let migrations: [Migration] = [
        Migration(
            name: "2026-05 postcards",
            // `state`: 0 kept, 1 being deleted (its files may be partly gone), 2 its picture is missing.
            // `record` is the sidecar's text; the columns are what queries and retention need.
            sql: """
                CREATE TABLE postcards (
                    id TEXT PRIMARY KEY NOT NULL,
                    created_ns INTEGER NOT NULL,
                    state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)),
                    protected INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
                    latitude REAL,
                    longitude REAL,
                    stored_bytes INTEGER NOT NULL CHECK (stored_bytes >= 0),
                    record TEXT NOT NULL,
                    CHECK ((latitude IS NULL) = (longitude IS NULL))
                ) STRICT;
                CREATE INDEX postcards_newest ON postcards (state, created_ns DESC, id DESC);
                CREATE INDEX postcards_prunable ON postcards (created_ns, id) WHERE state = 0 AND protected = 0;
                CREATE TABLE idempotency (
                    key TEXT PRIMARY KEY NOT NULL,
                    request_hash TEXT NOT NULL,
                    postcard_id TEXT NOT NULL,
                    completed_ns INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX idempotency_oldest ON idempotency (completed_ns);
                """),
        Migration(
            name: "2026-11 postcard listing",
            // What a start needs without looking at every row: the totals, kept by triggers, and the days whose folders
            // were written to. What lists need without looking into records: the exposure, and by how many seconds
            // exposures and times of keeping differ, so that a range of one bounds the other.
            sql: """
                ALTER TABLE postcards ADD COLUMN exposed_ns INTEGER;
                UPDATE postcards SET exposed_ns =
                    unixepoch(substr(json_extract(record, '$.exposedAt'), 1, 19)) * 1000000000
                    + CAST(substr(json_extract(record, '$.exposedAt'), 21, 9) AS INTEGER)
                    WHERE json_valid(record)
                        AND unixepoch(substr(json_extract(record, '$.exposedAt'), 1, 19))
                            BETWEEN -9223372036 AND 9223372035;
                DROP INDEX postcards_newest;
                CREATE INDEX postcards_listed ON postcards
                    (state, created_ns DESC, id DESC, exposed_ns, latitude, longitude);
                CREATE INDEX postcards_places ON postcards (latitude, longitude, created_ns, id, exposed_ns)
                    WHERE state = 0;
                CREATE TABLE postcard_totals (
                    state INTEGER NOT NULL, protected INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL,
                    PRIMARY KEY (state, protected)
                ) STRICT, WITHOUT ROWID;
                INSERT INTO postcard_totals
                    SELECT state, protected, count(*), sum(stored_bytes) FROM postcards GROUP BY state, protected;
                CREATE TABLE postcard_delays (
                    one INTEGER PRIMARY KEY CHECK (one = 1), least INTEGER NOT NULL, most INTEGER NOT NULL
                ) STRICT;
                INSERT INTO postcard_delays SELECT 1,
                    coalesce(min(created_ns / 1000000000 - exposed_ns / 1000000000), 0),
                    coalesce(max(created_ns / 1000000000 - exposed_ns / 1000000000), 0) FROM postcards;
                CREATE TRIGGER postcards_added AFTER INSERT ON postcards BEGIN
                    INSERT INTO postcard_totals VALUES (new.state, new.protected, 1, new.stored_bytes)
                        ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
                    UPDATE postcard_delays SET
                        least = min(least, new.created_ns / 1000000000 - new.exposed_ns / 1000000000),
                        most = max(most, new.created_ns / 1000000000 - new.exposed_ns / 1000000000)
                        WHERE new.created_ns / 1000000000 - new.exposed_ns / 1000000000 NOT BETWEEN least AND most;
                END;
                CREATE TRIGGER postcards_changed AFTER UPDATE OF state, protected, stored_bytes ON postcards BEGIN
                    UPDATE postcard_totals SET count = count - 1, bytes = bytes - old.stored_bytes
                        WHERE state = old.state AND protected = old.protected;
                    INSERT INTO postcard_totals VALUES (new.state, new.protected, 1, new.stored_bytes)
                        ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER postcards_removed AFTER DELETE ON postcards BEGIN
                    UPDATE postcard_totals SET count = count - 1, bytes = bytes - old.stored_bytes
                        WHERE state = old.state AND protected = old.protected;
                END;
                CREATE TABLE postcard_days (folder TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO postcard_days VALUES ('every day');
                """),
        Migration(
            name: "2026-12 pruned postcards",
            // Whether it was deleted by age or for room, not by a person: others may keep their copies then.
            sql: "ALTER TABLE postcards ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0 CHECK (pruned IN (0, 1))"),
    ]
}

extension IdempotencyTable<PostcardRecord> {
    static var postcards: Self { Self(name: "idempotency", column: "postcard_id") }
}
