public import KonzaModel

/// The reply of `GET /v1/trails`.
public struct TrailsReply: Codable, Sendable, Equatable {
    public struct Source: Codable, Sendable, Equatable {
        public var name: String
        /// demonstration, imported or recorded.
        public var origin: String
        public var importedAt: UTCInstant?
        public var attribution: String?
        public var segments: Int

        public init(name: String, origin: String, importedAt: UTCInstant?, attribution: String?, segments: Int) {
            self.name = name
            self.origin = origin
            self.importedAt = importedAt
            self.attribution = attribution
            self.segments = segments
        }
    }

    public struct Trail: Codable, Sendable, Equatable {
        public var name: String
        public var source: String
        public var length: Double
        public var publishedLength: [Double]?
        public var ascent: Double?
        public var closed: String?
        /// Metres of it that are closed.
        public var closedLength: Double?

        public init(name: String, source: String, length: Double) {
            self.name = name
            self.source = source
            self.length = length
        }
    }

    public struct Place: Codable, Sendable, Equatable {
        public var name: String
        public var kind: String
        public var latitude: Double
        public var longitude: Double

        public init(name: String, kind: String, at place: Coordinate) {
            self.name = name
            self.kind = kind
            latitude = place.latitude
            longitude = place.longitude
        }
    }

    public var demonstration: Bool
    public var sources: [Source] = []
    /// What is kept and not in use; nil without any.
    public var apart: [Source]?
    public var trails: [Trail] = []
    public var places: [Place] = []
    public var closures: [TrailClosureReply] = []
    public var segments = 0
    public var junctions = 0
    public var length = 0.0
    public var ascentThreshold = 0.0

    public init(demonstration: Bool) { self.demonstration = demonstration }
}

/// A closure by the station's own hand or calendar.
public struct TrailClosureReply: Codable, Sendable, Equatable {
    public var id: Int
    public var trail: String?
    public var segment: String?
    public var everything: Bool?
    public var reason: String
    public var from: UTCInstant?
    public var until: UTCInstant?
    public var inForce: Bool
    /// Other trails on the same ground; nil for none.
    public var alsoCloses: [String]?
    /// Whether nothing that it is about is there any more; nil where there is.
    public var closesNothing: Bool?

    public init(id: Int, reason: String, from: UTCInstant?, until: UTCInstant?, inForce: Bool) {
        self.id = id
        self.reason = reason
        self.from = from
        self.until = until
        self.inForce = inForce
    }
}

/// The reply of `GET /v1/trails/closures`.
public struct TrailClosuresReply: Codable, Sendable, Equatable {
    public var closures: [TrailClosureReply]

    public init(_ closures: [TrailClosureReply]) { self.closures = closures }
}

/// The body of `POST /v1/trails/closures`.
public struct TrailClosureRequest: Sendable, Equatable {
    public static let longestReason = 300
    public static let longestName = 120

    public var trail: String?
    public var segment: String?
    public var everything: Bool
    public var reason: String
    public var from: UTCInstant?
    public var until: UTCInstant?

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        trail = Self.text(&members, "trail", Self.longestName)
        segment = Self.text(&members, "segment", Self.longestName)
        everything = members.bool("everything") ?? false
        reason = Self.text(&members, "reason", Self.longestReason) ?? "closed"
        from = Self.instant(&members, "from")
        until = Self.instant(&members, "until")
        try members.finish()
        guard (trail == nil ? 0 : 1) + (segment == nil ? 0 : 1) + (everything ? 1 : 0) == 1 else {
            throw Self.contradiction("trail", "say one of trail, segment and everything")
        }
        if let from, let until, until <= from { throw Self.contradiction("until", "it is not after from") }
    }

    /// The problem of a member that fits no closure.
    public static func contradiction(_ name: String, _ detail: String) -> Problem {
        Problem(
            .invalidRequest, "cannot close the trail: /\(name) (\(detail))", status: 422,
            errors: [.init(path: "/\(name)", detail: detail)])
    }

    private static func text(_ members: inout RequestMembers, _ name: String, _ most: Int) -> String? {
        guard let text = members.string(name) else { return nil }
        guard (1...most).contains(text.unicodeScalars.count), TextForm.text.complaint(text) == nil,
            TextRule.isVisible(text)
        else {
            members.fault(name, "expected a line of 1 to \(most) characters")
            return nil
        }
        return text
    }

    private static func instant(_ members: inout RequestMembers, _ name: String) -> UTCInstant? {
        guard let text = members.string(name) else { return nil }
        guard let instant = UTCInstant(nearestRFC3339: text) else {
            members.fault(name, "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z")
            return nil
        }
        return instant
    }
}

