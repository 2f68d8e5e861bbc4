internal import HTTPServing
internal import KonzaAPI
internal import Storage

/// Writes the contract (OpenAPI 3.1.0) from the very tables that serve the requests: the routes and the schemas.
enum OpenAPIDocument {
    static func make(routes: [Route], version: String) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for route in routes {
            var methods: [String: JSONValue]
            if case .object(let known) = paths[route.path] { methods = known } else { methods = [:] }
            methods[route.method.rawValue.lowercased()] = operation(route, of: routes)
            paths[route.path] = .object(methods)
        }
        return .object([
            "openapi": .string("3.1.0"),
            "info": .object([
                "title": .string("konzad"),
                "version": .string(version),
                "description": .string(
                    "The station's position, camera, postcards and specimens, over HTTP/1.1 on a Unix socket. Times are RFC 3339 "
                        + "in UTC, angles in degrees, lengths in metres, speeds in m/s. What is not known is left out. "
                        + "x-access says who may use an operation beside root and konzad's own user: read, everyone; "
                        + "write, the members of the group; courier, the courier's user. x-roles names the roles that may: a "
                        + "process that is trusted to act for others names one of them and the other in the header "
                        + "Konza-On-Behalf-Of, as in \"kiosk front-door\", and is then held to that role. "
                        + "x-excludes names the parameters that one cannot come with, x-needs the one that it cannot come "
                        + "without."),
            ]),
            "servers": .array([.object(["url": .string("http://localhost/")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(Dictionary(uniqueKeysWithValues: Schema.all.map { ($0.name, $0.document) }))
            ]),
        ])
    }

    private static func operation(_ route: Route, of routes: [Route]) -> JSONValue {
        var operation: [String: JSONValue] = [
            "operationId": .string(route.operation),
            "summary": .string(route.summary),
            "x-access": .string(
                route.access == .everyone ? "read" : route.access == .only(.courier) ? "courier" : "write"),
            "x-roles": .array(Role.allCases.filter(route.access.roles.contains).map { .string($0.rawValue) }),
        ]
        let parameters =
            route.parameterNames.map { pathParameter($0, route) } + route.query.map(queryParameter)
            + headerParameters(route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body {
            operation["requestBody"] = .object([
                "required": .bool(body.isRequired),
                "content": content(types: body.types, schema: body.schema, or: nil),
            ])
        }
        operation["responses"] = OpenAPIResponses(route: route, routes: routes).document
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

    private static func pathParameter(_ name: String, _ route: Route) -> JSONValue {
        .object([
            "name": .string(name), "in": .string("path"), "required": .bool(true),
            "schema": (route.parameterShapes[name] ?? .form(.id)).document,
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

    private static let entityTag = TextForm(
        #"(?:\*|"[1-9][0-9]{0,17}(?:\.[0-9]+)?")"#, examples: [#""7""#], complaint: { _ in nil })

    /// The headers that mean something to a route, beside those that HTTP gives every one.
    private static func headerParameters(_ route: Route) -> [JSONValue] {
        var headers: [(String, Schema.Shape, String)] = []
        if route.operation == "takePostcard" || route.operation == "openSpecimen" {
            headers.append(
                (
                    "Idempotency-Key", .text(.key, 1...IdempotencyKey.maximumLength),
                    "The same key and body make one record, for 24 h of operation."
                ))
        }
        if route.operation == "changeSpecimen" {
            headers.append(
                (
                    "If-Match", .text(entityTag, 1...40),
                    "The entity tag of a reply, or a revision in quotes: 412 if it is not the last."
                ))
        }
        if route.produces == ["text/event-stream"] {
            headers.append(("Last-Event-ID", .string, "The last event seen: what was missed comes first."))
        }
        if route.replies.contains(where: { $0.status == 206 }) {
            headers.append(("Range", .string, "A part of the picture (RFC 9110 section 14)."))
            headers.append(("If-None-Match", .string, "304 if the picture has this entity tag."))
        }
        return headers.map { name, shape, note in
            .object([
                "name": .string(name), "in": .string("header"), "required": .bool(false),
                "description": .string(note), "schema": shape.document,
            ])
        }
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(name)")])
    }
}
