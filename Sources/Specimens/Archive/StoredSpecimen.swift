internal import FoundationEssentials
internal import JSONCoding
internal import KonzaModel
internal import Storage

/// What is written into `specimen.json` and into its row: the specimen, and what the archive needs to know beside it.
struct StoredSpecimen: Codable, Sendable {
    /// No `specimen.json` is larger, bytes.
    static let maximumSize = 1 << 20
    /// Counts that a file may have: what is added to them stays far from overflowing.
    private static let counts = 0...(1 << 40)

    var specimen: Specimen
    /// The request that opened it.
    var idempotency: IdempotencyKey?
    /// How many photographs were ever taken of it: names of files are not used again.
    var photographsTaken: Int

    private enum Keys: String, CodingKey {
        case idempotency
        case photographsTaken
    }

    init(_ specimen: Specimen, idempotency: IdempotencyKey?) {
        self.specimen = specimen
        self.idempotency = idempotency
        photographsTaken = 0
    }

    init(from decoder: any Decoder) throws {
        specimen = try Specimen(from: decoder)
        let own = try decoder.container(keyedBy: Keys.self)
        idempotency = try own.decodeIfPresent(IdempotencyKey.self, forKey: .idempotency)
        photographsTaken =
            try own.decodeIfPresent(Int.self, forKey: .photographsTaken) ?? specimen.photographs.count
        photographsTaken = Self.bounded(photographsTaken)
        specimen.revision = max(1, Self.bounded(specimen.revision))
        for index in specimen.photographs.indices {
            specimen.photographs[index].byteCount = Self.bounded(specimen.photographs[index].byteCount)
        }
    }

    private static func bounded(_ count: Int) -> Int { min(max(counts.lowerBound, count), counts.upperBound) }

    func encode(to encoder: any Encoder) throws {
        try specimen.encode(to: encoder)
        var own = encoder.container(keyedBy: Keys.self)
        try own.encodeIfPresent(idempotency, forKey: .idempotency)
        try own.encode(photographsTaken, forKey: .photographsTaken)
    }
}

/// The texts of the archive's small files, with sorted members so that equal values are equal bytes.
enum StoredText {
    static func encode(_ value: some Encodable, limit: Int) throws(SpecimenError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let bytes: [UInt8]
        do {
            bytes = Array(try encoder.encode(value))
        } catch {
            throw .invalid("a value cannot be written as JSON: \(error)")
        }
        guard bytes.count <= limit else { throw .tooLarge(bytes: bytes.count, limit: limit) }
        return bytes
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: some Collection<UInt8>) -> Value? {
        try? JSONText.decode(type, from: Array(bytes))
    }
}
