/// Every key there is. The reference, the shipped file and the check of a keeper's file all come from here.
public enum SettingsTable {
    /// All keys, by section.
    public static let keys: [SettingDescription] =
        general + position + camera + postcards + specimens + metPetDB + sesar + courier + api + portal
        + muster + trips + printing + terrain + fleet

    /// The sections in their order.
    public static let sections = keys.reduce(into: [String]()) { sections, key in
        if sections.last != key.section { sections.append(key.section) }
    }

    static func key(_ name: String, in section: String) -> SettingDescription? {
        keys.first { $0.section == section && $0.name == name }
    }

    static let day = 86_400.0
}
