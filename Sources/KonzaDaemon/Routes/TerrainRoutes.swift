internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Settings
internal import Terrain

/// `/v1/terrain`: the height of the ground, and the skyline.
struct TerrainRoutes: Sendable {
    private static let usualAzimuths = 720
    /// The length of a degree of latitude, metres, to the half percent that it varies by.
    private static let degree = 111_132.0

    let parts: StationParts

    var routes: [Route] {
        [
            Route(
                .get, "/v1/terrain/height", access: .everyone, operation: "getGroundHeight",
                summary: "The height of the ground at a place, by the elevations that konzad carries",
                query: Observer.parameters, replies: [Reply(200, "The height.", schema: "GroundHeight")],
                handler: .asynchronous { request in try height(request) }),
            Route(
                .get, "/v1/terrain/skyline", access: .everyone, operation: "getSkyline",
                summary: "The skyline that the ground makes, seen from a place",
                query: Observer.parameters + [
                    QueryParameter("azimuths", "How many directions; 720 by default.", .count(4...3600)),
                    QueryParameter(
                        "eye", "Metres of the eye above the ground; [Terrain] EyeHeight= by default.", .range(0...200)),
                ],
                replies: [Reply(200, "The skyline.", schema: "Skyline")],
                handler: .asynchronous { request in try skyline(request) }),
        ].map { $0.failing(.noPosition, .notFound) }
    }

    private func height(_ request: Request) throws -> Response {
        let observer = try Observer(request, parts.board)
        let model = parts.ground.model
        guard let height = model.height(at: observer.place), let grid = model.grid(at: observer.place) else {
            throw unknown(observer)
        }
        return try .json(
            HeightReply(
                position: observer.reply, height: height.rounded(toDecimals: 2), datum: grid.datum,
                spacing: (grid.latitudeStep * Self.degree).rounded(toDecimals: 1)))
    }

    private func skyline(_ request: Request) throws -> Response {
        let observer = try Observer(request, parts.board)
        let eye = request.queryNumber("eye") ?? parts.settings.current.terrain.eyeHeight
        let count = request.queryInteger("azimuths") ?? Self.usualAzimuths
        guard let skyline = parts.ground.model.skyline(from: observer.place, eye: eye, azimuths: count) else {
            throw unknown(observer)
        }
        let points = skyline.points.enumerated().compactMap { index, point in
            point.map {
                SkylineReply.Point(
                    azimuth: Double(index) * 360 / Double(count), elevation: $0.elevation.rounded(toDecimals: 3),
                    distance: $0.distance, reach: $0.reach)
            }
        }
        return try .json(
            SkylineReply(
                position: observer.reply, eyeHeight: skyline.height.rounded(toDecimals: 2),
                refraction: Refraction.coefficient, points: points))
    }

    private func unknown(_ observer: Observer) -> Problem {
        let reason =
            parts.ground.health.level == .ok
            ? "the elevations do not reach it; ask about a place nearer to the station, or add elevations to "
                + "\(parts.ground.folder)"
            : parts.ground.health.reason
        return Problem(
            .notFound,
            "cannot tell the height of the ground at \(observer.place.latitude), \(observer.place.longitude): \(reason)"
        )
    }
}