/// The reply of `GET /v1/trails/nearest`, and the data of a `trail` event.
public struct NearestTrailReply: Codable, Sendable, Equatable {
    public struct Exit: Codable, Sendable, Equatable {
        public var turn: String
        public var trail: String?
        public var heading: Double
        public var closed: String?

        public init(turn: String, trail: String?, heading: Double, closed: String?) {
            self.turn = turn
            self.trail = trail
            self.heading = heading
            self.closed = closed
        }
    }

    public struct Junction: Codable, Sendable, Equatable {
        public var distance: Double
        public var latitude: Double
        public var longitude: Double
        /// The turn by which the trail goes on; nil where it is not known.
        public var turn: String?
        public var words: String
        public var exits: [Exit]

        public init(distance: Double, at place: Coordinate, turn: String?, words: String, exits: [Exit]) {
            self.distance = distance
            latitude = place.latitude
            longitude = place.longitude
            self.turn = turn
            self.words = words
            self.exits = exits
        }
    }

    public var state: String
    public var trail: String?
    public var trails: [String] = []
    public var distance: Double?
    public var along: Double?
    public var length: Double?
    public var heading: Double?
    public var direction: String?
    public var segment: String?
    public var closed: String?
    public var candidates: [String]?
    /// Those of the candidates that are closed where one may be; nil for none.
    public var closedCandidates: [String]?
    public var junction: Junction?
    public var words = ""
    public var demonstration: Bool
    public var timestamp: UTCInstant?
    public var position: ObserverReply?

    public init(state: String, demonstration: Bool) {
        self.state = state
        self.demonstration = demonstration
    }

    enum CodingKeys: String, CodingKey {
        case state, trail, trails, distance, along, length, heading, direction, segment, closed, candidates
        case closedCandidates, junction, words, demonstration, timestamp, position
    }

    /// What scripts rely on is there whether it is known or not: `null` where it is not.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(trail, forKey: .trail)
        try container.encode(trails, forKey: .trails)
        try container.encode(distance, forKey: .distance)
        try container.encode(along, forKey: .along)
        try container.encodeIfPresent(length, forKey: .length)
        try container.encode(heading, forKey: .heading)
        try container.encodeIfPresent(direction, forKey: .direction)
        try container.encodeIfPresent(segment, forKey: .segment)
        try container.encodeIfPresent(closed, forKey: .closed)
        try container.encodeIfPresent(candidates, forKey: .candidates)
        try container.encodeIfPresent(closedCandidates, forKey: .closedCandidates)
        try container.encodeIfPresent(junction, forKey: .junction)
        try container.encode(words, forKey: .words)
        try container.encode(demonstration, forKey: .demonstration)
        try container.encodeIfPresent(timestamp, forKey: .timestamp)
        try container.encodeIfPresent(position, forKey: .position)
    }
}

/// The reply of `GET /v1/trails/way`.
public struct TrailWayReply: Codable, Sendable, Equatable {
    public struct Turn: Codable, Sendable, Equatable {
        public var distance: Double
        public var latitude: Double
        public var longitude: Double
        public var turn: String
        public var trail: String?
        public var heading: Double
        public var words: String

        public init(
            distance: Double, at place: Coordinate, turn: String, trail: String?, heading: Double, words: String
        ) {
            self.distance = distance
            latitude = place.latitude
            longitude = place.longitude
            self.turn = turn
            self.trail = trail
            self.heading = heading
            self.words = words
        }
    }

    public struct Closed: Codable, Sendable, Equatable {
        public var distance: Double
        public var length: Double
        public var reason: String

        public init(distance: Double, length: Double, reason: String) {
            self.distance = distance
            self.length = length
            self.reason = reason
        }
    }

    public struct Closing: Codable, Sendable, Equatable {
        public var distance: Double
        public var length: Double
        public var reason: String
        public var from: UTCInstant

        public init(distance: Double, length: Double, reason: String, from: UTCInstant) {
            self.distance = distance
            self.length = length
            self.reason = reason
            self.from = from
        }
    }

    /// GeoJSON (RFC 7946).
    public struct Geometry: Codable, Sendable, Equatable {
        public var type = "LineString"
        public var coordinates: [[Double]]

