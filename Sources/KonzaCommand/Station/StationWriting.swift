internal import FoundationEssentials
internal import KonzaSystem

/// Writes what the station is sent.
enum StationWriting {
    static func bytes(_ value: some Encodable) throws(CommandFailure) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw CommandFailure("cannot write the request: \(error)", .software)
        }
    }
}
