/// Writes one value. Members are written as they come and put in order when their object ends.
final class JSONWriter {
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
    /// How many frames were open where the value that is being encoded began, and its place in `bytes`.
    private var base = (depth: 0, start: 0)
    private var failure: EncodingError?
    private let nonFinite: JSONText.NonFinite

    init(nonFinite: JSONText.NonFinite) {
        self.nonFinite = nonFinite
        bytes.reserveCapacity(1024)
    }

    func finish() throws -> [UInt8] {
        close(downTo: 0)
        if let failure { throw failure }
        return bytes
    }

    func write(_ value: some Encodable) throws {
        let outer = base
        base = (frames.count, bytes.count)
        try value.encode(to: self)
        close(downTo: base.depth)
        if bytes.count == base.start { bytes += [UInt8(ascii: "{"), UInt8(ascii: "}")] }
        base = outer
    }

    // MARK: - Objects and arrays

    /// The object or array that is the value being encoded, which may ask for it more than once.
    private func open(isObject: Bool) -> Place {
        if frames.count > base.depth {
            close(downTo: base.depth + 1)
            if frames[base.depth].isObject != isObject { fail("a value is an object and an array") }
            return Place(depth: base.depth, serial: frames[base.depth].serial)
        }
        if bytes.count > base.start { fail("a value is encoded twice") }
        return begin(isObject: isObject)
    }

    private func begin(isObject: Bool) -> Place {
        bytes.append(UInt8(ascii: isObject ? "{" : "["))
        serial += 1
        frames.append(Frame(isObject: isObject, serial: serial, start: bytes.count, firstMember: members.count))
        return Place(depth: frames.count - 1, serial: serial)
    }

    private func close(downTo depth: Int) {
        while frames.count > depth, let frame = frames.popLast() {
            if frame.isObject { endObject(frame) }
            bytes.append(UInt8(ascii: frame.isObject ? "}" : "]"))
        }
    }

    private func endObject(_ frame: Frame) {
        guard members.count > frame.firstMember else { return }
        endMember()
        let own = members[frame.firstMember...]
        let isSorted = zip(own, own.dropFirst()).allSatisfy { $0.isBefore($1, in: bytes) }
        if !isSorted { sort(frame) }
        members.removeSubrange(frame.firstMember...)
    }

