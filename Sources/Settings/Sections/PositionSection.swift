extension StationSettings {
    /// Where the position comes from.
    public enum PositionSource: String, Sendable, CaseIterable {
        case gpsd
        case recorded
    }

    public struct Position: Sendable, Equatable {
        public var source = PositionSource.gpsd
        public var gpsd = Endpoint(host: "127.0.0.1", port: 2947)
        /// nil for the recording that konzad carries.
        public var recording: String?
        /// How many recorded seconds pass in one second.
        public var recordingRate = 1.0
        /// Seconds.
        public var staleAfter = 2.5
        /// Seconds.
        public var maxGap = 10.0
        /// Seconds.
        public var maxExtrapolation = 2.0
        /// Seconds.
        public var geotagWait = 1.2
        /// Minutes.
        public var trackMinutes = 30
    }
}

extension SettingsTable {
    static let position = [
        SettingDescription(
            SettingKey(
                "Position", "Source", \.position.source, .choice(),
                "Where the position comes from: a receiver by way of gpsd, or a recording, which every reply then says."
            )
        ),
        SettingDescription(
            SettingKey("Position", "GPSD", \.position.gpsd, .endpoint(), "Where gpsd listens.")),
        SettingDescription(
            SettingKey(
                "Position", "Recording", \.position.recording, .optionalPath(),
                "A recording of gpsd's JSON or of NMEA sentences, for Source=recorded. Empty: the walk that konzad "
                    + "carries.")),
        SettingDescription(
            SettingKey(
                "Position", "RecordingRate", \.position.recordingRate, .number(0.1...100),
                "How many recorded seconds pass in one second.")),
        SettingDescription(
            SettingKey(
                "Position", "StaleAfter", \.position.staleAfter, .duration(1...600), needsRestart: true,
                "A fix older than this is called stale.")),
        SettingDescription(
            SettingKey(
                "Position", "MaxGap", \.position.maxGap, .duration(1...300), needsRestart: true,
                "No position is interpolated between fixes that are farther apart than this.")),
        SettingDescription(
            SettingKey(
                "Position", "MaxExtrapolation", \.position.maxExtrapolation, .duration(0...30), needsRestart: true,
                "No position is given for an instant that is later than the newest fix by more than this.")),
        SettingDescription(
            SettingKey(
                "Position", "GeotagWait", \.position.geotagWait, .duration(0...10),
                "How long a postcard waits for the fix after its exposure, to interpolate rather than extrapolate.")),
        SettingDescription(
            SettingKey(
                "Position", "TrackMinutes", \.position.trackMinutes, .integer(1...1440), needsRestart: true,
                "How many minutes of the track are kept in memory.")),
    ]
}
