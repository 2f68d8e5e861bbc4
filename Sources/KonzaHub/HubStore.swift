internal import FleetMessaging
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess

/// Puts batches of messages into the tables: one transaction a batch. The same again changes nothing.
final class HubStore {
    /// Rows of the quarantine that a box has at the most; the oldest give way.
    static let mostQuarantined = 100
    /// How long each statement of a batch may take, seconds: a database that stands still is noticed so soon, over a Unix socket
    /// too, of which the system has no time-out. A batch is written in a tenth of a second.
    private static let patience = 10.0
    /// The same for the tables of a month, which take over what a wrong clock had put elsewhere.
    private static let monthPatience = 60.0
    /// Months ahead of the clock that get a partition of their own; others are of a wrong clock.
    private static let secondsAhead = 35.0 * 86_400

    private var connection: PostgresConnection
    private let clock = SystemClock()
    private var knownMonths: Set<String> = []

    /// Connects, and makes what is missing in the database.
    ///
    /// - Throws: ``PostgresError``.
    init(_ address: PostgresAddress) throws(PostgresError) {
        connection = try PostgresConnection(address, program: "konza-hub", patience: Self.patience)
        try HubMigrations.run(in: &connection)
        // Filled anew by each batch.
        try connection.run(
            """
            CREATE TEMPORARY TABLE incoming (
                n integer NOT NULL, kind text NOT NULL, box text NOT NULL, log text NOT NULL, id text NOT NULL,
                rev bigint NOT NULL, seq bigint NOT NULL, at timestamptz NOT NULL, day date NOT NULL,
                is_deleted boolean NOT NULL, payload jsonb NOT NULL, longitude float8, latitude float8
            ) ON COMMIT DELETE ROWS
            """)
    }

    var isOver: Bool { connection.isOver }

    /// Asks something else, with the patience of a batch where nothing else is said.
    ///
    /// - Throws: ``PostgresError``.
    @discardableResult
    func query(
        _ sql: String, _ parameters: [PostgresValue] = [], seconds: Double? = nil
    ) throws(PostgresError) -> PostgresRows {
        try connection.run(sql, parameters, seconds: seconds)
    }

    /// Keeps all of it or nothing.
    ///
    /// - Throws: ``PostgresError``; `data` where one of the messages is at fault.
    func keep(_ messages: [HubMessage]) throws(PostgresError) {
        guard !messages.isEmpty else { return }
        try makeMonths(messages)
        try connection.transaction { connection throws(PostgresError) in
            try Self.touch(messages, &connection)
            try Self.keepRecords(messages, &connection)
            var refusals: [String: [HubRefusal]] = [:]
            for message in messages {
                switch message {
                case .record: break
                case .state(let state): try HubStates.keep(state, in: &connection)
                case .refused(let refusal): refusals[refusal.box, default: []].append(refusal)
                }
            }
            for (box, refusals) in refusals.sorted(by: { $0.key < $1.key }) {
                try Self.quarantine(refusals, of: box, &connection)
            }
        }
    }

    // MARK: - Months

    private func makeMonths(_ messages: [HubMessage]) throws(PostgresError) {
        for message in messages {
            switch message {
            case .record(let record):
                guard let table = HubMigrations.recordTables.first(where: { $0.0 == record.topic.kind.rawValue }) else {
                    continue
                }
                try makeMonth(table.1, record.day)
            case .state(let state) where state.topic.kind == .position:
                try makeMonth("positions", HubText.day(state.at))
            case .state(let state) where state.topic.kind == .health: try makeMonth("health", HubText.day(state.at))
            case .state, .refused: break
            }
        }
    }

    private func makeMonth(_ table: String, _ day: String) throws(PostgresError) {
        let month = String(day.prefix(7))
        guard !knownMonths.contains("\(table) \(month)") else { return }
        let now = clock.utc()
        let latest = HubText.day(now.advanced(bySeconds: Self.secondsAhead))
        // Until there is one, the default partition has its rows.
        guard day >= HubText.day(.believedFrom), day <= latest else { return }
        do throws(PostgresError) {
            try connection.transaction { connection throws(PostgresError) in
                try connection.run("SET LOCAL lock_timeout = '5s'")
                try connection.run(
                    "SELECT konza_make_month($1, $2::date)", [.text(table), .text("\(month)-01")],
                    seconds: Self.monthPatience)
            }
            knownMonths.insert("\(table) \(month)")
        } catch {
            guard !error.endsConnection else { throw error }
        }
    }

    // MARK: - Boxes and records

