public import KonzaModel

/// One submission as its sender sees it, with what people call its specimen.
public struct OutboxEntry: Codable, Sendable {
    public var submission: Submission
    public var number: String?

    private enum Keys: String, CodingKey {
        case number
    }

    public init(_ submission: Submission, number: String?) {
        self.submission = submission
        self.number = number
    }

    public init(from decoder: any Decoder) throws {
        submission = try Submission(from: decoder)
        number = try decoder.container(keyedBy: Keys.self).decodeIfPresent(String.self, forKey: .number)
    }

    public func encode(to encoder: any Encoder) throws {
        try submission.encode(to: encoder)
        var own = encoder.container(keyedBy: Keys.self)
        try own.encodeIfPresent(number, forKey: .number)
    }
}

/// The reply of `GET /v1/outbox`.
public struct OutboxReply: Codable, Sendable {
    public var submissions: [OutboxEntry]
    public var next: String?
    /// How many there are in each state, all pages together.
    public var counts: [String: Int]
    /// Who sends them; nil if nobody ever asked.
    public var courier: CourierReply?

    public init(submissions: [OutboxEntry], next: String?, counts: [String: Int], courier: CourierReply?) {
        self.submissions = submissions
        self.next = next
        self.counts = counts
        self.courier = courier
    }
}

/// What konzad knows of the program that sends what is in the outbox.
public struct CourierReply: Codable, Sendable {
    /// Since it last asked for something to do, which it does at least every minute.
    public var seenSecondsAgo: Int
    /// Whether a network is up that it may use.
    public var hasNetwork: Bool

    public init(seenSecondsAgo: Int, hasNetwork: Bool) {
        self.seenSecondsAgo = seenSecondsAgo
        self.hasNetwork = hasNetwork
    }
}

/// The data of an `outbox` event.
public struct OutboxEvent: Codable, Sendable {
    public var specimen: SpecimenID
    public var target: SubmissionTarget
    public var state: Submission.State
    public var version: Int
    public var step: Submission.Step?
    public var lastFailure: String?
    /// While a photograph is sent: which one, and how much of it is gone.
    public var photograph: PhotographID?
    public var sentBytes: Int?
    public var totalBytes: Int?

    public init(_ submission: Submission) {
        specimen = submission.specimen
        target = submission.target
        state = submission.state
        version = submission.version
        step = submission.step
        lastFailure = submission.lastFailure
    }
}

/// The body of `POST /v1/outbox/{specimen}/{target}/progress`.
public struct SendingProgress: Sendable, Equatable {
    public var photograph: PhotographID
    public var sentBytes: Int
    public var totalBytes: Int

    static let byteCounts = 0...(1 << 40)

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        let text = members.string("photograph")
        let id = text.flatMap(PhotographID.init)
        if id == nil { members.fault("photograph", "expected the id of a photograph") }
        sentBytes = members.integer("sentBytes", in: Self.byteCounts) ?? 0
        totalBytes = members.integer("totalBytes", in: Self.byteCounts) ?? 0
        try members.finish()
        guard let id else { throw Problem(.internalError, "cannot read the progress") }
        photograph = id
    }
}

/// The body of `POST /v1/specimens/{id}/submit`.
public struct SubmitRequest: Sendable, Equatable {
    public var target: SubmissionTarget
    /// Why the position is good enough although it is less accurate than wanted.
    public var override: String?

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        target = members.choice("target") ?? .metpetdb
        override = members.words("override", upTo: SpecimenPatch.longestOverride)
        try members.finish()
    }
}

/// The body of `POST /v1/outbox/{specimen}/{target}/resolve`.
public struct ResolveRequest: Sendable, Equatable {
    /// `ours` or `theirs`.
    public var keep: String

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown, missing or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        let word = members.string("keep")
        if word != "ours", word != "theirs" { members.fault("keep", "expected ours or theirs") }
        try members.finish()
        keep = word ?? ""
    }
}

