/// A key whose value is another than before.
public struct SettingChange: Sendable, Equatable, CustomStringConvertible {
    public let section: String
    public let key: String
    /// As they would be written; `(secret)` for both where the key is.
    public let old: String
    public let new: String
    /// Whether a running daemon takes the new value only when it starts again.
    public let needsRestart: Bool

    public var description: String {
        let shown = { (text: String) in text.isEmpty ? "(empty)" : text }
        let rest = needsRestart ? ", from the next start on" : ""
        return "[\(section)] \(key)=: \(shown(old)) -> \(shown(new))\(rest)"
    }
}

extension StationSettings {
    /// Which keys have other values in the new settings, in the order of the table.
    public static func difference(from old: StationSettings, to new: StationSettings) -> [SettingChange] {
        SettingsTable.keys.compactMap { key in
            let (before, after) = (key.text(old), key.text(new))
            guard before != after else { return nil }
            return SettingChange(
                section: key.section, key: key.name, old: key.isSecret ? "(secret)" : before,
                new: key.isSecret ? "(secret)" : after, needsRestart: key.needsRestart)
        }
    }

    /// The settings as a configuration file would say them, every key, secrets left out.
    public var configurationText: String {
        var text = ""
        var section = ""
        // The keys of a section follow each other.
        for key in SettingsTable.keys where !key.isSecret {
            if key.section != section {
                text += "\(section.isEmpty ? "" : "\n")[\(key.section)]\n"
                section = key.section
            }
            text += "\(key.name)=\(key.text(self))\n"
        }
        return text
    }
}
