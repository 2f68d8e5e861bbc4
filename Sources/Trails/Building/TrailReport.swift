public import KonzaModel

/// What an import made, and what a person should look at.
public struct TrailReport: Sendable, Equatable {
    /// A named trail as it is drawn.
    public struct Trail: Sendable, Equatable {
        public let name: String
        /// Metres on the map.
        public let length: Double
        /// Metres as published; nil where nothing is known.
        public let published: ClosedRange<Double>?
        public let segments: Int

        /// How far the length is outside what is published, as a share; 0 inside, nil where nothing is known.
        public var deviation: Double? {
            guard let published else { return nil }
            if length < published.lowerBound { return length / published.lowerBound - 1 }
            return length > published.upperBound ? length / published.upperBound - 1 : 0
        }
    }

    /// A place where a trail has no line between two of its parts.
    public struct Gap: Sendable, Equatable {
        public let trail: String
        public let metres: Double
        public let from: Coordinate
        public let to: Coordinate
    }

    /// An end of a line that comes near another one and does not join it.
    public struct LooseEnd: Sendable, Equatable {
        public let place: Coordinate
        public let metres: Double
        public let trail: String?
    }

    /// A place where two lines cross without a node: nobody is led from one to the other there.
    public struct Crossing: Sendable, Equatable {
        public let place: Coordinate
        public let trails: [String]
    }

    /// Where two trails run beside each other and not on one ground: a closure of one leaves the other open.
    public struct Beside: Sendable, Equatable {
        public let place: Coordinate
        public internal(set) var metres: Double
        public let trails: [String]
    }

    public let format: String
    public internal(set) var trails: [Trail] = []
    public internal(set) var segments = 0
    public internal(set) var junctions = 0
    public internal(set) var places = 0
    /// Metres of all segments.
    public internal(set) var length = 0.0
    /// Ends that were joined to what they nearly touched.
    public internal(set) var joinedEnds = 0
    /// The first of each; the counts are of all.
    public internal(set) var gaps: [Gap] = []
    public internal(set) var gapCount = 0
    public internal(set) var looseEnds: [LooseEnd] = []
    public internal(set) var looseEndCount = 0
    public internal(set) var crossings: [Crossing] = []
    public internal(set) var crossingCount = 0
    /// Parts of the network that no way connects.
    public internal(set) var islands = 0
    /// Ways that nobody may walk, and elements that are no trails.
    public internal(set) var refused = 0
    public internal(set) var ignored = 0
    /// Features that are called closed without a reason or dates: they are until the trails are imported anew.
    public internal(set) var bareClosures = 0
    /// Closures with a date that cannot be read: they have no such end.
    public internal(set) var unreadableDates = 0

    init(format: String) { self.format = format }
}
