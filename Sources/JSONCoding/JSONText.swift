/// JSON texts (RFC 8259) of codable values, for what is encoded and decoded often: replies, sidecars, rows. The texts are
/// those of Foundation's `JSONEncoder` with sorted keys and without escaped slashes, byte for byte. Values are written in
/// place and read where they are, without a tree of objects between, which is what takes Foundation most of its time.
public enum JSONText {
    /// What becomes of numbers that JSON does not have: infinities and not a number.
    public enum NonFinite: Sendable {
        /// A value that has one cannot be encoded.
        case refused
        /// They are the strings `inf`, `-inf` and `nan`.
        case words
    }

    /// The text of a value, with the members of objects in the order of their names: equal values have equal texts.
    ///
    /// - Parameters:
    ///   - value: what asks for containers in the order of nesting, as what the compiler derives does.
    ///   - nonFinite: what is to become of numbers that JSON does not have.
    /// - Returns: UTF-8.
    /// - Throws: `EncodingError`, and what the value throws.
    public static func encode(_ value: some Encodable, nonFinite: NonFinite = .refused) throws -> [UInt8] {
        let writer = JSONWriter(nonFinite: nonFinite)
        try writer.write(value)
        return try writer.finish()
    }

    /// The value that a text has. Of members that are there twice the first one counts.
    ///
    /// - Parameters:
    ///   - type: of the value.
    ///   - bytes: UTF-8 without a byte order mark.
    ///   - nonFinite: which words are read as numbers.
    /// - Returns: the value.
    /// - Throws: `DecodingError`, without the path to what is at fault, and what the value throws.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], nonFinite: NonFinite = .refused
    ) throws -> Value {
        let tree = try JSONTree(bytes, nonFinite: nonFinite)
        return try Value(from: JSONNode(tree: tree, index: 0))
    }
}

/// The word for a number that JSON does not have.
enum NonFiniteWord {
    static let positive = "inf"
    static let negative = "-inf"
    static let none = "nan"
}
