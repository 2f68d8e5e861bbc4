public import KonzaModel

extension StationSettings {
    public struct Specimens: Sendable, Equatable {
        public var numberTemplate = NumberTemplate.standard
        /// Metres, 95 %.
        public var wantedAccuracy = 10.0
        /// Bytes.
        public var maxPhotograph: Int64 = 64 << 20
        /// Bytes.
        public var maxExport: Int64 = 4 << 30
    }
}

extension SettingsTable {
    static let specimens = [
        SettingDescription(
            SettingKey(
                "Specimens", "NumberTemplate", \.specimens.numberTemplate, .numberTemplate,
                "How specimens are numbered that come without a number: text with {yyyy}, {yy}, {mm}, {dd} (the local "
                    + "day) and one {seq} or, with at least four digits, {seq:04}. The count begins at 1 whenever the "
                    + "rest changes, and never gives a number twice.")),
        SettingDescription(
            SettingKey(
                "Specimens", "WantedAccuracy", \.specimens.wantedAccuracy, .number(0.01...1000),
                "Metres. A specimen whose position is known less well than this, with 95 % probability, is submitted "
                    + "only with a reason, which is kept.")),
        SettingDescription(
            SettingKey(
                "Specimens", "MaxPhotograph", \.specimens.maxPhotograph, .size(64 << 10...256 << 20),
                needsRestart: true, "The largest photograph that is taken, uploaded or not.")),
        SettingDescription(
            SettingKey(
                "Specimens", "MaxExport", \.specimens.maxExport, .size(1 << 20...1 << 40),
                "The largest file that specimens are exported in. It lies on the disk of the archive until it is sent, "
                    + "and never touches what is left free on purpose.")),
    ]
}
