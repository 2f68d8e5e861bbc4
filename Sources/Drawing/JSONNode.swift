internal import KonzaModel

/// A JSON text (RFC 8259) as a tree that remembers the line of every value, for messages that point at the fault.
struct JSONNode: Sendable {
    enum Value: Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case string(String)
        case array([JSONNode])
        case object([(key: String, node: JSONNode)])
    }

    var value: Value
    /// The line the value begins on, from 1.
    var line: Int

    var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    struct SyntaxError: Error {
        var line: Int
        var reason: String
    }

    static func parse(_ bytes: [UInt8]) throws(SyntaxError) -> JSONNode {
        var parser = JSONParser(bytes)
        return try parser.document()
    }
}

private struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var depth = 0
    private static let depthLimit = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func error(_ reason: String) -> JSONNode.SyntaxError { JSONNode.SyntaxError(line: line, reason: reason) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next {
            switch byte {
            case 0x0A:
                line += 1
                position += 1
            case 0x20, 0x09, 0x0D: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    mutating func document() throws(JSONNode.SyntaxError) -> JSONNode {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw error("the text is not UTF-8") }
        let node = try value()
        skipSpace()
        guard next == nil else { throw error("there is text after the end of the value") }
        return node
    }

    private mutating func value() throws(JSONNode.SyntaxError) -> JSONNode {
        skipSpace()
        guard let byte = next else { throw error("the text ends where a value should be") }
        let start = line
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else { throw error("values are nested more than \(Self.depthLimit) deep") }
        switch byte {
        case UInt8(ascii: "{"): return JSONNode(value: .object(try object()), line: start)
        case UInt8(ascii: "["): return JSONNode(value: .array(try array()), line: start)
        case UInt8(ascii: "\""): return JSONNode(value: .string(try string()), line: start)
        case UInt8(ascii: "t"): return JSONNode(value: .bool(try word("true", true)), line: start)
        case UInt8(ascii: "f"): return JSONNode(value: .bool(try word("false", false)), line: start)
        case UInt8(ascii: "n"):
            _ = try word("null", false)
            return JSONNode(value: .null, line: start)
        default: return JSONNode(value: .number(try number()), line: start)
        }
    }

    private mutating func word(_ text: String, _ value: Bool) throws(JSONNode.SyntaxError) -> Bool {
        guard bytes[position...].starts(with: text.utf8) else { throw error("a value is expected") }
        position += text.utf8.count
        return value
    }

    private mutating func object() throws(JSONNode.SyntaxError) -> [(key: String, node: JSONNode)] {
        position += 1
        var members: [(key: String, node: JSONNode)] = []
        skipSpace()
        if take("}") { return members }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a member's name in double quotes is expected") }
            let key = try string()
            guard !members.contains(where: { $0.key == key }) else { throw error("\"\(key)\" is there twice") }
            skipSpace()
            guard take(":") else { throw error("\":\" is expected after \"\(key)\"") }
            members.append((key, try value()))
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw error("\",\" or \"}\" is expected") }
        }
    }

    private mutating func array() throws(JSONNode.SyntaxError) -> [JSONNode] {
        position += 1
        var elements: [JSONNode] = []
        skipSpace()
        if take("]") { return elements }
        while true {
            elements.append(try value())
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw error("\",\" or \"]\" is expected") }
        }
    }

    private mutating func number() throws(JSONNode.SyntaxError) -> Double {
        let start = position
        _ = take("-")
        let whole = digits()
        guard whole == 1 || (whole > 1 && bytes[position - whole] != UInt8(ascii: "0")) else {
            throw error("a value is expected")
        }
        if take("."), digits() == 0 { throw error("a digit is expected after the decimal point") }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw error("a digit is expected in the exponent") }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw error("the number \(text) is out of range") }
        return value
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func string() throws(JSONNode.SyntaxError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw error("a control character in a string must be escaped")
            default: text.append(byte)
            }
        }
        throw error("a string is not closed")
    }

    private mutating func escape() throws(JSONNode.SyntaxError) -> Character {
        do throws(JSONEscape.Fault) {
            return Character(try JSONEscape.scalar(in: bytes, at: &position))
        } catch {
            switch error {
            case .cut: throw self.error("a string is not closed")
            case .digits: throw self.error("four hexadecimal digits are expected after \\u")
            case .surrogate: throw self.error("a surrogate pair is not whole")
            case .unknown: throw self.error("an unknown escape in a string")
            }
        }
    }
}
