public import KonzaAPI

/// Writes a contract (OpenAPI 3.1.0) from the very tables that serve the requests: the routes and the schemas.
public struct ContractDocument: Sendable {
    private let title: String
    private let description: String
    private let schemas: [Schema]
    private let identifier: Schema.Shape
    private let marks: @Sendable (Route) -> [String: JSONValue]

    /// - Parameters:
    ///   - title: the program's name.
    ///   - description: what it serves, its units, and what its own members (`x-`) mean.
    ///   - schemas: those that the routes name, and those that these refer to.
    ///   - identifier: the shape of a path's parameters where a route does not say.
    ///   - marks: members of an operation that are the program's own; their names begin with `x-`.
    public init(
        title: String, description: String, schemas: [Schema], identifier: Schema.Shape = .form(.id),
        marks: @escaping @Sendable (Route) -> [String: JSONValue]
    ) {
        self.title = title
        self.description = description
        self.schemas = schemas
        self.identifier = identifier
        self.marks = marks
    }

    /// - Parameters:
    ///   - routes: all that are served.
    ///   - version: of the program.
    /// - Returns: the OpenAPI document.
    public func make(routes: [Route], version: String) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for route in routes {
            // OpenAPI has no parameter for the rest of a path.
            let path = route.path.replacing("...}", with: "}")
            var methods: [String: JSONValue]
            if case .object(let known) = paths[path] { methods = known } else { methods = [:] }
            methods[route.method.rawValue.lowercased()] = operation(route, of: routes)
            paths[path] = .object(methods)
        }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string(title), "version": .string(version), "description": .string(description),
            ]),
            "servers": .array([.object(["url": .string("http://localhost/")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(Dictionary(schemas.map { ($0.name, $0.document) }, uniquingKeysWith: { $1 }))
            ]),
        ])
    }

    private func operation(_ route: Route, of routes: [Route]) -> JSONValue {
        var operation = marks(route)
        operation["operationId"] = .string(route.operation)
        operation["summary"] = .string(route.summary)
        let parameters =
            route.parameterNames.map { pathParameter($0, route) } + route.query.map(Self.queryParameter)
            + Self.headerParameters(route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body {
            operation["requestBody"] = .object([
                "required": .bool(body.isRequired),
                "content": Self.content(types: body.types, schema: body.schema, or: nil),
            ])
        }
        operation["responses"] = ContractResponses(route: route, routes: routes).document
        return .object(operation)
    }

    static func content(types: [String], schema: String?, or other: String?) -> JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: types.map { type in
                    guard let schema, type.hasSuffix("json"), !type.contains("geo+json") else {
                        return (type, .object(["schema": unnamedSchema(type)]))
                    }
                    guard let other else { return (type, .object(["schema": reference(schema)])) }
                    let forms = JSONValue.array([reference(schema), reference(other)])
                    return (type, .object(["schema": .object(["oneOf": forms])]))
                }))
    }

    /// What a media type itself says: an object, text, or bytes.
    private static func unnamedSchema(_ type: String) -> JSONValue {
        if type.hasSuffix("json") { return .object(["type": .string("object")]) }
        if type.hasPrefix("text/") || type.hasSuffix("xml") { return .object(["type": .string("string")]) }
        return .object(["type": .string("string"), "format": .string("binary")])
    }

    private func pathParameter(_ name: String, _ route: Route) -> JSONValue {
        .object([
            "name": .string(name), "in": .string("path"), "required": .bool(true),
            "schema": (route.parameterShapes[name] ?? identifier).document,
        ])
    }

    private static func queryParameter(_ parameter: QueryParameter) -> JSONValue {
        let shape = parameter.shape
        var object: [String: JSONValue] = [
            "name": .string(parameter.name), "in": .string("query"), "required": .bool(parameter.isRequired),
            "description": .string(parameter.summary),
            "schema": (parameter.repeats ? .list(shape, atMost: QueryParameter.mostValues) : shape).document,
        ]
        if !parameter.excludes.isEmpty { object["x-excludes"] = .array(parameter.excludes.map(JSONValue.string)) }
        if let needed = parameter.needs { object["x-needs"] = .string(needed) }
        return .object(object)
    }

    /// The headers that mean something to a route, beside those that HTTP gives every one.
    private static func headerParameters(_ route: Route) -> [JSONValue] {
        var headers = route.headers
        if route.produces == ["text/event-stream"] {
            headers.append(
                HeaderParameter("Last-Event-ID", "The last event seen: what was missed comes first.", .string))
        }
        if route.replies.contains(where: { $0.status == 206 }) {
            headers.append(HeaderParameter("Range", "A part of the picture (RFC 9110 section 14).", .string))
            headers.append(HeaderParameter("If-None-Match", "304 if the picture has this entity tag.", .string))
        }
        return headers.map { header in
            .object([
                "name": .string(header.name), "in": .string("header"), "required": .bool(false),
                "description": .string(header.summary), "schema": header.shape.document,
            ])
        }
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(name)")])
    }
}
