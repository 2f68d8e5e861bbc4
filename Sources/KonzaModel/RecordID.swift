private let idLength = 26
private let idAlphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

/// What a character of an id counts; nil for one that no id has.
private func idValue(of character: UInt8) -> UInt64? {
    // The letters without i, l, o and u.
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(character - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "h"): UInt64(character - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "j"), UInt8(ascii: "k"): UInt64(character - UInt8(ascii: "j")) + 18
    case UInt8(ascii: "m"), UInt8(ascii: "n"): UInt64(character - UInt8(ascii: "m")) + 20
    case UInt8(ascii: "p")...UInt8(ascii: "t"): UInt64(character - UInt8(ascii: "p")) + 22
    case UInt8(ascii: "v")...UInt8(ascii: "z"): UInt64(character - UInt8(ascii: "v")) + 27
    default: nil
    }
}

/// The name of one thing that the station keeps, such as a postcard or a specimen: 26 lower-case characters of
/// Crockford's base 32, a 48-bit count of milliseconds since 1970 and then 80 random bits (the layout of a ULID). Ids
/// sort by time, are safe in URLs and file names, and are never reused. `Kind` keeps the ids of different things apart.
public struct RecordID<Kind>: Hashable, Comparable, Sendable, Codable, LosslessStringConvertible {
    /// The number of characters.
    public static var length: Int { idLength }

    private let text: String

    /// - Returns: nil unless the text is an id as this type writes it; the text is then safe as a file name.
    public init?(_ text: String) {
        guard text.utf8.count == idLength, let first = text.utf8.first, first <= UInt8(ascii: "7"),
            text.utf8.allSatisfy({ idValue(of: $0) != nil })
        else { return nil }
        self.text = text
    }

    /// Makes an id.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970; only the low 48 bits are kept.
    ///   - high: the upper 16 of the random bits.
    ///   - low: the lower 64 of the random bits.
    public init(milliseconds: UInt64, high: UInt16, low: UInt64) {
        var top = (milliseconds & 0xFFFF_FFFF_FFFF) << 16 | UInt64(high)
        var bottom = low
        var characters = [UInt8](repeating: 0, count: idLength)
        for index in stride(from: idLength - 1, through: 0, by: -1) {
            characters[index] = idAlphabet[Int(bottom & 31)]
            bottom = bottom >> 5 | (top & 31) << 59
            top >>= 5
        }
        text = String(decoding: characters, as: UTF8.self)
    }

    /// Makes an id of an instant, with random bits of its own; a clock before 1970 counts as 0. Ids of one millisecond are in
    /// no order.
    ///
    /// - Parameter instant: when it is made.
    /// - Returns: the id.
    public static func random(at instant: UTCInstant) -> RecordID {
        RecordID(
            milliseconds: UInt64(max(0, instant.nanoseconds)) / 1_000_000, high: .random(in: 0 ... .max),
            low: .random(in: 0 ... .max))
    }

    public var description: String { text }

    /// The time in the id, milliseconds since 1970.
    public var milliseconds: UInt64 {
        // The first ten characters are the 48 bits of time behind two bits that are zero.
        text.utf8.prefix(10).reduce(0) { value, character in
            value << 5 | (idValue(of: character) ?? 0)
        }
    }

    public static func < (left: RecordID, right: RecordID) -> Bool { left.text < right.text }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let id = RecordID(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not an id: \(text)"))
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The name of a postcard.
public typealias PostcardID = RecordID<PostcardRecord>
/// The name of a specimen; its number is what people call it.
public typealias SpecimenID = RecordID<Specimen>
/// The name of a photograph of a specimen.
public typealias PhotographID = RecordID<Photograph>
