/// A text that is being written. Members are written as they come and put in order when their object ends.
struct JSONOutput {
    /// An object or array that has begun and not ended.
    private struct Frame {
        let isObject: Bool
        /// Tells it from others that were open at the same depth.
        let serial: Int
        /// Where its content begins in `bytes`.
        let start: Int
        /// Where its members begin in `members`.
        let firstMember: Int
        var count = 0
    }

    /// How many frames were open where a value began, and where that was in `bytes`.
    struct Value {
        fileprivate let depth: Int
        fileprivate let start: Int
    }

    /// Which of the open objects and arrays a container writes to.
    struct Place {
        fileprivate let depth: Int
        fileprivate let serial: Int
    }

    private var bytes: [UInt8] = []
    private var frames: [Frame] = []
    private var members: [JSONMember] = []
    private var sorted: [UInt8] = []
    private var serial = 0
    private var value = Value(depth: 0, start: 0)
    private var failure: EncodingError?
    private let nonFinite: JSONText.NonFinite

    init(nonFinite: JSONText.NonFinite) {
        self.nonFinite = nonFinite
        bytes.reserveCapacity(1024)
    }

    mutating func finish() throws -> [UInt8] {
        close(downTo: 0)
        if let failure { throw failure }
        return bytes
    }

    /// Begins a value within the one that is being encoded.
    ///
    /// - Returns: the outer one, for ``endValue(_:)``.
    mutating func beginValue() -> Value {
        let outer = value
        value = Value(depth: frames.count, start: bytes.count)
        return outer
    }

    /// Ends what is left open of a value. One without anything is an empty object.
    mutating func endValue(_ outer: Value) {
        close(downTo: value.depth)
        if bytes.count == value.start { bytes += "{}".utf8 }
        value = outer
    }

    // MARK: - Objects and arrays

    /// The object or array that is the value being encoded, which may ask for it more than once.
    mutating func open(isObject: Bool) -> Place {
        if frames.count > value.depth {
            close(downTo: value.depth + 1)
            if frames[value.depth].isObject != isObject { fail("a value is an object and an array") }
            return Place(depth: value.depth, serial: frames[value.depth].serial)
        }
        if bytes.count > value.start { fail("a value is encoded twice") }
        return begin(isObject: isObject)
    }

    mutating func begin(isObject: Bool) -> Place {
        bytes.append(UInt8(ascii: isObject ? "{" : "["))
        serial += 1
        frames.append(Frame(isObject: isObject, serial: serial, start: bytes.count, firstMember: members.count))
        return Place(depth: frames.count - 1, serial: serial)
    }

    private mutating func close(downTo depth: Int) {
        while frames.count > depth, let frame = frames.popLast() {
            if frame.isObject { endObject(frame) }
            bytes.append(UInt8(ascii: frame.isObject ? "}" : "]"))
        }
    }

    private mutating func endObject(_ frame: Frame) {
        guard members.count > frame.firstMember else { return }
        endMember()
        let own = members[frame.firstMember...]
        let isSorted = zip(own, own.dropFirst()).allSatisfy { $0.isBefore($1, in: bytes) }
        if !isSorted { sort(frame) }
        members.removeSubrange(frame.firstMember...)
    }

    private mutating func sort(_ frame: Frame) {
        sortMembers(from: frame.firstMember)
        sorted.removeAll(keepingCapacity: true)
        for index in frame.firstMember..<members.count {
            // Of a member that was encoded twice the last one counts.
            if index + 1 < members.count, !members[index].isBefore(members[index + 1], in: bytes) { continue }
            if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
            sorted += bytes[members[index].start..<members[index].end]
        }
        bytes.removeSubrange(frame.start...)
        bytes += sorted
    }

    /// Members of one name stay in their order. Mostly they are few and nearly in order: then by insertion.
    private mutating func sortMembers(from first: Int) {
        guard members.count - first <= 64 else {
            members[first...].sort { [bytes] left, right in
                left.isBefore(right, in: bytes) || !right.isBefore(left, in: bytes) && left.start < right.start
            }
            return
        }
        for index in (first + 1)..<members.count {
            let member = members[index]
            var place = index
            while place > first, member.isBefore(members[place - 1], in: bytes) {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
    }

    private mutating func endMember() { members[members.count - 1].end = bytes.count }

    /// Goes to where the next member or element of an object or array belongs.
    @discardableResult
    mutating func enter(_ place: Place) -> Bool {
        close(downTo: place.depth + 1)
        guard frames.count == place.depth + 1, frames[place.depth].serial == place.serial else {
            fail("containers are not used in the order of their nesting")
            return false
        }
        if frames[place.depth].count > 0 {
            if frames[place.depth].isObject { endMember() }
            bytes.append(UInt8(ascii: ","))
        }
        frames[place.depth].count += 1
        return true
    }

    mutating func key(_ key: some CodingKey, in place: Place) {
        guard enter(place) else { return }
        let name = key.stringValue
        let start = bytes.count
        text(name)
        members.append(JSONMember(name, start: start, nameEnd: bytes.count))
        bytes.append(UInt8(ascii: ":"))
    }

    func count(of place: Place) -> Int {
        frames.indices.contains(place.depth) ? frames[place.depth].count : 0
    }

    mutating func fail(_ words: String) {
        failure = failure ?? .invalidValue(words, .init(codingPath: [], debugDescription: words))
    }

    // MARK: - Values

    mutating func null() { bytes += "null".utf8 }

    mutating func bool(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }

    mutating func integer(_ value: some BinaryInteger) { bytes += value.description.utf8 }

    mutating func number<Number: BinaryFloatingPoint & CustomStringConvertible>(_ value: Number) throws {
        guard value.isFinite else { return try wordOf(value) }
        bytes += value.description.utf8
        if bytes.last == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") { bytes.removeLast(2) }
    }

    private mutating func wordOf<Number: BinaryFloatingPoint>(_ value: Number) throws {
        guard nonFinite == .words else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no number for \(value)"))
        }
        text(value.isNaN ? NonFiniteWord.none : value > 0 ? NonFiniteWord.positive : NonFiniteWord.negative)
    }

    mutating func text(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.needsEscape(text) { escaped(text) } else { bytes += text.utf8 }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ text: String) -> Bool {
        let span = text.utf8Span.span
        for index in span.indices {
            let byte = span[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
        }
        return false
    }

    private mutating func escaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += #"\b"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0C: bytes += #"\f"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0..<0x20: bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
    }
}

/// Where a member of an object is in the text.
private struct JSONMember {
    /// The first eight bytes of the name: mostly they tell which of two comes first.
    let prefix: UInt64
    /// Of the name's quotation mark.
    let start: Int
    let nameEnd: Int
    var end = 0

    init(_ name: String, start: Int, nameEnd: Int) {
        var prefix: UInt64 = 0
        var count = 0
        for byte in name.utf8.prefix(8) {
            prefix = prefix << 8 | UInt64(byte)
            count += 1
        }
        self.prefix = prefix << UInt64(8 * (8 - count))
        self.start = start
        self.nameEnd = nameEnd
    }

    func isBefore(_ other: JSONMember, in bytes: [UInt8]) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        // Without the mark at the end, which comes behind a blank and before letters.
        return bytes[start..<(nameEnd - 1)].lexicographicallyPrecedes(bytes[other.start..<(other.nameEnd - 1)])
    }
}
