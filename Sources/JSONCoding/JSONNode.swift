/// A value in a text, as it is decoded.
struct JSONNode {
    let tree: JSONTree
    let index: Int

    private var kind: JSONTree.Kind { tree.entries[index].kind }

    var isNull: Bool { kind == .null }

    private func mismatch<Value>(_ type: Value.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: [], debugDescription: "found \(kind) instead of \(type)")
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func bool() throws -> Bool {
        switch kind {
        case .yes: return true
        case .no: return false
        default: throw mismatch(Bool.self)
        }
    }

    func text() throws -> String {
        guard kind == .string else { throw mismatch(String.self) }
        return tree.text(index)
    }

    func integer<Number: FixedWidthInteger>() throws -> Number {
        guard kind == .number else { throw mismatch(Number.self) }
        guard let value: Number = tree.integer(index) else {
            throw JSONTree.malformed("a number does not fit into \(Number.self)")
        }
        return value
    }

    func double() throws -> Double {
        if kind == .string, tree.nonFinite == .words {
            switch tree.text(index) {
            case NonFiniteWord.positive: return .infinity
            case NonFiniteWord.negative: return -.infinity
            case NonFiniteWord.none: return .nan
            default: break
            }
        }
        guard kind == .number else { throw mismatch(Double.self) }
        guard let value = tree.double(index) else { throw JSONTree.malformed("a number is too large") }
        return value
    }

    func float() throws -> Float {
        let value = try double()
        guard Float(value).isFinite || !value.isFinite else { throw JSONTree.malformed("a number is too large") }
        return Float(value)
    }

    func object<Key: CodingKey>(_ type: Key.Type) throws -> JSONObjectReader<Key> {
        guard kind == .object else { throw mismatch([String: Any].self) }
        return JSONObjectReader(tree: tree, index: index)
    }

    func array() throws -> JSONArrayReader {
        guard kind == .array else { throw mismatch([Any].self) }
        return JSONArrayReader(tree: tree, index: index)
    }
}

extension JSONNode: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try object(type))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try array() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension JSONNode: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try bool() }
    func decode(_ type: String.Type) throws -> String { try text() }
    func decode(_ type: Double.Type) throws -> Double { try double() }
    func decode(_ type: Float.Type) throws -> Float { try float() }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

struct JSONObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tree: JSONTree
    let index: Int

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { tree.names(of: index).compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { tree.member(key.stringValue, of: index) != nil }

    private func node(_ key: Key) throws -> JSONNode {
        guard let found = tree.member(key.stringValue, of: index) else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: [], debugDescription: "the member \(key.stringValue) is missing"))
        }
        return JSONNode(tree: tree, index: found)
    }

    /// nil for a member that is not there, or null.
    private func present(_ key: Key) -> JSONNode? {
        guard let found = tree.member(key.stringValue, of: index) else { return nil }
        let node = JSONNode(tree: tree, index: found)
        return node.isNull ? nil : node
    }

    func decodeNil(forKey key: Key) throws -> Bool { try node(key).isNull }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try node(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try node(key).text() }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try node(key).double() }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try node(key).float() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try node(key).integer() }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try node(key).integer() }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try node(key).integer() }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try node(key).integer() }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try node(key).integer() }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try node(key).integer() }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try node(key).integer() }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try node(key).integer() }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try node(key).integer() }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try node(key).integer() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: try node(key))
    }

    // Without these a member is sought three times.

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key)?.text() }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(key)?.double() }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(key)?.integer() }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key)?.bool() }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try Value(from: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(try node(key).object(type))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try node(key).array() }

    func superDecoder() throws -> any Decoder { throw JSONTree.malformed("a value has no superclass") }
    func superDecoder(forKey key: Key) throws -> any Decoder { try node(key) }
}

struct JSONArrayReader: UnkeyedDecodingContainer {
    let tree: JSONTree
    private let end: Int
    /// Of the element that is next.
    private var place: Int
    let count: Int?
    private(set) var currentIndex = 0

    init(tree: JSONTree, index: Int) {
        self.tree = tree
        end = Int(tree.entries[index].next)
        place = index + 1
        count = tree.count(of: index)
    }

    var codingPath: [any CodingKey] { [] }
    var isAtEnd: Bool { place == end }

    /// Decodes the next element, which stays the next one if it cannot be decoded.
    private mutating func next<Value>(_ decode: (JSONNode) throws -> Value) throws -> Value {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Value.self, .init(codingPath: [], debugDescription: "the array has no more elements"))
        }
        let value = try decode(JSONNode(tree: tree, index: place))
        place = Int(tree.entries[place].next)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, JSONNode(tree: tree, index: place).isNull else { return false }
        return try next { $0.isNull }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.bool() } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.text() } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.double() } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.float() } }
    mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer() } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer() } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer() } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer() } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer() } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer() } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer() } }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next { try Value(from: $0) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { KeyedDecodingContainer(try $0.object(type)) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next { try $0.array() } }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
