public import KonzaModel

/// The body of `POST /v1/trails/recording`.
public struct TrailRecordingRequest: Sendable, Equatable {
    public static let usualSource = "recorded"
    static let longestSource = 60

    /// The trail's name.
    public var trail: String
    /// The source that it is kept in, with the other recorded trails.
    public var source: String
    /// Whether a trail of that name in the source is replaced.
    public var replaces: Bool

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        let name = members.line("trail", TrailClosureRequest.longestName)
        source = members.line("source", Self.longestSource) ?? Self.usualSource
        replaces = members.bool("replace") ?? false
        if name == nil { members.fault("trail", "expected the trail's name") }
        trail = name ?? ""
        try members.finish()
    }
}

/// The body of `POST /v1/trails/recording/junction`.
public struct TrailJunctionRequest: Sendable, Equatable {
    public static let kinds = [
        "trailhead", "junction", "viewpoint", "guidepost", "board", "toilets", "parking", "mast", "peak", "bridge",
        "building", "other",
    ]
    public static let usualTimeLimit = 60.0
    static let timeLimits = 5.0...3600.0

    public var name: String?
    /// One of ``kinds``.
    public var kind: String
    /// How long one stands there at most, seconds.
    public var timeLimit: Double

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        name = members.line("name", TrailClosureRequest.longestName)
        kind = members.string("kind") ?? "junction"
        if !Self.kinds.contains(kind) { members.fault("kind", "expected one of \(Self.kinds.joined(separator: ", "))") }
        timeLimit = members.number("timeLimitSeconds", in: Self.timeLimits) ?? Self.usualTimeLimit
        try members.finish()
    }
}

extension RequestMembers {
    /// A line of text that shows something.
    fileprivate mutating func line(_ name: String, _ most: Int) -> String? {
        guard let text = string(name) else { return nil }
        guard (1...most).contains(text.unicodeScalars.count), TextForm.text.complaint(text) == nil,
            TextRule.isVisible(text)
        else {
            fault(name, "expected a line of 1 to \(most) characters")
            return nil
        }
        return text
    }
}

/// A trail that is recorded: the reply of the routes below `/v1/trails/recording`.
public struct TrailRecordingReply: Codable, Sendable, Equatable {
    /// How far it is.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// No trail is recorded.
        case none
        case recording
        /// Recording, and a junction is occupied.
        case occupying
        case kept
        case discarded
    }

    /// A place that was occupied, or is.
    public struct Junction: Codable, Sendable, Equatable {
        public var name: String?
        public var kind: String
        /// What is averaged so far; nil before the first usable fix.
        public var latitude: Double?
        public var longitude: Double?
        public var accuracy: Double?
        public var fixes: Int
        /// Of one that is occupied now, seconds.
        public var elapsedSeconds: Double?
        public var timeLimitSeconds: Double?

        public init(name: String?, kind: String, fixes: Int) {
            self.name = name
            self.kind = kind
            self.fixes = fixes
        }
    }

    public var state: State
    /// Nil while none is recorded, as is all that follows from it.
    public var trail: String?
    public var source: String?
    public var demonstration = false
    public var startedAt: UTCInstant?
    public var points = 0
    public var length = 0.0
    public var gaps = 0
    public var refusedFixes = 0
    public var junctions: [Junction] = []
    public var occupation: Junction?
    public var full = false
    /// The instant up to which a power cut loses nothing.
    public var savedAt: UTCInstant?
    /// How good the last fix is, metres.
    public var accuracy: Double?
    /// What keeps it from going on as it should.
    public var problem: Problem?
    /// What becomes of the demonstration's trails, for people to read; nil where they are not in use.
    public var notice: String?
    /// When it was kept.
    public var report: TrailReportReply?

    public init(state: State) { self.state = state }

    static let schemas: [Schema] = [
        Schema(
            "TrailRecordingRequest", "A trail that is to be recorded.",
            [
                .always("trail", .name(TrailClosureRequest.longestName), "Its name."),
                .optional(
                    "source", .name(TrailRecordingRequest.longestSource),
                    "The source that it is kept in, with other recorded trails; recorded by default."),
                .optional("replace", .boolean, "Whether a trail of that name in the source is replaced."),
            ], isClosed: true, example: .object(["trail": .string("Ridge")])),
        Schema(
            "TrailJunctionRequest", "A place of the trail that is to be occupied. Every member may be left out.",
            [
                .optional("name", .name(TrailClosureRequest.longestName), "Its name."),
                .optional("kind", .choice(TrailJunctionRequest.kinds), "What it is; junction by default."),
                .optional(
                    "timeLimitSeconds", .range(TrailJunctionRequest.timeLimits),
                    "How long at most; 60 by default. It ends before when one walks on."),
            ], isClosed: true, example: .object(["name": .string("Fork")])),
        Schema(
            "TrailRecording", "A trail that is recorded with the station's own receiver.",
            [
                .always(
                    "state", .choice(State.allCases.map(\.rawValue)),
                    "none: no trail is recorded; occupying: one stands at a junction; kept and discarded: how it ended."
                ),
                .known("trail", .string, "Its name."), .known("source", .string, "The source that it is kept in."),
                .always("demonstration", .boolean, "Whether the receiver is a replay or simulates: nobody walks."),
                .known("startedAt", .dateTime, "When it began."),
                .always("points", .integer, "Points of the line, occupied places with them."),
                .always("length", .number, "Metres."),
                .always("gaps", .integer, "Stretches of which nothing is known, as while the power was off."),
                .always("refusedFixes", .integer, "Fixes that were too poor, or no way of walking."),
                .always("junctions", .array(.reference("RecordedJunction")), "The places that were occupied."),
                .known("occupation", .reference("RecordedJunction"), "The one that is occupied now."),
                .always("full", .boolean, "Whether it is so long that no more is taken: end it."),
                .known("savedAt", .dateTime, "A power cut loses nothing of what was before."),
                .known("accuracy", .number, "How good the last fix is, metres, 95 %."),
                .known("problem", .reference("Problem"), "What keeps it from going on, or a junction from being kept."),
                .known(
                    "notice", .string,
                    "What becomes of the demonstration's made-up trails, where they are in use, or were until now: they stay "
                        + "until the recorded ones are long enough."),
                .known("report", .reference("TrailReport"), "When kept: what was made of it."),
            ]),
        Schema(
            "RecordedJunction", "A place of the trail that was occupied.",
            [
                .known("name", .string, "Its name."),
                .always("kind", .choice(TrailJunctionRequest.kinds), "What it is."),
                .known("latitude", .number, "Degrees, WGS 84, north positive."),
                .known("longitude", .number, "Degrees, WGS 84, east positive."),
                .known("accuracy", .number, "The radius that holds the truth with 95 % probability, metres."),
                .always("fixes", .integer, "Fixes in the average."),
                .known("elapsedSeconds", .number, "While it is occupied: since when."),
                .known("timeLimitSeconds", .number, "While it is occupied: for how long at most."),
            ]),
    ]
}
