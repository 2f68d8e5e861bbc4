internal import KonzaModel

/// What operators far away want of a station's settings, judged: a layer over what the station's keeper wrote.
public struct RemoteSettings: Sendable, Equatable {
    /// All that can be set from afar: what a mistake, or a stolen key, cannot do harm with. Nothing of the network, of files,
    /// people, users and sockets, and nothing that lets records go.
    public static let allowed: [String: Set<String>] = [
        "General": ["Place"],
        "Camera": ["Mirror", "PowerLineFrequency", "ExposureDynamicFramerate", "Quality"],
        "Postcards": ["Template", "MessageLimit", "MaxCountdown"],
    ]
    /// The most settings that are wanted at one time.
    public static let mostSettings = 64
    /// The longest name of a section or a key, and the longest value, bytes.
    public static let longestName = 40
    public static let longestValue = 1024

    /// A key and the value that it is to have.
    public struct Entry: Sendable, Equatable {
        public let section: String
        public let key: String
        /// As in konzad.conf; an empty one is the default.
        public let value: String

        public init(section: String, key: String, value: String) {
            self.section = section
            self.key = key
            self.value = value
        }
    }

    /// A key that is not set, and why.
    public struct Refusal: Sendable, Equatable {
        public let section: String
        public let key: String
        public let reason: String

        public init(section: String, key: String, reason: String) {
            self.section = section
            self.key = key
            self.reason = reason
        }
    }

    /// Of what is wanted; a lower one is older.
    public let version: Int64
    public let applied: [Entry]
    public let refused: [Refusal]

    /// Judges what is wanted, whoever has judged it before.
    ///
    /// - Parameters:
    ///   - version: of it.
    ///   - wanted: each key once; of a key that is there twice the first counts.
    ///   - refused: what was refused before it came here.
    ///   - objection: why the station cannot take a value that fits; nil if it can.
    public init(
        version: Int64, wanted: [Entry], refused: [Refusal] = [],
        objection: (Entry) -> String? = { _ in nil }
    ) {
        self.version = version
        var applied: [Entry] = []
        var refused = refused
        for entry in wanted {
            let isThere = applied.contains { $0.section == entry.section && $0.key == entry.key }
            let reason = isThere ? "it is there twice" : Self.objection(to: entry) ?? objection(entry)
            if let reason {
                refused.append(Refusal(section: entry.section, key: entry.key, reason: reason))
            } else {
                applied.append(entry)
            }
        }
        self.applied = applied
        self.refused = refused
    }

    /// Whether a text may name a section or a key.
    public static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(\.isLetterOrDigit)
    }

    /// Why a value cannot be set from afar; nil if it can.
    public static func objection(to entry: Entry) -> String? {
        guard allowed[entry.section]?.contains(entry.key) == true else { return "it cannot be set from afar" }
        let value = entry.value
        // As a line of a configuration would hold it.
        let isLine =
            value.utf8.count <= longestValue && !value.hasSuffix("\\")
            && TextRule.complaint(value) == nil && !value.hasPrefix(" ") && !value.hasSuffix(" ")
        guard isLine else { return "its value is no line of text that a configuration can hold" }
        do throws(SettingsErrors) {
            _ = try StationSettings.parse(Array("[\(entry.section)]\n\(entry.key)=\(value)\n".utf8), file: "desired")
            return nil
        } catch {
            return error.problems.first?.reason ?? "its value does not fit"
        }
    }

    /// The settings with this layer over them. A station that belongs to no fleet, or whose keeper wants none of it
    /// (`RemoteSettings=no`), has its own alone.
    public func over(_ own: StationSettings) -> StationSettings {
        guard Self.isWanted(by: own) else { return own }
        var settings = own
        for entry in applied {
            // Judged already; what this version of the program no longer takes is left out.
            guard Self.objection(to: entry) == nil, let key = SettingsTable.key(entry.key, in: entry.section) else {
                continue
            }
            try? key.apply(entry.value, false, &settings)
        }
        return settings
    }

    /// Whether a station takes settings from afar.
    public static func isWanted(by settings: StationSettings) -> Bool {
        settings.fleet.broker != nil && settings.fleet.remoteSettings
    }

    /// A key's value as the settings have it; nil for a key that nobody knows, or a secret one.
    public static func text(of key: String, in section: String, _ settings: StationSettings) -> String? {
        guard let key = SettingsTable.key(key, in: section), !key.isSecret else { return nil }
        return key.text(settings)
    }

    /// Whether a key takes effect only when konzad starts again.
    public static func needsRestart(_ entry: Entry) -> Bool {
        SettingsTable.key(entry.key, in: entry.section)?.needsRestart ?? false
    }
}
