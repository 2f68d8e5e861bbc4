public import KonzaModel

/// Everything about a station that its keeper may choose. The values here are the defaults.
public struct StationSettings: Sendable, Equatable {
    /// Where the position comes from.
    public enum PositionSource: String, Sendable, CaseIterable {
        case gpsd
        case recorded
    }

    /// Where pictures come from.
    public enum CameraSource: String, Sendable, CaseIterable {
        case v4l2
        case recorded
    }

    /// The frequency of the mains, against flicker.
    public enum PowerLineFrequency: String, Sendable, CaseIterable {
        case automatic = "auto"
        case disabled
        case hertz50 = "50"
        case hertz60 = "60"
    }

    /// The clockwise turn that puts the camera's pictures upright, in degrees.
    public enum Rotation: String, Sendable, CaseIterable {
        case none = "0"
        case quarter = "90"
        case half = "180"
        case threeQuarters = "270"
    }

    /// Which of MetPetDB's interfaces samples are looked for over.
    public enum SampleBackend: String, Sendable, CaseIterable {
        case rest
        case servlet
    }

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

    /// Which full pictures go to the fleet's store.
    public enum Originals: String, Sendable, CaseIterable {
        case all
        /// Those that an operator asks for.
        case demand
        case none
    }

    /// Which days beside weekends nobody is expected at the muster.
    public enum HolidayRule: String, Sendable, CaseIterable {
        /// Those of the federal government of the United States (5 U.S.C. 6103).
        case federal
        /// None but `ClosedDays=`.
        case none
    }

    /// Where a muster may be made.
    public enum MusterPlace: String, Sendable, CaseIterable {
        /// At the kiosk alone.
        case kiosk
        /// On a device of the station's network too, with the code that the kiosk shows.
        case network
        /// The same where the device says that it is within a circle of the settings, too.
        case fence
    }

    /// A circle on the ground.
    public struct FenceCircle: Sendable, Equatable {
        /// Degrees, WGS 84.
        public let latitude: Double
        public let longitude: Double
        /// Metres, 50 to 100 000.
        public let radius: Double

