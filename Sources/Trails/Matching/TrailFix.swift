public import KonzaModel

/// A fix as the matching of trails takes it.
public struct TrailFix: Sendable {
    public var time: UTCInstant
    public var place: Coordinate
    /// The radius that holds the truth with 95 % probability, metres; nil where nobody says.
    public var accuracy: Double?
    /// m/s over ground.
    public var speed: Double?
    /// Degrees from true north.
    public var course: Double?

    public init(
        time: UTCInstant, place: Coordinate, accuracy: Double? = nil, speed: Double? = nil, course: Double? = nil
    ) {
        self.time = time
        self.place = place
        self.accuracy = accuracy
        self.speed = speed
        self.course = course
    }

    /// The standard deviation of the position in one direction, metres: no receiver on foot is better than 4 m for long.
    var sigma: Double { max(4, (accuracy ?? 0) / 2.45) }
}

/// Where somebody is on the trails.
public struct TrailMatch: Sendable, Equatable {
    /// How sure it is.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// On the trail.
        case on
        /// Beside it, nearer than what is called off, or on the way back to it.
        case near
        /// Off every trail.
        case off
        /// The position is too poor to tell, or there is none.
        case unknown
    }

    public var state: State
    /// The edge, and metres from its first point; nil without a network.
    var spot: TrailNetwork.Spot?
    /// 1 along the edge as it is drawn, -1 against it, 0 where nobody moves.
    var direction = 0
    /// Degrees from true north in which somebody moves; nil where nobody does.
    public var heading: Double?
    /// The trail, and the part of it.
    var trail: Int?
    var part: Int?
    /// Metres along the trail.
    public var along: Double?
    /// Edges that it may be as well, where it cannot be told.
    var candidates: [Int] = []

    init(_ state: State, spot: TrailNetwork.Spot? = nil) {
        self.state = state
        self.spot = spot
    }
}
