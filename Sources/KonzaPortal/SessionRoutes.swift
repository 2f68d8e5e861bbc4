internal import Access
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import Settings

/// What a page is told of whom it speaks for, and what it must know of the station before it shows anything.
struct SessionReply: Sendable {
    private struct Session: Encodable {
        /// What the browser may do at the station.
        let role: String
        /// What the device is called; absent for one that was not paired.
        let device: String?
        let station: String
        let place: String
        /// Of the pages' words, the one to begin with first (RFC 5646).
        let languages: [String]
        /// Characters of a postcard's message.
        let messageLimit: Int
        /// Seconds of a countdown.
        let maxCountdown: Double
        /// Seconds without a touch until the page asks whether somebody is there.
        let idleSeconds: Int
        /// Days that postcards are kept; absent where they are kept until the disk needs the room.
        let retentionDays: Double?
        /// Whether the page is to end the session when nobody touches it: somebody came in by the kiosk's door.
        let endsWhenIdle: Bool
        /// Whether a PIN opens the operator's screens at the kiosk.
        let door: Bool
        /// Whether a postcard can go home by a link.
        let takeHome: Bool
        /// The version of the program, by which a page sees that it is old.
        let version: String
    }

    private static let idleSeconds = 60

    private let settings: StationSettings
    private let languages: [String]
    private let hasDoor: @Sendable () -> Bool

    /// - Parameters:
    ///   - settings: of the station.
    ///   - languages: of the pages.
    ///   - hasDoor: whether a PIN opens the operator's screens at the kiosk; reads the disk.
    init(_ settings: StationSettings, languages: [String], hasDoor: @escaping @Sendable () -> Bool) {
        self.settings = settings
        self.languages = languages
        self.hasDoor = hasDoor
    }

    /// - Parameters:
    ///   - principal: who asks.
    ///   - device: its device, if it was paired.
    /// - Returns: the answer.
    /// - Throws: never, in practice: what cannot be encoded.
    func answer(_ principal: Principal, _ device: Device?) throws(Problem) -> Response {
        try .json(
            Session(
                role: Rights.role(of: principal).rawValue, device: device?.name, station: settings.general.station,
                place: settings.general.place, languages: languages, messageLimit: settings.postcards.messageLimit,
                maxCountdown: settings.postcards.maxCountdown, idleSeconds: Self.idleSeconds,
                retentionDays: settings.postcards.maxAge.map { $0 / 86_400 },
                endsWhenIdle: device?.id == DeviceRegister.visitID,
                door: Rights.role(of: principal) == .kiosk && hasDoor(), takeHome: settings.portal.takeHome != nil,
                version: ProgramVersion.number))
    }
}
