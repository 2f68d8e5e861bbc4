/// A place on the WGS 84 ellipsoid. A latitude never comes without its longitude.
public struct Coordinate: Hashable, Sendable, Codable {
    /// Degrees, -90 to 90, north positive.
    public let latitude: Double
    /// Degrees, -180 to 180, east positive.
    public let longitude: Double

    /// - Returns: nil unless both are finite and in range.
    public init?(latitude: Double, longitude: Double) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// What kind of solution the receiver has: gpsd's TPV `mode` (gpsd_json(5)).
public enum FixMode: Int, Sendable, Comparable, Codable {
    case notSeen = 0
    case noFix = 1
    case twoDimensional = 2
    case threeDimensional = 3

    public static func < (left: FixMode, right: FixMode) -> Bool { left.rawValue < right.rawValue }
}

/// How the solution was made: gpsd's TPV `status` (gpsd_json(5)). gpsd leaves it out for 0 and for 1, so `unknown`
/// says nothing about validity: judge that by the mode.
public enum FixStatus: Int, Sendable, Codable {
    case unknown = 0
    case normal = 1
    case differential = 2
    case rtkFixed = 3
    case rtkFloat = 4
    case deadReckoning = 5
    case gnssDeadReckoning = 6
    /// Surveyed: the receiver is told where it stands and gives time only.
    case timeOnly = 7
    case simulated = 8
    case encryptedPulse = 9
}

/// An estimate of error, in metres, with where it comes from.
public struct Accuracy: Hashable, Sendable, Codable {
    public enum Source: String, Sendable, Codable {
        /// The receiver reported it, in its solution or as standard deviations (NMEA 0183 GST).
        case receiver
        /// gpsd computed it from the DOP and a fixed range error; it knows nothing of RTK.
        case model
        /// The spread of averaged fixes.
        case average
    }

    /// Metres, positive.
    public let metres: Double
    public let source: Source
    /// The probability that the truth lies within `metres`, only where konzad can stand for it.
    public let confidence: Double?

    public init(metres: Double, source: Source, confidence: Double? = nil) {
        self.metres = metres
        self.source = source
        self.confidence = confidence
    }
}

/// Dilutions of precision, without a unit.
public struct DilutionOfPrecision: Hashable, Sendable, Codable {
    public var horizontal: Double?
    public var vertical: Double?
    /// Three-dimensional (position).
    public var position: Double?
    public var time: Double?
    /// Position and time together.
    public var geometric: Double?
    public var x: Double?
    public var y: Double?

    public init(
        horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil, time: Double? = nil,
        geometric: Double? = nil, x: Double? = nil, y: Double? = nil
    ) {
        self.horizontal = horizontal
        self.vertical = vertical
        self.position = position
        self.time = time
        self.geometric = geometric
        self.x = x
        self.y = y
    }
}

/// The errors that gpsd estimates, in its own names and at no stated confidence (gpsd_json(5), TPV).
public struct ErrorEstimates: Hashable, Sendable, Codable {
    /// Longitude and latitude error, metres.
    public var epx: Double?
    public var epy: Double?
    /// Altitude error, metres.
    public var epv: Double?
    /// Horizontal (2D) and spherical (3D) position error, metres.
    public var eph: Double?
    public var sep: Double?
    /// Time error, seconds.
    public var ept: Double?
    /// Speed and climb error, m/s.
    public var eps: Double?
    public var epc: Double?
    /// Course error, degrees.
    public var epd: Double?

    public init() {}
}

/// Where a position or picture comes from. A recorded one is never passed off as live.
public enum SourceKind: String, Sendable, Codable {
    case live
    case recorded
    case simulated
    /// A position that a person entered, as EXIF's GPSProcessingMethod `MANUAL`. A camera or a receiver never has it.
    case manual
}

/// One solution of the receiver, with all that gpsd gives. What is not known is nil.
public struct Fix: Sendable, Equatable {
    /// The instant the solution is for (the epoch's, not the arrival's), UTC.
    public var time: UTCInstant?
    /// When the report arrived here.
    public var arrival: MonotonicInstant
    public var mode: FixMode
    public var status: FixStatus
    /// Present only when the mode is 2D or 3D.
    public var coordinate: Coordinate?
    /// Height above the WGS 84 ellipsoid, metres.
    public var altitudeHAE: Double?
    /// Height above mean sea level, metres.
    public var altitudeMSL: Double?
    /// Height of the geoid above the ellipsoid, metres (about -28 at Konza).
    public var geoidSeparation: Double?
    /// Speed over ground, m/s.
    public var speed: Double?
    /// Course over ground, degrees from true north, 0 to 360.
    public var track: Double?
    /// Vertical speed, m/s, up positive.
    public var climb: Double?
    /// Metres, horizontal.
    public var horizontalAccuracy: Accuracy?
    /// Metres, vertical.
    public var verticalAccuracy: Accuracy?
    public var errors = ErrorEstimates()
    public var dop = DilutionOfPrecision()
    /// How many satellites the solution used.
    public var satellitesUsed: Int?
    /// The receiver's device path as gpsd names it.
    public var device: String?
    /// gpsd's name of the driver that decodes the receiver.
    public var driver: String?
    public var source: SourceKind
    /// Counts epochs since the daemon started.
    public var sequence: UInt64