    private func sort(_ frame: Frame) {
        // Few and nearly in order: sorting by insertion, which is stable.
        for index in (frame.firstMember + 1)..<members.count {
            let member = members[index]
            var place = index
            while place > frame.firstMember, member.isBefore(members[place - 1], in: bytes) {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
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

    private func endMember() { members[members.count - 1].end = bytes.count }

    /// Goes to where the next member or element of an object or array belongs.
    private func enter(_ place: Place) -> Bool {
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

    fileprivate func key(_ key: some CodingKey, in place: Place) {
        guard enter(place) else { return }
        let name = key.stringValue
        let start = bytes.count
        text(name)
        members.append(JSONMember(name, start: start, nameEnd: bytes.count))
        bytes.append(UInt8(ascii: ":"))
    }

    fileprivate func element(of place: Place) { _ = enter(place) }

    fileprivate func count(of place: Place) -> Int {
        frames.indices.contains(place.depth) ? frames[place.depth].count : 0
    }

    fileprivate func nested(isObject: Bool) -> Place { begin(isObject: isObject) }

    fileprivate func fail(_ words: String) {
        failure = failure ?? .invalidValue(words, .init(codingPath: [], debugDescription: words))
    }

    // MARK: - Values

    func null() { bytes += "null".utf8 }

    func bool(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }

    func integer(_ value: some BinaryInteger) { bytes += value.description.utf8 }

    func number<Number: BinaryFloatingPoint & CustomStringConvertible>(_ value: Number) throws {
        guard value.isFinite else { return try wordOf(value) }
        bytes += value.description.utf8
        if bytes.last == UInt8(ascii: "0"), bytes[bytes.count - 2] == UInt8(ascii: ".") { bytes.removeLast(2) }
    }

    private func wordOf<Number: BinaryFloatingPoint>(_ value: Number) throws {
        guard nonFinite == .words else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no number for \(value)"))
        }
        text(value.isNaN ? NonFiniteWord.none : value > 0 ? NonFiniteWord.positive : NonFiniteWord.negative)
    }

    func text(_ text: String) {
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

    private func escaped(_ text: String) {
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

// MARK: - What values see

extension JSONWriter: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONObjectWriter(writer: self, place: open(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: self, place: open(isObject: false))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JSONWriter: SingleValueEncodingContainer {
    func encodeNil() { null() }
    func encode(_ value: Bool) { bool(value) }
    func encode(_ value: String) { text(value) }
    func encode(_ value: Double) throws { try number(value) }
    func encode(_ value: Float) throws { try number(value) }
    func encode(_ value: Int) { integer(value) }
    func encode(_ value: Int8) { integer(value) }
    func encode(_ value: Int16) { integer(value) }
    func encode(_ value: Int32) { integer(value) }
    func encode(_ value: Int64) { integer(value) }
    func encode(_ value: UInt) { integer(value) }
    func encode(_ value: UInt8) { integer(value) }
    func encode(_ value: UInt16) { integer(value) }
    func encode(_ value: UInt32) { integer(value) }
    func encode(_ value: UInt64) { integer(value) }
    func encode(_ value: some Encodable) throws { try value.encode(to: self) }
}

private struct JSONObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter
    let place: JSONWriter.Place

    var codingPath: [any CodingKey] { [] }

    private func at(_ key: Key) -> JSONWriter {
        writer.key(key, in: place)
        return writer
    }

    func encodeNil(forKey key: Key) { at(key).null() }
    func encode(_ value: Bool, forKey key: Key) { at(key).bool(value) }
    func encode(_ value: String, forKey key: Key) { at(key).text(value) }
    func encode(_ value: Double, forKey key: Key) throws { try at(key).number(value) }
    func encode(_ value: Float, forKey key: Key) throws { try at(key).number(value) }
    func encode(_ value: Int, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: Int8, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: Int16, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: Int32, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: Int64, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: UInt, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: UInt8, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: UInt16, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: UInt32, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: UInt64, forKey key: Key) { at(key).integer(value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try at(key).write(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONObjectWriter<Nested>(writer: writer, place: at(key).nested(isObject: true)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: writer, place: at(key).nested(isObject: false))
    }

    func superEncoder() -> any Encoder {
        writer.fail("encoders of superclasses are not supported")
        return writer
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct JSONArrayWriter: UnkeyedEncodingContainer {
    let writer: JSONWriter
    let place: JSONWriter.Place

    var codingPath: [any CodingKey] { [] }
    var count: Int { writer.count(of: place) }

    private func next() -> JSONWriter {
        writer.element(of: place)
        return writer
    }

    func encodeNil() { next().null() }
    func encode(_ value: Bool) { next().bool(value) }
    func encode(_ value: String) { next().text(value) }
    func encode(_ value: Double) throws { try next().number(value) }
    func encode(_ value: Float) throws { try next().number(value) }
    func encode(_ value: Int) { next().integer(value) }
    func encode(_ value: Int8) { next().integer(value) }
    func encode(_ value: Int16) { next().integer(value) }
    func encode(_ value: Int32) { next().integer(value) }
    func encode(_ value: Int64) { next().integer(value) }
    func encode(_ value: UInt) { next().integer(value) }
    func encode(_ value: UInt8) { next().integer(value) }
    func encode(_ value: UInt16) { next().integer(value) }
    func encode(_ value: UInt32) { next().integer(value) }
    func encode(_ value: UInt64) { next().integer(value) }
    func encode(_ value: some Encodable) throws { try next().write(value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(JSONObjectWriter<Nested>(writer: writer, place: next().nested(isObject: true)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: writer, place: next().nested(isObject: false))
    }

    func superEncoder() -> any Encoder {
        writer.fail("encoders of superclasses are not supported")
        return writer
    }
}
