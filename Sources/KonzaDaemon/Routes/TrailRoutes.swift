internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Terrain
internal import Trails

/// `/v1/trails`: what is read of the trails.
struct TrailRoutes: Sendable {
    /// One is back this long before dusk, seconds.
    private static let reserveBeforeDusk = 20 * 60.0
    private static let name = Schema.Shape.name(TrailLimits.nameLength)

    let desk: TrailDesk

    private static let forms = [
        "json": "application/json", "geojson": "application/geo+json", "gpx": "application/gpx+xml",
        "kml": "application/vnd.google-earth.kml+xml",
    ]
    private static let time = QueryParameter("time", "The instant, RFC 3339; now by default.", .dateTime)

    var routes: [Route] {
        [
            Route(
                .get, "/v1/trails", access: .everyone, operation: "listTrails",
                summary: "The trails, their places and closures; as GeoJSON, GPX or KML with their lines",
                query: [
                    QueryParameter("format", "json by default.", values: Self.forms.keys.sorted()),
                    QueryParameter("trail", "In the other forms: only this one.", Self.name), Self.time,
                ],
                produces: [
                    "application/json", "application/geo+json", "application/gpx+xml",
                    "application/vnd.google-earth.kml+xml",
                ], replies: [Reply(200, "The trails.", schema: "Trails")],
                handler: .asynchronous { request in try list(request) }
            ).failing(.notFound, .conflict),
            Route(
                .get, "/v1/trails/nearest", access: .everyone, operation: "getNearestTrail",
                summary: "Where the station is on the trails, by its last fixes; or where a place is",
                query: Observer.parameters + [
                    QueryParameter(
                        "accuracy", "Of the place, metres, 95 %.", .range(0...100_000), needs: "latitude"),
                    Self.time,
                ], replies: [Reply(200, "Where.", schema: "NearestTrail")],
                handler: .asynchronous { request in try .json(nearest(request)) }
            ).failing(.noPosition),
            Route(
                .get, "/v1/trails/way", access: .everyone, operation: "getTrailWay",
                summary: "The quickest way on foot over open trails, and when to turn back",
                query: Observer.parameters + [
                    QueryParameter(
                        "to", "A place, a trail, latitude,longitude, or trailhead, which is the default.", Self.name),
                    Self.time,
                ], replies: [Reply(200, "The way.", schema: "TrailWay")],
                handler: .asynchronous { request in try .json(way(request)) }
            ).failing(.noPosition, .notFound, .noWay, .conflict),
            Route(
                .get, "/v1/trails/profile", access: .everyone, operation: "getTrailProfile",
                summary: "Heights along a trail",
                query: [QueryParameter("trail", "Its name; the one that the station is on by default.", Self.name)],
                replies: [Reply(200, "The profile.", schema: "TrailProfile")],
                handler: .asynchronous { request in try .json(profile(request)) }
            ).failing(.notFound, .conflict),
            Route(
                .get, "/v1/trails/closures", access: .everyone, operation: "listTrailClosures",
                summary: "What the station itself has closed, now and to come",
                replies: [Reply(200, "The closures.", schema: "TrailClosures")],
                handler: .asynchronous { _ in try .json(TrailClosuresReply(desk.closures(at: now))) }),
        ]
    }

    private var now: UTCInstant { desk.parts.time.believedNow ?? desk.parts.clock.utc() }

    // MARK: - The list

    private func list(_ request: Request) throws(Problem) -> Response {
        let network = desk.network
        let instant = try request.queryTime("time") ?? now
        let closed = desk.closed(in: network, at: instant)
        let type = request.query("format").flatMap { Self.forms[$0] } ?? request.acceptedType
        let trail = try request.query("trail").map { words throws(Problem) in
            try Self.trailName(words, network)
        }
        switch type {
        case "application/geo+json":
            return .bytes(TrailEncoding.geoJSON(network, trail: trail, closed: closed), type: type)
        case "application/gpx+xml":
            return .text(TrailEncoding.gpx(network, trail: trail, closed: closed, height: desk.height), type: type)
        case "application/vnd.google-earth.kml+xml":
            return .text(TrailEncoding.kml(network, trail: trail, closed: closed), type: type)
        default: return try .json(reply(network, closed, instant))
        }
    }

