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
