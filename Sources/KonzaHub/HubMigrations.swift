internal import PostgresAccess

/// The steps that make the tables. Steps are added at the end and never changed: databases elsewhere have them.
enum HubMigrations {
    struct Step {
        let name: String
        let sql: String
    }

    /// The tables that hold records, by kind.
    static let recordTables = [
        ("postcard", "postcards"), ("specimen", "specimens"), ("track", "tracks"), ("answer", "answers"),
    ]
    /// All that are divided by months.
    static let monthlyTables = recordTables.map(\.1) + ["positions", "health"]

    static let steps = [
        Step(name: "2026-11 boxes", sql: boxes),
        Step(name: "2026-11 records", sql: recordTables.map { records($0.1) }.joined() + placed),
        Step(name: "2026-11 history", sql: history),
        Step(name: "2026-11 months", sql: months),
        Step(name: "2026-11 views", sql: HubViews.sql),
        Step(name: "2026-12 tracks", sql: HubViews.tracks),
        Step(name: "2026-12 pictures", sql: HubViews.pictures),
        Step(name: "2026-11 desired", sql: desired),
        Step(name: "2026-11 certificates", sql: certificates),
        Step(name: "2026-11 desired messages", sql: desiredMessages),
    ]

    /// Makes what is missing. Several hubs may do so at once.
    ///
    /// - Throws: ``PostgresError``; also if the database has steps that this program does not know.
    static func run(in connection: inout PostgresConnection) throws(PostgresError) {
        try connection.transaction { connection throws(PostgresError) in
            try connection.run("SELECT pg_advisory_xact_lock(hashtext('konza migrations'))")
            try connection.run(
                """
                CREATE TABLE IF NOT EXISTS migrations (
                    name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
                """)
            let done = Set(try connection.run("SELECT name FROM migrations").texts)
            if let unknown = done.subtracting(steps.map(\.name)).sorted().first {
                throw PostgresError(
                    .missing,
                    "cannot use the database: it is of a newer konza-hub (step \"\(unknown)\"); upgrade this one")
            }
            for step in steps where !done.contains(step.name) {
                do throws(PostgresError) {
                    try connection.script(step.sql, seconds: 600)
                } catch {
                    guard error.reason == .rights, step.name == steps[0].name else { throw error }
                    throw PostgresError(
                        .rights, code: error.code,
                        "\(error); as a superuser: CREATE EXTENSION postgis; and give the user CREATE on the schema")
                }
                try connection.run("INSERT INTO migrations (name) VALUES ($1)", [.text(step.name)])
            }
        }
    }

    /// One row a box: what it said last, and the logs of messages that it has had. `received_at` is of the last message that
    /// the broker had not kept. A row's `ordinal` is given when the log is seen first, so a record of a later log is newer
    /// whatever its `rev`.
    private static let boxes = """
        CREATE EXTENSION IF NOT EXISTS postgis;
        CREATE TABLE boxes (
            box text PRIMARY KEY, site text NOT NULL,
            id text, rev bigint, at timestamptz, state text, software text,
            first_received_at timestamptz NOT NULL DEFAULT now(), received_at timestamptz,
            health jsonb, health_parts jsonb, health_at timestamptz,
            position jsonb, place geography(Point, 4326), position_at timestamptz,
            reported jsonb, reported_at timestamptz, latest jsonb, latest_at timestamptz,
            metrics jsonb, metrics_at timestamptz
        ) WITH (fillfactor = 50);
        CREATE INDEX boxes_place ON boxes USING gist (place);
        CREATE TABLE logs (
            box text NOT NULL, log text NOT NULL, ordinal integer NOT NULL CHECK (ordinal <= 10000),
            seqs int8multirange NOT NULL, first_received_at timestamptz NOT NULL DEFAULT now(),
            received_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (box, log)
        ) WITH (fillfactor = 50);
        CREATE TABLE quarantine (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            box text NOT NULL, topic text NOT NULL, id text, rev bigint, reason text NOT NULL,
            payload bytea NOT NULL, digest bytea GENERATED ALWAYS AS (sha256(payload)) STORED,
            times bigint NOT NULL DEFAULT 1, first_received_at timestamptz NOT NULL DEFAULT now(),
            received_at timestamptz NOT NULL DEFAULT now(), UNIQUE (box, digest, topic)
        );
        """

