extension StationSettings {
    public struct SESAR: Sendable, Equatable {
        public var submit = false
        /// The base URL, with `/api` left out.
        public var url = "https://api.geosamples.org"
        /// The account's code, a part of its numbers.
        public var code = ""
    }
}

extension SettingsTable {
    static let sesar = [
        SettingDescription(
            SettingKey(
                "SESAR", "Submit", \.sesar.submit, .boolean,
                "Whether specimens may be registered at SESAR for an IGSN. Nothing is sent without it.")),
        SettingDescription(
            SettingKey(
                "SESAR", "URL", \.sesar.url, .webAddress,
                "The registry, up to what comes before /api/. An account is sent over https only.")),
        SettingDescription(
            SettingKey(
                "SESAR", "Code", \.sesar.code, .text(upTo: 16),
                "The account's SESAR code, a part of its numbers. Its tokens are a credential, never a setting.")),
    ]
}
