/// A sample as a list of samples shows it. What a database does not say is nil or empty.
public struct FoundSample: Sendable, Equatable, Codable {
    /// The database's id of it: a UUID of MetPetDB's REST interface, or a whole number of the older servlet.
    public var id: String
    public var number: String
    public var rockType: String?
    /// Nil where the database holds no place, or one that is not on the Earth.
    public var place: Coordinate?
    /// Metres, the same in all directions.
    public var locationError: Double?
    public var owner: String?
    public var collector: String?
    public var collectionDate: CalendarDate?
    public var country: String?
    public var isPublic: Bool
    public var minerals: [String] = []
    public var metamorphicGrades: [String] = []
    public var metamorphicRegions: [String] = []
    public var regions: [String] = []
    public var imageCount: Int?
    public var subsampleCount: Int?
    public var analysisCount: Int?

    public init(id: String, number: String, isPublic: Bool) {
        self.id = id
        self.number = number
        self.isPublic = isPublic
    }
}

/// What a search found.
public struct SampleAnswer: Sendable, Equatable, Codable {
    /// The most samples in one answer; a search that finds more has to be narrowed.
    public static let mostSamples = 1000

    /// The nearest first where a circle was asked for, else in the database's order.
    public var samples: [FoundSample]
    /// How many there are, those that are not here among them; where these are some of a circle's, as many as are in the
    /// circle's box.
    public var total: Int
    /// Where there were more around a place than an answer holds: within so many metres of it nothing is missing.
    public var wholeWithin: Double?

    public init(samples: [FoundSample], total: Int, wholeWithin: Double? = nil) {
        self.samples = samples
        self.total = total
        self.wholeWithin = wholeWithin
    }

    /// Whether all that there are are here.
    public var isWhole: Bool { samples.count >= total }
}

/// A sample as it is seen from a place.
public struct SampleSighting: Sendable, Equatable, Codable {
    public var sample: FoundSample
    /// Metres over the sphere; nil for a sample without a place.
    public var distance: Double?
    /// The direction in which the way there sets out, degrees from true north, 0 up to 360.
    public var bearing: Double?

    public init(_ sample: FoundSample, from place: Coordinate) {
        self.sample = sample
        distance = sample.place.map { place.distance(to: $0) }
        bearing = sample.place.map { place.bearing(to: $0) }
    }
}

/// All samples at one place: one pin on a map.
public struct SamplePin: Sendable, Equatable, Codable {
    public var place: Coordinate
    /// Their ids, in the order of the list that they were taken from.
    public var samples: [String]

    public init(place: Coordinate, samples: [String]) {
        self.place = place
        self.samples = samples
    }
}

extension [FoundSample] {
    /// The samples as seen from a place, the nearest first, and those without a place last.
    public func sighted(from place: Coordinate) -> [SampleSighting] {
        let sightings = enumerated().map { (index: $0.offset, sighting: SampleSighting($0.element, from: place)) }
        let sorted = sightings.sorted { left, right in
            let (near, far) = (left.sighting.distance ?? .infinity, right.sighting.distance ?? .infinity)
            return near == far ? left.index < right.index : near < far
        }
        return sorted.map(\.sighting)
    }

    /// The samples by their places, in the order of their first. Places that are the same in five decimals of a degree
    /// (a metre) are one: MetPetDB rounds to these. Samples without a place are left out.
    public func pinned() -> [SamplePin] {
        var pins: [SamplePin] = []
        var indices: [Spot: Int] = [:]
        for sample in self {
            guard let place = sample.place else { continue }
            var longitude = Int((place.longitude * 1e5).rounded())
            // 180 and -180 are one meridian.
            if longitude == -18_000_000 { longitude = 18_000_000 }
            let spot = Spot(latitude: Int((place.latitude * 1e5).rounded()), longitude: longitude)
            if let index = indices[spot] {
                pins[index].samples.append(sample.id)
            } else {
                indices[spot] = pins.count
                pins.append(SamplePin(place: place, samples: [sample.id]))
            }
        }
        return pins
    }
}

/// A place in hundred-thousandths of a degree.
private struct Spot: Hashable {
    let latitude: Int
    let longitude: Int
}
