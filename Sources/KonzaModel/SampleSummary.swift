/// A name and how many samples it stands with.
public struct NameCount: Sendable, Hashable, Codable {
    public var name: String
    /// Nil where the database names it without a count.
    public var count: Int?

    public init(_ name: String, _ count: Int?) {
        self.name = name
        self.count = count
    }
}

/// What a search would find, without the samples: what there is to narrow it by.
public struct SampleSummary: Sendable, Equatable, Codable {
    /// How many samples there are.
    public var total: Int
    /// How many of them the counts below are of: fewer than `total` where there were too many to look at.
    public var counted: Int
    /// The most frequent first, then by name; so with the lists below.
    public var rockTypes: [NameCount] = []
    public var minerals: [NameCount] = []
    public var metamorphicGrades: [NameCount] = []
    public var owners: [NameCount] = []
    /// The smallest box that holds those with a place; it may cross the antimeridian. Nil without any.
    public var extent: GeographicBox?

    public init(total: Int, counted: Int) {
        self.total = total
        self.counted = counted
    }
}

/// Sums samples up one after another, without keeping them.
public struct SampleCensus: Sendable {
    public private(set) var counted = 0
    private var rockTypes: [String: Int] = [:]
    private var minerals: [String: Int] = [:]
    private var metamorphicGrades: [String: Int] = [:]
    private var owners: [String: Int] = [:]
    private var south = Double.infinity
    private var north = -Double.infinity
    private var longitudes: [Double] = []

    public init() {}

    public mutating func add(_ sample: FoundSample) {
        counted += 1
        if let name = sample.rockType { rockTypes[name, default: 0] += 1 }
        for name in Set(sample.minerals) { minerals[name, default: 0] += 1 }
        for name in Set(sample.metamorphicGrades) { metamorphicGrades[name, default: 0] += 1 }
        if let name = sample.owner { owners[name, default: 0] += 1 }
        guard let place = sample.place else { return }
        south = min(south, place.latitude)
        north = max(north, place.latitude)
        longitudes.append(place.longitude)
    }

    /// The sums so far.
    ///
    /// - Parameter total: how many samples there are, those that were not added among them.
    /// - Returns: the counts of what was added, and its extent.
    public func summary(total: Int) -> SampleSummary {
        var summary = SampleSummary(total: max(total, counted), counted: counted)
        summary.rockTypes = Self.sorted(rockTypes)
        summary.minerals = Self.sorted(minerals)
        summary.metamorphicGrades = Self.sorted(metamorphicGrades)
        summary.owners = Self.sorted(owners)
        summary.extent = extent
        return summary
    }

    private static func sorted(_ counts: [String: Int]) -> [NameCount] {
        counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }.map {
            NameCount($0.key, $0.value)
        }
    }

    /// All meridians but those of the widest gap between two neighbours.
    private var extent: GeographicBox? {
        let sorted = longitudes.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        var widest = first + 360 - last
        var (west, east) = (first, last)
        for (left, right) in zip(sorted, sorted.dropFirst()) where right - left > widest {
            widest = right - left
            (west, east) = (right, left)
        }
        return GeographicBox(west: west, south: south, east: east, north: north)
    }
}
