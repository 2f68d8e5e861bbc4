internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Synchronization

/// `/v1/position`, `/v1/satellites`, `/v1/track`.
struct PositionRoutes: Sendable {
    private let parts: StationParts
    private let cache: PositionCache

    init(parts: StationParts) {
        self.parts = parts
        cache = PositionCache(board: parts.board)
    }

    private static let pointTypes = ["application/json", "application/geo+json"]

    var routes: [Route] {
        [
            Route(
                .get, "/v1/position", access: .everyone, operation: "getPosition",
                summary: "Where the station is now, how good, how old",
                produces: Self.pointTypes, replies: [Reply(200, "The position.", schema: "Position")],
                handler: .immediate { request in try cache.response(type: request.acceptedType) }),
            Route(
                .get, "/v1/position/at", access: .everyone, operation: "getPositionAt",
                summary: "Where the station was at an instant of the last 30 minutes",
                query: [
                    QueryParameter("time", "The instant, RFC 3339.", .dateTime, isRequired: true)
                ],
                produces: Self.pointTypes, replies: [Reply(200, "The position then.", schema: "Position")],
                handler: .immediate { request in try position(request) }
            ).failing(.noPosition),
            Route(
                .get, "/v1/satellites", access: .everyone, operation: "getSatellites",
                summary: "The sky as the receiver sees it",
                replies: [Reply(200, "The sky view.", schema: "Satellites")],
                handler: .immediate { _ in try .json(satellites()) }),
            Route(
                .get, "/v1/track", access: .everyone, operation: "getTrack",
                summary: "The fixes of the last 30 minutes",
                query: [
                    QueryParameter("since", "Only fixes after this instant.", .dateTime),
                    QueryParameter("format", "json by default.", values: ["json", "geojson", "gpx"]),
                ],
                produces: ["application/json", "application/geo+json", "application/gpx+xml"],
                replies: [Reply(200, "The track.", schema: "Track")],
                handler: .asynchronous { request in try track(request) }),
        ]
    }

    private func position(_ request: Request) throws -> Response {
        guard let time = try request.queryTime("time") else {
            throw Request.badQuery("time", "expected an RFC 3339 date-time")
        }
        switch parts.board.position(at: time) {
        case .success(let position): return try Self.point(PositionReply(position), type: request.acceptedType)
        case .failure(let error): throw Problem(.noPosition, "\(error)")
        }
    }

    private static func point(_ reply: PositionReply, type: String) throws -> Response {
        type == "application/geo+json" ? try .json(GeoJSONPoint(reply), type: type) : try .json(reply)
    }

    private func satellites() -> SatellitesReply {
        let snapshot = parts.board.snapshot()
        var reply = SatellitesReply(state: snapshot.state, satellites: snapshot.sky?.satellites ?? [])
        reply.timestamp = snapshot.sky?.time
        reply.dop = snapshot.sky?.dop
        reply.source = snapshot.sky.map { _ in snapshot.source }
        reply.ageMs = snapshot.skyAgeSeconds.map { Int(($0 * 1000).rounded()) }
        reply.device = snapshot.sky?.device
        return reply
    }

    private func track(_ request: Request) throws -> Response {
        let fixes = parts.board.fixes(since: try request.queryInstant("since"))
        let type = request.query("format").map { Self.types[$0] ?? "application/json" } ?? request.acceptedType
        switch type {
        case "application/gpx+xml":
            return .text(TrackEncoding.gpx(fixes), type: type)
        case "application/geo+json":
            return .text(TrackEncoding.geoJSON(fixes), type: type)
        default:
            return try .json(
                TrackReply(source: fixes.last?.source, points: fixes.map { PositionReply($0) }))
        }
    }

    private static let types = [
        "json": "application/json", "geojson": "application/geo+json", "gpx": "application/gpx+xml",
    ]
}

/// The reply of `GET /v1/position`, encoded once per fix: tablets ask many times between two fixes, and only the age
/// is new each time.
private final class PositionCache: Sendable {
    private struct Encoded {
        var version: UInt64
        var state: PositionState
        /// The JSON object after its opening brace.
        var rest: [UInt8]
    }

    private let board: PositionBoard
    private let encoded = Mutex<Encoded?>(nil)

    init(board: PositionBoard) {
        self.board = board
    }

    func response(type: String) throws -> Response {
        guard type == "application/json" else {
            return try .json(GeoJSONPoint(PositionReply(board.snapshot())), type: type)
        }
        let reading = board.reading()
        if let hit = encoded.withLock({ $0 }), hit.version == reading.version, hit.state == reading.state {
            return Self.response(ageSeconds: reading.ageSeconds, hit.rest, type)
        }
        let snapshot = board.snapshot()
        var reply = PositionReply(snapshot)
        reply.ageMs = nil
        let rest = Array(try Response.encode(reply).dropFirst())
        encoded.withLock { $0 = Encoded(version: snapshot.version, state: snapshot.state, rest: rest) }
        return Self.response(ageSeconds: snapshot.ageSeconds, rest, type)
    }

    private static func response(ageSeconds: Double?, _ rest: [UInt8], _ type: String) -> Response {
        var body: [UInt8] = []
        body.reserveCapacity(rest.count + 32)
        body.append(UInt8(ascii: "{"))
        if let ageSeconds { body += "\"ageMs\":\(Int((ageSeconds * 1000).rounded())),".utf8 }
        body += rest
        return .bytes(body, type: type)
    }
}

extension PositionReply {
    /// How long a list of satellites says how many are visible, seconds; `/v1/satellites` has it with its age.
    private static let skyLife = 30.0

    /// What is known now.
    init(_ snapshot: PositionSnapshot) {
        if let fix = snapshot.fix {
            self.init(fix, state: snapshot.state, ageSeconds: snapshot.ageSeconds)
        } else {
            self.init(state: snapshot.state)
            source = snapshot.source
        }
        let notes = snapshot.notes.isEmpty ? nil : snapshot.notes.joined(separator: "; ")
        reason = snapshot.health.level == .ok ? notes : snapshot.health.reason
        // There is no solution now; the place is the last one that there was.
        if snapshot.state == .acquiring { fixType = Self.word(snapshot.newestMode) }
        if let age = snapshot.skyAgeSeconds, age <= Self.skyLife, snapshot.skyIsOfFix {
            satellitesVisible = snapshot.sky?.satellites.count
        }
        correctedWeeks = snapshot.correctedWeeks == 0 ? nil : snapshot.correctedWeeks
        let refused = snapshot.counters.rejectedLines.values.reduce(0, +)
        refusedLines = refused == 0 ? nil : refused
    }
}
