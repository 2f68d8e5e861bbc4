/// A rock that a collector took, with all that was said about it in the field. What is not known is nil or empty.
public struct Specimen: Sendable, Equatable, Codable {
    /// A mineral and how much of it.
    public struct Mineral: Sendable, Hashable, Codable {
        /// The name in the vocabulary's spelling.
        public var name: String
        /// A modal percentage such as `15`, or `x` for present; 30 characters at most.
        public var amount: String

        public init(name: String, amount: String = "x") {
            self.name = name
            self.amount = amount
        }
    }

    public var id: SpecimenID
    /// What is written on the bag; unique on this station, letter case apart. 35 characters at most, no comma.
    public var number: String
    /// In the vocabulary's spelling.
    public var rockType: String
    /// "Lastname, First name middle initial"; 50 characters at most.
    public var collector: String?
    public var description: String?
    public var minerals: [Mineral] = []
    public var metamorphicGrades: [String] = []
    public var metamorphicRegions: [String] = []
    /// 100 characters at most.
    public var country: String?
    /// Free names of areas, 100 characters at most each.
    public var regions: [String] = []
    /// GeoRef accession numbers, such as `2004-061314`.
    public var references: [String] = []
    /// The institution that holds the specimen; 50 characters at most.
    public var presentLocation: String?
    /// Whether everyone may see it: visitors of the station at once, everybody at MetPetDB once it is submitted.
    public var isPublic = false
    /// The local day of collection.
    public var collectionDate: CalendarDate?
    /// The International Generic Sample Number, 9 characters (old form) or a DataCite one (`10.58052/...`).
    public var igsn: String?
    public var measurements: [StructuralMeasurement] = []
    public var fieldNotes: String?
    /// Where it was taken; nil until it is known.
    public var position: SpecimenPosition?
    /// In the order in which they were taken.
    public var photographs: [Photograph] = []
    public var createdAt: UTCInstant
    public var changedAt: UTCInstant
    /// Counts changes of what is said here, from 1.
    public var revision: Int = 1
    /// Set by `DELETE`: a tombstone, which can be undone for 30 days.
    public var deletedAt: UTCInstant?

    public init(id: SpecimenID, number: String, rockType: String, createdAt: UTCInstant) {
        self.id = id
        self.number = number
        self.rockType = rockType
        self.createdAt = createdAt
        self.changedAt = createdAt
    }
}

/// A day of the Gregorian calendar without a time or a zone.
public struct CalendarDate: Sendable, Hashable, Comparable, Codable, LosslessStringConvertible {
    public let year: Int
    public let month: Int
    public let day: Int

    /// - Returns: nil unless the day exists, in the years 1 to 9999.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...days[month - 1]).contains(day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Returns: nil unless the text is `YYYY-MM-DD` (RFC 3339 `full-date`) and the day exists.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(0 as Int?) { value, digit in
                guard let value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                return value * 10 + Int(digit - UInt8(ascii: "0"))
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    public var description: String {
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let date = CalendarDate(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a day YYYY-MM-DD: \(text)"))
        }
        self = date
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The orientation of a plane or a line in the rock, against true north.
public struct StructuralMeasurement: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Strike by the right-hand rule (the plane dips to the right of it) and dip.
        case plane
        /// Trend and plunge.
        case line
    }

    public var kind: Kind
    /// Strike or trend, degrees from true north, 0 up to 360.
    public var azimuth: Double
    /// Dip or plunge, degrees below the horizontal, 0 to 90.
    public var inclination: Double
    /// Degrees, east positive, that were added to the compass's reading; 0 for a reading against true north.
    public var declinationApplied: Double
    /// Where the declination comes from: `given`, `none`, or the name of a model.
    public var declinationSource: String
    /// What was measured, such as `foliation`, `bedding`, `lineation`, `fold axis`.
    public var feature: String?
    public var note: String?

    public init(
        kind: Kind, azimuth: Double, inclination: Double, declinationApplied: Double, declinationSource: String,
        feature: String? = nil, note: String? = nil
    ) {
        self.kind = kind
        self.azimuth = azimuth
        self.inclination = inclination
        self.declinationApplied = declinationApplied
        self.declinationSource = declinationSource
        self.feature = feature
        self.note = note
    }
}

/// Where a specimen was taken, and how that is known.
public struct SpecimenPosition: Sendable, Equatable, Codable {
    public enum Source: String, Sendable, Codable, CaseIterable {
        /// Fixes averaged while the collector stood there.
        case occupation
        /// One fix.
        case fix
        /// Written in by the collector.
        case given
    }

    /// How the average was made.
    public struct Averaging: Sendable, Equatable, Codable {
        public var startedAt: UTCInstant
        public var endedAt: UTCInstant
        public var fixesUsed: Int
        public var fixesRejected: Int
        /// How many independent fixes the used ones are worth.
        public var effectiveFixes: Double
        /// The rule by which outliers were rejected.
        public var rule: String
        /// Why it ended: `accuracy-reached`, `time-out`, `ended`, `receiver-lost`,
        /// `receiver-changed`.
        public var ended: String

        public init(
            startedAt: UTCInstant, endedAt: UTCInstant, fixesUsed: Int, fixesRejected: Int, effectiveFixes: Double,
            rule: String, ended: String
        ) {
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.fixesUsed = fixesUsed
            self.fixesRejected = fixesRejected
            self.effectiveFixes = effectiveFixes
            self.rule = rule
            self.ended = ended
        }
    }

