/// The shape of a JSON object of the API, from which the OpenAPI contract is made.
public struct Schema: Sendable {
    /// A JSON type, with what OpenAPI 3.1 (JSON Schema 2020-12) says about it.
    public indirect enum Shape: Sendable {
        case string
        /// Text of a form, and of a length in Unicode scalars.
        case text(TextForm, ClosedRange<Int>)
        /// RFC 3339, UTC, milliseconds.
        case dateTime
        case number
        /// A number within bounds.
        case range(ClosedRange<Double>)
        case integer
        /// A whole number within bounds.
        case count(ClosedRange<Int>)
        case boolean
        case choice([String])
        case array(Shape)
        /// An array of at most so many.
        case list(Shape, atMost: Int)
        /// An object by its schema's name.
        case reference(String)
        /// An object whose member names are open.
        case map(Shape)
        /// An object whose member names are some of these.
        case table([String], Shape)
        /// One of these.
        case either([Shape])
        /// What an absent member is, too.
        case nullable(Shape)
        /// What no member says more about.
        case anything
    }

    public struct Member: Sendable {
        public let name: String
        public let shape: Shape
        /// Present in every reply.
        public let isRequired: Bool
        /// What it is, with its unit and range.
        public let note: String
    }

    public let name: String
    public let note: String
    public let members: [Member]
    /// The shape of members whose names are open; nil where there are none.
    public let others: Shape?
    /// Whether there are no other members than these: what is sent to konzad. Replies may get more in newer versions.
    public let isClosed: Bool
    /// A value that can be sent as it is.
    public let example: JSONValue?
    /// What stands under the name if it is no object with these members.
    public let shape: Shape?

    public init(
        _ name: String, _ note: String, _ members: [Member], others: Shape? = nil, isClosed: Bool = false,
        example: JSONValue? = nil, shape: Shape? = nil
    ) {
        self.shape = shape
        self.name = name
        self.note = note
        self.members = members
        self.others = others
        self.isClosed = isClosed
        self.example = example
    }
}

extension Schema.Shape {
    /// One line of at most so many characters, which may be empty.
    public static func line(_ limit: Int) -> Self { .text(.text, 0...limit) }

    /// One line of at most so many characters, which is not empty.
    public static func name(_ limit: Int) -> Self { .text(.text, 1...limit) }

    /// Text of a form whose length the form says.
    public static func form(_ form: TextForm) -> Self { .text(form, 0...Int.max) }
}

extension Schema.Member {
    /// A member that is always there.
    public static func always(_ name: String, _ shape: Schema.Shape, _ note: String) -> Schema.Member {
        Schema.Member(name: name, shape: shape, isRequired: true, note: note)
    }

    /// A member that is left out when it is not known.
    public static func known(_ name: String, _ shape: Schema.Shape, _ note: String) -> Schema.Member {
        Schema.Member(name: name, shape: shape, isRequired: false, note: note)
    }

    /// A member of a request that may be left out, or be null.
    public static func optional(_ name: String, _ shape: Schema.Shape, _ note: String) -> Schema.Member {
        Schema.Member(name: name, shape: .nullable(shape), isRequired: false, note: note)
    }
}

extension Schema {
    /// Every schema of the API.
    public static let all: [Schema] =
        [problem, fault, health, apiIndex, routeEntry]
        + PositionReply.schemas + SatellitesReply.schemas + TrackReply.schemas + CameraReply.schemas
        + PostcardReply.schemas + ShotReply.schemas + SpecimenReply.schemas + PhotographRequest.schemas
        + OccupationReply.schemas
        + ExportCheckReply.schemas
        + OutboxReply.schemas + SampleSchemas.all + TerrainSchemas.all + SkySchemas.all + ViewSchemas.all
        + StatusReply.schemas + FleetSchemas.all + events
        + TrailSchemas.all + TrailRecordingReply.schemas + SpecimenRequest.schemas + courier

    static let problem = Schema(
        "Problem", "A failure, as RFC 9457 application/problem+json.",
        [
            .always("type", .string, "A URN of the kind."),
            .always("title", .string, "The kind in words."),
            .always("status", .integer, "The HTTP status."),
            .always("detail", .string, "What cannot be done, why, and what to do about it."),
            .always("kind", .choice(ProblemKind.all.map(\.kind.rawValue)), "The stable name to compare."),
            .known("errors", .array(.reference("Fault")), "The members at fault."),
            .known("figures", .map(.number), "Figures that belong to the reason."),
        ])

    static let fault = Schema(
        "Fault", "One member of a request at fault.",
        [
            .always("path", .string, "JSON Pointer (RFC 6901), or the name of a parameter or header."),
            .always("detail", .string, "What is wrong, and what would be right."),
        ])

    static let health = Schema(
        "Health", "How one part is, with its one reason.",
        [
            .always("level", .choice(["ok", "degraded", "failed"]), "How bad it is."),
            .always("kind", .string, "A stable name for programs."),
            .always("reason", .string, "What is wrong, why, and what to do about it."),
        ])

    static let apiIndex = Schema(
        "Index", "The routes of the API.",
        [
            .always("name", .string, "konzad."),
            .always("version", .string, "The version of the daemon."),
            .always("routes", .array(.reference("Route")), "Every route."),
        ])

    static let routeEntry = Schema(
        "Route", "One route.",
        [
            .always("path", .string, "The path; {name} stands for a part."),
            .always("methods", .array(.string), "The methods it takes."),
            .always("summary", .string, "What it is for."),
        ])
}

/// The reply of `GET /v1`.
public struct IndexReply: Codable, Sendable {
    public struct Route: Codable, Sendable {
        public var path: String
        public var methods: [String]
        public var summary: String

        public init(path: String, methods: [String], summary: String) {
            self.path = path
            self.methods = methods
            self.summary = summary
        }
    }

    public var name: String
    public var version: String
    public var routes: [Route]

    public init(version: String, routes: [Route]) {
        self.name = "konzad"
        self.version = version
        self.routes = routes
    }
}
