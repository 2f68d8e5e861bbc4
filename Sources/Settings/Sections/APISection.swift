extension StationSettings {
    public struct API: Sendable, Equatable {
        public var maxConnections = 1200
        /// Bytes.
        public var maxBody: Int64 = 64 << 10
        /// Seconds.
        public var requestTimeout = 10.0
        /// Seconds.
        public var idleTimeout = 60.0
        /// Origins of pages that may use the API through a proxy.
        public var allowedOrigins: [String] = []
        public var allowedHosts = ["localhost", "konza"]
        /// The group whose members may write.
        public var group = "konza"
        /// The user that the courier runs as.
        public var courierUser = "konza-courier"
        /// The user that the portal runs as.
        public var portalUser = "konza-portal"
        /// The user that the fleet's process runs as.
        public var fleetUser = "konza-fleet"
        /// Position events a second and client.
        public var positionEventsPerSecond = 10
        /// Events kept for one slow client, and for resumption.
        public var eventsPerClient = 256
        public var maxPreviews = 8
    }
}

extension SettingsTable {
    static let api = [
        SettingDescription(
            SettingKey(
                "API", "MaxConnections", \.api.maxConnections, .integer(4...4096), needsRestart: true,
                "The most connections at one time. One user may have no more of them than are left for the others: a half, "
                    + "while nobody else has any. Root and konzad's own user are not bound by that, and have 16 more.")),
        SettingDescription(
            SettingKey(
                "API", "MaxBody", \.api.maxBody, .size(1 << 10...16 << 20), needsRestart: true,
                "The largest body of a request.")),
        SettingDescription(
            SettingKey(
                "API", "RequestTimeout", \.api.requestTimeout, .duration(1...120), needsRestart: true,
                "A request must be whole within this time.")),
        SettingDescription(
            SettingKey(
                "API", "IdleTimeout", \.api.idleTimeout, .duration(1...3600), needsRestart: true,
                "A connection without a request is closed after this time.")),
        SettingDescription(
            SettingKey(
                "API", "AllowedOrigins", \.api.allowedOrigins, .words("origin", isOrigin), needsRestart: true,
                "The origins of web pages that may use the API through a proxy, as in \"https://kiosk.local\". "
                    + "Several lines add up.")),
        SettingDescription(
            SettingKey(
                "API", "AllowedHosts", \.api.allowedHosts, .words("host name", isHost), needsRestart: true,
                "The names that requests may address this station by. Several lines add up.")),
        SettingDescription(
            SettingKey(
                "API", "Group", \.api.group, .name(upTo: 32), needsRestart: true,
                "The group whose members may write, beside root and konzad's own user; all others read.")),
        SettingDescription(
            SettingKey(
                "API", "CourierUser", \.api.courierUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-courier runs as: it alone, root and konzad's own user may take errands and report what "
                    + "came of them.")),
        SettingDescription(
            SettingKey(
                "API", "PortalUser", \.api.portalUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-portal runs as: it may do what people do, and with Konza-On-Behalf-Of say for whom it "
                    + "asks, who is then held to that role and to a share of their own.")),
        SettingDescription(
            SettingKey(
                "API", "FleetUser", \.api.fleetUser, .name(upTo: 32), needsRestart: true,
                "The user that konza-fleet runs as: it alone, root and konzad's own user may take what waits for the fleet "
                    + "and confirm it; it may also have a postcard taken.")),
        SettingDescription(
            SettingKey(
                "API", "PositionEventsPerSecond", \.api.positionEventsPerSecond, .integer(1...50),
                "The most position events a second that one client may ask for.")),
        SettingDescription(
            SettingKey(
                "API", "EventsPerClient", \.api.eventsPerClient, .integer(16...4096), needsRestart: true,
                "How many events are kept, in at most 1 MiB, for a client that comes back with Last-Event-ID. One that "
                    + "missed more gets the event gap.")),
        SettingDescription(
            SettingKey(
                "API", "MaxPreviews", \.api.maxPreviews, .integer(1...64), needsRestart: true,
                "The most live previews at one time.")),
    ]

    /// A scheme, a host and perhaps a port (RFC 6454 section 6.2).
    @Sendable private static func isOrigin(_ word: Substring) -> Bool {
        for scheme in ["https://", "http://"] where word.hasPrefix(scheme) {
            let authority = word.dropFirst(scheme.count)
            return Endpoint(String(authority)) != nil || Endpoint("\(authority):1") != nil
        }
        return false
    }

    @Sendable private static func isHost(_ word: Substring) -> Bool { Endpoint("\(word):1") != nil }
}