        /// Nil unless the text is latitude, longitude and metres, with commas between.
        public init?(_ text: some StringProtocol) {
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Quantity.decimal(String($0))
            }
            guard parts.count == 3, let latitude = parts[0], let longitude = parts[1], let radius = parts[2],
                (-90...90).contains(latitude), (-180...180).contains(longitude), (50...100_000).contains(radius)
            else { return nil }
            (self.latitude, self.longitude, self.radius) = (latitude, longitude, radius)
        }
    }

    public struct General: Sendable, Equatable {
        /// The folder of postcards and index.
        public var state = "/var/lib/konza"
        /// The Unix socket of the API.
        public var socket = "/run/konza.sock"
        /// A name of the time zone database; empty for the system's.
        public var timeZone = ""
        /// The place in captions.
        public var place = "Konza Prairie"
        /// The station's name in marks and metadata.
        public var station = "Konza"
    }

    public struct Position: Sendable, Equatable {
        public var source = PositionSource.gpsd
        public var gpsd = Endpoint(host: "127.0.0.1", port: 2947)
        /// nil for the recording that konzad carries.
        public var recording: String?
        /// How many recorded seconds pass in one second.
        public var recordingRate = 1.0
        /// Seconds.
        public var staleAfter = 2.5
        /// Seconds.
        public var maxGap = 10.0
        /// Seconds.
        public var maxExtrapolation = 2.0
        /// Seconds.
        public var geotagWait = 1.2
        /// Minutes.
        public var trackMinutes = 30
    }

    public struct Camera: Sendable, Equatable {
        public var source = CameraSource.v4l2
        /// nil for the first usable one.
        public var device: String?
        /// nil for the scene that konzad draws.
        public var recording: String?
        /// Pixels; the camera's nearest size is taken.
        public var width = 1920
        public var height = 1080
        /// Frames a second; the camera's nearest rate is taken.
        public var frameRate = 30
        public var rotate = Rotation.none
        /// Of the live preview alone.
        public var mirror = false
        /// Seconds.
        public var idleAfter = 30.0
        public var powerLineFrequency = PowerLineFrequency.automatic
        public var exposureDynamicFramerate = false
        /// 1 to 100, of pictures that the camera gives uncompressed.
        public var quality = 90
        /// V4L2 control names and values.
        public var controls: [String: Int] = [:]
    }

    public struct Postcards: Sendable, Equatable {
        public var template = "vintage"
        public var templateFolders = ["/etc/konza/templates", "/usr/share/konza/templates"]
        public var keepOriginal = true
        /// Characters.
        public var messageLimit = 80
        /// Seconds.
        public var maxCountdown = 10.0
        public var artist = ""
        public var copyright = ""
        /// Bytes; nil without a limit.
        public var maxBytes: Int64?
        /// Seconds; nil without a limit.
        public var maxAge: Double?
        /// nil without a limit.
        public var maxCount: Int?
        public var spaceReserve = SpaceShare.bytes(256 << 20)
    }

    public struct Specimens: Sendable, Equatable {
        public var numberTemplate = NumberTemplate.standard
        /// Metres, 95 %.
        public var wantedAccuracy = 10.0
        /// Bytes.
        public var maxPhotograph: Int64 = 64 << 20
        /// Bytes.
        public var maxExport: Int64 = 4 << 30
    }

    public struct MetPetDB: Sendable, Equatable {
        public var submit = false
        /// The base URL, with `/api` left out.
        public var url = "https://api.metpetdb.com"
        /// Of the account that owns what is submitted.
        public var email = ""
        /// Seconds.
        public var vocabularyMaxAge = 7 * 86_400.0
        public var backend = SampleBackend.rest
        /// What the servlet's name is added to; nil for `url`.
        public var servletURL: String?
        /// Seconds that an answer about samples stays fresh.
        public var samplesMaxAge = 86_400.0

        /// The server that samples are looked for at.
        public var samplesURL: String {
            switch backend {
            case .rest: url
            case .servlet: servletURL ?? url
            }
        }

        /// What answers about samples come from, to keep those of one server and account apart from others'. It holds
        /// no secret.
        public var samplesOrigin: String { "\(backend.rawValue) \(samplesURL) \(email)" }
    }

    public struct SESAR: Sendable, Equatable {
        public var submit = false
        /// The base URL, with `/api` left out.
        public var url = "https://api.geosamples.org"
        /// The account's code, a part of its numbers.
        public var code = ""
    }

    public struct Courier: Sendable, Equatable {
        /// Names of network interfaces, `*` for any letters; empty for whatever the system takes.
        public var interfaces: [String] = []
        /// Bytes a second; nil for no limit.
        public var uploadRate: Int64?
        /// Addresses of feeds whose announcements are for the crew.
        public var feeds: [String] = []
        /// Addresses of feeds whose announcements are for everyone.
        public var publicFeeds: [String] = []
        /// Addresses of calendars that visitors see.
        public var calendars: [String] = []
        /// Seconds between two questions to a feed.
        public var feedInterval = 900.0
        /// The mail submission server (`smtp://` or `smtps://`); empty for no mail.
        public var mailServer = ""
        /// A file of certificates (PEM) that the mail server's is judged by; nil for the system's.
        public var mailAuthorities: String?
        public var mailUser = ""
        /// The sender of mail.
        public var mailFrom = ""
        /// Where messages are posted to; empty for nowhere.
        public var webhook = ""
    }

    /// Who is still out, and whom an overdue trip is reported to.
    public struct Trips: Sendable, Equatable {
        /// Seconds after the expected return.
        public var officerAfter = 900.0
        public var contactsAfter = 3600.0
        public var sheriffAfter = 14_400.0
        /// Mail addresses of the officer on duty.
        public var officer: [String] = []
        /// The telephone number of the sheriff or of another rescue service, as people dial it.
        public var sheriff = ""
        /// Seconds that trips are kept after they ended.
        public var keep = 365 * 86_400.0
    }

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
        /// The user that the kiosk's browser runs as.
        public var kioskUser = "konza-kiosk"
        /// Of what the station shows and its people are told: announcements, calendar, personnel, pages.
        public var content = "/etc/konza/station"
        public var state = "/var/lib/konza-portal"
        /// Of the portal's own API.
        public var socket = "/run/konza-portal/portal.sock"
    }

    public struct Muster: Sendable, Equatable {
        /// From when on a day's muster is taken, local time.
        public var from = TimeOfDay(minutes: 0)
        /// Later ones are late, local time.
        public var until = TimeOfDay(minutes: 9 * 60)
        public var holidays = HolidayRule.federal
        /// Further days without a muster, YYYY-MM-DD.
        public var closedDays: [String] = []
        public var place = MusterPlace.network
        /// Circles, each a text that ``FenceCircle`` reads.
        public var fence: [String] = []
    }

    public struct Printing: Sendable, Equatable {
        /// A queue of CUPS, or a URI; empty for no printing.
        public var printer = ""
        /// Of one card, at most.
        public var copies = 2
        /// PWG 5101.1; empty for the printer's own.
        public var mediaSize = ""
        public var borderless = false
    }

    public struct Terrain: Sendable, Equatable {
        /// nil for what konzad carries.
        public var folder: String?
        /// Metres above the ground.
        public var eyeHeight = 2.5
    }

    /// Many stations over one broker.
    public struct Fleet: Sendable, Equatable {
        /// nil for none: then nothing is forwarded.
        public var broker: BrokerAddress?
        /// 3 to 20 of a-z and 0-9.
        public var site = "konza"
        public var box = ""
        /// For brokers that know users by password; empty for the box's certificate.
        public var user = ""
        public var homeAssistant = false
        /// Seconds that the first tries of many boxes are spread over.
        public var reconnectSpread = 40.0
        /// Seconds between two reports of the health that say the same.
        public var healthInterval = 900.0
        /// Where pictures are stored; nil for nowhere.
        public var store: ObjectStoreAddress?
        /// What requests to the store are signed for; empty for what its address says.
        public var region = ""
        public var originals = Originals.all
        /// Names of network interfaces, `*` for any letters; empty for whatever the system takes.
        public var interfaces: [String] = []
        /// The names of those that cost by volume.
        public var meteredInterfaces: [String] = []
        /// Bytes a second to the store; nil for no limit.
        public var uploadRate: Int64?
        /// Where people read what is stored, up to the key; nil where they cannot.
        public var publicStore: String?
        /// Whether visitors may have a postcard stored for whoever has its link.
        public var publicLinks = false

        /// The store with the region that is set.
        public var storeAddress: ObjectStoreAddress? {
            store.flatMap { ObjectStoreAddress($0.description, region: region.isEmpty ? nil : region) }
        }
        /// Whether operators with the right to may set what is harmless from afar.
        public var remoteSettings = true
    }

    public var general = General()
    public var position = Position()
    public var camera = Camera()
    public var postcards = Postcards()
    public var specimens = Specimens()
    public var metPetDB = MetPetDB()
    public var sesar = SESAR()
    public var courier = Courier()
    public var api = API()
    public var portal = Portal()
    public var muster = Muster()
    public var printing = Printing()
    public var trips = Trips()
    public var terrain = Terrain()
    public var fleet = Fleet()

    public init() {}
}

