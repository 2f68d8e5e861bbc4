public import KonzaAPI

/// Who may use a route: those who have one of its roles, and nobody else.
public struct Access: Sendable, Equatable {
    public let roles: Set<Role>

    private init(_ roles: Set<Role>) { self.roles = roles }

    /// Everybody who reaches the server.
    public static let everyone = Access(Set(Role.allCases))

    /// Those with one of these roles.
    public static func only(_ roles: Role...) -> Access { Access(Set(roles)) }

    /// The roles in words, as in "kiosk, keeper".
    public var wording: String {
        self == .everyone
            ? "everyone" : Role.allCases.filter(roles.contains).map(\.rawValue).joined(separator: ", ")
    }
}

/// Does the work of a route. A thrown `Problem` becomes the answer, any other error a 500.
public enum Handler: Sendable {
    /// Runs on the thread that serves every connection: for answers that are at hand, never for work that waits.
    case immediate(@Sendable (Request) throws -> Response)
    /// Runs as a task, which is cancelled when the client goes away.
    case asynchronous(@Sendable (Request) async throws -> Response)
}

/// A query parameter that a route takes. What is declared here is in the contract, and is checked before the handler runs.
public struct QueryParameter: Sendable {
    public var name: String
    public var summary: String
    public var shape: Schema.Shape
    public var isRequired: Bool
    /// How often a parameter that repeats may come.
    public static let mostValues = 50

    /// Whether it may come more than once.
    public var repeats: Bool
    /// The parameters that it cannot come with.
    public var excludes: [String]
    /// The parameter that it cannot come without.
    public var needs: String?

    public init(
        _ name: String, _ summary: String, _ shape: Schema.Shape = .string, isRequired: Bool = false,
        repeats: Bool = false, excludes: [String] = [], needs: String? = nil
    ) {
        self.name = name
        self.summary = summary
        self.shape = shape
        self.isRequired = isRequired
        self.repeats = repeats
        self.excludes = excludes
        self.needs = needs
    }

    /// A parameter with one of these values.
    public init(_ name: String, _ summary: String, values: [String], repeats: Bool = false) {
        self.init(name, summary, .choice(values), repeats: repeats)
    }
}

/// A header that means something to a route, beside those that HTTP gives every one. None is required.
public struct HeaderParameter: Sendable {
    public var name: String
    public var summary: String
    public var shape: Schema.Shape

    public init(_ name: String, _ summary: String, _ shape: Schema.Shape) {
        self.name = name
        self.summary = summary
        self.shape = shape
    }
}

/// The body that a route takes.
public struct RequestBody: Sendable {
    /// The media types taken; the first one is assumed where the client names none.
    public var types: [String]
    /// The name of the schema in the contract.
    public var schema: String?
    public var isRequired: Bool
    /// Bytes; nil for the server's limit.
    public var limit: Int?
    /// Whether a large body goes to a file (``Request/upload``) instead of memory, where the server has an
    /// ``UploadStore``. Only for asynchronous handlers.
    public var isSpooled: Bool

    public init(
        schema: String? = nil, types: [String] = ["application/json"], isRequired: Bool = false, limit: Int? = nil,
        isSpooled: Bool = false
    ) {
        self.types = types
        self.schema = schema
        self.isRequired = isRequired
        self.limit = limit
        self.isSpooled = isSpooled
    }
}

/// One kind of answer of a route, for the contract.
public struct Reply: Sendable {
    public var status: Int
    public var summary: String
    /// The name of the schema in the contract.
    public var schema: String?
    /// The name of another schema that the answer may be of instead.
    public var otherSchema: String?
    /// Nil for the route's own media types; empty where nothing is in the answer.
    public var types: [String]?
    /// Where the answer has the ids that other routes take.
    public var ids: [Ids]

    /// The path parameters of all routes below a pattern, and where they are: OpenAPI runtime expressions.
    public struct Ids: Sendable {
        public var path: String
        public var parameters: [String: String]
        /// The ends of paths below it that are there only when something else was asked for.
        public var apart: [String]

        public init(_ path: String, _ parameters: [String: String], apart: [String] = []) {
            self.path = path
            self.parameters = parameters
            self.apart = apart
        }
    }

    public init(
        _ status: Int, _ summary: String, schema: String? = nil, or otherSchema: String? = nil,
        types: [String]? = nil, ids: [Ids] = []
    ) {
        self.ids = ids
        self.status = status
        self.summary = summary
        self.schema = schema
        self.otherSchema = otherSchema
        self.types = types
    }
}

/// One row of the API: what is asked, who may ask, who answers, and what the contract says about it.
public struct Route: Sendable {
    public var method: HTTPMethod
    /// The pattern, such as `/v1/postcards/{id}`; a name in braces stands for one whole segment, and one that ends in three
    /// dots, at the end of the pattern, for all segments that are left.
    public var path: String
    public var access: Access
    /// The name of the operation in the contract.
    public var operation: String
    public var summary: String
    public var query: [QueryParameter]
    /// Nil for a route that takes no body.
    public var body: RequestBody?
    /// The media types it answers in; the first is the default.
    public var produces: [String]
    public var replies: [Reply]
    /// The kinds of problems that the handler answers with, beside those that the server itself has for every route.
    public var problems: [ProblemKind] = []
    /// The shapes of the path's parameters that are no ids of records.
    public var parameterShapes: [String: Schema.Shape] = [:]
    /// For the contract: the handler reads them.
    public var headers: [HeaderParameter] = []
    public var handler: Handler
    /// Whether another server judges the query, the media types and the form of the body: the handler passes them on.
    public var isForwarded = false

    public init(
        _ method: HTTPMethod, _ path: String, access: Access, operation: String, summary: String,
        query: [QueryParameter] = [], body: RequestBody? = nil, produces: [String] = ["application/json"],
        replies: [Reply] = [], handler: Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.operation = operation
        self.summary = summary
        self.query = query
        self.body = body
        self.produces = produces
        self.replies = replies
        self.handler = handler
    }

    /// Whether a request changes something.
    public var changes: Bool { method != .get }

    /// The route with kinds of problems added that its handler answers with.
    public func failing(_ problems: ProblemKind...) -> Route {
        var route = self
        route.problems += problems.filter { !route.problems.contains($0) }
        return route
    }

    /// The route with a header that its handler reads.
    public func reading(_ header: HeaderParameter) -> Route {
        var route = self
        route.headers.append(header)
        return route
    }

    /// The route with the shape of one of its path's parameters.
    public func taking(_ name: String, _ shape: Schema.Shape) -> Route {
        var route = self
        route.parameterShapes[name] = shape
        return route
    }

    /// The names in braces, in order.
    public var parameterNames: [String] { path.split(separator: "/").compactMap(Self.parameterName) }

    static func parameterName(_ segment: Substring) -> String? {
        guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return nil }
        return String(segment.dropFirst().dropLast(standsForRest(segment) ? 4 : 1))
    }

    static func standsForRest(_ segment: Substring) -> Bool { segment.hasPrefix("{") && segment.hasSuffix("...}") }
}
