extension SettingsTable {
    static let feeds = [
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

    static let messages = [
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

    static let trips = [
        SettingDescription(
            SettingKey(
                "Trips", "OfficerAfter", \.trips.officerAfter, .duration(0...day), needsRestart: true,
                "How long after the expected return the officer is sent a message. The party itself is reminded when it is due."
            )),
        SettingDescription(
            SettingKey(
                "Trips", "ContactsAfter", \.trips.contactsAfter, .duration(0...7 * day), needsRestart: true,
                "How long after the expected return the party's contact is sent a message, and the screens ask to call it."
            )),
        SettingDescription(
            SettingKey(
                "Trips", "SheriffAfter", \.trips.sheriffAfter, .duration(0...7 * day), needsRestart: true,
                "How long after the expected return the screens show the number to call for a search.")),
        SettingDescription(
            SettingKey(
                "Trips", "Officer", \.trips.officer, .words("mail recipient") { MailAddress.isAddress($0) },
                needsRestart: true,
                "Mail addresses of whoever is sent a message when a trip is overdue.")),
        SettingDescription(
            SettingKey(
                "Trips", "Sheriff", \.trips.sheriff, .text(upTo: 60), needsRestart: true,
                "The number to call for a search, with who answers it, as in: Riley County +1 785 537 2112.")),
        SettingDescription(
            SettingKey(
                "Trips", "Keep", \.trips.keep, .duration(day...3650 * day), needsRestart: true,
                "How long a trip is kept after it ended.")),
    ]
}

/// Where a feed is.
enum FeedAddress {
    /// `https` in visible ASCII, or plain `http` to this machine; the position's names in braces are allowed.
    static func isAddress(_ text: Substring) -> Bool {
        guard (9...1000).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return false
        }
        return text.hasPrefix("https://") || LoopbackAddress.isLoopback(text, scheme: "http")
    }
}

/// Mail addresses (RFC 5321 section 4.1.2, without quoted local parts).
enum MailAddress {
    static func isAddress(_ text: Substring) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count), HostName.isName(parts[1]) else { return false }
        return parts[0].unicodeScalars.allSatisfy {
            $0.isASCII && ($0.isLetterOrDigit || "!#$%&'*+-/=?^_`{|}~.".unicodeScalars.contains($0))
        }
    }
}

/// Addresses of this machine.
enum LoopbackAddress {
    static func isLoopback(_ text: Substring, scheme: String) -> Bool {
        guard text.hasPrefix("\(scheme)://") else { return false }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return ["127.0.0.1", "localhost", "[::1]"].contains(String(host))
    }
}

extension ValueKind where Value == String {
    /// An address of one of these schemes, the first of which is encrypted, or nothing.
    static func address(of schemes: [String]) -> ValueKind {
        ValueKind("address", range: schemes.map { "\($0)://" }.joined(separator: " or ")) { text throws(ValueRefusal) in
            let isFit = text.utf8.count <= 500 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard isFit, schemes.contains(where: { text.hasPrefix("\($0)://") }), !text.contains("@") else {
                throw ValueRefusal(
                    "\"\(ConfigurationText.short(text))\" is no address that begins with \(schemes[0])://, without an account in it"
                )
            }
            if schemes.contains("http"), text.hasPrefix("http://"),
                !LoopbackAddress.isLoopback(text[...], scheme: "http")
            {
                throw ValueRefusal("\"\(ConfigurationText.short(text))\" is not encrypted: begin it with https://")
            }
            return text
        } format: {
            $0
        }
    }
}
