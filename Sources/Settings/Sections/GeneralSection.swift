extension StationSettings {
    public struct General: Sendable, Equatable {
        /// The folder of postcards and index.
        public var state = "/var/lib/konza"
        /// The Unix socket of the API.
        public var socket = "/run/konza.sock"
        /// A name of the time zone database; empty for the system's.
        public var timeZone = ""
        /// The place in captions.
        public var place = "Konza Prairie"
        /// The station's name in marks and metadata.
        public var station = "Konza"
    }
}

extension SettingsTable {
    static let general = [
        SettingDescription(
            SettingKey(
                "General", "State", \.general.state, .path(), needsRestart: true,
                "The folder that holds the postcards and their index. It is made if it is not there.")),
        SettingDescription(
            SettingKey(
                "General", "Socket", \.general.socket, .path(upTo: 107), needsRestart: true,
                "The Unix socket of the API. A socket that systemd passes takes its place.")),
        SettingDescription(
            SettingKey(
                "General", "TimeZone", \.general.timeZone, .text(upTo: 64), needsRestart: true,
                "The zone of the dates on postcards, as the time zone database names it (America/Chicago). Empty: the "
                    + "system's.")),
        SettingDescription(
            SettingKey(
                "General", "Place", \.general.place, .text(upTo: 80),
                "The place in a postcard's caption, unless the request names another.")),
        SettingDescription(
            SettingKey(
                "General", "Station", \.general.station, .text(upTo: 40),
                "The station's name, in its mark on postcards and in their metadata.")),
    ]
}
