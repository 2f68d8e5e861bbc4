public import KonzaModel

/// The reply of `GET /v1/position` and `GET /v1/position/at`. The names are the W3C Geolocation API's where it has
/// one; what is not known is left out.
public struct PositionReply: Codable, Sendable, Equatable {
    /// The receiver.
    public struct Device: Codable, Sendable, Equatable {
        public var path: String?
        public var driver: String?

        public init(path: String?, driver: String?) {
            self.path = path
            self.driver = driver
        }
    }

    /// How a position at an instant was found.
    public struct Derivation: Codable, Sendable, Equatable {
        public var method: PositionAtInstant.Method
        public var gapSeconds: Double

        public init(method: PositionAtInstant.Method, gapSeconds: Double) {
            self.method = method
            self.gapSeconds = gapSeconds
        }
    }

    public var state: PositionState
    public var reason: String?
    public var fixType: String?
    public var fixStatus: String?
    public var latitude: Double?
    public var longitude: Double?
    public var altitude: Double?
    public var altitudeMSL: Double?
    public var geoidSeparation: Double?
    public var accuracy: Double?
    public var accuracySource: Accuracy.Source?
    public var confidence: Double?
    public var altitudeAccuracy: Double?
    public var heading: Double?
    public var speed: Double?
    public var climb: Double?
    public var timestamp: UTCInstant?
    public var ageMs: Int?
    public var source: SourceKind?
    public var satellitesUsed: Int?
    public var satellitesVisible: Int?
    public var dop: DilutionOfPrecision?
    public var errors: ErrorEstimates?
    public var device: Device?
    public var derivation: Derivation?
    public var correctedWeeks: Int?
    public var refusedLines: UInt64?
    public var seq: UInt64?

    public init(state: PositionState) {
        self.state = state
    }
}

extension PositionReply {
    /// The API's word for a fix mode.
    public static func word(_ mode: FixMode) -> String {
        switch mode {
        case .notSeen: "unknown"
        case .noFix: "none"
        case .twoDimensional: "2d"
        case .threeDimensional: "3d"
        }
    }

    /// The API's word for a fix status; nil where gpsd does not say.
    public static func word(_ status: FixStatus) -> String? {
        switch status {
        case .unknown: nil
        case .normal: "gps"
        case .differential: "dgps"
        case .rtkFixed: "rtk-fixed"
        case .rtkFloat: "rtk-float"
        case .deadReckoning: "dead-reckoning"
        case .gnssDeadReckoning: "gnss-dead-reckoning"
        case .timeOnly: "surveyed"
        case .simulated: "simulated"
        case .encryptedPulse: "encrypted-pulse"
        }
    }

    static let statusWords = [
        "gps", "dgps", "rtk-fixed", "rtk-float", "dead-reckoning", "gnss-dead-reckoning", "surveyed", "simulated",
        "encrypted-pulse",
    ]
    static let sourceWords = ["live", "recorded", "simulated"]

    static let schemas: [Schema] = [
        Schema(
            "Position", "A position, honest about its age and its error.",
            [
                .always(
                    "state", .choice(["acquiring", "fix", "stale", "disconnected"]),
                    "What the position is worth now."),
                .known(
                    "reason", .string, "Why there is no fresh fix, and what to do; or what is odd about a fresh one."),
                .known(
                    "fixType", .choice(["unknown", "none", "2d", "3d"]),
                    "The dimensions of the solution; while acquiring there is none, and the place is the last known."),
                .known("fixStatus", .choice(statusWords), "How the solution was made, if the receiver says."),
                .known("latitude", .number, "Degrees, WGS 84, north positive; never without longitude."),
                .known("longitude", .number, "Degrees, WGS 84, east positive."),
                .known("altitude", .number, "Metres above the WGS 84 ellipsoid."),
                .known("altitudeMSL", .number, "Metres above mean sea level."),
                .known("geoidSeparation", .number, "Height of the geoid above the ellipsoid, metres."),
                .known("accuracy", .number, "Horizontal error, metres; at the confidence given, if one is."),
                .known(
                    "accuracySource", .choice(["receiver", "model", "average"]),
                    "Who says so: the receiver (in its solution, or as standard deviations, which are given twice over "
                        + "with confidence 0.95), gpsd's DOP model (which knows nothing of RTK), or averaging."),
                .known("confidence", .number, "The probability that the truth lies within accuracy, if known."),
                .known("altitudeAccuracy", .number, "Vertical error, metres."),
                .known("heading", .number, "Course over ground, degrees from true north."),
                .known("speed", .number, "Speed over ground, m/s."),
                .known("climb", .number, "Vertical speed, m/s."),
                .known("timestamp", .dateTime, "The instant the position is for."),
                .known("ageMs", .integer, "Milliseconds since the fix arrived."),
                .known("source", .choice(sourceWords), "Live from a receiver, or a recording."),
                .known("satellitesUsed", .integer, "Satellites in the solution."),
                .known("satellitesVisible", .integer, "Satellites in the sky view."),
                .known("dop", .reference("DOP"), "Dilutions of precision."),
                .known("errors", .reference("ErrorEstimates"), "gpsd's own error estimates."),
                .known(
                    "device", .reference("Receiver"),
                    "The receiver that all of this is from. Of several, the one that has a fix is kept as long as it "
                        + "is fresh; then the first one that reports a fix takes over."),
                .known("derivation", .reference("Derivation"), "How a position at an instant was found."),
                .known(
                    "correctedWeeks", .integer,
                    "The weeks by which the receiver's date is behind and was corrected, if it is."),
                .known(
                    "refusedLines", .integer, "Lines from gpsd that could not be used since konzad started, if any."),
                .known("seq", .integer, "Counts the receiver's epochs since konzad started."),
            ]),
        Schema(
            "DOP", "Dilutions of precision (no unit).",
            ["horizontal", "vertical", "position", "time", "geometric", "x", "y"].map {
                .known($0, .number, "The \($0) dilution.")
            }),
        Schema(
            "ErrorEstimates", "gpsd's error estimates, as gpsd_json(5) names them, at no stated confidence.",
            [
                .known("epx", .number, "Longitude error, metres."),
                .known("epy", .number, "Latitude error, metres."),
                .known("epv", .number, "Altitude error, metres."),
                .known("eph", .number, "Horizontal position error, metres."),
                .known("sep", .number, "Spherical position error, metres."),
                .known("ept", .number, "Time error, seconds."),
                .known("eps", .number, "Speed error, m/s."),
                .known("epc", .number, "Climb error, m/s."),
                .known("epd", .number, "Course error, degrees."),
            ]),
        Schema(
            "Receiver", "The receiver, as gpsd names it.",
            [
                .known("path", .string, "The device."),
                .known("driver", .string, "gpsd's driver."),
            ]),
        Schema(
            "Derivation", "How a position at an instant was found.",
            [
                .always("method", .choice(["exact", "interpolated", "extrapolated"]), "How."),
                .always("gapSeconds", .number, "Between the fixes on either side, or since the last one."),
            ]),
    ]
}

