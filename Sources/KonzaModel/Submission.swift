/// Where a specimen is submitted to.
public enum SubmissionTarget: String, Sendable, Codable, CaseIterable {
    case metpetdb
    /// The registry of sample numbers (IGSN) at geosamples.org.
    case sesar
}

/// How far the submission of one specimen to one target is. It is written durably before and after every call over the
/// network, so that whoever goes on after a crash knows what may have happened.
public struct Submission: Sendable, Equatable, Codable {
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Not to be sent yet.
        case draft
        /// To be sent when it is due and a network is there.
        case ready
        /// A call is or was under way; its outcome is not known until the target was asked.
        case sending
        /// The target has it, with all its photographs, as of `submittedRevision`.
        case submitted
        /// The target refuses it; `refusals` says why. A change of the specimen makes it ready again.
        case refused
        /// The sample on the target was changed by somebody since, or its number belongs to somebody else.
        case conflict
    }

    /// The call that was about to be made when this was written.
    public enum Step: String, Sendable, Codable {
        case create
        case update
        case photograph
    }

    /// One word of refusal.
    public struct Refusal: Sendable, Hashable, Codable {
        /// The target's name of the field; nil where it names none.
        public var field: String?
        /// The target's own words, or konza's where it did not even ask the target.
        public var words: String

        public init(field: String? = nil, words: String) {
            self.field = field
            self.words = words
        }
    }

    /// Both sides of a conflict, as JSON texts of the target's fields.
    public struct Conflict: Sendable, Equatable, Codable {
        public var ours: String
        public var theirs: String
        public var reason: String

        public init(ours: String, theirs: String, reason: String) {
            self.ours = ours
            self.theirs = theirs
            self.reason = reason
        }
    }

    /// How far one photograph is.
    public struct Picture: Sendable, Equatable, Codable {
        public enum State: String, Sendable, Codable {
            case waiting
            case sending
            case submitted
            case refused
        }

        public var id: PhotographID
        public var state: State = .waiting
        /// The target's id of it.
        public var remoteID: String?
        public var refusal: String?

        public init(id: PhotographID) { self.id = id }
    }

    public var specimen: SpecimenID
    public var target: SubmissionTarget
    public var state: State = .draft
    /// Counts the writes of this record; a writer names the one it read, and loses if it is not the last.
    public var version = 1
    public var step: Step?
    /// The photograph of the step `photograph`.
    public var stepPhotograph: PhotographID?
    /// The target's id of the sample, once it is known.
    public var remoteID: String?
    /// Where a person can look at it, once it is known.
    public var remoteURL: String?
    /// The revision of the specimen that the target has.
    public var submittedRevision: Int?
    /// What the target held after our last write, as JSON text of its fields: another content is somebody else's change.
    public var lastKnown: String?
    public var pictures: [Picture] = []
    public var refusals: [Refusal] = []
    public var conflict: Conflict?
    /// Tries since the last success.
    public var attempts = 0
    public var nextAttemptAt: UTCInstant?
    /// Why the last try came to nothing.
    public var lastFailure: String?
    public var changedAt: UTCInstant
    public var submittedAt: UTCInstant?

    public init(specimen: SpecimenID, target: SubmissionTarget, changedAt: UTCInstant) {
        self.specimen = specimen
        self.target = target
        self.changedAt = changedAt
    }
}
