internal import KonzaModel

/// Where the values of a text are: a list in the order of the text, in which objects and arrays are followed by what is
/// in them, and members are a name and a value.
final class JSONTree {
    enum Kind: UInt8 {
        case null, no, yes, number, string, array, object
    }

    struct Entry {
        let kind: Kind
        /// Whether a string has escapes.
        var hasEscapes = false
        /// Of the text of a number or between the quotation marks of a string.
        var start: Int32
        var end: Int32
        /// The entry behind this one and all that is in it.
        var next: Int32 = 0
    }

    /// How deep arrays and objects may nest.
    private static let depth = 512

    let bytes: [UInt8]
    private(set) var entries: [Entry] = []
    let nonFinite: JSONText.NonFinite
    private var at = 0

    init(_ bytes: [UInt8], nonFinite: JSONText.NonFinite) throws {
        self.bytes = bytes
        self.nonFinite = nonFinite
        guard bytes.count < Int32.max else { throw Self.malformed("it is too long") }
        do throws(Unicode.UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw Self.malformed("it is not UTF-8")
        }
        entries.reserveCapacity(bytes.count / 10 + 4)
        try scan()
    }

    static func malformed(_ words: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "cannot read the JSON: \(words)"))
    }

    // MARK: - Scanning

    /// Goes over the text once, without recursion: how deep it nests is up to whoever wrote it.
    private func scan() throws {
        var open: [Int32] = []
        repeat {
            skipSpace()
            if try begin() {
                guard open.count < Self.depth else { throw Self.malformed("it nests deeper than \(Self.depth) levels") }
                open.append(Int32(entries.count - 1))
            }
            while let last = open.last, try ends(last) {
                entries[Int(last)].next = Int32(entries.count)
                open.removeLast()
            }
        } while !open.isEmpty
        skipSpace()
        guard at == bytes.count else { throw Self.malformed("there is more after the value, at byte \(at)") }
    }

    /// Reads one value, or the beginning of an object or array.
    ///
    /// - Returns: whether it is one.
    private func begin() throws -> Bool {
        switch byte {
        case UInt8(ascii: "{"): return open(.object)
        case UInt8(ascii: "["): return open(.array)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: try number()
        }
        return false
    }

    private func open(_ kind: Kind) -> Bool {
        at += 1
        entries.append(Entry(kind: kind, start: Int32(at), end: Int32(at)))
        return true
    }

    /// Stands behind a value in an object or array, or at its beginning. Passes its end; else goes to where its next
    /// value belongs.
    private func ends(_ index: Int32) throws -> Bool {
        let isObject = entries[Int(index)].kind == .object
        skipSpace()
        if byte == UInt8(ascii: isObject ? "}" : "]") {
            at += 1
            return true
        }
        if index != entries.count - 1 {
            guard byte == UInt8(ascii: ",") else { throw unexpected() }
            at += 1
            skipSpace()
        }
        if isObject {
            guard byte == UInt8(ascii: "\"") else { throw unexpected() }
            try string()
            skipSpace()
            guard byte == UInt8(ascii: ":") else { throw unexpected() }
            at += 1
        }
        return false
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func unexpected() -> DecodingError {
        Self.malformed(at < bytes.count ? "something else belongs at byte \(at)" : "it ends too early")
    }

    private func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    private func append(_ kind: Kind, from start: Int, to end: Int, hasEscapes: Bool = false) {
        entries.append(
            Entry(
                kind: kind, hasEscapes: hasEscapes, start: Int32(start), end: Int32(end),
                next: Int32(entries.count + 1)))
    }

    private func word(_ letters: StaticString, _ kind: Kind) throws {
        let end = at + letters.utf8CodeUnitCount
        guard end <= bytes.count, bytes[at..<end].elementsEqual(letters.description.utf8) else { throw unexpected() }
        append(kind, from: at, to: end)
        at = end
    }

    private func string() throws {
        at += 1
        let start = at
        var hasEscapes = false
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                append(.string, from: start, to: at, hasEscapes: hasEscapes)
                at += 1
                return
            case UInt8(ascii: "\\"):
                hasEscapes = true
                at += 1
                do throws(JSONEscape.Fault) {
                    _ = try JSONEscape.scalar(in: bytes, at: &at)
                } catch {
                    throw Self.malformed("an escape is at fault at byte \(at)")
                }
            case 0..<0x20: throw Self.malformed("a control character within a string at byte \(at)")
            default: at += 1
            }
        }
        throw unexpected()
    }

    private func number() throws {
        let start = at
        if byte == UInt8(ascii: "-") { at += 1 }
        let hasLeadingZero = byte == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !hasLeadingZero || whole == 1 else { throw unexpected() }
        if byte == UInt8(ascii: ".") {
            at += 1
            guard digits() > 0 else { throw unexpected() }
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            at += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { at += 1 }
            guard digits() > 0 else { throw unexpected() }
        }
        append(.number, from: start, to: at)
    }

    private func digits() -> Int {
        let start = at
        while at < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at]) { at += 1 }
        return at - start
    }
}

