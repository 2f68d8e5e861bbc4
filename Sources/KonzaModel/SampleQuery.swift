/// Which of a database's samples to look for. What is nil or empty narrows nothing.
public struct SampleQuery: Sendable, Equatable, Codable {
    /// Where to look.
    public enum Area: Sendable, Equatable {
        case everywhere
        /// Within `radius` metres of a place.
        case circle(center: Coordinate, radius: Double)
        case box(GeographicBox)
        /// A region by its name, as the database spells it.
        case region(String)
    }

    /// Whose samples to look for; an account sees its own private ones only.
    public enum Visibility: String, Sendable, Codable, CaseIterable {
        case both
        case `public`
        case `private`
    }

    /// The most names in one list, and the most characters in one name.
    public static let mostNames = 50
    public static let longestName = 200
    /// The greatest radius, metres: the way to the antipodes.
    public static let greatestRadius = 20_015_115.0

    public var area = Area.everywhere
    /// One of these, in the database's spelling; so with the lists below.
    public var rockTypes: [String] = []
    public var minerals: [String] = []
    /// All of the minerals, not one of them.
    public var needsAllMinerals = false
    public var metamorphicGrades: [String] = []
    public var owners: [String] = []
    public var collectors: [String] = []
    /// The first and the last day of collection. A sample without a date is in no range.
    public var collectedFrom: CalendarDate?
    public var collectedTo: CalendarDate?
    public var visibility = Visibility.both

    public init(_ area: Area = .everywhere) { self.area = area }

    /// What makes it unanswerable, worded to follow "cannot look for samples: "; nil if nothing does.
    public var fault: String? {
        if case .circle(_, let radius) = area, !(radius > 0 && radius <= Self.greatestRadius) {
            return "the radius has to be above 0 and at most 20015 km"
        }
        let regions: [String] = if case .region(let name) = area { [name] } else { [] }
        for (what, names) in [
            ("regions", regions), ("rock types", rockTypes), ("minerals", minerals),
            ("metamorphic grades", metamorphicGrades), ("owners", owners), ("collectors", collectors),
        ] {
            guard names.count <= Self.mostNames else { return "more than \(Self.mostNames) \(what) are named" }
            for name in names {
                guard !name.isEmpty, TextRule.complaint(name, upTo: Self.longestName) == nil else {
                    return "a name among the \(what) is empty, longer than \(Self.longestName) characters, or no text"
                }
            }
        }
        if let from = collectedFrom, let to = collectedTo, from > to { return "the days end before they begin" }
        return nil
    }

    /// The same question with its lists in order and without repetitions, so that equal questions are equal.
    public var canonical: SampleQuery {
        func ordered(_ names: [String]) -> [String] { Set(names).sorted() }
        var query = self
        query.rockTypes = ordered(rockTypes)
        query.minerals = ordered(minerals)
        query.needsAllMinerals = needsAllMinerals && query.minerals.count > 1
        query.metamorphicGrades = ordered(metamorphicGrades)
        query.owners = ordered(owners)
        query.collectors = ordered(collectors)
        return query
    }

    /// Whether a sample is one of those that are looked for, by what is known of it. One without a position lies in no
    /// circle and no box.
    public func matches(_ sample: FoundSample) -> Bool {
        func isAmong(_ wanted: [String], _ names: [String]) -> Bool {
            wanted.isEmpty || !Set(wanted).isDisjoint(with: names)
        }
        let isVisible =
            switch visibility {
            case .both: true
            case .public: sample.isPublic
            case .private: !sample.isPublic
            }
        guard isVisible, area.contains(sample), isInTime(sample.collectionDate),
            isAmong(rockTypes, [sample.rockType].compactMap(\.self)),
            isAmong(metamorphicGrades, sample.metamorphicGrades), isAmong(owners, [sample.owner].compactMap(\.self)),
            isAmong(collectors, [sample.collector].compactMap(\.self))
        else { return false }
        return needsAllMinerals
            ? Set(minerals).isSubset(of: sample.minerals) : isAmong(minerals, sample.minerals)
    }

    private func isInTime(_ date: CalendarDate?) -> Bool {
        guard collectedFrom != nil || collectedTo != nil else { return true }
        guard let date else { return false }
        return (collectedFrom.map { $0 <= date } ?? true) && (collectedTo.map { date <= $0 } ?? true)
    }
}

extension SampleQuery.Area {
    /// Whether a sample lies in it.
    public func contains(_ sample: FoundSample) -> Bool {
        switch self {
        case .everywhere: true
        case .circle(let center, let radius): sample.place.map { center.distance(to: $0) <= radius } ?? false
        case .box(let box): sample.place.map(box.contains) ?? false
        case .region(let name): sample.regions.contains(name) || sample.metamorphicRegions.contains(name)
        }
    }

    /// The box that holds all of it; nil where it is none of place, or the whole Earth.
    public var box: GeographicBox? {
        switch self {
        case .everywhere, .region: nil
        case .circle(let center, let radius): GeographicBox(around: center, radius: radius)
        case .box(let box): box
        }
    }
}

extension GeographicBox {
    /// The smallest box that holds a circle.
    ///
    /// - Parameters:
    ///   - center: the circle's.
    ///   - radius: metres over the sphere of ``Coordinate/distance(to:)``; positive.
    public init?(around center: Coordinate, radius: Double) {
        guard radius > 0, radius.isFinite else { return nil }
        // A degree of latitude is everywhere as long as one of longitude at the equator. A millionth more, so that
        // rounding leaves nothing out.
        let degrees = radius / Coordinate.lengthOfLongitudeDegree(at: 0) * 1.000_001
        let south = center.latitude - degrees
        let north = center.latitude + degrees
        guard south > -90, north < 90 else {
            // Around a pole all meridians are near.
            self.init(west: -180, south: max(-90, south), east: 180, north: min(90, north))
            return
        }
        // The circle is widest where a meridian touches it, nearer to the pole than its center.
        let width = Self.halfWidth(degrees, at: center.latitude)
        guard width < 180 else {
            self.init(west: -180, south: south, east: 180, north: north)
            return
        }
        func wrapped(_ longitude: Double) -> Double {
            longitude < -180 ? longitude + 360 : longitude > 180 ? longitude - 360 : longitude
        }
        self.init(
            west: wrapped(center.longitude - width), south: south, east: wrapped(center.longitude + width),
            north: north)
    }

    private static func halfWidth(_ degrees: Double, at latitude: Double) -> Double {
        let sine = Degrees.sine(degrees) / Degrees.cosine(latitude)
        return sine >= 1 ? 180 : Degrees.arcsine(sine) * 1.000_001
    }
}

extension SampleQuery.Area: Codable {
    private enum Key: String, CodingKey { case near, radius, box, region }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        if let center = try members.decodeIfPresent(Coordinate.self, forKey: .near) {
            self = .circle(center: center, radius: try members.decode(Double.self, forKey: .radius))
        } else if let box = try members.decodeIfPresent(GeographicBox.self, forKey: .box) {
            self = .box(box)
        } else if let name = try members.decodeIfPresent(String.self, forKey: .region) {
            self = .region(name)
        } else {
            self = .everywhere
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .everywhere: break
        case .circle(let center, let radius):
            try members.encode(center, forKey: .near)
            try members.encode(radius, forKey: .radius)
        case .box(let box): try members.encode(box, forKey: .box)
        case .region(let name): try members.encode(name, forKey: .region)
        }
    }
}
