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

    let bytes: [UInt8]
    let entries: [Entry]
    let nonFinite: JSONText.NonFinite

    init(_ bytes: [UInt8], nonFinite: JSONText.NonFinite) throws {
        self.bytes = bytes
        self.nonFinite = nonFinite
        var scanner = try JSONScanner(bytes)
        entries = try scanner.scan()
    }

    static func malformed(_ words: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "cannot read the JSON: \(words)"))
    }
}

// MARK: - Values

extension JSONTree {
    /// The value of a member of an object; nil if it is not there.
    func member(_ name: String, of object: Int) -> Int? {
        let end = Int(entries[object].next)
        let wanted = name.utf8Span.span
        var index = object + 1
        while index < end {
            if isName(index, name, wanted) { return index + 1 }
            index = Int(entries[index + 1].next)
        }
        return nil
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

    /// Beyond 2^53 a number with a fraction or an exponent is none: a double no longer tells it from its neighbours.
    func integer<Number: FixedWidthInteger>(_ index: Int) -> Number? {
        let entry = entries[index]
        let text = bytes[Int(entry.start)..<Int(entry.end)]
        let isNegative = text.first == UInt8(ascii: "-")
        var value: Number = 0
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else {
                return double(index).flatMap { abs($0) <= 0x1p53 ? Number(exactly: $0) : nil }
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
