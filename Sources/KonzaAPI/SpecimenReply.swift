public import KonzaModel

/// A specimen: what is kept of it, how far its submissions are, and where to go from here.
public struct SpecimenReply: Codable, Sendable {
    /// How far one submission is, without what only its sender needs.
    public struct Progress: Codable, Sendable {
        public var target: SubmissionTarget
        public var state: Submission.State
        public var version: Int
        public var remoteID: String?
        public var remoteURL: String?
        public var submittedRevision: Int?
        public var submittedAt: UTCInstant?
        public var refusals: [Submission.Refusal]?
        public var lastFailure: String?
        public var nextAttemptAt: UTCInstant?

        public init(_ submission: Submission) {
            target = submission.target
            state = submission.state
            version = submission.version
            remoteID = submission.remoteID
            remoteURL = submission.remoteURL
            submittedRevision = submission.submittedRevision
            submittedAt = submission.submittedAt
            refusals = submission.refusals.isEmpty ? nil : submission.refusals
            lastFailure = submission.lastFailure
            nextAttemptAt = submission.nextAttemptAt
        }
    }

    public struct Links: Codable, Sendable {
        public var itself: String
        public var photographs: String
        public var label: String
        public var occupation: String

        private enum CodingKeys: String, CodingKey {
            case itself = "self"
            case photographs
            case label
            case occupation
        }

        init(_ id: SpecimenID) {
            itself = "/v1/specimens/\(id)"
            photographs = "\(itself)/photographs"
            label = "\(itself)/label.png"
            occupation = "\(itself)/occupation"
        }
    }

    public var specimen: Specimen
    /// Of the submission to MetPetDB; a specimen that was never submitted is a draft.
    public var state: Submission.State
    public var submissions: [Progress]
    public var links: Links
    /// From the place that was asked about, metres and degrees from true north.
    public var distance: Double?
    public var bearing: Double?

    private enum Keys: String, CodingKey {
        case state
        case submissions
        case links
        case distance
        case bearing
    }

    public init(_ specimen: Specimen, submissions: [Submission]) {
        self.specimen = specimen
        state = submissions.first { $0.target == .metpetdb }?.state ?? .draft
        self.submissions = submissions.map(Progress.init)
        links = Links(specimen.id)
    }

    public init(from decoder: any Decoder) throws {
        specimen = try Specimen(from: decoder)
        let own = try decoder.container(keyedBy: Keys.self)
        state = try own.decode(Submission.State.self, forKey: .state)
        submissions = try own.decode([Progress].self, forKey: .submissions)
        links = try own.decode(Links.self, forKey: .links)
        distance = try own.decodeIfPresent(Double.self, forKey: .distance)
        bearing = try own.decodeIfPresent(Double.self, forKey: .bearing)
    }

    public func encode(to encoder: any Encoder) throws {
        try specimen.encode(to: encoder)
        var own = encoder.container(keyedBy: Keys.self)
        try own.encode(state, forKey: .state)
        try own.encode(submissions, forKey: .submissions)
        try own.encode(links, forKey: .links)
        try own.encodeIfPresent(distance, forKey: .distance)
        try own.encodeIfPresent(bearing, forKey: .bearing)
    }
}

/// The reply of `GET /v1/specimens`.
public struct SpecimenPageReply: Codable, Sendable {
    public var specimens: [SpecimenReply]
    public var next: String?

    public init(specimens: [SpecimenReply], next: String?) {
        self.specimens = specimens
        self.next = next
    }
}

/// The reply of `GET /v1/specimens/summary`.
public struct SpecimenSummaryReply: Codable, Sendable {
    public var summary: SampleSummary
    /// Whether all were counted.
    public var isComplete: Bool

    private enum Keys: String, CodingKey { case isComplete }

    public init(_ summary: SampleSummary, isComplete: Bool) {
        self.summary = summary
        self.isComplete = isComplete
    }

    public init(from decoder: any Decoder) throws {
        summary = try SampleSummary(from: decoder)
        isComplete = try decoder.container(keyedBy: Keys.self).decode(Bool.self, forKey: .isComplete)
    }

    public func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var own = encoder.container(keyedBy: Keys.self)
        try own.encode(isComplete, forKey: .isComplete)
    }
}

/// The reply of `GET /v1/specimens/{id}/photographs`.
public struct PhotographsReply: Codable, Sendable {
    public var photographs: [PhotographReply]

    public init(_ specimen: Specimen) {
        photographs = specimen.photographs.map { PhotographReply($0, of: specimen.id) }
    }
}

/// A photograph, and where its files are.
public struct PhotographReply: Codable, Sendable {
    public struct Links: Codable, Sendable {
        public var file: String
        public var thumbnail: String
    }

    public var photograph: Photograph
    public var links: Links

    private enum Keys: String, CodingKey {
        case links
    }

    public init(_ photograph: Photograph, of id: SpecimenID) {
        self.photograph = photograph
        let root = "/v1/specimens/\(id)/photographs/\(photograph.id)"
        links = Links(file: "\(root)/file", thumbnail: "\(root)/thumbnail.jpg")
    }

    public init(from decoder: any Decoder) throws {
        photograph = try Photograph(from: decoder)
        links = try decoder.container(keyedBy: Keys.self).decode(Links.self, forKey: .links)
    }

    public func encode(to encoder: any Encoder) throws {
        try photograph.encode(to: encoder)
        var own = encoder.container(keyedBy: Keys.self)
        try own.encode(links, forKey: .links)
    }
}

/// The data of a `specimen` event.
public struct SpecimenEvent: Codable, Sendable {
    public var id: SpecimenID
    public var number: String
    public var revision: Int
    /// opened, changed, deleted or restored.
    public var change: String

    public init(_ specimen: Specimen, change: String) {
        id = specimen.id
        number = specimen.number
        revision = specimen.revision
        self.change = change
    }
}
