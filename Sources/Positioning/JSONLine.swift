internal import KonzaModel

/// The members of one JSON object on a line (RFC 8259), checked to its end, with only the outermost level kept.
///
/// libgps neither checks what it is given nor tells an absent member from a zero, so every line passes through here
/// first and what libgps decodes wrongly is read from here.
struct JSONLine {
    enum Value: Equatable {
        case text(String)
        case number(Double)
        case boolean(Bool)
        case null
        /// An array or object: which, how many elements it has, and where it lies in the line.
        case nested(isArray: Bool, count: Int, range: Range<Int>)
    }

    private let members: [(name: String, value: Value)]

    /// - Returns: nil if the bytes are not one JSON object (with nothing but white space after it).
    init?(_ bytes: some Collection<UInt8>) {
        var scanner = JSONScanner(Array(bytes))
        guard let members = scanner.object(), scanner.isAtEnd else { return nil }
        self.members = members
    }

    /// The first member of a name.
    subscript(name: String) -> Value? { members.first { $0.name == name }?.value }

    func text(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }

    /// A finite number.
    func number(_ name: String) -> Double? {
        if case .number(let number) = self[name] { number } else { nil }
    }

    /// A whole number in the range.
    func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = number(name), number == number.rounded(), number.magnitude < 1e15 else { return nil }
        let integer = Int(number)
        return range.contains(integer) ? integer : nil
    }

    /// How many elements the array of a name has.
    func count(_ name: String) -> Int? {
        if case .nested(true, let count, _) = self[name] { count } else { nil }
    }

    func instant(_ name: String) -> UTCInstant? { text(name).flatMap { UTCInstant(rfc3339: $0) } }

    /// The elements of an array of objects; what is no object is left out.
    static func objects(in bytes: some Collection<UInt8>) -> [JSONLine] {
        var scanner = JSONScanner(Array(bytes))
        guard let ranges = scanner.elements() else { return [] }
        return ranges.compactMap { JSONLine(scanner.bytes[$0]) }
    }
}

/// Walks through JSON text. Nothing nests deeper than ten levels in what gpsd says.
private struct JSONScanner {
    private static let deepest = 10

    let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    mutating func object() -> [(name: String, value: JSONLine.Value)]? {
        guard take("{") else { return nil }
        var members: [(name: String, value: JSONLine.Value)] = []
        if take("}") { return members }
        repeat {
            skipSpace()
            guard let name = string(), take(":"), let value = value(depth: 1) else { return nil }
            members.append((name, value))
        } while take(",")
        return take("}") ? members : nil
    }

    mutating func elements() -> [Range<Int>]? {
        guard take("[") else { return nil }
        var ranges: [Range<Int>] = []
        if take("]") { return ranges }
        repeat {
            skipSpace()
            let first = position
            guard value(depth: 1) != nil else { return nil }
            ranges.append(first..<position)
        } while take(",")
        return take("]") ? ranges : nil
    }

    private mutating func value(depth: Int) -> JSONLine.Value? {
        skipSpace()
        guard position < bytes.count, depth < Self.deepest else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return string().map { .text($0) }
        case UInt8(ascii: "{"): return nested(open: "{", close: "}", hasNames: true, depth: depth)
        case UInt8(ascii: "["): return nested(open: "[", close: "]", hasNames: false, depth: depth)
        case UInt8(ascii: "t"): return word("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return word("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return word("null") ? .null : nil
        default: return number().map { .number($0) }
        }
    }

    private mutating func nested(
        open: Unicode.Scalar, close: Unicode.Scalar, hasNames: Bool, depth: Int
    ) -> JSONLine.Value? {
        let first = position
        guard take(open) else { return nil }
        if take(close) { return .nested(isArray: !hasNames, count: 0, range: first..<position) }
        var count = 0
        repeat {
            skipSpace()
            if hasNames { guard string() != nil, take(":") else { return nil } }
            guard value(depth: depth + 1) != nil else { return nil }
            count += 1
        } while take(",")
        return take(close) ? .nested(isArray: !hasNames, count: count, range: first..<position) : nil
    }

    private mutating func string() -> String? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        position += 1
        let first = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            switch bytes[position] {
            case UInt8(ascii: "\\"): return stringWithEscapes(from: first)
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        guard position < bytes.count else { return nil }
        position += 1
        return String(decoding: bytes[first..<position - 1], as: UTF8.self)
    }

    private mutating func stringWithEscapes(from first: Int) -> String? {
        var text = Array(bytes[first..<position])
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): guard appendEscape(to: &text) else { return nil }
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func appendEscape(to text: inout [UInt8]) -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "u"):
            guard position + 4 <= bytes.count,
                let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { return false }
            position += 4
            // Surrogates are not joined: gpsd escapes control characters only.
            text.append(contentsOf: String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
        default: return false
        }
        return true
    }

    private mutating func number() -> Double? {
        let first = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                position += 1
                continue
            default: break
            }
            break
        }
        guard position - first < 64, position > first else { return nil }
        guard let value = Double(String(decoding: bytes[first..<position], as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    private mutating func word(_ text: StaticString) -> Bool {
        let word = Array(text.description.utf8)
        guard bytes[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}
