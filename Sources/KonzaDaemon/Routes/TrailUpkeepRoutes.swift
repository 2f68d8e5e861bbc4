internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Trails

/// `/v1/trails`: what changes the trails.
struct TrailUpkeepRoutes: Sendable {
    private static let types = [
        "application/geo+json", "application/json", "application/gpx+xml", "application/xml", "text/xml",
        "application/octet-stream",
    ]
    private static let sourceName = Schema.Shape.name(TrailLimits.sourceNameLength)

    let desk: TrailDesk
    /// Each import may need some hundred bytes of memory for every point.
    private let limiter = Limiter(1, of: "an import of trails")

    init(desk: TrailDesk) { self.desk = desk }

    var routes: [Route] {
        [
            Route(
                .post, "/v1/trails", access: .only(.ranger, .keeper), operation: "importTrails",
                summary: "Take in a file of trails: GeoJSON, GPX or OSM XML; what is wrong with it changes nothing",
                query: [
                    QueryParameter(
                        "source", "The name to keep it by, trails by default; the source of that name is replaced.",
                        Self.sourceName),
                    QueryParameter("dryRun", "yes: only the report.", values: ["yes", "no"]),
                ],
                body: RequestBody(types: Self.types, isRequired: true, limit: TrailLimits.fileBytes, isSpooled: true),
                replies: [Reply(200, "The report; the trails are on the disk.", schema: "TrailReport")],
                handler: .asynchronous { request in try await take(request) }
            ).failing(
                .unusableTrails, .conflict, .archiveUnavailable, .insufficientStorage, .unavailable, .tooManyRequests),
            Route(
                .delete, "/v1/trails/sources/{source}", access: .only(.ranger, .keeper), operation: "removeTrails",
                summary: "Forget the trails of a source", replies: [Reply(204, "They are gone.")],
                handler: .asynchronous { request in
                    let name = request.parameter("source")
                    try await desk.change { [desk] () throws(TrailError) in
                        try desk.archive.remove(source: name)
                        desk.remake()
                    }
                    return .noContent
                }
            ).taking("source", Self.sourceName).failing(
                .notFound, .archiveUnavailable, .insufficientStorage, .unavailable),
            Route(
                .post, "/v1/trails/closures", access: .only(.ranger, .keeper), operation: "closeTrail",
                summary: "Close a trail, a segment or all of them, now or by the calendar",
                body: RequestBody(schema: "TrailClosureRequest", isRequired: true),
                replies: [
                    Reply(
                        201, "The closure, on the disk.", schema: "TrailClosure",
                        ids: [.init("/v1/trails/closures/{closure}", ["closure": "$response.body#/id"])])
                ],
                handler: .asynchronous { request in try await close(request) }
            ).failing(.notFound, .conflict, .archiveUnavailable, .insufficientStorage, .unavailable),
            Route(
                .delete, "/v1/trails/closures/{closure}", access: .only(.ranger, .keeper), operation: "openTrail",
                summary: "Take a closure back", replies: [Reply(204, "It is open, as far as nothing else closes it.")],
                handler: .asynchronous { request in
                    guard let id = Int(request.parameter("closure")) else {
                        throw Problem(.notFound, "cannot find the closure: its id is a number")
                    }
                    try await desk.change { [desk] () throws(TrailError) in try desk.archive.open(id) }
                    return .noContent
                }
            ).taking("closure", .count(1...1_000_000_000)).failing(
                .notFound, .archiveUnavailable, .insufficientStorage, .unavailable),
        ]
    }

    private func take(_ request: Request) async throws -> Response {
        try limiter.enter()
        defer { limiter.leave() }
        let bytes: [UInt8]
        var memory: MemoryReservation?
        if let upload = request.upload {
            memory = desk.parts.memory.reserve(upload.count, for: .bodies, account: request.principal.account)
            guard memory != nil else {
                throw Problem(
                    .unavailable, "cannot import the trails: other bodies hold the memory; try again in a moment")
            }
            bytes = try await onBlockingThread { try upload.contents(in: nil).array }
        } else {
            bytes = request.body
        }
        defer { memory?.release() }
        guard !bytes.isEmpty else {
            throw Problem(.unusableTrails, "cannot import the trails: the body is empty; send the file")
        }
        let report = try await desk.take(
            bytes, source: request.query("source") ?? "trails", isDryRun: request.query("dryRun") == "yes")
        return try .json(report)
    }

    private func close(_ request: Request) async throws -> Response {
        let order = try TrailClosureRequest(try request.json())
        let network = desk.network
        let target: TrailClosure.Target
        var ground: ClosedGround?
        if let words = order.trail {
            target = .trail(try TrailRoutes.trailName(words, network))
        } else if let id = order.segment {
            // A piece is cut anew when other trails are imported: what is closed is the segment.
            let found: (source: String, segment: TrailSegment)?
            do throws(TrailError) { found = try network.segment(named: id) } catch { throw Problem(error) }
            guard let found else {
                throw Problem(
                    .notFound, "cannot close the segment \(id): the GeoJSON of GET /v1/trails has the ids of segments")
            }
            target = .segment(TrailNetwork.segmentID(id))
            ground = ClosedGround(found.segment, of: found.source)
        } else {
            target = .everything
        }
        let now = desk.parts.time.believedNow ?? desk.parts.clock.utc()
        if let until = order.until, until <= now {
            throw TrailClosureRequest.contradiction(
                "until", "it is over already, at \(now); give a later time, or leave it out")
        }
        let closure = try await desk.change { [desk, ground] () throws(TrailError) in
            try desk.archive.close(
                target, on: ground, reason: order.reason, from: order.from, until: order.until, now: now)
        }
        return try .created(
            desk.reply(of: closure, in: desk.network, at: now), location: "/v1/trails/closures/\(closure.id)")
    }
}
