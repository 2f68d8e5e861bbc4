public import KonzaAPI

/// What a message says of a record's pictures: beside what the local API says of a postcard, and of each photograph of a
/// specimen, `picture` (pending, stored or kept), `key`, `thumbnail` and `thumbnailKey`. The hash and the number of bytes
/// are the local API's own `sha256` and `bytes` or `byteCount`.
public enum FleetPictures {
    /// Adds the pictures to a record.
    ///
    /// - Parameters:
    ///   - states: how far the store has them.
    ///   - body: the local API's reply, a JSON object.
    ///   - kind: what the record is.
    /// - Returns: the body of the message; the reply as it is where no picture belongs to it.
    public static func adding(_ states: [FleetPictureState], to body: [UInt8], _ kind: FleetKind) -> [UInt8] {
        guard !states.isEmpty, case .object(var record)? = try? JSONReader.value(of: body) else { return body }
        switch kind {
        case .postcard:
            guard let state = states.first(where: { .string($0.id) == record["id"] }) else { return body }
            // What the local API wrote stays as it is, to the last digit.
            guard let end = body.lastIndex(of: UInt8(ascii: "}")) else { return body }
            let members = Self.members(of: state).sorted { $0.key < $1.key }
            var added: [UInt8] = []
            for (name, value) in members {
                added += Array(",\(FleetText.quoted(name)):".utf8) + FleetText.encoded(value)
            }
            return Array(body[..<end]) + added + [UInt8(ascii: "}")]
        case .specimen:
            guard case .array(let photographs)? = record["photographs"] else { return body }
            record["photographs"] = .array(
                photographs.map { photograph in
                    guard case .object(let members) = photograph,
                        let state = states.first(where: { .string($0.id) == members["id"] })
                    else { return photograph }
                    return .object(members.merging(Self.members(of: state)) { $1 })
                })
            return FleetText.encoded(.object(record))
        default: return body
        }
    }

    private static func members(of state: FleetPictureState) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "picture": .string(state.picture.rawValue), "key": .string(state.key),
        ]
        members["thumbnail"] = state.thumbnail.map { .string($0.rawValue) }
        members["thumbnailKey"] = state.thumbnailKey.map { .string($0) }
        return members
    }

    /// The same as JSON Schema.
    static var schema: JSONValue {
        let states = FleetPictureState.State.allCases.map(\.rawValue)
        return Schema(
            "Pictures", "How far the object store has a picture; without a store nothing is said.",
            [
                .known(
                    "picture", .choice(states), "Pending until it is stored; kept where it stays until it is asked for."
                ),
                .known("key", .string, "The picture's name in the store."),
                .known("thumbnail", .choice(states), "The same of the small picture, if there is one."),
                .known("thumbnailKey", .string, "The small picture's name in the store."),
            ]
        ).document
    }
}
