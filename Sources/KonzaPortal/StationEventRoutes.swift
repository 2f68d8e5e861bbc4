internal import HTTPServing
internal import KonzaAPI
internal import People

/// `GET /v1/station/events`: what changes in the life of the station, as server-sent events.
struct StationEventRoutes: Sendable {
    let events: StationEvents
    let people: PeopleRegister
    let streams: OpenStreams

    var routes: [Route] {
        [
            Route(
                .get, "/v1/station/events", access: .everyone, operation: "listenToStation",
                summary: "What changes in the life of the station, as server-sent events",
                query: [
                    QueryParameter(
                        "types", "Which events, separated by commas; by default all that one may have.",
                        .form(Self.types))
                ],
                produces: ["text/event-stream"],
                replies: [
                    Reply(
                        200,
                        "Events without end, each of which says what to ask for anew; Last-Event-ID resumes, and gap says that "
                            + "events are no longer known. announcements: for everyone; trips: for the kiosk and the crew's devices; "
                            + "muster: for whoever signed in; session: the session is over, and the stream with it.")
                ],
                handler: .asynchronous { request in try open(request) }
            ).failing(.invalidRequest, .unavailable, .archiveUnavailable)
        ]
    }

    private static let types: TextForm = {
        let names = StationEvents.Name.allCases.map(\.rawValue)
        let word = "(?:\(names.joined(separator: "|")))"
        return TextForm(
            "\(word)(?:,\(word))*", examples: ["announcements,trips"],
            expected: "some of \(names.joined(separator: ", ")), separated by commas",
            accepts: { text in
                text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
                    StationEvents.Name(rawValue: String($0)) != nil
                }
            })
    }()

    private func open(_ request: Request) throws -> Response {
        let caller = try PeopleGate(people).caller(of: request)
        let session = caller?.session
        var names: Set<StationEvents.Name> = [.announcements, .session]
        if request.principal.has([.kiosk, .collector, .ranger, .keeper]) { names.insert(.trips) }
        // Who comes back to say so is good for nothing else.
        if let caller, caller.session?.isForReturn != true { names.insert(.muster) }
        let wanted = request.query("types").map { text in
            Set(text.split(separator: ",").compactMap { StationEvents.Name(rawValue: String($0)) })
        }
        let response = try events.open(request, wanted: wanted, of: names)
        if case .stream(let stream) = response.body {
            streams.hold(stream, of: request, session) { [events] in events.end(stream) }
        }
        return response
    }
}
