internal import FleetMessaging
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import MQTTTransfer
internal import PostgresAccess

/// What operators signed, to boxes, and what these answer. The hub passes the bytes on; who may have what done is decided at
/// the box by the signature, so that neither the hub nor the broker can command anything.
extension HubRoutes {
    /// The longest wait for an answer, seconds.
    private static let longestWait = 55.0

    var steering: [Route] { [command, desired, answer] }

    private var command: Route {
        Route(
            .post, "/v1/boxes/{box}/commands", access: .everyone, operation: "sendCommand",
            summary: "Publish a command that an operator signed", query: [Self.site],
            body: RequestBody(isRequired: true, limit: 8 << 10),
            handler: .asynchronous { [self] request in
                struct Reply: Encodable {
                    let id: String
                    let heard: Bool
                }
                let (topic, members) = try await signed(.command, request)
                guard case .string(let id)? = members["id"], RecordID<HubRecord>(id) != nil else {
                    throw Problem(.invalidRequest, "cannot publish the command: its id is no ULID")
                }
                var expiry = 86_400
                if case .string(let text)? = members["notAfter"], let end = UTCInstant(rfc3339: text) {
                    let left = end.seconds(since: SystemClock().utc())
                    guard left > 0 else {
                        throw Problem(.conflict, "cannot publish the command: its time was over at \(end.rfc3339)")
                    }
                    expiry = Int(min(left, 86_400)) + 1
                }
                let heard = try await post.send(
                    MQTTPublication(
                        topic: topic.description, payload: request.body, quality: .atLeastOnce, expirySeconds: expiry))
                return try .json(Reply(id: id, heard: heard), status: 202)
            })
    }

    private var desired: Route {
        Route(
            .put, "/v1/boxes/{box}/desired", access: .everyone, operation: "putDesired",
            summary: "Publish settings that an operator signed, for the broker to keep", query: [Self.site],
            body: RequestBody(isRequired: true, limit: 64 << 10),
            handler: .asynchronous { [self] request in
                struct Reply: Encodable {
                    let version: Int64
                    let heard: Bool
                }
                let (topic, members) = try await signed(.desired, request)
                guard let number = members["version"]?.double, let version = Int64(exactly: number), version > 0 else {
                    throw Problem(.invalidRequest, "cannot publish the settings: they have no version")
                }
                // One at a time for each box: what the broker has last is what the table has.
                try await settingsOnTheWay.begin(topic.box)
                defer { settingsOnTheWay.end(topic.box) }
                let known = try await readers.ask(
                    "SELECT desired ->> 'version' FROM boxes WHERE box = $1", [.text(topic.box)])
                if let before = known.texts.first.flatMap(Int64.init), before >= version {
                    throw Problem(
                        .conflict,
                        "cannot publish the settings: \(topic.box) has the version \(before) already, and this is \(version); "
                            + "sign them anew with a higher one, such as in a second"
                    )
                }
                let heard = try await post.send(
                    MQTTPublication(
                        topic: topic.description, payload: request.body, quality: .atLeastOnce, isRetained: true))
                _ = try await readers.ask(
                    """
                    INSERT INTO boxes AS b (box, site, desired, desired_at, desired_message)
                    VALUES ($1, $2, jsonb_build_object('version', $3::bigint,
                        'settings', coalesce($4::text::jsonb -> 'settings', '{}')), now(), $4::text)
                    ON CONFLICT (box) DO UPDATE SET desired = excluded.desired, desired_at = excluded.desired_at,
                        desired_message = excluded.desired_message
                    WHERE coalesce((b.desired ->> 'version')::bigint, 0) <= $3
                    """,
                    [
                        .text(topic.box), .text(topic.site), .integer(version),
                        .text(String(decoding: request.body, as: UTF8.self)),
                    ])
                return try .json(Reply(version: version, heard: heard))
            })
    }

    private var answer: Route {
        Route(
            .get, "/v1/boxes/{box}/answers/{id}", access: .everyone, operation: "getAnswer",
            summary: "What became of a command",
            query: [
                QueryParameter("wait", "Seconds to wait for its last word; 0 by default.", .range(0...Self.longestWait))
            ],
            handler: .asynchronous { [self] request in
                let clock = SystemClock()
                let end = clock.monotonic().advanced(bySeconds: request.queryNumber("wait") ?? 0)
                let (box, id) = (request.parameter("box"), request.parameter("id"))
                guard FleetTopic.isName(box) else {
                    throw Problem(
                        .invalidRequest,
                        "cannot look for an answer of \(box.prefix(40)): a box's name is 3 to 20 of a-z and 0-9; konza hub "
                            + "boxes lists them")
                }
                guard RecordID<HubRecord>(id) != nil else {
                    throw Problem(
                        .invalidRequest,
                        "cannot look for the answer to \(id.prefix(40)): a command's id has 26 letters and digits, such as "
                            + "01k2b3c4d5e6f7g8h9j0kmnpqr; konza hub command says it")
                }
                while true {
                    // Of a partitioned table, by its key; the id tells the day, the box's clock another.
                    let rows = try await readers.ask(
                        """
                        SELECT jsonb_build_object('id', id, 'box', box, 'at', \(Self.instant("at")),
                            'receivedAt', \(Self.instant("received_at")))::jsonb || coalesce(body, '{}'), body ->> 'state'
                        FROM answers WHERE box = $1 AND id = $2 ORDER BY rev DESC LIMIT 1
                        """, [.text(Self.plain(box)), .text(Self.plain(id))])
                    let isLast = rows.count > 0 && rows[0, 1] != "accepted"
                    guard isLast || clock.monotonic() >= end || Task.isCancelled else {
                        try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.3))
                        continue
                    }
                    guard rows.count > 0, let text = rows[0, 0] else {
                        throw Problem(.notFound, "cannot find an answer of \(box.prefix(40)): none has come yet")
                    }
                    return Self.json(text)
                }
            })
    }

    private static let site = QueryParameter(
        "site", "The box's site, for one of which nothing has come yet.", .string)

    /// Checks that a body is what it is to be, for this box.
    private func signed(
        _ kind: FleetKind, _ request: Request
    ) async throws(Problem) -> (topic: FleetTopic, members: [String: JSONValue]) {
        let box = request.parameter("box")
        guard FleetTopic.isName(box) else {
            throw Problem(.notFound, "cannot send anything to \(box.prefix(40)): it is no name of a box")
        }
        guard case .object(let members)? = try request.json(), members["schema"] == .string(kind.schema),
            members["box"] == .string(box), members["signature"] != nil
        else {
            throw Problem(.invalidRequest, "cannot publish it: it is no \(kind.schema) for \(box) that somebody signed")
        }
        let rows = try await readers.ask("SELECT site FROM boxes WHERE box = $1", [.text(box)])
        guard let site = rows.texts.first ?? request.query("site"), FleetTopic.isName(site) else {
            throw Problem(
                .notFound,
                "cannot find the box \(box): nothing of it has come; look at konza hub boxes, or give its site")
        }
        return (FleetTopic(site: site, box: box, kind: kind), members)
    }
}
