public import KonzaModel

/// A trail while it is walked with the station's own receiver: the fixes that count, and the junctions that were occupied. It is a
/// value without a clock or a disk.
public struct TrailRecording: Sendable {
    /// What the line is made of, in the order in which it was walked.
    public enum Item: Sendable, Equatable {
        /// A fix on the way.
        case point(Coordinate)
        /// A junction, or another place, that was occupied.
        case mark(Mark)
        /// Nothing is known of the way between the points before and behind.
        case gap
    }

    /// A place that was occupied.
    public struct Mark: Codable, Sendable, Equatable {
        public var name: String?
        public var kind: TrailPlace.Kind
        public var latitude: Double
        public var longitude: Double
        /// The radius that holds the true place with 95 % probability, metres.
        public var accuracy: Double
        /// How many fixes were averaged.
        public var fixes: Int

        public init(name: String?, kind: TrailPlace.Kind, at place: Coordinate, accuracy: Double, fixes: Int) {
            self.name = name
            self.kind = kind
            latitude = place.latitude
            longitude = place.longitude
            self.accuracy = accuracy
            self.fixes = fixes
        }

        var place: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
    }

    /// What names a recording.
    public struct Head: Codable, Sendable, Equatable {
        public var trail: String
        public var source: String
        public var startedAt: UTCInstant
        /// Whether the receiver is a replay or a simulation: then nobody walks.
        public var isMadeUp: Bool

        public init(trail: String, source: String, startedAt: UTCInstant, isMadeUp: Bool) {
            self.trail = trail
            self.source = source
            self.startedAt = startedAt
            self.isMadeUp = isMadeUp
        }
    }

    /// The most items; with a point every 4 m more than 150 km.
    public static let mostItems = 40_000
    /// The most places that are occupied.
    public static let mostMarks = 200
    /// A new point is this far from the one before, metres.
    static let spacing = 4.0
    /// A fix whose 95 % error is greater does not count, metres. gpsd's own model is 19 m times the HDOP.
    static let poorest = 60.0
    /// A pause of the fixes as long as this, seconds, in which one came as far as that, metres, is a gap.
    private static let pause = (seconds: 20.0, metres: 40.0)
    /// Nobody walks faster, m/s.
    private static let fastest = 12.0

    public let head: Head
    public private(set) var items: [Item] = []
    /// Metres of the line so far.
    public private(set) var length = 0.0
    public private(set) var gapCount = 0
    public private(set) var marks: [Mark] = []
    /// Fixes that were too poor, and those that were no way of walking.
    public private(set) var refused = 0

    private var movement = MovementSense()
    private var plane: LocalPlane?
    private var lastPlace: Coordinate?
    private var lastFix: TrailFix?

    public init(_ head: Head) { self.head = head }

    /// A recording as it was kept, which goes on behind a gap.
    public init(_ head: Head, resuming items: [Item]) {
        self.head = head
        for item in items.prefix(Self.mostItems) { append(item) }
        if items.last.map({ $0 != .gap }) ?? false { append(.gap) }
    }

    /// Whether no more is taken.
    public var isFull: Bool { items.count >= Self.mostItems }

    /// How many points and marks the line has.
    public var pointCount: Int { items.count - items.count { $0 == .gap } }

    /// Takes the next fix.
    ///
    /// - Returns: whether the line has become longer.
    @discardableResult
    public mutating func take(_ fix: TrailFix) -> Bool {
        guard (fix.accuracy ?? 0) <= Self.poorest else {
            refused += 1
            return false
        }
        let before = lastFix
        if let before {
            let seconds = fix.time.seconds(since: before.time)
            guard seconds > 0 else { return false }
            let metres = before.place.distance(to: fix.place)
            guard metres <= Self.fastest * seconds + 2 * (fix.accuracy ?? 10) else {
                refused += 1
                return false
            }
        }
        lastFix = fix
        let plane = plane ?? LocalPlane(at: fix.place)
        self.plane = plane
        movement.take(fix, plane.point(fix.place))
        guard let lastPlace else { return add(fix.place) }
        let metres = lastPlace.distance(to: fix.place)
        if let before, fix.time.seconds(since: before.time) >= Self.pause.seconds, metres >= Self.pause.metres {
            append(.gap)
            return add(fix.place)
        }
        guard movement.isMoving, metres >= Self.spacing else { return false }
        return add(fix.place)
    }

    /// Takes a place that was occupied; the line goes through it.
    ///
    /// - Returns: false where there are too many.
    @discardableResult
    public mutating func take(_ mark: Mark) -> Bool {
        guard marks.count < Self.mostMarks, !isFull, mark.place != nil else { return false }
        append(.mark(mark))
        return true
    }

    private mutating func add(_ place: Coordinate) -> Bool {
        guard !isFull else { return false }
        append(.point(place))
        return true
    }

    private mutating func append(_ item: Item) {
        switch item {
        case .point(let place): go(to: place)
        case .mark(let mark):
            marks.append(mark)
            if let place = mark.place { go(to: place) }
        case .gap:
            guard items.last != .gap, !items.isEmpty else { return }
            gapCount += 1
            lastPlace = nil
        }
        items.append(item)
    }

    private mutating func go(to place: Coordinate) {
        if let lastPlace { length += lastPlace.distance(to: place) }
        lastPlace = place
    }
}
