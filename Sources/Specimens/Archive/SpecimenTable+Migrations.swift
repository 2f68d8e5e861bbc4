internal import Storage

extension SpecimenTable {
    static let migrations: [Migration] = [
        Migration(
            name: "2026-11 specimens",
            // All of it is made anew from the files in `specimens/`. `record` is the file's text, `number_key` the
            // number without its letter case, `words` what a search by text looks into, in lower case.
            sql: """
                CREATE TABLE specimens (
                    id TEXT PRIMARY KEY NOT NULL,
                    number_key TEXT NOT NULL,
                    created_ns INTEGER NOT NULL,
                    deleted_ns INTEGER,
                    latitude REAL,
                    longitude REAL,
                    stored_bytes INTEGER NOT NULL CHECK (stored_bytes >= 0),
                    words TEXT NOT NULL,
                    record TEXT NOT NULL,
                    CHECK ((latitude IS NULL) = (longitude IS NULL))
                ) STRICT;
                CREATE INDEX specimens_newest ON specimens (created_ns DESC, id DESC);
                CREATE INDEX specimens_number ON specimens (number_key);
                CREATE TABLE submissions (
                    specimen TEXT NOT NULL REFERENCES specimens (id) ON DELETE CASCADE,
                    target TEXT NOT NULL,
                    state TEXT NOT NULL,
                    next_ns INTEGER,
                    changed_ns INTEGER NOT NULL,
                    record TEXT NOT NULL,
                    PRIMARY KEY (specimen, target)
                ) STRICT;
                CREATE INDEX submissions_due ON submissions (state, next_ns);
                CREATE TABLE specimen_requests (
                    key TEXT PRIMARY KEY NOT NULL,
                    request_hash TEXT NOT NULL,
                    specimen TEXT NOT NULL,
                    completed_ns INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX specimen_requests_oldest ON specimen_requests (completed_ns);
                """),
        Migration(
            name: "2026-11 specimen totals",
            // What a start needs without looking at every row.
            sql: """
                CREATE INDEX specimens_deleted ON specimens (deleted_ns) WHERE deleted_ns IS NOT NULL;
                CREATE TABLE specimen_totals (
                    deleted INTEGER PRIMARY KEY NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL
                ) STRICT;
                INSERT INTO specimen_totals
                    SELECT deleted_ns IS NOT NULL, count(*), sum(stored_bytes) FROM specimens GROUP BY 1;
                CREATE TRIGGER specimens_added AFTER INSERT ON specimens BEGIN
                    INSERT INTO specimen_totals VALUES (new.deleted_ns IS NOT NULL, 1, new.stored_bytes)
                        ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER specimens_changed AFTER UPDATE OF deleted_ns, stored_bytes ON specimens BEGIN
                    UPDATE specimen_totals SET count = count - 1, bytes = bytes - old.stored_bytes
                        WHERE deleted = (old.deleted_ns IS NOT NULL);
                    INSERT INTO specimen_totals VALUES (new.deleted_ns IS NOT NULL, 1, new.stored_bytes)
                        ON CONFLICT DO UPDATE SET count = count + 1, bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER specimens_removed AFTER DELETE ON specimens BEGIN
                    UPDATE specimen_totals SET count = count - 1, bytes = bytes - old.stored_bytes
                        WHERE deleted = (old.deleted_ns IS NOT NULL);
                END;
                """),
    ]
}
