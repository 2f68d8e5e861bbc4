public import KonzaModel

/// What is said about a photograph: the body of `POST /v1/specimens/{id}/photographs` for one from the camera, and the
/// query of an upload.
public struct PhotographRequest: Sendable, Equatable {
    public var imageType: Photograph.ImageType
    /// Whole millimetres.
    public var scale: Int?
    public var description: String?
    /// Degrees from true north.
    public var direction: Double?

    /// The scales that are taken, millimetres.
    public static let scales = 1...10_000_000
    /// The longest description, characters.
    public static let longestDescription = 1024

    /// The names of the members.
    public static let members = ["imageType", "scale", "description", "direction"]

    /// Reads a request body strictly.
    ///
    /// - Throws: a problem that names every unknown or unfit member.
    public init(_ value: JSONValue?) throws(Problem) {
        var members = RequestMembers(value)
        imageType = members.choice("imageType") ?? .fieldPhoto
        scale = members.integer("scale", in: Self.scales)
        description = members.words("description", upTo: Self.longestDescription, hasLines: true)
        direction = members.number("direction", in: 0...360).map { $0 == 360 ? 0 : $0 }
        try members.finish()
    }

    /// Reads the query of an upload, as strictly.
    ///
    /// - Throws: a problem that names every unfit parameter.
    public init(query: [String: String]) throws(Problem) {
        var members: [String: JSONValue] = [:]
        for (name, text) in query {
            let isNumber = name == "scale" || name == "direction"
            members[name] = isNumber ? Double(text).map(JSONValue.number) ?? .string(text) : .string(text)
        }
        try self.init(.object(members))
    }

    static let schemas = [
        Schema(
            "PhotographRequest", "What is said about a photograph. Every member may be left out.",
            [
                .optional(
                    "imageType", .choice(Photograph.ImageType.allCases.map(\.rawValue)),
                    "MetPetDB's kind of image; FIELDPHOTO by default."),
                .optional("scale", .count(scales), "The width of the whole picture on the specimen, millimetres."),
                .optional("description", .text(.longText, 0...longestDescription), "What it shows."),
                .optional("direction", .range(0...360), "The direction of view, degrees from true north."),
            ], isClosed: true, example: .object(["imageType": .string("FIELDPHOTO"), "direction": .number(45)]))
    ]
}