    private func reply(_ network: TrailNetwork, _ closed: ClosedEdges, _ instant: UTCInstant) -> TrailsReply {
        var reply = TrailsReply(demonstration: network.isDemonstration)
        reply.sources = network.sources.map(TrailsReply.Source.init)
        let apart = desk.archive.apart
        reply.apart = apart.isEmpty ? nil : apart.map(TrailsReply.Source.init)
        reply.trails = network.list(closed: closed, height: desk.height).map { trail in
            var entry = TrailsReply.Trail(
                name: trail.name, source: trail.source, length: trail.length.rounded(toDecimals: 1))
            entry.publishedLength = trail.published.map {
                [$0.lowerBound.rounded(toDecimals: 0), $0.upperBound.rounded(toDecimals: 0)]
            }
            entry.ascent = trail.ascent?.rounded(toDecimals: 0)
            entry.closed = trail.closed?.reason
            entry.closedLength = trail.closed?.length.rounded(toDecimals: 1)
            return entry
        }
        reply.places = network.sources.flatMap(\.places).map {
            TrailsReply.Place(name: $0.name, kind: $0.kind.rawValue, at: $0.coordinate)
        }
        reply.closures = desk.closures(at: instant)
        reply.segments = network.edgeCount
        reply.junctions = network.junctionCount
        reply.length = network.totalLength.rounded(toDecimals: 1)
        reply.ascentThreshold = TrailProfile.threshold
        return reply
    }

    /// The one trail that words name.
    ///
    /// - Throws: `not-found`, and `conflict` where it may be one of several.
    static func trailName(_ words: String, _ network: TrailNetwork) throws(Problem) -> String {
        let name: String?
        do throws(TrailError) { name = try network.trailName(words) } catch { throw Problem(error) }
        guard let name else {
            throw Problem(.notFound, "cannot find the trail \(words): GET /v1/trails has the names")
        }
        return name
    }

    // MARK: - Where, and the way

    private func nearest(_ request: Request) throws(Problem) -> NearestTrailReply {
        let instant = try request.queryTime("time")
        if request.query("latitude") != nil {
            let observer = try Observer(request, desk.parts.board)
            return desk.nearest(to: observer, accuracy: request.queryNumber("accuracy"), at: instant ?? now)
        }
        if let instant { return try desk.nearest(at: instant) }
        return desk.nearest()
    }

    private func way(_ request: Request) throws(Problem) -> TrailWayReply {
        let network = desk.network
        let instant = try request.queryTime("time", around: 2)
        var observer = try Observer(request, desk.parts.board)
        var match = observer.isStation && instant == nil ? desk.presentMatch() : nil
        if observer.isStation, let instant, case .success(let then) = desk.parts.board.position(at: instant) {
            observer = Observer(then)
            match = nil
        }
        let words = request.query("to") ?? "trailhead"
        let end = words.lowercased() == "trailhead" ? nil : try destination(words, network, from: observer.place)
        let start = instant ?? now
        let closed = desk.closed(in: network, at: start)
        let (target, way): (Destination, TrailWay)
        do throws(TrailError) {
            if let end {
                target = end
                way = try network.way(
                    from: observer.place, to: end.coordinate, closed: closed, on: match, height: desk.height)
            } else {
                let home = try network.wayHome(from: observer.place, closed: closed, on: match, height: desk.height)
                target = (home.trailhead.name, home.trailhead.kind.rawValue, home.trailhead.coordinate)
                way = home.way
            }
        } catch {
            throw Problem(error)
        }
        var places = way.points
        if places.count == 1 { places += places }
        var reply = TrailWayReply(
            demonstration: network.isDemonstration,
            to: TrailsReply.Place(name: target.name, kind: target.kind, at: target.coordinate),
            distance: way.distance.rounded(toDecimals: 1), seconds: way.seconds.rounded(toDecimals: 0),
            approach: way.approach.rounded(toDecimals: 1), departure: way.departure.rounded(toDecimals: 1),
            ascentThreshold: TrailProfile.threshold, geometry: TrailWayReply.Geometry(places),
            avoidsClosed: way.avoidsClosed, timestamp: start, position: observer.reply)
        reply.ascent = way.profile.ascent?.rounded(toDecimals: 0)
        reply.descent = way.profile.descent?.rounded(toDecimals: 0)
        reply.turns = way.turns.map(TrailWayReply.Turn.init)
        reply.closed = way.closed.map {
            TrailWayReply.Closed(
                distance: $0.along.rounded(toDecimals: 1), length: $0.length.rounded(toDecimals: 1), reason: $0.reason)
        }
        if target.kind == TrailPlace.Kind.other.rawValue {
            reply.toClosed = network.closedReason(ofTrail: target.name, closed)
        }
        reply.closedLength = way.closedLength.rounded(toDecimals: 1)
        if !way.closing.isEmpty {
            reply.closing = way.closing.map {
                TrailWayReply.Closing(
                    distance: $0.along.rounded(toDecimals: 1), length: $0.length.rounded(toDecimals: 1),
                    reason: $0.reason, from: $0.from)
            }
        }
        reply.dusk = TrailDesk.dusk(
            at: target.coordinate, height: desk.height(target.coordinate), dayOf: start)
        reply.turnBackBefore = reply.dusk?.advanced(bySeconds: -way.seconds - Self.reserveBeforeDusk)
        return reply
    }