// MARK: - Values

extension JSONTree {
    /// The value of a member of an object; nil if it is not there.
    func member(_ name: String, of object: Int) -> Int? {
        let end = Int(entries[object].next)
        let wanted = name.utf8Span.span
        var index = object + 1
        var found: Int?
        while index < end {
            if isName(index, name, wanted) { found = index + 1 }
            index = Int(entries[index + 1].next)
        }
        return found
    }

    private func isName(_ index: Int, _ name: String, _ wanted: Span<UInt8>) -> Bool {
        let entry = entries[index]
        if entry.hasEscapes { return text(index) == name }
        guard Int(entry.end - entry.start) == wanted.count else { return false }
        let start = Int(entry.start)
        for offset in wanted.indices where bytes[start + offset] != wanted[offset] { return false }
        return true
    }

    /// The names of an object's members.
    func names(of object: Int) -> [String] {
        var names: [String] = []
        var index = object + 1
        while index < Int(entries[object].next) {
            names.append(text(index))
            index = Int(entries[index + 1].next)
        }
        return names
    }

    /// How many elements an array has.
    func count(of array: Int) -> Int {
        var count = 0
        var index = array + 1
        while index < Int(entries[array].next) {
            count += 1
            index = Int(entries[index].next)
        }
        return count
    }

    func text(_ index: Int) -> String {
        let entry = entries[index]
        let range = Int(entry.start)..<Int(entry.end)
        guard entry.hasEscapes else { return String(decoding: bytes[range], as: UTF8.self) }
        var text = String.UnicodeScalarView()
        var plain = range.lowerBound
        var place = plain
        while place < range.upperBound {
            guard bytes[place] == UInt8(ascii: "\\") else {
                place += 1
                continue
            }
            text += String(decoding: bytes[plain..<place], as: UTF8.self).unicodeScalars
            place += 1
            // Each was read when the text was scanned.
            if let scalar = try? JSONEscape.scalar(in: bytes, at: &place) { text.append(scalar) }
            plain = place
        }
        text += String(decoding: bytes[plain..<range.upperBound], as: UTF8.self).unicodeScalars
        return String(text)
    }

    /// The digits of a number without fraction and exponent.
    func integer<Number: FixedWidthInteger>(_ index: Int) -> Number? {
        let entry = entries[index]
        let text = bytes[Int(entry.start)..<Int(entry.end)]
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Number = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else {
                return double(index).flatMap(Number.init(exactly:))
            }
            let digit = Number(byte - UInt8(ascii: "0"))
            let product = value.multipliedReportingOverflow(by: 10)
            let sum =
                isNegative
                ? product.partialValue.subtractingReportingOverflow(digit)
                : product.partialValue.addingReportingOverflow(digit)
            guard !product.overflow, !sum.overflow else { return nil }
            value = sum.partialValue
        }
        return value
    }

    /// - Returns: nil if the number is beyond a double.
    func double(_ index: Int) -> Double? {
        let entry = entries[index]
        let text = bytes[Int(entry.start)..<Int(entry.end)]
        if let value = Self.exact(text) { return value }
        return Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// Up to fifteen digits and as many decimals are a quotient of two doubles that are exact, and so is rounded right
    /// (Clinger, How to Read Floating Point Numbers Accurately, 1990).
    private static func exact(_ text: ArraySlice<UInt8>) -> Double? {
        guard text.count <= 16 else { return nil }
        var digits: UInt64 = 0
        var count = 0
        var decimals: Int?
        var isNegative = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + UInt64(byte - UInt8(ascii: "0"))
                count += 1
                if let known = decimals { decimals = known + 1 }
            case UInt8(ascii: "."): decimals = 0
            case UInt8(ascii: "-"): isNegative = true
            default: return nil
            }
        }
        guard count <= 15 else { return nil }
        let value = Double(digits) / powers[decimals ?? 0]
        return isNegative ? -value : value
    }
}
