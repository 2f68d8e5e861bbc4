public import KonzaModel

/// Where an answer about samples comes from, and how old it is.
public struct AnswerOrigin: Codable, Sendable, Equatable {
    public enum Source: String, Codable, Sendable, CaseIterable {
        /// MetPetDB was asked, and this is its answer.
        case server
        /// It was kept here before.
        case cache
    }

    public enum Coverage: String, Codable, Sendable, CaseIterable {
        /// What the server answered to this very question.
        case answer
        /// What is known here from answers to other questions: the server may have more.
        case known
    }

    public var source: Source
    public var coverage: Coverage
    /// When the server gave it; of what is known here, the oldest part of it.
    public var fetchedAt: UTCInstant?
    /// Since then; nil where the clock says that it is still to come.
    public var ageSeconds: Int?
    /// Why the server was not asked, or did not answer; nil where what is kept is fresh enough.
    public var reason: String?

    public init(source: Source, coverage: Coverage, fetchedAt: UTCInstant?, ageSeconds: Int?, reason: String?) {
        self.source = source
        self.coverage = coverage
        self.fetchedAt = fetchedAt
        self.ageSeconds = ageSeconds
        self.reason = reason
    }
}

/// An answer, and beside its own members where it comes from.
public struct Dated<Answer: Codable & Sendable>: Codable, Sendable {
    public var answer: Answer
    public var origin: AnswerOrigin

    public init(_ answer: Answer, _ origin: AnswerOrigin) {
        self.answer = answer
        self.origin = origin
    }

    public init(from decoder: any Decoder) throws {
        answer = try Answer(from: decoder)
        origin = try AnswerOrigin(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try answer.encode(to: encoder)
        try origin.encode(to: encoder)
    }
}

/// The way to a place, as far as it is known from where.
public struct WayThere: Codable, Sendable, Equatable {
    /// From where the station is, metres, and degrees from true north.
    public var distance: Double?
    public var bearing: Double?
    /// From the middle of the circle that was asked about, metres.
    public var distanceFromCenter: Double?

    public init(to place: Coordinate?, from position: Coordinate?, center: Coordinate?) {
        guard let place else { return }
        func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        distance = position.map { tenths($0.distance(to: place)) }
        bearing = position.map { tenths($0.bearing(to: place)).truncatingRemainder(dividingBy: 360) }
        distanceFromCenter = center.map { tenths($0.distance(to: place)) }
    }
}

/// A sample in a list, and the way there.
public struct SampleReply: Codable, Sendable, Equatable {
    public var sample: FoundSample
    public var way: WayThere

    public init(_ sample: FoundSample, way: WayThere) {
        self.sample = sample
        self.way = way
    }

    public init(from decoder: any Decoder) throws {
        sample = try FoundSample(from: decoder)
        way = try WayThere(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try sample.encode(to: encoder)
        try way.encode(to: encoder)
    }
}

/// All samples at one place.
public struct SamplePlaceReply: Codable, Sendable, Equatable {
    public var place: Coordinate
    public var way: WayThere
    public var samples: [FoundSample]

    private enum Keys: String, CodingKey { case place, count, samples }

    public init(place: Coordinate, way: WayThere, samples: [FoundSample]) {
        self.place = place
        self.way = way
        self.samples = samples
    }

    public init(from decoder: any Decoder) throws {
        way = try WayThere(from: decoder)
        let members = try decoder.container(keyedBy: Keys.self)
        place = try members.decode(Coordinate.self, forKey: .place)
        samples = try members.decode([FoundSample].self, forKey: .samples)
    }

    public func encode(to encoder: any Encoder) throws {
        try way.encode(to: encoder)
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(place, forKey: .place)
        try members.encode(samples.count, forKey: .count)
        try members.encode(samples, forKey: .samples)
    }
}

/// Where the station is while it tells the way to samples.
public struct SampleViewpoint: Codable, Sendable, Equatable {
    public var latitude: Double
    public var longitude: Double
    /// Whether a live receiver says so.
    public var source: SourceKind

    public init(_ place: Coordinate, source: SourceKind) {
        latitude = place.latitude
        longitude = place.longitude
        self.source = source
    }
}

/// The reply of `GET /v1/samples`, but for its ``AnswerOrigin``.
public struct SamplePageReply: Codable, Sendable, Equatable {
    /// Without `group=place`.
    public var samples: [SampleReply]?
    /// With `group=place`.
    public var places: [SamplePlaceReply]?
    /// The cursor of the next page; nil on the last.
    public var next: String?
    /// How many samples there are, those that no page has among them.
    public var total: Int
    /// Whether the pages have all that the server has.
    public var isComplete: Bool
    /// Where they have not: within so many metres of the place asked about nothing is missing.
    public var wholeWithin: Double?
    /// From where the ways are told; nil while the position is not known.
    public var position: SampleViewpoint?

    public init(total: Int, isComplete: Bool) {
        self.total = total
        self.isComplete = isComplete
    }
}

/// The reply of `GET /v1/samples/{id}`, but for its ``AnswerOrigin``.
public struct SampleDetailsReply: Codable, Sendable, Equatable {
    public var details: SampleDetails
    public var way: WayThere
    /// The ids of its images of which a small copy, and of which the whole file, is kept.
    public var keptThumbnails: [String]
    public var keptFiles: [String]

    private enum Keys: String, CodingKey { case keptThumbnails, keptFiles }

    public init(_ details: SampleDetails, way: WayThere, keptThumbnails: [String], keptFiles: [String]) {
        self.details = details
        self.way = way
        self.keptThumbnails = keptThumbnails
        self.keptFiles = keptFiles
    }

    public init(from decoder: any Decoder) throws {
        details = try SampleDetails(from: decoder)
        way = try WayThere(from: decoder)
        let members = try decoder.container(keyedBy: Keys.self)
        keptThumbnails = try members.decode([String].self, forKey: .keptThumbnails)
        keptFiles = try members.decode([String].self, forKey: .keptFiles)
    }

    public func encode(to encoder: any Encoder) throws {
        try details.encode(to: encoder)
        try way.encode(to: encoder)
        var members = encoder.container(keyedBy: Keys.self)
        try members.encode(keptThumbnails, forKey: .keptThumbnails)
        try members.encode(keptFiles, forKey: .keptFiles)
    }
}

/// The reply of `GET /v1/regions`, but for its ``AnswerOrigin``.
public struct RegionsReply: Codable, Sendable, Equatable {
    /// In the order of an alphabetical index.
    public var regions: [String]

    public init(regions: [String]) { self.regions = regions }
}
