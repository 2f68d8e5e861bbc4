public import KonzaModel

/// One picture for a collage: the reply of `POST /v1/shots` and `GET /v1/shots/{id}`.
public struct ShotReply: Codable, Sendable {
    public struct Links: Codable, Sendable {
        public var image: String

        public init(image: String) { self.image = image }
    }

    /// How far a shot can be.
    static let states = ["counting", "capturing", "taken", "failed"]

    public var id: String
    /// counting, capturing, taken or failed.
    public var state: String
    /// When it is forgotten, whatever became of it.
    public var expiresAt: UTCInstant
    /// With a countdown: when that ends.
    public var dueAt: UTCInstant?
    public var remainingSeconds: Int?
    /// In `taken`.
    public var requestedAt: UTCInstant?
    public var exposedAt: UTCInstant?
    public var width: Int?
    public var height: Int?
    public var source: SourceKind?
    public var links: Links?
    /// In `failed`.
    public var problem: Problem?

    public init(id: String, state: String, expiresAt: UTCInstant) {
        self.id = id
        self.state = state
        self.expiresAt = expiresAt
    }

    static let schemas: [Schema] = [
        Schema(
            "Shot",
            "One picture for a collage: held in memory for whoever took it, until it is used, deleted or expired.",
            [
                .always("id", .string, "The name to ask for."),
                .always("state", .choice(states), "How far it is."),
                .always("expiresAt", .dateTime, "When it is forgotten."),
                .known("dueAt", .dateTime, "When the countdown ends."),
                .known("remainingSeconds", .integer, "What is left of the countdown."),
                .known("requestedAt", .dateTime, "The trigger: the request, or the end of the countdown."),
                .known("exposedAt", .dateTime, "When the frame was exposed; never before requestedAt."),
                .known("width", .integer, "Pixels."),
                .known("height", .integer, "Pixels."),
                .known("source", .choice(PositionReply.sourceWords), "A live camera, or recorded pictures."),
                .known("links", .reference("ShotLinks"), "The picture."),
                .known("problem", .reference("Problem"), "Why it failed."),
            ]),
        Schema("ShotLinks", "Paths below the API's root.", [.always("image", .string, "The frame, upright.")]),
        Schema(
            "ShotRequest", "How to take a picture for a collage. Every member may be left out.",
            [
                .optional(
                    "countdownSeconds", .count(0...PostcardRequest.longestCountdown),
                    "Wait so long before the shot, with an event a second.")
            ], isClosed: true, example: .object([:])),
    ]
}

/// The body of `POST /v1/shots`.
public struct ShotRequest: Codable, Sendable, Equatable {
    public var countdownSeconds: Int?

    public init(countdownSeconds: Int? = nil) { self.countdownSeconds = countdownSeconds }

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        countdownSeconds = members.integer("countdownSeconds", in: 0...PostcardRequest.longestCountdown)
        try members.finish()
    }
}
