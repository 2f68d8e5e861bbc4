extension StationSettings {
    /// Which of MetPetDB's interfaces samples are looked for over.
    public enum SampleBackend: String, Sendable, CaseIterable {
        case rest
        case servlet
    }

    public struct MetPetDB: Sendable, Equatable {
        public var submit = false
        /// The base URL, with `/api` left out.
        public var url = "https://api.metpetdb.com"
        /// Of the account that owns what is submitted.
        public var email = ""
        /// Seconds.
        public var vocabularyMaxAge = 7 * 86_400.0
        public var backend = SampleBackend.rest
        /// What the servlet's name is added to; nil for `url`.
        public var servletURL: String?
        /// Seconds that an answer about samples stays fresh.
        public var samplesMaxAge = 86_400.0

        /// The server that samples are looked for at.
        public var samplesURL: String {
            switch backend {
            case .rest: url
            case .servlet: servletURL ?? url
            }
        }

        /// What answers about samples come from, to keep those of one server and account apart from others'. It holds
        /// no secret.
        public var samplesOrigin: String { "\(backend.rawValue) \(samplesURL) \(email)" }
    }
}

extension SettingsTable {
    static let metPetDB = [
        SettingDescription(
            SettingKey(
                "MetPetDB", "Submit", \.metPetDB.submit, .boolean,
                "Whether specimens may be submitted to MetPetDB. Nothing is sent without it.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "URL", \.metPetDB.url, .webAddress,
                "The server, up to what comes before /api/. An account is sent over https only.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "Email", \.metPetDB.email, .text(upTo: 254),
                "The account that owns what is submitted. Its password is a credential, never a setting.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "VocabularyMaxAge", \.metPetDB.vocabularyMaxAge, .duration(3600...365 * day),
                "The vocabulary is fetched again when it is older than this and there is a network.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "Backend", \.metPetDB.backend, .choice(),
                "Which of MetPetDB's interfaces samples are looked for over: rest, or servlet, which the telephone app "
                    + "of 2010 spoke to and which is read only. Submissions always go over REST.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "ServletURL", \.metPetDB.servletURL, .optionalWebAddress,
                "The servlet, up to what comes before /searchIPhonePost.svc. Empty: URL=.")),
        SettingDescription(
            SettingKey(
                "MetPetDB", "SamplesMaxAge", \.metPetDB.samplesMaxAge, .duration(0...365 * day),
                "What was found is answered again from what is kept while it is younger than this. Older answers serve "
                    + "while there is no network, and say how old they are.")),
    ]
}
