internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess

/// What the hub's own socket serves: the fleet as the database knows it, and what operators
/// sign for its boxes.
struct HubRoutes: Sendable {
    static let mostFeatures = 1000

    let readers: PostgresPool
    let post: HubPost
    /// Nil where boxes get no certificates here.
    let enrolment: Enrolment?
    let figures: HubFigures
    let startedAt: UTCInstant
    let settingsOnTheWay: HubSteering

    /// Every route, with the list of them.
    var all: [Route] {
        let reading = [status, boxes, box, map("postcards"), map("specimens"), sensorThings, metrics]
        let routes = reading + steering + enrolments
        return routes + [index(of: routes)]
    }

    private func index(of routes: [Route]) -> Route {
        struct Index: Encodable {
            struct Entry: Encodable {
                let path: String
                let methods: [String]
                let summary: String
            }

            let routes: [Entry]
        }
        let summary = "Every route of this API"
        let entries =
            routes.map { Index.Entry(path: $0.path, methods: [$0.method.rawValue], summary: $0.summary) }
            + [Index.Entry(path: "/v1", methods: ["GET"], summary: summary)]
        let list = Index(routes: entries.sorted { $0.path < $1.path })
        return Route(
            .get, "/v1", access: .everyone, operation: "listRoutes", summary: summary,
            handler: .immediate { _ in try .json(list) })
    }

    // MARK: - The hub itself

    private struct Status: Encodable {
        struct Link: Encodable {
            let isUp: Bool
            let problem: String?
        }

        struct Worker: Encodable {
            let broker: Link
            let database: Link
        }

        let name = "konza-hub"
        let version = ProgramVersion.number
        let startedAt: UTCInstant
        let health: PartHealth
        let workers: [Worker]
        let messages: [String: Int]
        let kept: Int
        let quarantined: Int
        let receipts: Int
    }

    private var status: Route {
        Route(
            .get, "/v1/status", access: .everyone, operation: "getStatus",
            summary: "How the hub is, worker by worker, and what it has done since it started",
            handler: .immediate { [self] _ in
                let workers = figures.workers
                let health = HubHealth(workers)
                let counts = figures.counts
                func link(_ link: HubFigures.Link) -> Status.Link { .init(isUp: link.isUp, problem: link.problem) }
                return try .json(
                    Status(
                        startedAt: startedAt,
                        health: PartHealth(
                            level: health.level, kind: health.level == .ok ? "ok" : "not-connected",
                            reason: health.reason),
                        workers: workers.map { .init(broker: link($0.broker), database: link($0.database)) },
                        messages: counts.messages, kept: counts.kept, quarantined: counts.quarantined,
                        receipts: counts.receipts))
            })
    }

    private var metrics: Route {
        Route(
            .get, "/metrics", access: .everyone, operation: "getMetrics",
            summary: "The hub's and the fleet's figures, for Prometheus", produces: ["text/plain"],
            handler: .asynchronous { [self] _ in
                // Without the database, the hub's own figures are told all the same.
                let fleet = await onBlockingThread { try? readers.lend(HubMetrics.readFleet) }
                return .text(HubMetrics.text(figures, fleet: fleet ?? nil), type: MetricsText.mediaType)
            })
    }

    // MARK: - Boxes

    private static let boxMembers = """
        'box', box, 'site', site, 'state', state, 'software', software, 'at', \(instant("at")),
        'receivedAt', \(instant("received_at")), 'silentSeconds', extract(epoch FROM silent_for)::bigint,
        'health', CASE WHEN level IS NOT NULL THEN jsonb_build_object('level', level, 'kind', kind, 'reason', reason) END,
        'parts', parts, 'healthAt', \(instant("health_at")), 'latitude', latitude, 'longitude', longitude,
        'positionAt', \(instant("position_at"))
        """

