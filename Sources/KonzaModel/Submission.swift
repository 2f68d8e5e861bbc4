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
        /// The target's id of their side; nil where there is none any more.
        public var remoteID: String?

        public init(ours: String, theirs: String, reason: String, remoteID: String? = nil) {
            self.ours = ours
            self.theirs = theirs
            self.reason = reason
            self.remoteID = remoteID
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

    /// The most tries that are counted.
    public static let maximumAttempts = 1_000_000
    /// The highest version: JSON readers hold whole numbers up to here exactly (RFC 8259, section 6).
    public static let maximumVersion = 1 << 53 - 1
    /// The longest reason of a failure, bytes: it is in every event of the submission.
    public static let longestFailure = 4096

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
    /// What `step` was about to write, as JSON text of the target's fields, until its outcome is known.
    public var sent: String?
    /// What the target stored otherwise than it was sent, which does not undo the submission; nil for nothing.
    public var remarks: [Refusal]?
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

/// Which side of a conflict is to stand.
public enum ConflictChoice: String, Sendable, Codable, CaseIterable {
    case ours
    case theirs
}

extension Submission {
    /// Ends a conflict. Nothing is sent by this, only the record is made ready for it.
    ///
    /// With `ours` the next try writes our content over what was shown as theirs, or a new sample where theirs is gone;
    /// if it was changed again meanwhile, that is a new conflict. With `theirs` the target keeps what it has: a sample
    /// that was ours before counts as submitted as of this revision and still gets its photographs; one that only has
    /// the same number is left alone, and the submission is a draft again, for the specimen needs another number.
    ///
    /// - Parameters:
    ///   - choice: the side to keep.
    ///   - revision: the specimen's, which the choice was made for.
    ///   - instant: now.
    /// - Returns: false if there is no conflict.
    @discardableResult
    public mutating func resolveConflict(_ choice: ConflictChoice, revision: Int, at instant: UTCInstant) -> Bool {
        guard state == .conflict, let conflict else { return false }
        let wasOurs = remoteID != nil
        switch choice {
        case .ours:
            remoteID = conflict.remoteID
            lastKnown = conflict.remoteID == nil ? nil : conflict.theirs
            submittedRevision = nil
            // A sample made anew has no photographs.
            if conflict.remoteID == nil { pictures = pictures.map { Picture(id: $0.id) } }
            state = .ready
        case .theirs where wasOurs && conflict.remoteID != nil:
            lastKnown = conflict.theirs
            submittedRevision = revision
            state = .ready
        case .theirs:
            remoteID = nil
            lastKnown = nil
            submittedRevision = nil
            state = .draft
        }
        self.conflict = nil
        step = nil
        sent = nil
        attempts = 0
        nextAttemptAt = nil
        lastFailure = nil
        changedAt = instant
        return true
    }
}
