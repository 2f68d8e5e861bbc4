extension StationSettings {
    public struct Postcards: Sendable, Equatable {
        public var template = "vintage"
        public var templateFolders = ["/etc/konza/templates", "/usr/share/konza/templates"]
        public var keepOriginal = true
        /// Characters.
        public var messageLimit = 80
        /// Seconds.
        public var maxCountdown = 10.0
        public var artist = ""
        public var copyright = ""
        /// Bytes; nil without a limit.
        public var maxBytes: Int64?
        /// Seconds; nil without a limit.
        public var maxAge: Double?
        /// nil without a limit.
        public var maxCount: Int?
        public var spaceReserve = SpaceShare.bytes(256 << 20)
    }
}

extension SettingsTable {
    static let postcards = [
        SettingDescription(
            SettingKey(
                "Postcards", "Template", \.postcards.template, .name(upTo: 64),
                "The template of a postcard whose request names none.")),
        SettingDescription(
            SettingKey(
                "Postcards", "TemplateFolders", \.postcards.templateFolders, .paths(), needsRestart: true,
                "Where templates are sought, the first that has one wins. Several lines add up.")),
        SettingDescription(
            SettingKey(
                "Postcards", "KeepOriginal", \.postcards.keepOriginal, .boolean,
                "Whether the camera's own frame is kept beside the postcard.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MessageLimit", \.postcards.messageLimit, .integer(0...500),
                "The longest message of a visitor, in characters.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxCountdown", \.postcards.maxCountdown, .duration(0...60),
                "The longest countdown that a request may ask for. At most 32 run at once, and one user has no more than are "
                    + "left for all others.")),
        SettingDescription(
            SettingKey(
                "Postcards", "Artist", \.postcards.artist, .text(upTo: 120), "The Artist in the metadata. Empty: none.")
        ),
        SettingDescription(
            SettingKey(
                "Postcards", "Copyright", \.postcards.copyright, .text(upTo: 200),
                "The Copyright in the metadata. Empty: none.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxBytes", \.postcards.maxBytes, .sizeLimit(1 << 20...Quantity.terabyte),
                "The most that all postcards may take; the oldest unprotected ones are deleted first.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxAge", \.postcards.maxAge, .durationLimit(3600...36_500 * day),
                "Unprotected postcards older than this are deleted, by a synchronised clock or the receiver's.")),
        SettingDescription(
            SettingKey(
                "Postcards", "MaxCount", \.postcards.maxCount, .limit(1...10_000_000),
                "The most postcards that are kept; the oldest unprotected ones are deleted first.")),
        SettingDescription(
            SettingKey(
                "Postcards", "SpaceReserve", \.postcards.spaceReserve, .share(),
                "What must stay free on the disk; room is made before a postcard is written, or it is refused.")),
    ]
}