    /// Why a position below the wanted accuracy was taken all the same.
    public struct Override: Sendable, Equatable, Codable {
        public var reason: String
        public var at: UTCInstant
        /// The accuracy that was wanted, metres.
        public var wantedAccuracy: Double

        public init(reason: String, at: UTCInstant, wantedAccuracy: Double) {
            self.reason = reason
            self.at = at
            self.wantedAccuracy = wantedAccuracy
        }
    }

    /// WGS 84, degrees.
    public var latitude: Double
    public var longitude: Double
    /// The radius within which the truth lies with 95 % probability, metres; nil when nothing is known of it.
    public var accuracy: Double?
    /// Height above the WGS 84 ellipsoid, metres.
    public var altitude: Double?
    /// Height above mean sea level, metres.
    public var altitudeMSL: Double?
    /// The half width within which the height lies with 95 % probability, metres.
    public var altitudeAccuracy: Double?
    public var source: Source
    /// Whether the receiver was live; a recorded or simulated position is never passed off as one, nor one that a person
    /// entered, which is `manual`.
    public var kind: SourceKind
    /// The instant of the fix, or the end of the occupation; nil for a given position.
    public var time: UTCInstant?
    public var mode: FixMode?
    public var status: FixStatus?
    public var satellitesUsed: Int?
    public var hdop: Double?
    /// The receiver, as gpsd names it.
    public var receiver: String?
    public var averaging: Averaging?
    public var override: Override?

    public init(_ coordinate: Coordinate, accuracy: Double?, source: Source, kind: SourceKind) {
        latitude = coordinate.latitude
        longitude = coordinate.longitude
        self.accuracy = accuracy
        self.source = source
        self.kind = kind
    }

    /// The place; nil if what was decoded lies out of range.
    public var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}

extension SpecimenPosition {
    /// Reads a record. Older records say `live` of a position that was given; it is `manual`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        latitude = try members.decode(Double.self, forKey: .latitude)
        longitude = try members.decode(Double.self, forKey: .longitude)
        accuracy = try members.decodeIfPresent(Double.self, forKey: .accuracy)
        altitude = try members.decodeIfPresent(Double.self, forKey: .altitude)
        altitudeMSL = try members.decodeIfPresent(Double.self, forKey: .altitudeMSL)
        altitudeAccuracy = try members.decodeIfPresent(Double.self, forKey: .altitudeAccuracy)
        source = try members.decode(Source.self, forKey: .source)
        kind = try members.decode(SourceKind.self, forKey: .kind)
        time = try members.decodeIfPresent(UTCInstant.self, forKey: .time)
        mode = try members.decodeIfPresent(FixMode.self, forKey: .mode)
        status = try members.decodeIfPresent(FixStatus.self, forKey: .status)
        satellitesUsed = try members.decodeIfPresent(Int.self, forKey: .satellitesUsed)
        hdop = try members.decodeIfPresent(Double.self, forKey: .hdop)
        receiver = try members.decodeIfPresent(String.self, forKey: .receiver)
        averaging = try members.decodeIfPresent(Averaging.self, forKey: .averaging)
        override = try members.decodeIfPresent(Override.self, forKey: .override)
        if source == .given { kind = .manual }
    }
}

/// A picture of a specimen or of its outcrop.
public struct Photograph: Sendable, Equatable, Codable {
    /// MetPetDB's image types that a photograph from the field can be, by their abbreviations.
    public enum ImageType: String, Sendable, Codable, CaseIterable {
        /// The outcrop or the place.
        case fieldPhoto = "FIELDPHOTO"
        /// The specimen itself.
        case photograph = "PHOTO"
        case drawing = "DRAWING"
        case figure = "FIG"
        case fieldNotes = "FIELDNOTES"
        case map = "MAP"
    }

    public var id: PhotographID
    /// The name it is submitted and exported under, such as `KNZ-2026-0001-01.jpg`; unique in its specimen.
    public var fileName: String
    public var imageType: ImageType
    /// `image/jpeg` or `image/png`.
    public var mediaType: String
    public var byteCount: Int
    /// SHA-256 (FIPS 180-4) of the file, 64 lower-case hexadecimal digits.
    public var sha256: String
    /// Pixels.
    public var width: Int
    public var height: Int
    /// The width of the whole picture on the specimen, whole millimetres.
    public var scale: Int?
    public var description: String?
    /// The direction of view, degrees from true north, 0 up to 360.
    public var direction: Double?
    /// When it was taken, where that is known.
    public var takenAt: UTCInstant?
    /// The same by the receiver's time, where that contradicted the system's clock, by which `takenAt` is.
    public var receiverTime: UTCInstant?
    /// `camera` or `upload`.
    public var origin: String
    /// What kind of camera took it; nil for an upload.
    public var cameraSource: SourceKind?

    public init(
        id: PhotographID, fileName: String, imageType: ImageType, mediaType: String, byteCount: Int, sha256: String,
        width: Int, height: Int, origin: String
    ) {
        self.id = id
        self.fileName = fileName
        self.imageType = imageType
        self.mediaType = mediaType
        self.byteCount = byteCount
        self.sha256 = sha256
        self.width = width
        self.height = height
        self.origin = origin
    }
}