    public init(
        time: UTCInstant?, arrival: MonotonicInstant, mode: FixMode, status: FixStatus = .unknown,
        coordinate: Coordinate? = nil, source: SourceKind, sequence: UInt64 = 0
    ) {
        self.time = time
        self.arrival = arrival
        self.mode = mode
        self.status = status
        self.coordinate = coordinate
        self.source = source
        self.sequence = sequence
    }
}

extension Fix {
    /// This epoch with what a further report of it says. The newest word counts for the mode and the status, so that
    /// what the receiver takes back goes.
    public func enriched(by report: Fix, preferringNew: Bool) -> Fix {
        var fix = self
        func take<Value>(_ path: WritableKeyPath<Fix, Value?>) {
            guard let new = report[keyPath: path] else { return }
            if preferringNew || fix[keyPath: path] == nil { fix[keyPath: path] = new }
        }
        fix.mode = report.mode
        fix.status = report.status
        take(\.coordinate)
        take(\.altitudeHAE)
        take(\.altitudeMSL)
        take(\.geoidSeparation)
        take(\.speed)
        take(\.track)
        take(\.climb)
        take(\.errors.epx)
        take(\.errors.epy)
        take(\.errors.epv)
        take(\.errors.eph)
        take(\.errors.sep)
        take(\.errors.ept)
        take(\.errors.eps)
        take(\.errors.epc)
        take(\.errors.epd)
        take(\.satellitesUsed)
        take(\.device)
        take(\.driver)
        if fix.mode < .threeDimensional {
            fix.altitudeHAE = nil
            fix.altitudeMSL = nil
            fix.climb = nil
            fix.errors.epv = nil
            fix.errors.sep = nil
            fix.errors.epc = nil
            fix.verticalAccuracy = nil
        }
        return fix
    }
}

/// One satellite of the sky view (gpsd_json(5), SKY).
public struct Satellite: Sendable, Equatable, Codable {
    /// gpsd's PRN, unique over all constellations.
    public var prn: Int
    /// The constellation: GPS 0, SBAS 1, Galileo 2, BeiDou 3, IMES 4, QZSS 5, GLONASS 6, NavIC 7.
    public var gnssID: Int?
    public var svID: Int?
    /// Degrees above the horizon.
    public var elevation: Double?
    /// Degrees from true north.
    public var azimuth: Double?
    /// Carrier to noise density, dB-Hz.
    public var signal: Double?
    public var used: Bool
    /// 1 healthy, 2 unhealthy; nil when unknown.
    public var health: Int?

    public init(
        prn: Int, gnssID: Int? = nil, svID: Int? = nil, elevation: Double? = nil, azimuth: Double? = nil,
        signal: Double? = nil, used: Bool, health: Int? = nil
    ) {
        self.prn = prn
        self.gnssID = gnssID
        self.svID = svID
        self.elevation = elevation
        self.azimuth = azimuth
        self.signal = signal
        self.used = used
        self.health = health
    }
}

/// The sky as the receiver last reported it.
public struct Sky: Sendable, Equatable {
    public var time: UTCInstant?
    public var arrival: MonotonicInstant
    public var dop: DilutionOfPrecision
    public var satellites: [Satellite]
    /// The receiver's device path as gpsd names it.
    public var device: String?

    public init(
        time: UTCInstant?, arrival: MonotonicInstant, dop: DilutionOfPrecision, satellites: [Satellite]
    ) {
        self.time = time
        self.arrival = arrival
        self.dop = dop
        self.satellites = satellites
    }
}

/// What the position is worth now.
public enum PositionState: String, Sendable, Codable {
    /// A receiver talks, and has no fix yet or has lost it.
    case acquiring
    /// The last fix is fresh.
    case fix
    /// There was a fix and nothing newer came in time.
    case stale
    /// Nothing that could bring a fix is there: no gpsd, no receiver, or silence.
    case disconnected
}

/// The position at an instant, found on the track.
public struct PositionAtInstant: Sendable, Equatable {
    public enum Method: String, Sendable, Codable {
        /// A fix of exactly this instant.
        case exact
        /// Between two fixes.
        case interpolated
        /// After the newest fix, within the limit.
        case extrapolated
    }

    public var time: UTCInstant
    public var coordinate: Coordinate
    public var mode: FixMode
    public var status: FixStatus
    public var altitudeHAE: Double?
    public var altitudeMSL: Double?
    public var geoidSeparation: Double?
    public var speed: Double?
    public var track: Double?
    /// The fixes' own error plus what the gap between them adds, metres.
    public var accuracy: Accuracy?
    public var verticalAccuracy: Accuracy?
    public var dop = DilutionOfPrecision()
    public var satellitesUsed: Int?
    public var method: Method
    /// The time between the fixes on either side, or since the last one, seconds.
    public var gapSeconds: Double
    public var source: SourceKind

    public init(
        time: UTCInstant, coordinate: Coordinate, mode: FixMode, status: FixStatus, method: Method,
        gapSeconds: Double, source: SourceKind
    ) {
        self.time = time
        self.coordinate = coordinate
        self.mode = mode
        self.status = status
        self.method = method
        self.gapSeconds = gapSeconds
        self.source = source
    }
}
