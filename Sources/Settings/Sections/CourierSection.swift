extension StationSettings {
    public struct Courier: Sendable, Equatable {
        /// Names of network interfaces, `*` for any letters; empty for whatever the system takes.
        public var interfaces: [String] = []
        /// Bytes a second; nil for no limit.
        public var uploadRate: Int64?
        /// Addresses of feeds whose announcements are for the crew.
        public var feeds: [String] = []
        /// Addresses of feeds whose announcements are for everyone.
        public var publicFeeds: [String] = []
        /// Addresses of calendars that visitors see.
        public var calendars: [String] = []
        /// Seconds between two questions to a feed.
        public var feedInterval = 900.0
        /// The mail submission server (`smtp://` or `smtps://`); empty for no mail.
        public var mailServer = ""
        /// A file of certificates (PEM) that the mail server's is judged by; nil for the system's.
        public var mailAuthorities: String?
        public var mailUser = ""
        /// The sender of mail.
        public var mailFrom = ""
        /// Where messages are posted to; empty for nowhere.
        public var webhook = ""
    }
}

extension SettingsTable {
    static let courier =
        [
            SettingDescription(
                SettingKey(
                    "Courier", "Interfaces", \.courier.interfaces, .interfaces,
                    "The only networks that anything is sent over, the first that is up being taken; for example "
                        + "wlan0 eth*. Empty: whichever the system takes.")),
            SettingDescription(
                SettingKey(
                    "Courier", "UploadRate", \.courier.uploadRate, .sizeLimit(1 << 10...1 << 30),
                    "The most bytes to send in a second.")),
        ] + feeds + messages

    private static let feeds = [
        SettingDescription(
            SettingKey(
                "Courier", "Feeds", \.courier.feeds, .words("feed URL") { FeedAddress.isAddress($0) },
                "Feeds whose announcements are for the crew: Atom, JSON Feed, CAP 1.2, or the alerts of the National Weather "
                    + "Service. {latitude} and {longitude} in an address stand for the station's position. https only, plain http "
                    + "to this machine.")),
        SettingDescription(
            SettingKey(
                "Courier", "PublicFeeds", \.courier.publicFeeds, .words("feed URL") { FeedAddress.isAddress($0) },
                "Feeds whose announcements are for everyone, visitors at the kiosk among them; for example "
                    + "https://api.weather.gov/alerts/active?point={latitude},{longitude} for the alerts at the station."
            )),
        SettingDescription(
            SettingKey(
                "Courier", "Calendars", \.courier.calendars, .words("calendar URL") { FeedAddress.isAddress($0) },
                "iCalendar feeds (RFC 5545) whose events everyone sees, beside those of the files; 20 at most. https only, plain http "
                    + "to this machine.")),
        SettingDescription(
            SettingKey(
                "Courier", "FeedInterval", \.courier.feedInterval, .duration(1...day),
                "How long the courier waits between two questions to a feed or a calendar.")),
    ]

    private static let messages = [
        SettingDescription(
            SettingKey(
                "Courier", "MailServer", \.courier.mailServer, .address(of: ["smtps", "smtp"]),
                "The server that takes mail (RFC 6409), such as smtps://mail.example.org:465 or "
                    + "smtp://mail.example.org:587. The connection is always encrypted (smtp: STARTTLS), other than to this machine. "
                    + "Empty: no mail is sent.")),
        SettingDescription(
            SettingKey(
                "Courier", "MailAuthorities", \.courier.mailAuthorities, .optionalPath(),
                "A file of certificates (PEM) by which that of MailServer= is judged, for a server of the station's own institution. "
                    + "Empty: those of the system.")),
        SettingDescription(
            SettingKey(
                "Courier", "MailUser", \.courier.mailUser, .text(upTo: 120),
                "The account at MailServer=. Its password is the credential mail-password. Empty: without an account.")),
        SettingDescription(
            SettingKey(
                "Courier", "MailFrom", \.courier.mailFrom, .text(upTo: 200),
                "The sender of mail, such as station@example.org. Needed to send any.")),
        SettingDescription(
            SettingKey(
                "Courier", "Webhook", \.courier.webhook, .address(of: ["https", "http"]),
                "An address that every message is posted to as JSON, signed in the field Konza-Signature with HMAC-SHA256 by the "
                    + "credential webhook-key. https only, plain http to this machine. Empty: none.")),
    ]
}
