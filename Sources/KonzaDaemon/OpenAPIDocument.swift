internal import HTTPServing
internal import KonzaAPI

/// Writes the contract (OpenAPI 3.1.0) from the very tables that serve the requests: the routes and the schemas.
enum OpenAPIDocument {
    static func make(routes: [Route], version: String) -> JSONValue {
        var paths: [String: JSONValue] = [:]
        for route in routes {
            var methods: [String: JSONValue]
            if case .object(let known) = paths[route.path] { methods = known } else { methods = [:] }
            methods[route.method.rawValue.lowercased()] = operation(route)
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
                        + "Konza-On-Behalf-Of, as in \"kiosk front-door\", and is then held to that role."),
            ]),
            "servers": .array([.object(["url": .string("http://localhost/")])]),
            "paths": .object(paths),
            "components": .object([
                "schemas": .object(Dictionary(uniqueKeysWithValues: Schema.all.map { ($0.name, object($0)) }))
            ]),
        ])
    }

    private static func operation(_ route: Route) -> JSONValue {
        var operation: [String: JSONValue] = [
            "operationId": .string(route.operation),
            "summary": .string(route.summary),
            "x-access": .string(
                route.access == .everyone ? "read" : route.access == .only(.courier) ? "courier" : "write"),
            "x-roles": .array(Role.allCases.filter(route.access.roles.contains).map { .string($0.rawValue) }),
        ]
        let parameters =
            route.parameterNames.map(pathParameter) + route.query.map(queryParameter) + headerParameters(route)
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body = route.body {
            operation["requestBody"] = .object([
                "required": .bool(body.isRequired),
                "content": content(types: body.types, schema: body.schema, or: nil),
            ])
        }
        var responses: [String: JSONValue] = ["default": problemResponse]
        for reply in route.replies {
            var response: [String: JSONValue] = ["description": .string(reply.summary)]
            if reply.status != 204, reply.status != 304 {
                response["content"] = content(
                    types: reply.types ?? route.produces, schema: reply.schema, or: reply.otherSchema)
            }
            responses[String(reply.status)] = .object(response)
        }
        operation["responses"] = .object(responses)
        return .object(operation)
    }

    private static let problemResponse = JSONValue.object([
        "description": .string("What cannot be done, why, and what to do about it."),
        "content": content(types: ["application/problem+json"], schema: "Problem", or: nil),
    ])

    private static func content(types: [String], schema: String?, or other: String?) -> JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: types.map { type in
                    guard let schema, type.hasSuffix("json"), !type.contains("geo+json") else {
                        return (type, .object([:]))
                    }
                    guard let other else { return (type, .object(["schema": reference(schema)])) }
                    let forms = JSONValue.array([reference(schema), reference(other)])
                    return (type, .object(["schema": .object(["oneOf": forms])]))
                }))
    }

    private static func pathParameter(_ name: String) -> JSONValue {
        .object([
            "name": .string(name), "in": .string("path"), "required": .bool(true),
            "schema": .object(["type": .string("string")]),
        ])
    }

    private static func queryParameter(_ parameter: QueryParameter) -> JSONValue {
        var schema: [String: JSONValue] = ["type": .string(parameter.type)]
        if let format = parameter.format { schema["format"] = .string(format) }
        if let values = parameter.values { schema["enum"] = .array(values.map(JSONValue.string)) }
        return .object([
            "name": .string(parameter.name), "in": .string("query"), "required": .bool(parameter.isRequired),
            "description": .string(parameter.summary), "schema": .object(schema),
        ])
    }

    /// The headers that mean something to a route, beside those that HTTP gives every one.
    private static func headerParameters(_ route: Route) -> [JSONValue] {
        var headers: [(String, String)] = []
        if route.operation == "takePostcard" || route.operation == "openSpecimen" {
            headers.append(
                ("Idempotency-Key", "1 to 255 bytes: the same key and body make one record, for 24 h of operation."))
        }
        if route.operation == "changeSpecimen" {
            headers.append(
                ("If-Match", "The entity tag of a reply, or a revision in quotes: 412 if it is not the last."))
        }
        if route.produces == ["text/event-stream"] {
            headers.append(("Last-Event-ID", "The last event seen: what was missed comes first."))
        }
        if route.replies.contains(where: { $0.status == 206 }) {
            headers.append(("Range", "A part of the picture (RFC 9110 section 14)."))
            headers.append(("If-None-Match", "304 if the picture has this entity tag."))
        }
        return headers.map { name, note in
            .object([
                "name": .string(name), "in": .string("header"), "required": .bool(false),
                "description": .string(note), "schema": .object(["type": .string("string")]),
            ])
        }
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(name)")])
    }

    private static func object(_ schema: Schema) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for member in schema.members {
            guard case .object(var shape) = self.shape(member.shape) else { continue }
            shape["description"] = .string(member.note)
            properties[member.name] = .object(shape)
        }
        var object: [String: JSONValue] = [
            "type": .string("object"),
            "description": .string(schema.note),
            "properties": .object(properties),
            "required": .array(schema.members.filter(\.isRequired).map { .string($0.name) }),
        ]
        if let others = schema.others { object["additionalProperties"] = shape(others) }
        return .object(object)
    }

    private static func shape(_ shape: Schema.Shape) -> JSONValue {
        switch shape {
        case .string: .object(["type": .string("string")])
        case .dateTime: .object(["type": .string("string"), "format": .string("date-time")])
        case .number: .object(["type": .string("number")])
        case .integer: .object(["type": .string("integer")])
        case .boolean: .object(["type": .string("boolean")])
        case .choice(let words):
            .object(["type": .string("string"), "enum": .array(words.map(JSONValue.string))])
        case .array(let inner): .object(["type": .string("array"), "items": self.shape(inner)])
        case .reference(let name): reference(name)
        case .map(let inner):
            .object(["type": .string("object"), "additionalProperties": self.shape(inner)])
        }
    }
}
