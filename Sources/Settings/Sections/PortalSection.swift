extension StationSettings {
    /// What a browser on a loopback address is that was not paired.
    public enum LoopbackRole: String, Sendable, CaseIterable {
        case kiosk
        case visitor
    }

    /// When others see the postcards that visitors agreed to show.
    public enum GalleryRule: String, Sendable, CaseIterable {
        /// Never: there is no gallery.
        case off
        /// At once; a ranger can hide them.
        case open
        /// When a ranger has approved them.
        case approved
    }

    public struct Portal: Sendable, Equatable {
        /// Of the kiosk's page on the loopback address; 0 for none.
        public var port = 8470
        public var loopback = LoopbackRole.kiosk
        /// Addresses with TLS.
        public var listen: [Endpoint] = []
        /// By which tablets call the machine.
        public var names: [String] = []
        /// In PEM; nil for the station's own.
        public var certificate: String?
        /// In PEM.
        public var key: String?
        /// Without TLS, for links alone; nil for none.
        public var takeHome: Endpoint?
        public var wifiName = ""
        public var wifiPassword = ""
        /// Tiles of the map's ground (MBTiles); nil for the relief that came along.
        public var map: String?
        public var gallery = GalleryRule.open
        /// Until a postcard that the kiosk's page has shown to nobody is deleted, seconds.
        public var unseenAfter = 300.0
        /// The user that the kiosk's browser runs as.
        public var kioskUser = "konza-kiosk"
        /// Of what the station shows and its people are told: announcements, calendar, personnel, pages.
        public var content = "/etc/konza/station"
        public var state = "/var/lib/konza-portal"
        /// Of the portal's own API.
        public var socket = "/run/konza-portal/portal.sock"
    }
}

extension SettingsTable {
    static let portal = [
        SettingDescription(
            SettingKey(
                "Portal", "Port", \.portal.port, .integer(0...65_535), needsRestart: true,
                "The port of the kiosk's page on the loopback addresses of this machine (http://127.0.0.1:8470/). 0: no "
                    + "such page.")),
        SettingDescription(
            SettingKey(
                "Portal", "Loopback", \.portal.loopback, .choice(), needsRestart: true,
                "What a browser on a loopback address is that was not paired: kiosk, or visitor where the kiosk's own is "
                    + "known in another way: that of the package konza-kiosk by itself, others by konza pair "
                    + "kiosk. What a reverse proxy passes on is a visitor's in any case.")),
        SettingDescription(
            SettingKey(
                "Portal", "Listen", \.portal.listen, .addresses(), needsRestart: true,
                "The addresses of this machine that tablets reach it at, with TLS; for example 192.168.8.1:8443. The port "
                    + "is 8443 where none is named. Empty: the pages are served to this machine alone.")),
        SettingDescription(
            SettingKey(
                "Portal", "Names", \.portal.names, .words("host name") { HostName.isName($0) }, needsRestart: true,
                "The names that tablets call this machine by, for example konza.lan. The first is in links; without one "
                    + "the address is.")),
        SettingDescription(
            SettingKey(
                "Portal", "Certificate", \.portal.certificate, .optionalPath(), needsRestart: true,
                "A certificate of the operator's in PEM, with those of its issuers behind it. Empty: the station's own, "
                    + "made at the first start (konza portal certificate).")),
        SettingDescription(
            SettingKey(
                "Portal", "Key", \.portal.key, .optionalPath(), needsRestart: true,
                "The private key of Certificate=, in PEM without a password.")),
        SettingDescription(
            SettingKey(
                "Portal", "TakeHome", \.portal.takeHome, .optionalEndpoint(), needsRestart: true,
                "The address and port of this machine at which telephones fetch their postcards by a link, without TLS so that "
                    + "none of them warns; for example 192.168.8.1:8480. Nothing else is there. Empty: no such links.")),
        SettingDescription(
            SettingKey(
                "Portal", "WiFiName", \.portal.wifiName, .text(upTo: 32), needsRestart: true,
                "The name of the station's Wi-Fi, for the code that has a telephone join it before it fetches a postcard. "
                    + "Empty: telephones are in the network anyway.")),
        SettingDescription(
            SettingKey(
                "Portal", "WiFiPassword", \.portal.wifiPassword, .text(upTo: 63), needsRestart: true,
                "Its password, which every visitor is shown. Empty: it has none.")),
        SettingDescription(
            SettingKey(
                "Portal", "Map", \.portal.map, .optionalPath(), needsRestart: true,
                "A file of raster tiles for the ground of the map (MBTiles 1.3, JPEG, PNG or WebP). Empty: the relief of Konza "
                    + "Prairie that came along.")),
        SettingDescription(
            SettingKey(
                "Portal", "Gallery", \.portal.gallery, .choice(), needsRestart: true,
                "The gallery of postcards whose visitors agreed to show them to others, at the kiosk and on the station's "
                    + "network. open: they are seen at once, and a ranger can hide them; approved: when a ranger has "
                    + "approved them; off: there is none, and nobody is asked.")),
        SettingDescription(
            SettingKey(
                "Portal", "UnseenAfter", \.portal.unseenAfter, .duration(2...3600), needsRestart: true,
                "How long the kiosk's page may take to show a postcard to whoever asked for it. One that nobody has seen by "
                    + "then, as when the browser or the machine failed, is deleted.")),
        SettingDescription(
            SettingKey(
                "Portal", "KioskUser", \.portal.kioskUser, .name(upTo: 32), needsRestart: true,
                "The user that the browser of the package konza-kiosk runs as: it gets a token over the portal's socket, by "
                    + "which it is the kiosk, also with Loopback=visitor.")),
        SettingDescription(
            SettingKey(
                "Portal", "Content", \.portal.content, .path(), needsRestart: true,
                "The folder of what the operator writes: announcements, calendar (.ics, .plist), personnel (.vcf) and pages "
                    + "(LANGUAGE/NAME.md), decks of cards for the learning games (decks/NAME.json or .csv). Changes are picked up at "
                    + "once; what it lacks comes from /usr/share/konza/station."
            )),
        SettingDescription(
            SettingKey(
                "Portal", "State", \.portal.state, .path(), needsRestart: true,
                "The folder of what the portal keeps: paired devices, links, the station's own certificate.")),
        SettingDescription(
            SettingKey(
                "Portal", "Socket", \.portal.socket, .path(upTo: 107), needsRestart: true,
                "The portal's Unix socket, by which konza reaches it.")),
    ]
}
