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
                    QueryParameter("types", "Which events, separated by commas; all by default.", .form(Self.types)),
                    QueryParameter(
                        "positionRate", "At most so many positions a second; 1 by default.", .range(0.01...highestRate)),
                ],
                produces: ["text/event-stream"],
                replies: [Reply(200, "Events without end; Last-Event-ID resumes.")],
                handler: .immediate { request in try open(request) })
        ]
    }

    private var highestRate: Double { Double(parts.settings.current.api.positionEventsPerSecond) }

    private static let types: TextForm = {
        let names = EventName.allCases.map(\.rawValue)
        let word = "(?:\(names.joined(separator: "|")))"
        return TextForm(
            "\(word)(?:,\(word))*", examples: ["postcard,health"],
            expected: "some of \(names.joined(separator: ", ")), separated by commas",
            accepts: { text in
                text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
                    EventName(rawValue: String($0)) != nil
                }
            })
    }()

    private func open(_ request: Request) throws -> Response {
        let rate = min(request.queryNumber("positionRate") ?? 1, highestRate)
        return try parts.events.open(request, names: Self.names(request), positionsPerSecond: rate)
    }

    private static func names(_ request: Request) -> Set<EventName> {
        guard let text = request.query("types") else { return Set(EventName.allCases) }
        return Set(text.split(separator: ",").compactMap { EventName(rawValue: String($0)) })
    }
}
