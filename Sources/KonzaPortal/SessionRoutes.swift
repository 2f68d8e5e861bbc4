internal import Access
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// Who a browser is here, and what its pages must know of the station before it shows anything.
struct SessionReply: Sendable {
    private struct Session: Encodable {
        /// What the browser may do at the station.
        let role: String
        /// What the device is called; absent for one that was not paired.
        let device: String?
        let station: String
        let place: String
        /// In which the pages tell times, as the time zone database names it; absent where nobody can tell.
        let timeZone: String?
        /// Of the pages' words, the one to begin with first (RFC 5646).
        let languages: [String]
        /// The template that visitors begin with; absent for konzad's own.
        let template: String?
        /// Counts the changes of what visitors begin with.
        let choices: Int64
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
        /// Whether a visitor may have a postcard on the internet.
        let publicLinks: Bool
        /// off, open or approved: whether visitors may show their postcards to others here, and when those see them.
        let gallery: String
        /// Whether there are people who muster here.
        let crew: Bool
        /// The version of the program, by which a page sees that it is old.
        let version: String
    }

    private static let idleSeconds = 60

    private let settings: @Sendable () -> StationSettings
    private let choices: KioskChoices
    private let hasDoor: @Sendable () -> Bool
    private let hasCrew: @Sendable () -> Bool

    /// - Parameters:
    ///   - settings: of the station.
    ///   - choices: what visitors begin with.
    ///   - hasDoor: whether a PIN opens the operator's screens at the kiosk; reads the disk.
    ///   - hasCrew: whether there are people who muster here; reads the disk.
    init(
        _ settings: @escaping @Sendable () -> StationSettings, choices: KioskChoices,
        hasDoor: @escaping @Sendable () -> Bool,
        hasCrew: @escaping @Sendable () -> Bool
    ) {
        self.settings = settings
        self.choices = choices
        self.hasDoor = hasDoor
        self.hasCrew = hasCrew
    }

    /// - Parameters:
    ///   - principal: who asks.
    ///   - device: its device, if it was paired.
    /// - Returns: the answer.
    /// - Throws: never, in practice: what cannot be encoded.
    func answer(_ principal: Principal, _ device: Device?) throws(Problem) -> Response {
        let settings = settings()
        return try .json(
            Session(
                role: Rights.role(of: principal).rawValue, device: device?.name, station: settings.general.station,
                place: settings.general.place, timeZone: LocalTime.zoneName, languages: choices.languagesInOrder,
                template: choices.current.template, choices: choices.current.revision,
                messageLimit: settings.postcards.messageLimit,
                maxCountdown: settings.postcards.maxCountdown, idleSeconds: Self.idleSeconds,
                retentionDays: settings.postcards.maxAge.map { $0 / 86_400 },
                endsWhenIdle: device.map { DeviceRegister.isVisit($0.id) } ?? false,
                door: Rights.role(of: principal) == .kiosk && hasDoor(), takeHome: settings.portal.takeHome != nil,
                publicLinks: settings.fleet.publicLinks && settings.fleet.publicLinkGap == nil,
                gallery: settings.portal.gallery.rawValue, crew: hasCrew(),
                version: ProgramVersion.number))
    }
}
