internal import Storage

extension SpecimenTable {
    /// The specimens whose files are being written to, as their ids.
    static let marks = MarkTable(name: "specimen_marks", column: "id", everything: "every specimen")

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
        Migration(
            name: "2026-12 specimen search",
            // What lists need beside the order: the places, the trigrams of the words, and the state for each target, a
            // specimen that was never submitted being a draft. The states follow the tables by triggers; the words are
            // kept by `put` and `remove`, since no trigger may write into a virtual table of a schema that is not trusted.
            sql: """
                DROP INDEX specimens_newest;
                CREATE INDEX specimens_listed ON specimens (created_ns DESC, id DESC, latitude, longitude)
                    WHERE deleted_ns IS NULL;
                CREATE INDEX specimens_places ON specimens (latitude, longitude, created_ns, id) WHERE deleted_ns IS NULL;
                CREATE VIRTUAL TABLE specimen_words USING fts5 (
                    words, content = 'specimens', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1');
                INSERT INTO specimen_words (specimen_words) VALUES ('rebuild');
                CREATE TABLE specimen_states (
                    target TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, created_ns INTEGER NOT NULL,
                    PRIMARY KEY (target, id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX specimen_states_newest ON specimen_states (target, state, created_ns DESC, id DESC);
                CREATE TABLE specimen_targets (name TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO specimen_targets VALUES ('metpetdb'), ('sesar');
                INSERT INTO specimen_states
                    SELECT specimen_targets.name, specimens.id, coalesce(submissions.state, 'draft'), specimens.created_ns
                    FROM specimens CROSS JOIN specimen_targets LEFT JOIN submissions
                    ON submissions.specimen = specimens.id AND submissions.target = specimen_targets.name;
                CREATE TRIGGER specimens_found AFTER INSERT ON specimens BEGIN
                    INSERT INTO specimen_states SELECT name, new.id, 'draft', new.created_ns FROM specimen_targets;
                END;
                CREATE TRIGGER specimens_redated AFTER UPDATE OF created_ns ON specimens
                    WHEN old.created_ns <> new.created_ns BEGIN
                    UPDATE specimen_states SET created_ns = new.created_ns
                        WHERE target IN (SELECT name FROM specimen_targets) AND id = new.id;
                END;
                CREATE TRIGGER specimens_forgotten AFTER DELETE ON specimens BEGIN
                    DELETE FROM specimen_states
                        WHERE target IN (SELECT name FROM specimen_targets) AND id = old.id;
                END;
                CREATE TRIGGER submissions_put AFTER INSERT ON submissions BEGIN
                    UPDATE specimen_states SET state = new.state WHERE target = new.target AND id = new.specimen;
                END;
                CREATE TRIGGER submissions_changed AFTER UPDATE OF state ON submissions BEGIN
                    UPDATE specimen_states SET state = new.state WHERE target = new.target AND id = new.specimen;
                END;
                CREATE TRIGGER submissions_removed AFTER DELETE ON submissions BEGIN
                    UPDATE specimen_states SET state = 'draft' WHERE target = old.target AND id = old.specimen;
                END;
                """),
        Migration(
            name: "2026-12 specimen marks",
            // What a start compares with the files before anything is written.
            sql: """
                CREATE TABLE specimen_marks (id TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO specimen_marks VALUES ('every specimen');
                """),
    ]
}
