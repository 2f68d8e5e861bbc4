internal import FoundationEssentials
internal import KonzaAPI

extension Value {
    var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        // JSON has no infinity (RFC 8259 section 6).
        case .number(let value, _), .ratio(let value): value.isFinite ? .number(value) : .string("infinite")
        }
    }
}

extension Table {
    var json: JSONValue {
        .object([
            "title": .string(title),
            "rows": .array(
                rows.map { row in
                    var members = row.values.mapValues(\.json)
                    if !row.group.isEmpty { members["group"] = .string(row.group) }
                    return .object(members)
                }),
            "notes": .array(notes.map(JSONValue.string)),
        ])
    }
}

/// Tables as one JSON document: an object with a member for each table's name.
///
/// - Throws: what the encoder throws.
public func jsonDocument(_ tables: [Table], about machine: [String: String]) throws -> String {
    var members: [String: JSONValue] = ["machine": .object(machine.mapValues(JSONValue.string))]
    for table in tables { members[table.name] = table.json }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(JSONValue.object(members)), as: UTF8.self) + "\n"
}
