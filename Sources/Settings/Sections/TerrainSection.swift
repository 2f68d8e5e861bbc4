extension StationSettings {
    public struct Terrain: Sendable, Equatable {
        /// nil for what konzad carries.
        public var folder: String?
        /// Metres above the ground.
        public var eyeHeight = 2.5
    }
}

extension SettingsTable {
    static let terrain = [
        SettingDescription(
            SettingKey(
                "Terrain", "Folder", \.terrain.folder, .optionalPath(), needsRestart: true,
                "The folder with the elevations of the ground, the landmarks and the magnetic model; its file SOURCES.md "
                    + "tells their form. Empty: those of Konza Prairie that konzad carries.")),
        SettingDescription(
            SettingKey(
                "Terrain", "EyeHeight", \.terrain.eyeHeight, .number(0...200),
                "The height in metres above the ground from which the skyline is seen.")),
    ]
}
