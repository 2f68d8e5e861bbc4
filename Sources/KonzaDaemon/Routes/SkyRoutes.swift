internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Positioning
internal import Settings

/// `/v1/sky`: sun, moon, magnetic north, and the satellites in use.
struct SkyRoutes: Sendable {
    /// How long a list of satellites is that of now, seconds.
    private static let skyLife = 30.0

    let parts: StationParts

    var routes: [Route] {
        [
            Route(
                .get, "/v1/sky", access: .everyone, operation: "getSky",
                summary: "Sun, moon and magnetic north, for the station now, or for any place and instant",
                query: [QueryParameter("time", "The instant, RFC 3339; now by default.", .dateTime)]
                    + Observer.parameters,
                replies: [Reply(200, "The sky.", schema: "Sky")],
                handler: .asynchronous { request in try .json(try sky(request)) }
            ).failing(.noPosition)
        ]
    }

    private func sky(_ request: Request) throws -> SkyReply {
        let observer = try Observer(request, parts.board)
        // The moon's rise and set may be four days apart from it.
        let asked = try request.queryTime("time", around: 5)
        let now = parts.time.now()
        let view = SkyView(
            parts.ground, at: observer.place, altitude: observer.altitude,
            eye: parts.settings.current.terrain.eyeHeight, instant: asked ?? now.instant)
        var reply = SkyReply(
            position: observer.reply, time: view.instant, timeSource: asked == nil ? now.source.rawValue : "request",
            sun: view.sun, moon: view.moon)
        reply.declination = view.declination
        if observer.isStation, asked == nil { reply.satellites = satellites() }
        return reply
    }

    private func satellites() -> [SatellitesReply.Entry]? {
        let snapshot = parts.board.snapshot()
        guard let sky = snapshot.sky, let age = snapshot.skyAgeSeconds, age <= Self.skyLife else { return nil }
        return sky.satellites.filter(\.used).map(SatellitesReply.Entry.init)
    }
}