        /// - Parameter places: at least two.
        public init(_ places: [Coordinate]) {
            coordinates = places.map { [$0.longitude, $0.latitude] }
        }
    }

    public var demonstration: Bool
    public var to: TrailsReply.Place
    public var distance: Double
    public var seconds: Double
    public var approach: Double
    public var departure: Double
    public var ascent: Double?
    public var descent: Double?
    public var ascentThreshold: Double
    public var geometry: Geometry
    public var turns: [Turn] = []
    public var closed: [Closed] = []
    /// Metres of the way that are closed.
    public var closedLength = 0.0
    /// Nil where nothing of the way closes.
    public var closing: [Closing]?
    /// Of a trail that was asked for: why it is closed, as a whole or in part; nil for one that is open.
    public var toClosed: String?
    public var avoidsClosed: Bool
    public var dusk: UTCInstant?
    public var turnBackBefore: UTCInstant?
    public var timestamp: UTCInstant
    public var position: ObserverReply

    public init(
        demonstration: Bool, to: TrailsReply.Place, distance: Double, seconds: Double, approach: Double,
        departure: Double, ascentThreshold: Double, geometry: Geometry, avoidsClosed: Bool, timestamp: UTCInstant,
        position: ObserverReply
    ) {
        self.demonstration = demonstration
        self.to = to
        self.distance = distance
        self.seconds = seconds
        self.approach = approach
        self.departure = departure
        self.ascentThreshold = ascentThreshold
        self.geometry = geometry
        self.avoidsClosed = avoidsClosed
        self.timestamp = timestamp
        self.position = position
    }
}

/// The reply of `GET /v1/trails/profile`.
public struct TrailProfileReply: Codable, Sendable, Equatable {
    public struct Point: Codable, Sendable, Equatable {
        public var along: Double
        public var height: Double?

        public init(along: Double, height: Double?) {
            self.along = along
            self.height = height
        }
    }

    public var demonstration: Bool
    public var trail: String
    public var length: Double
    public var step: Double
    public var ascent: Double?
    public var descent: Double?
    public var ascentThreshold: Double
    public var datum: String?
    /// Where the station is along it, where that is known.
    public var here: Double?
    public var points: [Point]

    public init(
        demonstration: Bool, trail: String, length: Double, step: Double, ascentThreshold: Double, points: [Point]
    ) {
        self.demonstration = demonstration
        self.trail = trail
        self.length = length
        self.step = step
        self.ascentThreshold = ascentThreshold
        self.points = points
    }
}

/// The reply of `POST /v1/trails`.
public struct TrailReportReply: Codable, Sendable, Equatable {
    public struct Trail: Codable, Sendable, Equatable {
        public var name: String
        public var length: Double
        public var publishedLength: [Double]?
        /// How far the length is outside what is published, as a share.
        public var deviation: Double?

        public init(name: String, length: Double, publishedLength: [Double]?, deviation: Double?) {
            self.name = name
            self.length = length
            self.publishedLength = publishedLength
            self.deviation = deviation
        }
    }

    /// Something odd at a place.
    public struct Finding: Codable, Sendable, Equatable {
        /// gap, loose-end or crossing.
        public var kind: String
        public var latitude: Double
        public var longitude: Double
        public var metres: Double?
        public var trails: [String]

        public init(kind: String, at place: Coordinate, metres: Double?, trails: [String]) {
            self.kind = kind
            latitude = place.latitude
            longitude = place.longitude
            self.metres = metres
            self.trails = trails
        }
    }

    public var source: String
    public var format: String
    /// Whether it was only looked at, and nothing was kept.
    public var dryRun: Bool
    public var trails: [Trail] = []
    public var segments = 0
    public var junctions = 0
    public var places = 0
    public var length = 0.0
    public var joinedEnds = 0
    public var gaps = 0
    public var looseEnds = 0
    public var crossings = 0
    public var islands = 0
    public var refused = 0
    public var ignored = 0
    public var bareClosures = 0
    public var unreadableDates = 0
    /// How many pairs of trails run beside each other and are not closed together.
    public var besides = 0
    /// The ids of the station's closures that close nothing with these trails.
    public var idleClosures: [Int]?
    /// The first of each kind.
    public var findings: [Finding] = []

    public init(source: String, format: String, dryRun: Bool) {
        self.source = source
        self.format = format
        self.dryRun = dryRun
    }
}
