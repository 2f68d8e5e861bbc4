internal import KonzaModel

/// Goes over a text once and notes where its values are.
struct JSONScanner {
    /// How deep arrays and objects may nest.
    private static let depth = 512

    private let bytes: [UInt8]
    private var entries: [JSONTree.Entry] = []
    private var at = 0

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        guard bytes.count < Int32.max else { throw JSONTree.malformed("it is too long") }
        do throws(Unicode.UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw JSONTree.malformed("it is not UTF-8")
        }
        entries.reserveCapacity(bytes.count / 10 + 4)
    }

    /// Works without recursion: how deep the text nests is up to whoever wrote it.
    mutating func scan() throws -> [JSONTree.Entry] {
        var open: [Int32] = []
        repeat {
            skipSpace()
            if try begin() {
                guard open.count < Self.depth else {
                    throw JSONTree.malformed("it nests deeper than \(Self.depth) levels")
                }
                open.append(Int32(entries.count - 1))
            }
            while let last = open.last, try ends(last) {
                entries[Int(last)].next = Int32(entries.count)
                open.removeLast()
            }
        } while !open.isEmpty
        skipSpace()
        guard at == bytes.count else { throw JSONTree.malformed("there is more after the value, at byte \(at)") }
        return entries
    }

    /// Reads one value, or the beginning of an object or array.
    ///
    /// - Returns: whether it is one.
    private mutating func begin() throws -> Bool {
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

    private mutating func open(_ kind: JSONTree.Kind) -> Bool {
        at += 1
        entries.append(JSONTree.Entry(kind: kind, start: Int32(at), end: Int32(at)))
        return true
    }

    /// Stands behind a value in an object or array, or at its beginning. Passes its end; else goes to where its next
    /// value belongs.
    private mutating func ends(_ index: Int32) throws -> Bool {
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
        JSONTree.malformed(at < bytes.count ? "something else belongs at byte \(at)" : "it ends too early")
    }

    private mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    private mutating func append(_ kind: JSONTree.Kind, from start: Int, to end: Int, hasEscapes: Bool = false) {
        entries.append(
            JSONTree.Entry(
                kind: kind, hasEscapes: hasEscapes, start: Int32(start), end: Int32(end),
                next: Int32(entries.count + 1)))
    }

    private mutating func word(_ letters: StaticString, _ kind: JSONTree.Kind) throws {
        let end = at + letters.utf8CodeUnitCount
        guard end <= bytes.count, bytes[at..<end].elementsEqual(letters.description.utf8) else { throw unexpected() }
        append(kind, from: at, to: end)
        at = end
    }

    private mutating func string() throws {
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
                    throw JSONTree.malformed("an escape is at fault at byte \(at)")
                }
            case 0..<0x20: throw JSONTree.malformed("a control character within a string at byte \(at)")
            default: at += 1
            }
        }
        throw unexpected()
    }

    private mutating func number() throws {
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

    private mutating func digits() -> Int {
        let start = at
        while at < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[at]) { at += 1 }
        return at - start
    }
}
