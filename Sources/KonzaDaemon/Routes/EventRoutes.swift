internal import HTTPServing
internal import KonzaAPI
internal import Settings

/// `GET /v1/events`.
struct EventRoutes: Sendable {
    let parts: StationParts

    var routes: [Route] {
        [
            Route(
                .get, "/v1/events", access: .everyone, operation: "listenToEvents",
                summary: "What happens, as server-sent events",
                query: [
                    QueryParameter("types", "Which events, separated by commas; all by default."),
                    QueryParameter("positionRate", "At most so many positions a second; 1 by default.", type: "number"),
                ],
                produces: ["text/event-stream"],
                replies: [Reply(200, "Events without end; Last-Event-ID resumes.")],
                handler: .immediate { request in try open(request) })
        ]
    }

    private func open(_ request: Request) throws -> Response {
        let most = Double(parts.settings.current.api.positionEventsPerSecond)
        let rate = try request.queryNumber("positionRate", in: 0.01...most) ?? min(1, most)
        return try parts.events.open(request, names: try Self.names(request), positionsPerSecond: rate)
    }

    private static func names(_ request: Request) throws(Problem) -> Set<EventName> {
        guard let text = request.query("types") else { return Set(EventName.allCases) }
        var names: Set<EventName> = []
        for word in text.split(separator: ",") {
            guard let name = EventName(rawValue: String(word)) else {
                let known = EventName.allCases.map(\.rawValue).joined(separator: ", ")
                throw Request.badQuery("types", "\(word.prefix(40)) is no event; expected some of \(known)")
            }
            names.insert(name)
        }
        return names
    }
}
