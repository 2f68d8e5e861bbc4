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
    /// The exposure by the receiver's time, where that contradicted the system's clock, by which the other times are.
    public var receiverTime: UTCInstant?
    /// Kept from retention: only a request deletes it.
    public var isProtected: Bool
    /// Whether the frame as the camera gave it is kept too, and its size in bytes.
    public var originalByteCount: Int?
    /// Whether a small picture is kept too, and its size in bytes.
    public var thumbnailByteCount: Int?
    /// Whether a burst is kept as an animated picture, and its size in bytes.
    public var animationByteCount: Int?
    /// How the pictures of a collage lie; nil for a postcard of one picture.
    public var layout: CollageLayout?
    /// The pictures of a collage in their order; `exposedAt`, `requestedAt` and `position` are the last one's.
    public var shots: [ExposedShot]?

    public var hasOriginal: Bool { originalByteCount != nil }
    public var hasAnimation: Bool { animationByteCount != nil }
    public var hasThumbnail: Bool { thumbnailByteCount != nil }

    public init(
        id: PostcardID, createdAt: UTCInstant, requestedAt: UTCInstant, exposedAt: UTCInstant, template: String,
        message: String? = nil, place: String, width: Int, height: Int, byteCount: Int, sha256: String,
        stamping: String, cameraSource: SourceKind, camera: String? = nil, position: PositionAtInstant? = nil,
        timeSource: TimeSource = .system, receiverTime: UTCInstant? = nil, isProtected: Bool = false,
        originalByteCount: Int? = nil, thumbnailByteCount: Int? = nil
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
        self.receiverTime = receiverTime
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
    /// The frames after the trigger as an animated picture, with the same lettering.
    case animation
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