/// Something that konzad asks its courier to do: the reply of `GET /v1/errands`.
public struct Errand: Codable, Sendable {
    /// What `POST /v1/errands/{id}` reports about.
    public var id: String
    /// submission, vocabulary, samples, summary, sample, regions or picture.
    public var kind: String
    public var specimen: Specimen?
    public var submission: Submission?
    /// Where the photographs' files are on this API, by the photographs' ids.
    public var photographPaths: [String: String]?
    /// Of samples and summary: which ones.
    public var query: SampleQuery?
    /// Of sample and picture: the server's id of the sample.
    public var sample: String?
    /// Of picture: which one.
    public var picture: Picture?

    /// A picture of a sample that is to be fetched and handed over (`PUT /v1/errands/{id}/picture`).
    public struct Picture: Codable, Sendable, Equatable {
        /// The most bytes of one.
        public static let mostBytes = 8 << 20

        /// The server's id of it.
        public var id: String
        public var size: SampleDetails.Image.Size
        /// Where it is, as the server says.
        public var address: String

        public init(id: String, size: SampleDetails.Image.Size, address: String) {
            self.id = id
            self.size = size
            self.address = address
        }
    }

    public init(id: String, kind: String, query: SampleQuery? = nil, sample: String? = nil) {
        self.id = id
        self.kind = kind
        self.query = query
        self.sample = sample
    }
}

extension OutboxReply {
    static let schemas: [Schema] = [
        submission,
        Schema(
            "Outbox", "A page of submissions, newest specimen first.",
            [
                .always("submissions", .array(.reference("Submission")), "The submissions."),
                .known("next", .string, "The cursor of the next page; absent on the last."),
                .always("counts", .map(.integer), "How many there are in each state, all pages together."),
                .known("courier", .reference("Courier"), "Who sends them; absent if nobody ever asked."),
            ]),
        Schema(
            "Courier", "The program that sends what is in the outbox.",
            [
                .always(
                    "seenSecondsAgo", .integer,
                    "Since it last asked for something to do, which it does at least every minute."),
                .always("hasNetwork", .boolean, "Whether a network is up that it may use."),
            ]),
        Schema(
            "SubmissionPicture", "How far one photograph is.",
            [
                .always("id", .form(.id), "The photograph."),
                .always("state", .choice(["waiting", "sending", "submitted", "refused"]), "How far."),
                .known("remoteID", .string, "The target's id of it."),
                .known("refusal", .string, "Why the target refuses it."),
            ]),
        Schema(
            "SubmissionConflict", "Both sides of a conflict.",
            [
                .always("ours", .string, "What would be sent, as JSON text of the target's fields."),
                .always("theirs", .string, "What the target holds, as JSON text of its fields."),
                .always("reason", .string, "Why it is a conflict."),
                .known("remoteID", .string, "The target's id of its side; absent where there is none any more."),
            ]),
        Schema(
            "OutboxEvent", "The data of an outbox event.",
            [
                .always("specimen", .string, "The specimen."),
                .always("target", .choice(SubmissionTarget.allCases.map(\.rawValue)), "Where to."),
                .always("state", .choice(Submission.State.allCases.map(\.rawValue)), "How far."),
                .always("version", .integer, "Of the record."),
                .known("step", .choice(["create", "update", "photograph"]), "The call under way."),
                .known("lastFailure", .string, "Why the last try came to nothing."),
                .known("photograph", .string, "The photograph that is being sent."),
                .known("sentBytes", .integer, "How much of it is gone."),
                .known("totalBytes", .integer, "How much it is."),
            ]),
        Schema(
            "SendingProgress", "How far a photograph is.",
            [
                .always("photograph", .form(.id), "Its id."),
                .optional("sentBytes", .count(SendingProgress.byteCounts), "Bytes gone; 0 by default."),
                .optional("totalBytes", .count(SendingProgress.byteCounts), "Bytes of it; 0 by default."),
            ], isClosed: true),
        Schema(
            "SubmitRequest", "Where to submit to.",
            [
                .optional("target", .choice(SubmissionTarget.allCases.map(\.rawValue)), "metpetdb by default."),
                .optional(
                    "override", .line(SpecimenPatch.longestOverride),
                    "Why the position is good enough although it is less accurate than wanted."),
            ], isClosed: true, example: .object(["target": .string("metpetdb")])),
        Schema(
            "ResolveRequest", "Which side of a conflict is to hold.",
            [.always("keep", .choice(["ours", "theirs"]), "ours is sent over theirs; theirs stays.")], isClosed: true,
            example: .object(["keep": .string("theirs")])),
        Schema(
            "Errand", "Something for the courier to do.",
            [
                .always("id", .string, "To report by."),
                .always(
                    "kind",
                    .choice(["submission", "vocabulary", "samples", "summary", "sample", "regions", "picture"]),
                    "What to do."),
                .known("specimen", .reference("Specimen"), "Of a submission, without what the reply adds."),
                .known("submission", .reference("Submission"), "Its record."),
                .known("photographPaths", .map(.string), "The photographs' files on this API, by id."),
                .known("query", .reference("SampleQuery"), "Of samples and summary."),
                .known("sample", .string, "Of sample and picture: the server's id of the sample."),
                .known("picture", .reference("SampleImageOrder"), "Of picture: which one."),
            ]),
        vocabulary, term,
    ]

