internal import FoundationEssentials
internal import KonzaAPI
internal import KonzaModel
internal import Settings
internal import Storage

/// What was set from afar, in konzad's own state folder: the SHA-256 of the second line, and in that line JSON. Only konzad writes it,
/// each time wholly or not at all; what does not fit is not used.
struct RemoteSettingsFile: Sendable {
    static let name = "fleet-settings"
    private static let mostBytes = 256 << 10

    /// What is kept of the last message. The version stays when the settings are dropped: the broker still has them.
    struct Kept: Codable, Sendable, Equatable {
        var version: Int64
        var takenAt: UTCInstant
        var isDropped: Bool
        var settings: [FleetDesiredRequest.Setting]
        var refused: [FleetDesiredRequest.Refusal]

        /// The layer, judged anew: the file may be of another version of the program.
        func layer(_ objection: (RemoteSettings.Entry) -> String? = { _ in nil }) -> RemoteSettings {
            RemoteSettings(
                version: version,
                wanted: isDropped ? [] : settings.map { .init(section: $0.section, key: $0.key, value: $0.value) },
                refused: refused.map { .init(section: $0.section, key: $0.key, reason: $0.reason) },
                objection: objection)
        }
    }

    /// What the file holds.
    enum Content: Sendable, Equatable {
        case none
        case kept(Kept)
        /// Why it cannot be used.
        case damaged(String)

        var kept: Kept? { if case .kept(let kept) = self { kept } else { nil } }
    }

    private let file: StateFile

    init(folder: String) { file = StateFile(Self.name, in: folder) }

    var path: String { file.path }

    func read() -> Content {
        do throws(FileError) {
            guard let bytes = try file.read(most: Self.mostBytes) else { return .none }
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            guard lines.count == 3, lines[2].isEmpty, Self.digest(Array(lines[1])) == Array(lines[0]),
                let kept = try? JSONDecoder().decode(Kept.self, from: Data(lines[1]))
            else { return .damaged("it is not as konzad wrote it") }
            return .kept(kept)
        } catch {
            return .damaged("\(error)")
        }
    }

    func write(_ kept: Kept) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = Array(try encoder.encode(kept))
        let newline = [UInt8(ascii: "\n")]
        try file.replace(with: Self.digest(text) + newline + text + newline)
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return Array(hash.hexadecimal().utf8)
    }
}