    /// What did not fit; of a box of which nothing did, that is all that is known.
    private static let quarantineMembers = """
        'quarantined', (SELECT count(*) FROM quarantine q WHERE q.box = $1),
        'refusals', (SELECT coalesce(jsonb_agg(jsonb_build_object('topic', q.topic, 'reason', q.reason,
            'times', q.times, 'receivedAt', \(instant("q.received_at")))), '[]') FROM
            (SELECT * FROM quarantine WHERE box = $1 ORDER BY received_at DESC, number DESC LIMIT 5) q)
        """

    static func plain(_ text: String) -> String { String(text.prefix(64)).replacing("\0", with: "") }

    static func instant(_ column: String) -> String {
        "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
    }

    private var boxes: Route {
        Route(
            .get, "/v1/boxes", access: .everyone, operation: "listBoxes", summary: "The last state of every box",
            query: [
                QueryParameter(
                    "state", "Boxes of this state alone.", values: ["online", "offline", "silent", "unknown"]),
                QueryParameter("site", "Boxes of this site alone."),
            ],
            handler: .asynchronous { [self] request in
                let rows = try await readers.ask(
                    """
                    SELECT jsonb_strip_nulls(jsonb_build_object(\(Self.boxMembers)))::text FROM box_states
                    WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR site = $2) ORDER BY box
                    """, [.optional(request.query("state")), .optional(request.query("site"))])
                return Self.json("{\"boxes\":[\(rows.texts.joined(separator: ","))]}")
            })
    }

    private var box: Route {
        Route(
            .get, "/v1/boxes/{box}", access: .everyone, operation: "getBox",
            summary: "One box: its state, its records, the numbers of messages that are missing",
            handler: .asynchronous { [self] request in
                let rows = try await readers.ask(
                    """
                    SELECT (jsonb_strip_nulls(jsonb_build_object(\(Self.boxMembers))) || jsonb_build_object(
                        'postcards', (SELECT count(*) FROM postcards p WHERE p.box = $1 AND p.deleted_at IS NULL),
                        'specimens', (SELECT count(*) FROM specimens s WHERE s.box = $1 AND s.deleted_at IS NULL),
                        \(Self.quarantineMembers),
                        'logs', (SELECT coalesce(jsonb_agg(jsonb_build_object('log', g.log, 'lastSeq', g.last_seq,
                            'missing', g.missing, 'receivedAt', \(Self.instant("g.received_at"))) ORDER BY g.ordinal), '[]')
                            FROM sequence_gaps g WHERE g.box = $1),
                        'reported', (SELECT b.reported FROM boxes b WHERE b.box = $1),
                        'certificate', (SELECT jsonb_strip_nulls(jsonb_build_object('serial', c.serial,
                            'issuedAt', \(Self.instant("c.issued_at")), 'notAfter', \(Self.instant("c.not_after")),
                            'revokedAt', \(Self.instant("c.revoked_at")))) FROM certificates c WHERE c.box = $1
                            ORDER BY c.issued_at DESC LIMIT 1),
                        'desired', (SELECT b.desired FROM boxes b WHERE b.box = $1)))::text
                    FROM box_states WHERE box = $1
                    UNION ALL
                    SELECT (jsonb_build_object('box', $1::text, 'site', max(split_part(topic, '/', 3)), 'state', 'unknown',
                        'silentSeconds', extract(epoch FROM now() - max(received_at))::bigint, \(Self.quarantineMembers)))::text
                    FROM quarantine WHERE box = $1 HAVING count(*) > 0 AND NOT EXISTS (SELECT FROM boxes WHERE box = $1)
                    """, [.text(Self.plain(request.parameter("box")))])
                guard let text = rows.texts.first else {
                    throw Problem(
                        .notFound,
                        "cannot find the box \(request.parameter("box").prefix(40)): nothing of it has come; "
                            + "GET /v1/boxes lists them")
                }
                return Self.json(text)
            })
    }

    // MARK: - Maps