    /// The members of a submission's record are the only ones that its sender may write.
    static let submission = Schema(
        "Submission", "How far the submission of one specimen to one target is.",
        [
            .always("specimen", .form(.id), "The specimen."),
            .known("number", .string, "Its number; in replies."),
            .always("target", .choice(SubmissionTarget.allCases.map(\.rawValue)), "Where to."),
            .always("state", .choice(Submission.State.allCases.map(\.rawValue)), "How far."),
            .always(
                "version", .count(1...Submission.maximumVersion - 1),
                "Counts the writes; a writer names the one it read."),
            .known("step", .choice(["create", "update", "photograph"]), "The call that was about to be made."),
            .known("stepPhotograph", .form(.id), "The photograph of that call."),
            .known("remoteID", .string, "The target's id of the sample."),
            .known("remoteURL", .text(.webAddress, 0...2000), "Where a person can look at it."),
            .known("submittedRevision", .count(1...Submission.maximumVersion), "The revision that the target has."),
            .known("lastKnown", .string, "What the target held after the last write."),
            .known("sent", .string, "What the call under way writes, as JSON text of the target's fields."),
            .known("remarks", .array(.reference("Refusal")), "What the target stored otherwise than it was sent."),
            .always("pictures", .array(.reference("SubmissionPicture")), "The photographs."),
            .always("refusals", .array(.reference("Refusal")), "Why the target refuses it."),
            .known("conflict", .reference("SubmissionConflict"), "Both sides of a conflict."),
            .always("attempts", .count(0...Submission.maximumAttempts), "Tries since the last success."),
            .known("nextAttemptAt", .dateTime, "Not before this."),
            .known("lastFailure", .text(.anyLines, 0...Submission.longestFailure), "Why the last try came to nothing."),
            .always("changedAt", .dateTime, "When this was written."),
            .known("submittedAt", .dateTime, "When the target had it."),
        ])
}

extension OutboxReply {
    static let vocabulary = Schema(
        "Vocabulary", "The names that a sample may be described with.",
        [
            .known(
                "origin", .text(.webAddress, 0...2000), "The server it was fetched from; absent for the embedded list."
            ),
            .known("fetchedAt", .dateTime, "When."),
            .always("terms", .table(Vocabulary.Kind.allCases.map(\.rawValue), .array(.reference("Term"))), "By kind."),
        ])

    static let term = Schema(
        "Term", "One name.",
        [
            .always("name", .name(Vocabulary.longestText), "The name."),
            .known("id", .name(Vocabulary.longestText), "The server's id."),
            .known("synonymOf", .name(Vocabulary.longestText), "The name that this is another word for."),
            .always("parents", .array(.name(Vocabulary.longestText)), "What it is a kind of."),
        ])
}