    /// Notes that the boxes are there, in the order of their names: two workers that hold a box each wait for one another
    /// in one direction alone. Each row stays locked until COMMIT.
    private static func touch(
        _ messages: [HubMessage], _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        // Where a box is says what it says now and the hub takes: not what the broker kept, which may be of another site, nor what
        // is refused, which may be another's.
        var boxes: [String: (site: String, isLive: Bool)] = [:]
        func note(_ box: String, _ site: String, isLive: Bool) {
            if isLive || boxes[box] == nil { boxes[box] = (site, isLive) }
        }
        for message in messages {
            switch message {
            case .record(let record): note(record.topic.box, record.topic.site, isLive: true)
            case .state(let state):
                let isLive = !state.isRetained && !(state.topic.kind == .status && !state.isOnline)
                note(state.topic.box, state.topic.site, isLive: isLive)
            case .refused(let refusal):
                // Whoever sends what cannot be read makes no box.
                guard !refusal.box.isEmpty, refusal.pair != nil else { continue }
                note(refusal.box, refusal.site, isLive: false)
            }
        }
        guard !boxes.isEmpty else { return }
        let names = boxes.keys.sorted()
        try connection.run(
            """
            INSERT INTO boxes AS t (box, site, received_at)
            SELECT b.box, b.site, CASE WHEN b.is_live THEN now() END
                FROM unnest($1::text[], $2::text[], $3::boolean[]) AS b (box, site, is_live) ORDER BY b.box
            ON CONFLICT (box) DO UPDATE SET
                site = CASE WHEN excluded.received_at IS NULL THEN t.site ELSE excluded.site END,
                received_at = coalesce(excluded.received_at, t.received_at)
            """,
            [
                .texts(names), .texts(names.map { boxes[$0]?.site ?? "" }),
                .texts(names.map { boxes[$0]?.isLive == true ? "t" : "f" }),
            ])
    }

    private static func keepRecords(
        _ messages: [HubMessage], _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        var rows = CopyText()
        var kinds: Set<String> = []
        for message in messages {
            guard case .record(let record) = message else { continue }
            kinds.insert(record.topic.kind.rawValue)
            rows.add([
                .integer(Int64(rows.count)), .text(record.topic.kind.rawValue), .text(record.topic.box),
                .text(record.log), .text(record.id), .integer(record.rev), .integer(record.seq),
                .text(record.at.rfc3339), .text(record.day), .boolean(record.isDeleted), .text(record.payload),
                .optional(record.place?.longitude), .optional(record.place?.latitude),
            ])
        }
        guard rows.count > 0 else { return }
        try connection.copy("COPY incoming FROM STDIN", rows)
        // The box's row is locked: no other worker gives the same ordinal. What has got too many holes is not counted on.
        try connection.run(
            """
            INSERT INTO logs AS t (box, log, ordinal, seqs)
            SELECT g.box, g.log,
                coalesce((SELECT max(l.ordinal) FROM logs l WHERE l.box = g.box), 0)
                    + row_number() OVER (PARTITION BY g.box ORDER BY g.first_n),
                g.seqs
            FROM (SELECT box, log, min(n) AS first_n, range_agg(int8range(seq, seq, '[]')) AS seqs
                FROM incoming GROUP BY box, log) g
            ORDER BY g.box, g.log
            ON CONFLICT (box, log) DO UPDATE SET received_at = now(),
                seqs = CASE WHEN pg_column_size(t.seqs) < 65536 THEN t.seqs + excluded.seqs ELSE t.seqs END
            """)
        for (kind, table) in HubMigrations.recordTables where kinds.contains(kind) {
            try connection.run(upsert(table), [.text(kind)])
        }
    }

    /// The later log wins, within one the higher revision; of a batch's own likewise. A deleted record keeps what tells that
    /// it was there.
    private static func upsert(_ table: String) -> String {
        """
        INSERT INTO \(table) AS t
            (box, id, rev, at, day, log, log_ordinal, seq, time_source, body, place, deleted_at)
        SELECT DISTINCT ON (i.box, i.id)
            i.box, i.id, i.rev, i.at, i.day, i.log, l.ordinal, i.seq, i.payload ->> 'timeSource',
            CASE WHEN NOT i.is_deleted THEN i.payload -> 'body' END,
            ST_SetSRID(ST_MakePoint(i.longitude, i.latitude), 4326)::geography,
            CASE WHEN i.is_deleted THEN i.at END
        FROM incoming i JOIN logs l USING (box, log) WHERE i.kind = $1
        ORDER BY i.box, i.id, l.ordinal DESC, i.rev DESC
        ON CONFLICT (box, id, day) DO UPDATE SET
            rev = excluded.rev, at = excluded.at, received_at = excluded.received_at, log = excluded.log,
            log_ordinal = excluded.log_ordinal, seq = excluded.seq, time_source = excluded.time_source,
            body = excluded.body, place = excluded.place, deleted_at = excluded.deleted_at
        WHERE (excluded.log_ordinal, excluded.rev) > (t.log_ordinal, t.rev)
        """
    }

    // MARK: - Quarantine

    /// A box that sends much that does not fit costs as many statements as rows are kept of it.
    private static func quarantine(
        _ refusals: [HubRefusal], of box: String, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        for refusal in refusals.suffix(mostQuarantined) { try quarantine(refusal, &connection) }
        try connection.run(
            """
            DELETE FROM quarantine WHERE number IN
                (SELECT number FROM quarantine WHERE box = $1 ORDER BY number DESC OFFSET \(mostQuarantined))
            """, [.text(box)])
    }

    private static func quarantine(
        _ refusal: HubRefusal, _ connection: inout PostgresConnection
    ) throws(PostgresError) {
        try connection.run(
            """
            INSERT INTO quarantine AS t (box, topic, id, rev, reason, payload)
            VALUES ($1, $2, $3, $4, $5, $6::bytea)
            ON CONFLICT (box, digest, topic) DO UPDATE SET times = t.times + 1, received_at = now()
            """,
            [
                .text(refusal.box), .text(refusal.topic), .optional(refusal.pair?.id), .optional(refusal.pair?.rev),
                .text(refusal.reason), .bytes(refusal.payload),
            ])
    }
}
