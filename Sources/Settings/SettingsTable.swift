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

    /// Where each key is, by its section and name with a full stop between them, which neither has.
    private static let places = Dictionary(
        uniqueKeysWithValues: keys.enumerated().map { ("\($1.section).\($1.name)", $0) })

    static func key(_ name: String, in section: String) -> SettingDescription? {
        places["\(section).\(name)"].map { keys[$0] }
    }

    static let day = 86_400.0
}