/// The reply of `GET /v1/satellites`.
public struct SatellitesReply: Codable, Sendable, Equatable {
    public struct Entry: Codable, Sendable, Equatable {
        public var prn: Int
        public var constellation: String?
        public var svid: Int?
        public var elevation: Double?
        public var azimuth: Double?
        public var signal: Double?
        public var used: Bool
        public var healthy: Bool?

        public init(_ satellite: Satellite) {
            prn = satellite.prn
            constellation = satellite.gnssID.flatMap(Self.constellationWord)
            svid = satellite.svID
            elevation = satellite.elevation
            azimuth = satellite.azimuth
            signal = satellite.signal
            used = satellite.used
            healthy =
                switch satellite.health {
                case 1: true
                case 2: false
                default: nil
                }
        }

        static let words = ["GPS", "SBAS", "Galileo", "BeiDou", "IMES", "QZSS", "GLONASS", "NavIC"]

        static func constellationWord(_ id: Int) -> String? { words.indices.contains(id) ? words[id] : nil }
    }

    public var state: PositionState
    public var timestamp: UTCInstant?
    public var ageMs: Int?
    public var source: SourceKind?
    public var dop: DilutionOfPrecision?
    public var used: Int
    public var visible: Int
    public var satellites: [Entry]
    public var device: String?

    public init(state: PositionState, satellites: [Satellite]) {
        self.state = state
        self.satellites = satellites.map(Entry.init)
        used = satellites.count { $0.used }
        visible = satellites.count
    }

    static let schemas: [Schema] = [
        Schema(
            "Satellites", "The sky view.",
            [
                .always("state", .choice(["acquiring", "fix", "stale", "disconnected"]), "As in Position."),
                .known("timestamp", .dateTime, "The instant of the sky view, if the receiver says."),
                .known("ageMs", .integer, "Milliseconds since the list of satellites arrived."),
                .known("device", .string, "The receiver's device path."),
                .known("source", .choice(PositionReply.sourceWords), "Live or recorded."),
                .known("dop", .reference("DOP"), "Dilutions of precision."),
                .always("used", .integer, "How many are used."),
                .always("visible", .integer, "How many are listed."),
                .always("satellites", .array(.reference("Satellite")), "One entry each."),
            ]),
        Schema(
            "Satellite", "One satellite.",
            [
                .always("prn", .integer, "gpsd's number, unique over all constellations."),
                .known("constellation", .choice(Entry.words), "Whose it is."),
                .known("svid", .integer, "Its number within the constellation."),
                .known("elevation", .number, "Degrees above the horizon."),
                .known("azimuth", .number, "Degrees from true north."),
                .known("signal", .number, "Carrier to noise density, dB-Hz."),
                .always("used", .boolean, "Part of the solution."),
                .known("healthy", .boolean, "As the satellite says."),
            ]),
    ]
}

/// The reply of `GET /v1/track?format=json`.
public struct TrackReply: Codable, Sendable, Equatable {
    public var source: SourceKind?
    public var count: Int
    public var points: [PositionReply]

    public init(source: SourceKind?, points: [PositionReply]) {
        self.source = source
        self.count = points.count
        self.points = points
    }

    static let schemas: [Schema] = [
        Schema(
            "Track", "The last fixes, oldest first.",
            [
                .known("source", .choice(PositionReply.sourceWords), "Live or recorded."),
                .always("count", .integer, "How many points."),
                .always("points", .array(.reference("Position")), "The fixes."),
            ])
    ]
}