    /// A page of records as GeoJSON (RFC 7946), newest first.
    private func map(_ table: String) -> Route {
        Route(
            .get, "/v1/\(table)", access: .everyone, operation: "map\(table.capitalizedFirst)",
            summary: "The fleet's \(table) as GeoJSON, newest first",
            query: [
                QueryParameter("box", "Those of this box alone."),
                QueryParameter("bbox", "West, south, east, north in degrees; west of the antimeridian may be greater."),
                QueryParameter("from", "Not before this time.", .dateTime),
                QueryParameter("to", "Before this time.", .dateTime),
                QueryParameter("limit", "How many at the most.", .count(1...Self.mostFeatures)),
                QueryParameter("after", "The cursor that the last page ended with."),
            ],
            produces: ["application/geo+json"],
            handler: .asynchronous { [self] request in
                let limit = request.queryInteger("limit") ?? 100
                let question = try FeatureQuestion(request, limit: limit + 1)
                let rows = try await readers.ask(question.sql(table), question.parameters)
                let count = min(rows.count, limit)
                let features = (0..<count).compactMap { rows[$0, 0] }.joined(separator: ",")
                var next = ""
                if rows.count > limit, let id = rows[count - 1, 1], let box = rows[count - 1, 2] {
                    next = ",\"next\":\"\(id).\(box)\""
                }
                return Self.json(
                    "{\"type\":\"FeatureCollection\",\"features\":[\(features)]\(next)}", type: "application/geo+json")
            })
    }

    // MARK: - Asking

    static func json(_ text: String, type: String = "application/json") -> Response {
        .bytes(Array(text.utf8), type: type)
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// What of a table is asked for.
struct FeatureQuestion {
    let parameters: [PostgresValue]

    init(_ request: Request, limit: Int) throws(Problem) {
        let from = try request.queryInstant("from")
        let to = try request.queryInstant("to")
        let box = try Self.box(request.query("bbox"))
        var cursor: [String]?
        if let after = request.query("after") {
            let parts = after.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, parts.allSatisfy({ (1...64).contains($0.utf8.count) && !$0.utf8.contains(0) })
            else {
                throw Request.badQuery("after", "expected what \"next\" of the page before says")
            }
            cursor = parts
        }
        let name = request.query("box")
        guard name?.utf8.contains(0) != true else { throw Request.badQuery("box", "expected a box's name") }
        parameters = [
            .optional(name), .optional(from?.rfc3339), .optional(to?.rfc3339), .optional(cursor?[0]),
            .optional(cursor?[1]), .optional(box?[0]), .optional(box?[1]), .optional(box?[2]), .optional(box?[3]),
            .integer(Int64(limit)),
        ]
    }

    private static func box(_ text: String?) throws(Problem) -> [Double]? {
        guard let text else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
            let north = numbers[3], (-180...180).contains(west), (-180...180).contains(east),
            (-90...90).contains(south), (south...90).contains(north)
        else { throw Request.badQuery("bbox", "expected west,south,east,north in degrees, such as -97,39,-96,39.5") }
        return [west, south, east, north]
    }

    /// Three columns: the feature, and its cursor's two halves.
    func sql(_ table: String) -> String {
        """
        SELECT json_build_object('type', 'Feature', 'id', id, 'geometry', ST_AsGeoJSON(place)::json,
            'properties', jsonb_build_object('box', box, 'rev', rev, 'at', at, 'receivedAt', received_at)
                || coalesce(body, '{}'))::text, id, box
        FROM \(table) WHERE deleted_at IS NULL
            AND ($1::text IS NULL OR box = $1)
            AND ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
            AND ($4::text IS NULL OR (id, box) < ($4, $5::text))
            AND ($6::float8 IS NULL OR CASE WHEN $6 <= $8 THEN
                    place::geometry && ST_MakeEnvelope($6, $7::float8, $8::float8, $9::float8, 4326)
                ELSE place::geometry && ST_MakeEnvelope($6, $7::float8, 180, $9::float8, 4326)
                    OR place::geometry && ST_MakeEnvelope(-180, $7::float8, $8::float8, $9::float8, 4326) END)
        ORDER BY id DESC, box DESC LIMIT $10
        """
    }
}