    private typealias Destination = (name: String, kind: String, coordinate: Coordinate)

    private func destination(
        _ text: String, _ network: TrailNetwork, from place: Coordinate
    ) throws(Problem) -> Destination {
        if let numbers = TextForm.decimals(text), numbers.count == 2 {
            guard let end = Observer.place(numbers[0], numbers[1]) else {
                throw Request.contradiction("to", "\(text) is no latitude,longitude in degrees")
            }
            return (text, "place", end)
        }
        let found: TrailPlace?
        do throws(TrailError) { found = try network.place(named: text, near: place) } catch { throw Problem(error) }
        guard let found else {
            throw Problem(
                .notFound,
                "cannot find \(text): GET /v1/trails has the names of places and trails; or give latitude,longitude")
        }
        return (found.name, found.kind.rawValue, found.coordinate)
    }

    private func profile(_ request: Request) throws(Problem) -> TrailProfileReply {
        let network = desk.network
        let present = desk.nearest()
        let wanted = try request.query("trail").map { words throws(Problem) in try Self.trailName(words, network) }
        guard
            let name = wanted ?? present.trail
                ?? network.list(closed: desk.closed(in: network), height: { _ in nil }).first?.name,
            let (own, profile) = network.profile(ofTrail: name, height: desk.height)
        else { throw Problem(.notFound, "cannot find a trail: none has a name; import some with konza trails import") }
        var reply = TrailProfileReply(
            demonstration: network.isDemonstration, trail: own, length: profile.length.rounded(toDecimals: 1),
            step: profile.step, ascentThreshold: TrailProfile.threshold,
            points: profile.points.map {
                TrailProfileReply.Point(
                    along: $0.along.rounded(toDecimals: 1), height: $0.height?.rounded(toDecimals: 1))
            })
        reply.ascent = profile.ascent?.rounded(toDecimals: 0)
        reply.descent = profile.descent?.rounded(toDecimals: 0)
        reply.datum = network.beginning(ofTrail: own).flatMap { desk.parts.ground.model.grid(at: $0)?.datum }
        reply.here = present.trail == own ? present.along : nil
        return reply
    }
}

extension TrailsReply.Source {
    init(_ source: TrailSource) {
        self.init(
            name: source.name, origin: source.origin.rawValue, importedAt: source.importedAt,
            attribution: source.attribution, segments: source.segmentCount)
    }
}

extension TrailWayReply.Turn {
    init(_ turn: TrailWay.Turn) {
        let trail = turn.trail.map { " on \($0)" } ?? ""
        let words =
            turn.turn == .straightOn
            ? "go straight ahead" : turn.turn == .back ? "turn back" : "turn \(turn.turn.words)"
        self.init(
            distance: turn.along.rounded(toDecimals: 1), at: turn.coordinate, turn: turn.turn.rawValue,
            trail: turn.trail,
            heading: turn.bearing.rounded(toDecimals: 1), words: words + trail)
    }
}
