internal import KonzaModel

/// Why an NMEA sentence cannot be used.
enum NMEAError: Error, Equatable {
    case notASentence
    case checksum(expected: UInt8, found: UInt8)
    case field(String)

    var text: String {
        switch self {
        case .notASentence: "it is no NMEA sentence ($...*hh)"
        case .checksum(let expected, let found):
            "its checksum is \(Self.hex(found)) and should be \(Self.hex(expected))"
        case .field(let name): "its \(name) cannot be read"
        }
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return text.utf8.count == 1 ? "0\(text)" : text
    }
}

/// One sentence of NMEA 0183, with its checksum verified.
struct NMEASentence {
    /// Without the talker: `RMC`.
    let type: String
    /// The sender: `GP`, `GN`, `GL` ...
    let talker: String
    /// The fields after the address, empty where the receiver knows nothing.
    private let fields: [Substring]

    init(_ line: some Collection<UInt8>) throws(NMEAError) {
        let bytes = Array(line)
        guard bytes.count >= 9, bytes.count <= 256, bytes[0] == UInt8(ascii: "$"),
            let star = bytes.lastIndex(of: UInt8(ascii: "*")), star == bytes.count - 3, star >= 6,
            bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }),
            let given = UInt8(String(decoding: bytes[(star + 1)...], as: UTF8.self), radix: 16)
        else { throw .notASentence }
        let sum = Self.checksum(bytes[1..<star])
        guard sum == given else { throw .checksum(expected: sum, found: given) }
        let body = String(decoding: bytes[1..<star], as: UTF8.self)
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        guard let address = parts.first, address.utf8.count >= 4 else { throw .notASentence }
        type = String(address.suffix(3))
        talker = String(address.dropLast(3))
        fields = Array(parts.dropFirst())
    }

    /// The exclusive or of the bytes between `$` and `*`.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, ^) }

    var count: Int { fields.count }

    /// A field's text; nil if it is empty or missing.
    func text(_ index: Int) -> Substring? {
        guard fields.indices.contains(index), !fields[index].isEmpty else { return nil }
        return fields[index]
    }

    /// A finite number; nil if the field is empty.
    func number(_ index: Int, _ name: String) throws(NMEAError) -> Double? {
        guard let text = text(index) else { return nil }
        guard let value = Double(text), value.isFinite, value.magnitude < 1e9 else { throw .field(name) }
        return value
    }

    func integer(_ index: Int, _ name: String) throws(NMEAError) -> Int? {
        guard let text = text(index) else { return nil }
        guard let value = Int(text), value.magnitude < 1_000_000_000 else { throw .field(name) }
        return value
    }

    /// The time of day `hhmmss.sss` in nanoseconds since midnight UTC.
    func timeOfDay(_ index: Int) throws(NMEAError) -> Int64? {
        guard let text = text(index) else { return nil }
        guard let instant = UTCInstant(rfc3339: "1970-01-01T\(Self.spread(text, ":", by: 2))Z") else {
            throw .field("time")
        }
        return instant.nanoseconds
    }

    /// The date `ddmmyy` as nanoseconds since 1970 of its midnight; years 80 to 99 are of the last century.
    func date(_ index: Int) throws(NMEAError) -> Int64? {
        guard let text = text(index) else { return nil }
        let digits = text.utf8.map { Int($0) - 48 }
        guard digits.count == 6, digits.allSatisfy({ (0...9).contains($0) }) else { throw .field("date") }
        let century = digits[4] >= 8 ? 19 : 20
        let date = "\(century)\(digits[4])\(digits[5])-\(digits[2])\(digits[3])-\(digits[0])\(digits[1])"
        guard let instant = UTCInstant(rfc3339: "\(date)T00:00:00Z") else { throw .field("date") }
        return instant.nanoseconds
    }

    /// The place in four fields: `ddmm.mmm`, N or S, `dddmm.mmm`, E or W.
    func coordinate(_ index: Int) throws(NMEAError) -> Coordinate? {
        guard text(index) != nil || text(index + 2) != nil else { return nil }
        let latitude = try angle(index, "N", "S", "latitude")
        let longitude = try angle(index + 2, "E", "W", "longitude")
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else { throw .field("position") }
        return place
    }

    private func angle(
        _ index: Int, _ positive: String, _ negative: String, _ name: String
    ) throws(NMEAError) -> Double {
        guard let value = try number(index, name), value >= 0, let side = text(index + 1) else { throw .field(name) }
        let degrees = (value / 100).rounded(.down)
        let minutes = value - degrees * 100
        guard minutes < 60, side == positive || side == negative else { throw .field(name) }
        let angle = degrees + minutes / 60
        return side == negative ? -angle : angle
    }

    /// Puts a separator after every pair of digits before the point.
    private static func spread(_ text: Substring, _ separator: Character, by width: Int) -> String {
        let whole = text.prefix { $0 != "." }
        var spread = ""
        for (index, digit) in whole.enumerated() {
            if index > 0, index % width == 0 { spread.append(separator) }
            spread.append(digit)
        }
        return spread + text.dropFirst(whole.count)
    }
}
