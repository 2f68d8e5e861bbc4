public import KonzaAPI

/// The messages of the contract as JSON Schema 2020-12, each with all that it refers to: for whoever reads them with something
/// else than this program.
public enum FleetSchemas {
    /// The file of a kind's schema, such as `konza.postcard-1.json`.
    public static func fileName(_ kind: FleetKind) -> String {
        kind.schema.replacing("/", with: "-") + ".json"
    }

    /// The schema of a kind's whole message.
    public static func document(_ kind: FleetKind) -> JSONValue {
        var definitions: [String: JSONValue] = [:]
        let message =
            switch kind {
            case .desired, .command, .receipt: moved(downward(kind), &definitions)
            default: envelope(kind, &definitions)
            }
        guard case .object(var document) = message else { return message }
        document["$schema"] = .string("https://json-schema.org/draft/2020-12/schema")
        document["$id"] = .string("urn:konza:schema:\(kind.schema.replacing("/", with: ":"))")
        document["title"] = .string(kind.schema)
        if !definitions.isEmpty { document["$defs"] = .object(definitions) }
        return .object(document)
    }

    // MARK: envelopes

    private static func envelope(_ kind: FleetKind, _ definitions: inout [String: JSONValue]) -> JSONValue {
        var schema = Schema(
            "Message", "A message of the kind \(kind.rawValue).",
            [
                .always("schema", .choice([kind.schema]), "What the body is; another meaning is another number."),
                .always("id", .name(64), "The record's id, or the session's."),
                .always("box", .string, "The box that it is of, as in the topic."),
                .known("log", .name(64), "The log that seq counts in."),
                .known("seq", .count(1...1 << 53), "From 1 without a gap within the log."),
                .always("rev", .count(1...1 << 53), "What the record has come to; a lower one is older."),
                .always("at", .dateTime, "When it was so."),
                .always(
                    "timeSource", .string, "What that time is from: gps, ntp, system, or clock where nobody vouches."),
                .known("deleted", .boolean, "Whether a person deleted the record; then the body is null."),
            ]
        ).document
        schema = moved(schema, &definitions)
        guard case .object(var object) = schema, case .object(var properties)? = object["properties"],
            case .array(let required)? = object["required"]
        else { return schema }
        properties["box"] = .object(["type": .string("string"), "pattern": .string("^[a-z0-9]{3,20}$")])
        let body = moved(self.body(kind), &definitions)
        properties["body"] = .object(["anyOf": .array([body, .object(["type": .string("null")])])])
        object["properties"] = .object(properties)
        object["required"] = .array(required + [.string("body")])
        // A body is left out of nothing but a deleted record.
        object["if"] = .object([
            "properties": .object(["deleted": .object(["const": .bool(true)])]),
            "required": .array([.string("deleted")]),
        ])
        object["then"] = .object(["properties": .object(["body": .object(["type": .string("null")])])])
        object["else"] = .object(["properties": .object(["body": .object(["type": .string("object")])])])
        return .object(object)
    }

