internal import KonzaModel

/// Reads the JSON of a request (RFC 8259), no more leniently than I-JSON (RFC 7493 section 2): UTF-8 without a byte
/// order mark, no member twice in an object, no lone surrogate, no number beyond a double. The bytes may be hostile:
/// depth and the number of values are bounded, and the work is linear.
public struct JSONReader: ~Copyable {
    /// How deep arrays and objects may nest.
    public static let depth = 32
    /// The most values in one body, some hundred bytes of memory each.
    public static let mostValues = 200_000

    private let bytes: [UInt8]
    /// Whether a tree of values is wanted; else the text is only checked.
    private let builds: Bool
    private var at = 0
    private var values = 0
    /// The members and indices on the way to where the reader is.
    private var path: [String] = []

    private init(_ bytes: [UInt8], builds: Bool) {
        self.bytes = bytes
        self.builds = builds
    }

    /// The value that a body holds.
    ///
    /// - Throws: a problem that says where it is no such JSON, and why.
    public static func value(of body: [UInt8]) throws(Problem) -> JSONValue {
        var reader = JSONReader(body, builds: true)
        return try reader.whole()
    }

    /// Checks a body that something else decodes: that it is such JSON, and that its texts follow `TextRule`, line ends
    /// allowed.
    ///
    /// - Throws: a problem that names the member at fault.
    public static func check(_ body: [UInt8]) throws(Problem) {
        var reader = JSONReader(body, builds: false)
        _ = try reader.whole()
    }

    private mutating func whole() throws(Problem) -> JSONValue {
        try requireUTF8()
        skipSpace()
        let value = try value()
        skipSpace()
        guard at == bytes.count else { throw malformed("there is more after the value") }
        return value
    }

    private mutating func requireUTF8() throws(Problem) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw malformed("it begins with a byte order mark; leave it out")
        }
        // A first character of ASCII has a zero beside it in UTF-16 and UTF-32 (RFC 4627 section 3).
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(2).contains(0) {
            throw malformed("it is UTF-16 or UTF-32; send UTF-8")
        }
        do throws(Unicode.UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            at = error.byteOffsets.lowerBound
            throw malformed("it is not UTF-8")
        }
    }

    private func malformed(_ words: String) -> Problem {
        Problem(
            .malformedRequest,
            "cannot read the body: it is not JSON as of RFC 8259 in UTF-8, at byte \(at): \(words)")
    }

    private func fault(_ detail: String) -> Problem {
        let pointer = path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
        return Problem(
            .invalidRequest, "cannot take the request: \(pointer.isEmpty ? "body" : pointer) (\(detail))",
            errors: [.init(path: pointer, detail: detail)])
    }

    // MARK: Values

    private mutating func value() throws(Problem) -> JSONValue {
        values += 1
        guard values <= Self.mostValues else {
            throw malformed("it has more than \(Self.mostValues) values; send less at once")
        }
        guard at < bytes.count else { throw malformed("it ends where a value belongs") }
        switch bytes[at] {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""):
            let text = try string()
            if !builds, let complaint = Self.complaint(text) { throw fault(complaint) }
            return .string(text)
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    /// Blank text is no fault here: what a member needs, its own reader says.
    private static func complaint(_ text: String) -> String? {
        guard let bad = text.unicodeScalars.first(where: { TextRule.forbids($0, hasLines: true) }) else { return nil }
        return TextRule.complaint(String(bad), hasLines: true)
    }

    private mutating func word(_ letters: StaticString, _ value: JSONValue) throws(Problem) -> JSONValue {
        let end = at + letters.utf8CodeUnitCount
        guard end <= bytes.count, bytes[at..<end].elementsEqual(letters.description.utf8) else {
            throw malformed("no value begins so")
        }
        at = end
        return value
    }

    private mutating func enter() throws(Problem) {
        guard path.count < Self.depth else {
            throw Problem(.malformedRequest, "cannot read the body: it nests deeper than \(Self.depth) levels")
        }
        at += 1
        path.append("")
        skipSpace()
    }

    private mutating func object() throws(Problem) -> JSONValue {
        try enter()
        var members: [String: JSONValue] = [:]
        while !skip(UInt8(ascii: "}")) {
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                throw malformed("a member's name belongs here")
            }
            let name = try string()
            path[path.count - 1] = name
            if !builds, let complaint = Self.complaint(name) { throw fault(complaint) }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw malformed("a colon belongs here") }
            skipSpace()
            let value = try value()
            guard members.updateValue(builds ? value : .null, forKey: name) == nil else {
                throw fault("the member is there twice")
            }
            try separate(before: UInt8(ascii: "}"))
        }
        path.removeLast()
        return .object(members)
    }

    private mutating func array() throws(Problem) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        var index = 0
        while !skip(UInt8(ascii: "]")) {
            path[path.count - 1] = String(index)
            let value = try value()
            if builds { elements.append(value) }
            index += 1
            try separate(before: UInt8(ascii: "]"))
        }
        path.removeLast()
        return .array(elements)
    }

    /// Passes the comma between two, or stands before the end.
    private mutating func separate(before end: UInt8) throws(Problem) {
        skipSpace()
        if at < bytes.count, bytes[at] == end { return }
        guard skip(UInt8(ascii: ",")) else { throw malformed("a comma or the end belongs here") }
        skipSpace()
        if at < bytes.count, bytes[at] == end { throw malformed("nothing follows the comma") }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }
}

// MARK: Numbers and strings

extension JSONReader {
    private mutating func number() throws(Problem) -> JSONValue {
        let start = at
        _ = skip(UInt8(ascii: "-"))
        let hasLeadingZero = at < bytes.count && bytes[at] == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !hasLeadingZero || whole == 1 else { throw malformed("no value begins so") }
        if skip(UInt8(ascii: ".")), digits() == 0 { throw malformed("a digit belongs here") }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw malformed("a digit belongs here") }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        guard at - start <= 1000, let value = Double(text), value.isFinite else {
            throw malformed("a number is too large")
        }
        return builds && Self.saysMore(text, than: value) ? .decimal(value, text: text) : .number(value)
    }

    /// Whether a number's text has decimals that the number does not keep: 5.50 is measured better than 5.5.
    private static func saysMore(_ text: String, than value: Double) -> Bool {
        text.contains(".") && !text.contains { "eE".contains($0) } && (text != "\(value)" || text.hasSuffix(".0"))
    }

    private mutating func digits() -> Int {
        let start = at
        while at < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at]) { at += 1 }
        return at - start
    }

    private mutating func string() throws(Problem) -> String {
        at += 1
        var start = at
        var text = ""
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[start..<at], as: UTF8.self)
                at += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[start..<at], as: UTF8.self)
                text.unicodeScalars.append(try escape())
                start = at
            case 0x00..<0x20: throw malformed("a control character within a string; write it as an escape")
            default: at += 1
            }
        }
        throw malformed("a string has no end")
    }

    private mutating func escape() throws(Problem) -> Unicode.Scalar {
        at += 1
        do throws(JSONEscape.Fault) {
            return try JSONEscape.scalar(in: bytes, at: &at)
        } catch {
            switch error {
            case .cut: throw malformed("a string has no end")
            case .digits: throw malformed("four hexadecimal digits belong here")
            case .surrogate: throw malformed("half of a surrogate pair")
            case .unknown: throw malformed("no such escape")
            }
        }
    }
}
