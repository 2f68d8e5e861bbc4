/// Encodes into a text. Each step is one access to the text: every one costs a check that it is the only one.
final class JSONWriter {
    fileprivate var output: JSONOutput

    init(nonFinite: JSONText.NonFinite) { output = JSONOutput(nonFinite: nonFinite) }

    func finish() throws -> [UInt8] { try output.finish() }

    func write(_ value: some Encodable) throws {
        let outer = output.beginValue()
        try value.encode(to: self)
        output.endValue(outer)
    }

    fileprivate func begin(isObject: Bool) -> JSONOutput.Place { output.begin(isObject: isObject) }
    fileprivate func null() { output.null() }
    fileprivate func bool(_ value: Bool) { output.bool(value) }
    fileprivate func text(_ value: String) { output.text(value) }
    fileprivate func integer(_ value: some BinaryInteger) { output.integer(value) }
    fileprivate func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws {
        try output.number(value)
    }
}

// MARK: - What values see

extension JSONWriter: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONObjectWriter(writer: self, place: output.open(isObject: true)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: self, place: output.open(isObject: false))
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
    let place: JSONOutput.Place

    var codingPath: [any CodingKey] { [] }

    private func at(_ key: Key) -> JSONWriter {
        writer.output.key(key, in: place)
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
        KeyedEncodingContainer(JSONObjectWriter<Nested>(writer: writer, place: at(key).begin(isObject: true)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: writer, place: at(key).begin(isObject: false))
    }

    func superEncoder() -> any Encoder {
        writer.output.fail("encoders of superclasses are not supported")
        return writer
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct JSONArrayWriter: UnkeyedEncodingContainer {
    let writer: JSONWriter
    let place: JSONOutput.Place

    var codingPath: [any CodingKey] { [] }
    var count: Int { writer.output.count(of: place) }

    private func next() -> JSONWriter {
        writer.output.enter(place)
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
        KeyedEncodingContainer(JSONObjectWriter<Nested>(writer: writer, place: next().begin(isObject: true)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONArrayWriter(writer: writer, place: next().begin(isObject: false))
    }

    func superEncoder() -> any Encoder {
        writer.output.fail("encoders of superclasses are not supported")
        return writer
    }
}