    /// The local API's own reply where there is one.
    private static func body(_ kind: FleetKind) -> JSONValue {
        switch kind {
        case .health: reference("Status")
        case .position: reference("Position")
        case .track: reference("FleetTrack")
        case .postcard: .object(["allOf": .array([reference("Postcard"), FleetPictures.schema])])
        case .specimen:
            .object([
                "allOf": .array([
                    reference("Specimen"),
                    .object([
                        "properties": .object([
                            "photographs": .object(["items": FleetPictures.schema])
                        ])
                    ]),
                ])
            ])
        case .status:
            Schema(
                "StatusBody", "Whether the box is connected.",
                [
                    .always("state", .choice(["online", "offline"]), "As the box itself or its will says."),
                    .always("session", .string, "Of the connection: an offline of another session is an old one."),
                    .known("software", .string, "The program and its version."),
                ]
            ).document
        case .metrics:
            Schema(
                "MetricsBody", "Counters since the start of the station.", [],
                others: .either([.number, .string, .map(.number)])
            ).document
        case .latest:
            Schema(
                "LatestBody", "The latest postcard whose small picture is in the store.",
                [
                    .always("id", .string, "The postcard's id."),
                    .always("thumbnail", .string, "The small picture's key in the store."),
                    .known("picture", .string, "The picture's key, once it is stored."),
                ]
            ).document
        case .reported:
            Schema(
                "ReportedBody", "What the box made of the settings that are wanted.",
                [
                    .always("version", .count(0...1 << 53), "The version that was taken last; 0 before any."),
                    .known(
                        "state", .choice(FleetDesiredReply.State.allCases.map(\.rawValue)),
                        "Applied; dropped by somebody at the station; off where it takes none."),
                    .known("applied", .map(.map(.string)), "By section and key."),
                    .known("refused", .array(.anything), "Section, key and reason of each that is not taken."),
                    .known(
                        "rejected", .anything,
                        "Version (0 where it cannot be read) and reason of the last message, where nothing of it was taken."
                    ),
                    .known("restart", .array(.string), "What takes effect only at the station's next start."),
                    .known("packages", .map(.string), "Versions of packages by their names."),
                ]
            ).document
        case .answer:
            Schema(
                "AnswerBody", "What became of the command whose id the message has.",
                [
                    .always(
                        "state", .choice(["accepted", "done", "refused", "expired"]), "The last word, but accepted."),
                    .known("verb", .string, "Of the command."),
                    .known("reason", .string, "What came of it, or why not."),
                ]
            ).document
        case .desired, .command, .receipt: .object([:])
        }
    }

    // MARK: to a box

    private static func downward(_ kind: FleetKind) -> JSONValue {
        let head: [Schema.Member] = [
            .always("schema", .choice([kind.schema]), "What it is; another meaning is another number."),
            .always("box", .string, "The box that it is for, as in the topic."),
        ]
        let signed: [Schema.Member] = [
            .always("key", .string, "The id of the operator's key: 16 digits of the SHA-256 of the public key."),
            .always("signature", .string, "Ed25519, Base64."),
        ]
        switch kind {
        case .command:
            return Schema(
                "Command", "What an operator has a box do, once. Never retained.",
                head + [
                    .always("id", .string, "A ULID of the time when it was made."),
                    .always("verb", .string, "What to do."),
                    .known(
                        "arguments", .map(.either([.string, .integer, .boolean])), "What the verb needs."),
                    .always("notAfter", .dateTime, "When it is too late; at most a day after it was made."),
                ] + signed, isClosed: true
            ).document
        case .desired:
            return Schema(
                "Desired", "All settings that operators want a box to have. Retained.",
                head + [
                    .always("version", .count(1...1 << 53), "One that is not above the applied one is passed over."),
                    .known("settings", .map(.map(.string)), "By section and key, as in konzad.conf."),
                ] + signed, isClosed: true
            ).document
        default:
            return Schema(
                "Receipt", "These records are kept, in these revisions.",
                head + [
                    .always(
                        "pairs", .list(.array(.anything), atMost: FleetReceipts.mostPairs), "Each an id and a revision."
                    )
                ]
            ).document
        }
    }

    // MARK: references

    private static let named = Dictionary(Schema.all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    private static let inContract = "#/components/schemas/"

    private static func reference(_ name: String) -> JSONValue { .object(["$ref": .string(inContract + name)]) }

    /// The same with references into the document itself, and what they refer to among its definitions.
    private static func moved(_ value: JSONValue, _ definitions: inout [String: JSONValue]) -> JSONValue {
        switch value {
        case .array(let values): return .array(values.map { moved($0, &definitions) })
        case .object(var members):
            for (name, value) in members { members[name] = moved(value, &definitions) }
            guard case .string(let path)? = members["$ref"], path.hasPrefix(inContract) else { return .object(members) }
            let name = String(path.dropFirst(inContract.count))
            if definitions[name] == nil, let schema = named[name] {
                // A schema may refer to itself.
                definitions[name] = .null
                definitions[name] = moved(schema.document, &definitions)
            }
            members["$ref"] = .string("#/$defs/\(name)")
            return .object(members)
        default: return value
        }
    }
}
