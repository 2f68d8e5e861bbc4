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
                """)
    ]
}
