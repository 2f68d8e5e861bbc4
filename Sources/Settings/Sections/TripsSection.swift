extension StationSettings {
    /// Who is still out, and whom an overdue trip is reported to.
    public struct Trips: Sendable, Equatable {
        /// Seconds after the expected return.
        public var officerAfter = 900.0
        public var contactsAfter = 3600.0
        public var sheriffAfter = 14_400.0
        /// Mail addresses of the officer on duty.
        public var officer: [String] = []
        /// The telephone number of the sheriff or of another rescue service, as people dial it.
        public var sheriff = ""
        /// Seconds that trips are kept after they ended.
        public var keep = 365 * 86_400.0
    }
}

extension SettingsTable {
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
