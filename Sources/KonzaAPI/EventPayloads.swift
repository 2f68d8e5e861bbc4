public import KonzaModel

/// The names of the events on `GET /v1/events`.
public enum EventName: String, Codable, Sendable, CaseIterable {
    /// A new fix or another state; data: Position.
    case position
    /// The camera's health or streaming changed; data: CameraEvent.
    case camera
    /// A postcard went a step further; data: PostcardEvent.
    case postcard
    /// A shot for a collage went a step further; data: ShotEvent.
    case shot
    /// A part's health changed; data: HealthEvent.
    case health
    /// A specimen was opened, changed, deleted or restored; data: SpecimenEvent.
    case specimen
    /// An occupation settles or has ended; data: Occupation.
    case occupation
    /// A submission went a step further; data: OutboxEvent.
    case outbox
    /// The state on the trails, the trail or the segment changed; data: NearestTrail.
    case trail
    /// Events were missed and cannot be sent again; the client reads the resources anew. Data: {}.
    case gap
}

/// The data of a `camera` event.
public struct CameraEvent: Codable, Sendable {
    public var source: SourceKind
    public var streaming: Bool
    public var health: PartHealth

    public init(source: SourceKind, streaming: Bool, health: PartHealth) {
        self.source = source
        self.streaming = streaming
        self.health = health
    }
}

/// The data of a `postcard` event.
public struct PostcardEvent: Codable, Sendable {
    public var id: String
    /// counting, capturing, kept, failed or deleted.
    public var state: String
    public var remainingSeconds: Int?
    /// In `kept`.
    public var postcard: PostcardReply?
    /// In `failed`.
    public var problem: Problem?

    public init(
        id: String, state: String, remainingSeconds: Int? = nil, postcard: PostcardReply? = nil,
        problem: Problem? = nil
    ) {
        self.id = id
        self.state = state
        self.remainingSeconds = remainingSeconds
        self.postcard = postcard
        self.problem = problem
    }
}

/// The data of a `shot` event.
public struct ShotEvent: Codable, Sendable {
    public var id: String
    /// counting, capturing, taken, failed or deleted.
    public var state: String
    public var remainingSeconds: Int?
    /// In `failed`.
    public var problem: Problem?

    public init(id: String, state: String, remainingSeconds: Int? = nil, problem: Problem? = nil) {
        self.id = id
        self.state = state
        self.remainingSeconds = remainingSeconds
        self.problem = problem
    }
}

/// The data of a `health` event.
public struct HealthEvent: Codable, Sendable {
    /// position, camera, archive, outbox, templates or clock.
    public var part: String
    public var health: PartHealth

    public init(part: String, health: PartHealth) {
        self.part = part
        self.health = health
    }
}

extension Schema {
    static let events: [Schema] = [
        Schema(
            "ShotEvent", "The data of a shot event.",
            [
                .always("id", .string, "The shot's id."),
                .always("state", .choice(ShotReply.states + ["deleted"]), "How far it is."),
                .known("remainingSeconds", .integer, "While counting."),
                .known("problem", .reference("Problem"), "When failed."),
            ]),
        Schema(
            "CameraEvent", "The data of a camera event.",
            [
                .always("source", .choice(PositionReply.sourceWords), "A live camera, or recorded pictures."),
                .always("streaming", .boolean, "Whether frames flow."),
                .always("health", .reference("Health"), "How the camera is."),
            ]),
        Schema(
            "PostcardEvent", "The data of a postcard event.",
            [
                .always("id", .string, "The postcard's id."),
                .always("state", .choice(["counting", "capturing", "kept", "failed", "deleted"]), "How far it is."),
                .known("remainingSeconds", .integer, "While counting."),
                .known("postcard", .reference("Postcard"), "When kept."),
                .known("problem", .reference("Problem"), "When failed."),
            ]),
        Schema(
            "HealthEvent", "The data of a health event.",
            [
                .always(
                    "part",
                    .choice([
                        "position", "camera", "archive", "outbox", "templates", "clock", "configuration", "trails",
                    ]),
                    "Which part."),
                .always("health", .reference("Health"), "How it is now."),
            ]),
    ]
}