    /// What operators want of a box, as the hub has published it.
    private static let desired = "ALTER TABLE boxes ADD COLUMN desired jsonb, ADD COLUMN desired_at timestamptz;"

    /// The same as it was signed, so that it can be published again.
    private static let desiredMessages = "ALTER TABLE boxes ADD COLUMN desired_message text;"

    /// Codes that let a box have its first certificate, one a box, by their hashes; and what was signed.
    private static let certificates = """
        CREATE TABLE enrolments (
            box text PRIMARY KEY, code_hash text NOT NULL, expires_at timestamptz NOT NULL,
            tries integer NOT NULL DEFAULT 0, used_at timestamptz, request text,
            created_at timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE certificates (
            serial text PRIMARY KEY, box text NOT NULL, issued_at timestamptz NOT NULL DEFAULT now(),
            not_after timestamptz NOT NULL, revoked_at timestamptz
        );
        CREATE INDEX certificates_box ON certificates (box, issued_at);
        """

    /// The partition's key is in the unique key: `day` is from the id, so a repeat meets its row. A box's ids are its own: it
    /// cannot change another's row.
    private static func records(_ table: String) -> String {
        """
        CREATE TABLE \(table) (
            box text NOT NULL, id text NOT NULL, rev bigint NOT NULL, at timestamptz NOT NULL,
            received_at timestamptz NOT NULL DEFAULT now(), day date NOT NULL,
            log text NOT NULL, log_ordinal integer NOT NULL, seq bigint NOT NULL, time_source text,
            body jsonb, place geography(Point, 4326), deleted_at timestamptz,
            PRIMARY KEY (box, id, day)
        ) PARTITION BY RANGE (day);
        CREATE TABLE \(table)_default PARTITION OF \(table) DEFAULT;
        CREATE INDEX \(table)_at ON \(table) USING brin (at);

        """
    }

    private static let placed = """
        CREATE INDEX postcards_id ON postcards (id);
        CREATE INDEX specimens_id ON specimens (id);
        CREATE INDEX postcards_place ON postcards USING gist ((place::geometry));
        CREATE INDEX specimens_place ON specimens USING gist ((place::geometry));
        """

    /// What has no number in a log: positions as they came, and health where it changed. `day` is that of `at`.
    private static let history = """
        CREATE TABLE positions (
            box text NOT NULL, id text NOT NULL, rev bigint NOT NULL, at timestamptz NOT NULL,
            received_at timestamptz NOT NULL DEFAULT now(), day date NOT NULL, time_source text,
            body jsonb NOT NULL, place geography(Point, 4326), PRIMARY KEY (box, at, id, day)
        ) PARTITION BY RANGE (day);
        CREATE TABLE positions_default PARTITION OF positions DEFAULT;
        CREATE INDEX positions_at ON positions USING brin (at);
        CREATE TABLE health (
            box text NOT NULL, id text NOT NULL, rev bigint NOT NULL, at timestamptz NOT NULL,
            received_at timestamptz NOT NULL DEFAULT now(), day date NOT NULL, time_source text,
            level text, parts jsonb NOT NULL, body jsonb NOT NULL, PRIMARY KEY (box, at, id, day)
        ) PARTITION BY RANGE (day);
        CREATE TABLE health_default PARTITION OF health DEFAULT;
        CREATE INDEX health_at ON health USING brin (at);
        """

    /// Makes the partition of a month, and moves what a wrong clock has put into the default one before.
    private static let months = """
        CREATE FUNCTION konza_make_month(parent text, month date) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
            first date := date_trunc('month', month);
            next date := first + interval '1 month';
            name text := parent || to_char(first, '_YYYY_MM');
        BEGIN
            PERFORM pg_advisory_xact_lock(hashtext('konza months'));
            IF to_regclass(quote_ident(name)) IS NOT NULL THEN RETURN; END IF;
            EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', parent);
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE day >= %L AND day < %L RETURNING *)
                INSERT INTO %I SELECT * FROM moved', parent || '_default', first, next, name);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                parent, name, first, next);
        END $$;
        """
}
