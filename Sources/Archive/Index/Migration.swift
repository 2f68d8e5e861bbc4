/// One step from an older schema to a newer one. Steps are appended and never edited: a box in the field has run them
/// as they were.
struct Migration: Sendable {
    /// Recorded in the database once it has run; never reused.
    let name: String
    let sql: String

    /// All steps, oldest first.
    static let all: [Migration] = [
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
    ]
}