/// A host and a port.
public struct Endpoint: Sendable, Equatable, LosslessStringConvertible {
    /// A name or a numeric address, without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port` or `[address]:port`.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0,
            text[text.index(after: colon)...].utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
        if isBracketed { host = host.dropFirst().dropLast() }
        let isHost = host.unicodeScalars.allSatisfy { scalar in
            scalar.isLetterOrDigit || "-._".unicodeScalars.contains(scalar)
                || isBracketed && ":%".unicodeScalars.contains(scalar)
        }
        guard !host.isEmpty, host.utf8.count <= 253, isHost else { return nil }
        self.init(host: String(host), port: port)
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where a broker listens: `mqtt://host:port`, or `mqtts://` for TLS.
public struct BrokerAddress: Sendable, Equatable, LosslessStringConvertible {
    public let hasTLS: Bool
    public let host: String
    public let port: UInt16

    /// The ports that are registered for the two (IANA).
    private static let plainPort: UInt16 = 1883
    private static let tlsPort: UInt16 = 8883

    /// - Returns: nil unless the text is such an address; without a port it is the registered one.
    public init?(_ text: String) {
        guard let scheme = ["mqtts://", "mqtt://"].first(where: text.hasPrefix) else { return nil }
        hasTLS = scheme == "mqtts://"
        let rest = String(text.dropFirst(scheme.count))
        let registered = hasTLS ? Self.tlsPort : Self.plainPort
        guard let endpoint = Endpoint(rest) ?? Endpoint("\(rest):\(registered)") else { return nil }
        host = endpoint.host
        port = endpoint.port
    }

    public var description: String {
        "\(hasTLS ? "mqtts" : "mqtt")://\(Endpoint(host: host, port: port))"
    }
}

/// A part of a disk, by size or by percentage.
public enum SpaceShare: Sendable, Equatable {
    case bytes(Int64)
    /// 0 to 90.
    case percent(Double)

    /// The bytes that the share is of a disk.
    public func bytes(ofCapacity capacity: Int64) -> Int64 {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): Int64((Double(max(0, capacity)) * min(90, max(0, percent)) / 100).rounded())
        }
    }
}
