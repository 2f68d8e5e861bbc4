public import JPEGCoding
public import KonzaModel

/// What is known of a picture and is to be written into it. What is nil is not written.
public struct PictureFacts: Sendable {
    /// Where it was taken, at the instant of exposure; nil without a fix: then there is no GPS directory at all.
    public var position: PositionAtInstant?
    public var exposedAt: UTCInstant
    /// East of UTC, at the instant of exposure and the place; rounded to whole minutes.
    public var utcOffsetSeconds: Int
    /// The camera's maker and name. Control characters from a device are replaced by spaces.
    public var make: String?
    public var model: String?
    public var software: String?
    /// One line on what the picture shows.
    public var imageDescription: String?
    /// The visitor's own words.
    public var userComment: String?
    public var artist: String?
    public var copyright: String?
    /// EXIF's 1 to 8; 1 is upright.
    public var orientation: Int
    /// Degrees from true north that the camera looks to, if the station knows: never the track.
    public var imageDirection: Double?
    /// XMP's title.
    public var title: String?
    public var place: Place?
    /// A small JPEG; made smaller or left out if it does not fit.
    public var thumbnail: FrameData?
    /// Names at places of the picture.
    public var regions: Regions?

    /// The names of the place, for people.
    public struct Place: Sendable, Equatable {
        /// Such as a trail or a prairie.
        public var location: String?
        public var city: String?
        public var state: String?
        public var country: String?

        public init(location: String? = nil, city: String? = nil, state: String? = nil, country: String? = nil) {
            self.location = location
            self.city = city
            self.state = state
            self.country = country
        }
    }

    /// Names at places of the picture, as IPTC's image regions and those of the Metadata Working Group.
    public struct Regions: Sendable, Equatable {
        /// The most that are written.
        public static let most = 40

        public struct Region: Sendable, Equatable {
            public var name: String
            /// Of the middle, pixels from the left and the upper edge.
            public var x: Double
            public var y: Double
            /// Half the edge of the square, pixels.
            public var reach: Double

            public init(name: String, x: Double, y: Double, reach: Double) {
                (self.name, self.x, self.y, self.reach) = (name, x, y, reach)
            }
        }

        /// Of the picture, pixels.
        public var width: Int
        public var height: Int
        public var list: [Region]

        public init(width: Int, height: Int, list: [Region]) {
            (self.width, self.height) = (width, height)
            self.list = Array(list.prefix(Self.most))
        }
    }

    public init(exposedAt: UTCInstant, utcOffsetSeconds: Int) {
        self.exposedAt = exposedAt
        self.utcOffsetSeconds = utcOffsetSeconds
        orientation = 1
    }
}

/// Why facts could not be written into a picture.
public enum MetadataError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A text has a character that neither XML nor a reader's terminal can take.
    case controlCharacter(field: String)
    /// All texts together exceed a segment's 65 533 bytes.
    case tooLarge(segment: String)
    /// The picture is not a sound JPEG.
    case structure(JPEGStructureError)

    public var description: String {
        switch self {
        case .controlCharacter(let field):
            "cannot write the picture's \(field): it has a control character; remove it"
        case .tooLarge(let segment):
            "cannot write the picture's \(segment): over 65533 bytes; shorten the texts"
        case .structure(let error): error.description
        }
    }
}

extension PictureFacts {
    /// The texts that people wrote, checked; the camera's own cleaned.
    func checked() throws(MetadataError) -> PictureFacts {
        let texts: [(String, String?)] =
            [
                ("description", imageDescription), ("comment", userComment), ("artist", artist),
                ("copyright", copyright),
                ("title", title), ("location", place?.location), ("city", place?.city), ("state", place?.state),
                ("country", place?.country),
            ] + (regions?.list ?? []).map { ("names of regions", $0.name) }
        for (field, text) in texts where text?.hasForbiddenCharacter == true {
            throw .controlCharacter(field: field)
        }
        var facts = self
        facts.make = make?.cleaned
        facts.model = model?.cleaned
        facts.software = software?.cleaned
        return facts
    }

    /// The offset that is written, in seconds: EXIF and XMP know whole minutes only.
    var writtenOffset: Int {
        let minutes = (Double(utcOffsetSeconds) / 60).rounded()
        return max(-1439, min(1439, Int(minutes))) * 60
    }

    /// `+05:30`.
    var offsetText: String {
        let minutes = abs(writtenOffset) / 60
        return (writtenOffset < 0 ? "-" : "+") + (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
    }

    /// The civil time at the place.
    var localTime: CivilTime { CivilTime(exposedAt, offsetSeconds: writtenOffset) }
}

extension String {
    /// Characters that XML 1.0 section 2.2 excludes, and DEL; line ends and tabs are allowed.
    var hasForbiddenCharacter: Bool { unicodeScalars.contains { $0.isForbidden } }

    /// For texts that a device gave: forbidden characters and line ends become spaces, outer spaces go.
    var cleaned: String? {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            scalars.append(scalar.isForbidden || scalar.value < 0x20 ? " " : scalar)
        }
        let inner = scalars.drop { $0 == " " }
        guard let last = inner.lastIndex(where: { $0 != " " }) else { return nil }
        return String(inner[...last])
    }
}

extension Unicode.Scalar {
    fileprivate var isForbidden: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D: false
        case 0..<0x20, 0x7F, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}

extension Int {
    /// Decimal digits with leading zeros.
    func padded(_ width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
