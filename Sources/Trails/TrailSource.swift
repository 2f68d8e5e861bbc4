public import KonzaModel

/// A line of the network between two nodes, walked in either direction.
public struct TrailSegment: Codable, Sendable, Equatable {
    /// Unique within its source.
    public var id: String
    /// At least two; segments that meet share the coordinate of the end.
    public var points: [Coordinate]
    /// When and why it is closed by the file that it is from; of those in force the last one's reason is told.
    public var closures: [ClosedPeriod]
    /// As `gravel`; nil where nothing is said.
    public var surface: String?
    /// Above or below what it crosses: a bridge is 1, a tunnel -1.
    public var level: Int?

    public init(
        id: String, points: [Coordinate], closures: [ClosedPeriod] = [], surface: String? = nil, level: Int? = nil
    ) {
        self.id = id
        self.points = points
        self.closures = closures
        self.surface = surface
        self.level = level
    }

    /// Metres.
    var length: Double { zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) } }
}

/// A trail with a name: segments in the order in which they are walked. One segment may be part of several trails, and
/// of one trail twice, as a stem that leads to a loop and back.
public struct NamedTrail: Codable, Sendable, Equatable {
    /// A segment of a trail.
    public struct Part: Codable, Sendable, Equatable {
        /// The index among the source's segments.
        public var segment: Int
        /// Whether it is walked from its last point to its first.
        public var isReversed: Bool

        public init(_ segment: Int, isReversed: Bool = false) {
            self.segment = segment
            self.isReversed = isReversed
        }
    }

    public var name: String
    public var parts: [Part]
    /// The lengths that are published, metres: the least and the greatest of them.
    public var publishedLength: ClosedRange<Double>?

    public init(name: String, parts: [Part], publishedLength: ClosedRange<Double>? = nil) {
        self.name = name
        self.parts = parts
        self.publishedLength = publishedLength
    }
}

/// A place of the network, beside its junctions.
public struct TrailPlace: Codable, Sendable, Equatable {
    /// What kind of place it is.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case trailhead, junction, viewpoint, guidepost, board, toilets, parking, mast, peak, bridge, building, other
    }

    public var name: String
    public var kind: Kind
    public var coordinate: Coordinate

    public init(name: String, kind: Kind, coordinate: Coordinate) {
        self.name = name
        self.kind = kind
        self.coordinate = coordinate
    }
}

/// The trails of one origin: an imported file, a recording of the station's receiver, or the demonstration.
public struct TrailSource: Codable, Sendable, Equatable {
    /// Where the trails are from.
    public enum Origin: String, Codable, Sendable, CaseIterable {
        /// Made up by konzad; no one can walk it.
        case demonstration
        case imported
        /// Walked with the station's own receiver.
        case recorded
    }

    /// The operator's name of it; an import of the same name replaces it.
    public var name: String
    public var origin: Origin
    /// When it was imported; nil for the demonstration.
    public var importedAt: UTCInstant?
    /// Whom to name beside the map, as "© OpenStreetMap contributors".
    public var attribution: String?
    public var segments: [TrailSegment]
    public var trails: [NamedTrail]
    public var places: [TrailPlace]

    public init(
        name: String, origin: Origin, importedAt: UTCInstant? = nil, attribution: String? = nil,
        segments: [TrailSegment] = [], trails: [NamedTrail] = [], places: [TrailPlace] = []
    ) {
        self.name = name
        self.origin = origin
        self.importedAt = importedAt
        self.attribution = attribution
        self.segments = segments
        self.trails = trails
        self.places = places
    }

    /// How many segments its file has, of which the network may have cut some.
    public var segmentCount: Int { Set(segments.map { TrailNetwork.wholeID($0.id) }).count }

    /// Whether it was recorded by walking, or by a replay.
    var isRecording: Bool { origin == .recorded || attribution == RecordedTrail.madeUp }
}

/// A closure by the station's own hand or calendar. It wins over what an imported file says.
public struct TrailClosure: Codable, Sendable, Equatable {
    /// What is closed.
    public enum Target: Codable, Sendable, Equatable {
        /// All segments of the trails of that name.
        case trail(String)
        /// One segment by the id that it had; see ``TrailClosure/ground``.
        case segment(String)
        /// Everything.
        case everything
    }

    public var id: Int
    public var target: Target
    /// Of a segment, where it lay, which is what is closed; nil for one that an older konzad closed: then it is every segment of that id.
    public var ground: ClosedGround?
    /// As "prescribed burn".
    public var reason: String
    /// From when; nil for at once.
    public var from: UTCInstant?
    /// Until when, exclusively; nil until it is opened by hand.
    public var until: UTCInstant?

    public init(
        id: Int, target: Target, ground: ClosedGround? = nil, reason: String, from: UTCInstant? = nil,
        until: UTCInstant? = nil
    ) {
        self.id = id
        self.target = target
        self.ground = ground
        self.reason = reason
        self.from = from
        self.until = until
    }

    /// When and why.
    public var period: ClosedPeriod { ClosedPeriod(reason: reason, from: from, until: until) }

    /// Whether it is in force at an instant.
    public func isInForce(at instant: UTCInstant) -> Bool { period.isInForce(at: instant) }
}

/// When something is closed, and why.
public struct ClosedPeriod: Codable, Sendable, Hashable {
    /// As "prescribed burn".
    public var reason: String
    /// From when; nil for at once.
    public var from: UTCInstant?
    /// Until when, exclusively; nil for until it is opened.
    public var until: UTCInstant?

    public init(reason: String, from: UTCInstant? = nil, until: UTCInstant? = nil) {
        (self.reason, self.from, self.until) = (reason, from, until)
    }

    /// Whether it is in force at an instant.
    public func isInForce(at instant: UTCInstant) -> Bool {
        (from.map { $0 <= instant } ?? true) && !isOver(at: instant)
    }

    /// Whether it is in force neither at an instant nor ever after.
    public func isOver(at instant: UTCInstant) -> Bool { until.map { $0 <= instant } ?? false }

    /// Whether it is never in force.
    var isEmpty: Bool { from.flatMap { from in until.map { $0 <= from } } ?? false }

    /// Whether a file's texts of its ends can be read, where there are any, and the one is not after the other.
    static func isReadable(from: String?, until: String?) -> Bool {
        [from, until].compactMap { $0 }.allSatisfy { UTCInstant(nearestRFC3339: $0) != nil }
            && !ClosedPeriod(reason: "", from: instant(from), until: instant(until)).isEmpty
    }

    private static func instant(_ text: String?) -> UTCInstant? { text.flatMap { UTCInstant(nearestRFC3339: $0) } }

    /// What a file says in texts. A date that cannot be read leaves that end open, and two in the wrong order both: nothing is open by
    /// mistake.
    init(text reason: String?, from: String?, until: String?) {
        self.init(
            reason: TrailText.name(reason, most: TrailLimits.reasonLength) ?? "closed", from: Self.instant(from),
            until: Self.instant(until))
        if isEmpty { (self.from, self.until) = (nil, nil) }
    }
}
