internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Settings

/// `GET /v1/session`: who the page speaks for, and what it must know of the station before it shows anything.
struct SessionRoutes: Sendable {
    private struct Session: Encodable {
        /// What the browser may do at the station.
        let role: String
        let station: String
        let place: String
        /// Characters of a postcard's message.
        let messageLimit: Int
        /// Seconds of a countdown.
        let maxCountdown: Double
        /// Seconds without a touch until the page asks whether somebody is there.
        let idleSeconds: Int
        /// Days that postcards are kept; absent where they are kept until the disk needs the room.
        let retentionDays: Double?
        /// The version of the program, by which a page sees that it is old.
        let version: String
    }

    private static let idleSeconds = 60

    private let session: Session

    init(_ settings: StationSettings) {
        session = Session(
            role: Role.kiosk.rawValue, station: settings.general.station, place: settings.general.place,
            messageLimit: settings.postcards.messageLimit, maxCountdown: settings.postcards.maxCountdown,
            idleSeconds: Self.idleSeconds, retentionDays: settings.postcards.maxAge.map { $0 / 86_400 },
            version: ProgramVersion.number)
    }

    var route: Route {
        Route(
            .get, "/v1/session", access: .everyone, operation: "getSession", summary: "Who the page speaks for",
            replies: [Reply(200, "The session.")],
            handler: .immediate { [session] _ in try .json(session) })
    }
}
