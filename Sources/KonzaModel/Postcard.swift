/// The name of a postcard: 26 lower-case characters of Crockford's base 32, a 48-bit count of milliseconds since 1970
/// and then 80 random bits (the layout of a ULID). Ids sort by time, are safe in URLs and file names, and are never
/// reused.
public struct PostcardID: Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
    /// The number of characters.
    public static let length = 26

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    private let text: String

    /// - Returns: nil unless the text is an id as this type writes it; the text is then safe as a file name.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.length, let first = bytes.first, first <= UInt8(ascii: "7"),
            bytes.allSatisfy(Self.alphabet.contains)
        else { return nil }
        self.text = text
    }

    /// Makes an id.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970; only the low 48 bits are kept.
    ///   - high: the upper 16 of the random bits.
    ///   - low: the lower 64 of the random bits.
    public init(milliseconds: UInt64, high: UInt16, low: UInt64) {
        var top = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | UInt64(high)
        var bottom = low
        var characters = [UInt8](repeating: 0, count: Self.length)
        for index in stride(from: Self.length - 1, through: 0, by: -1) {
            characters[index] = Self.alphabet[Int(bottom & 31)]
            bottom = bottom >> 5 | (top & 31) << 59
            top >>= 5
        }
        text = String(decoding: characters, as: UTF8.self)
    }

    public var description: String { text }

    /// The time in the id, milliseconds since 1970.
    public var milliseconds: UInt64 {
        // The first ten characters are the 48 bits of time behind two bits that are zero.
        text.utf8.prefix(10).reduce(0) { value, character in
            value << 5 | UInt64(Self.alphabet.firstIndex(of: character) ?? 0)
        }
    }

    public static func < (left: PostcardID, right: PostcardID) -> Bool { left.text < right.text }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = PostcardID(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a postcard's id: \(text)"))
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The clock that a postcard's times were read from.
public enum TimeSource: String, Sendable, Codable {
    /// The machine's own clock.
    case system
    /// The receiver's time, because the machine's clock was not set.
    case gps
}

/// A postcard as the archive knows it.
public struct PostcardRecord: Sendable, Equatable {
    public var id: PostcardID
    /// When it was kept.
    public var createdAt: UTCInstant
    /// When it was asked for, or the countdown ended: the exposure is never before this.
    public var requestedAt: UTCInstant
    /// When the camera took the picture.
    public var exposedAt: UTCInstant
    /// The name of the template it was stamped with.
    public var template: String
    /// The visitor's own words.
    public var message: String?
    /// The place in the caption.
    public var place: String
    /// Pixels.
    public var width: Int
    public var height: Int
    /// The size of the postcard's picture, bytes.
    public var byteCount: Int
    /// The SHA-256 (FIPS 180-4) of the postcard's picture, 64 lower-case hexadecimal digits.
    public var sha256: String
    /// How the overlay came into the picture, as the stamping engine names it.
    public var stamping: String
    /// What kind of camera took the picture. A recorded one is never passed off as live.
    public var cameraSource: SourceKind
    /// The camera's own name, where it has one.
    public var camera: String?
    /// Where the camera was at the exposure; nil when it was not known.
    public var position: PositionAtInstant?
    public var timeSource: TimeSource
    /// Kept from retention: only a request deletes it.
    public var isProtected: Bool
    /// Whether the frame as the camera gave it is kept too, and its size in bytes.
    public var originalByteCount: Int?
    /// Whether a small picture is kept too, and its size in bytes.
    public var thumbnailByteCount: Int?

    public var hasOriginal: Bool { originalByteCount != nil }
    public var hasThumbnail: Bool { thumbnailByteCount != nil }

    public init(
        id: PostcardID, createdAt: UTCInstant, requestedAt: UTCInstant, exposedAt: UTCInstant, template: String,
        message: String? = nil, place: String, width: Int, height: Int, byteCount: Int, sha256: String,
        stamping: String, cameraSource: SourceKind, camera: String? = nil, position: PositionAtInstant? = nil,
        timeSource: TimeSource = .system, isProtected: Bool = false, originalByteCount: Int? = nil,
        thumbnailByteCount: Int? = nil
    ) {
        self.id = id
        self.createdAt = createdAt
        self.requestedAt = requestedAt
        self.exposedAt = exposedAt
        self.template = template
        self.message = message
        self.place = place
        self.width = width
        self.height = height
        self.byteCount = byteCount
        self.sha256 = sha256
        self.stamping = stamping
        self.cameraSource = cameraSource
        self.camera = camera
        self.position = position
        self.timeSource = timeSource
        self.isProtected = isProtected
        self.originalByteCount = originalByteCount
        self.thumbnailByteCount = thumbnailByteCount
    }
}

/// The pictures that belong to one postcard.
public enum PostcardPicture: String, Sendable, Codable, CaseIterable {
    /// The stamped picture.
    case postcard
    /// The camera's frame, untouched.
    case original
    /// A small copy of the stamped picture.
    case thumbnail
}

/// A rectangle of latitudes and longitudes, edges included. `west` may be greater than `east`: the box then crosses
/// the antimeridian (RFC 7946 section 5.2).
public struct GeographicBox: Sendable, Equatable, Codable {
    /// Degrees.
    public let west: Double
    public let south: Double
    public let east: Double
    public let north: Double

    /// - Returns: nil unless all are finite and in range and `south` is not above `north`.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard let low = Coordinate(latitude: south, longitude: west),
            let high = Coordinate(latitude: north, longitude: east), low.latitude <= high.latitude
        else { return nil }
        self.west = west
        self.south = south
        self.east = east
        self.north = north
    }

    /// Whether the box spans the antimeridian.
    public var crossesAntimeridian: Bool { west > east }

    /// Whether the place lies in the box or on its edge.
    public func contains(_ place: Coordinate) -> Bool {
        guard place.latitude >= south, place.latitude <= north else { return false }
        return crossesAntimeridian
            ? place.longitude >= west || place.longitude <= east
            : place.longitude >= west && place.longitude <= east
    }
}
