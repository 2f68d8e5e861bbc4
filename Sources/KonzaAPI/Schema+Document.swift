extension Schema {
    /// As JSON Schema 2020-12.
    public var document: JSONValue {
        if let shape, case .object(var object) = shape.document {
            object["description"] = .string(note)
            return .object(object)
        }
        var properties: [String: JSONValue] = [:]
        for member in members {
            guard case .object(var shape) = member.shape.document else { continue }
            shape["description"] = .string(member.note)
            properties[member.name] = .object(shape)
        }
        var object: [String: JSONValue] = [
            "type": .string("object"),
            "description": .string(note),
            "properties": .object(properties),
            "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
        ]
        if let others { object["additionalProperties"] = others.document }
        if isClosed { object["additionalProperties"] = .bool(false) }
        if let example { object["examples"] = .array([example]) }
        return .object(object)
    }
}

extension Schema.Shape {
    /// As JSON Schema 2020-12.
    public var document: JSONValue {
        switch self {
        case .string: .object(["type": .string("string")])
        case .text(let form, let length): Self.text(form, length)
        case .dateTime: .object(["type": .string("string"), "format": .string("date-time")])
        case .number: .object(["type": .string("number")])
        case .range(let range):
            .object([
                "type": .string("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound),
            ])
        case .integer: .object(["type": .string("integer")])
        case .count(let range):
            .object([
                "type": .string("integer"), "minimum": .number(Double(range.lowerBound)),
                "maximum": .number(Double(range.upperBound)),
            ])
        case .boolean: .object(["type": .string("boolean")])
        case .choice(let words):
            .object(["type": .string("string"), "enum": .array(words.map(JSONValue.string))])
        case .array(let inner): .object(["type": .string("array"), "items": inner.document])
        case .list(let inner, let most):
            .object(["type": .string("array"), "items": inner.document, "maxItems": .number(Double(most))])
        case .reference(let name): Self.reference(name)
        case .map(let inner):
            .object(["type": .string("object"), "additionalProperties": inner.document])
        case .table(let names, let inner):
            .object([
                "type": .string("object"), "additionalProperties": .bool(false),
                "properties": .object(Dictionary(names.map { ($0, inner.document) }, uniquingKeysWith: { $1 })),
            ])
        case .either(let shapes): .object(["anyOf": .array(shapes.map(\.document))])
        case .nullable(let inner): Self.nullable(inner)
        case .anything: .object([:])
        }
    }

    private static func reference(_ name: String) -> JSONValue {
        .object(["$ref": .string("#/components/schemas/\(name)")])
    }

    private static func text(_ form: TextForm, _ length: ClosedRange<Int>) -> JSONValue {
        var object: [String: JSONValue] = [
            "type": .string("string"), "pattern": .string(form.pattern),
            "examples": .array(form.examples.map(JSONValue.string)),
        ]
        if let format = form.format { object["format"] = .string(format) }
        if length.lowerBound > 0 { object["minLength"] = .number(Double(length.lowerBound)) }
        if length.upperBound < .max { object["maxLength"] = .number(Double(length.upperBound)) }
        return .object(object)
    }

    private static func nullable(_ inner: Schema.Shape) -> JSONValue {
        guard case .object(var object) = inner.document else { return inner.document }
        if case .string(let type)? = object["type"] {
            object["type"] = .array([.string(type), .string("null")])
            if case .array(let words)? = object["enum"] { object["enum"] = .array(words + [.null]) }
            return .object(object)
        }
        if case .array(let forms)? = object["anyOf"] {
            return .object(["anyOf": .array(forms + [.object(["type": .string("null")])])])
        }
        return .object(["anyOf": .array([inner.document, .object(["type": .string("null")])])])
    }
}
