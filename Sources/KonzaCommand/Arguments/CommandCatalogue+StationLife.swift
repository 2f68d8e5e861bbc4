// Station life: announcements, and who is still out.

extension CommandCatalogue {
    private static let announcementID = OperandDeclaration("ANNOUNCEMENT", .one, "its id, from konza announce list")
    private static let audience = OptionDeclaration(
        "audience", .choice("WHO", ["crew", "everyone"]),
        "Whom it is for: crew (the default) or everyone, visitors too.")
    private static let urgency = OptionDeclaration(
        "urgent", short: "u", nil, "It is shown first, and on the kiosk's first screen.")
    private static let words = [
        OptionDeclaration("title", short: "t", .text("TEXT"), "The title, up to 200 characters."),
        OptionDeclaration(
            "body", short: "b", .text("TEXT"), "The text, CommonMark; - reads it from the standard input."),
        OptionDeclaration("more", .text("TEXT"), "What is to be read after it."),
        OptionDeclaration("title-es", .text("TEXT"), "The title in Spanish."),
        OptionDeclaration("body-es", .text("TEXT"), "The text in Spanish."),
        OptionDeclaration("more-es", .text("TEXT"), "What follows it in Spanish."),
        OptionDeclaration("start", .text("TIME"), "When it begins, such as 2026-05-30T14:00:00Z; else at once."),
        OptionDeclaration("end", .text("TIME"), "When it ends; else when it is retired."),
    ]

    static let announce = CommandDeclaration(
        "announce", "Write an announcement for the crew or for everyone", run: CommandContext.announce,
        about: [
            "Everyone whom it is for finds it unread. Changed, it is unread again. Without --title a line of the standard input is "
                + "the title. Files NAME.md in /etc/konza/station/announcements and feeds (Feeds= and PublicFeeds= in "
                + "konzad.conf) bring others."
        ],
        options: words + [audience, urgency, json],
        verbs: [
            CommandDeclaration(
                "announce list", "The announcements, unread ones first", run: CommandContext.announcements,
                options: [OptionDeclaration("all", nil, "Also those that have not begun or have ended."), json]),
            CommandDeclaration(
                "announce show", "One announcement, which is read by that", run: CommandContext.announcement,
                options: [json], operands: [announcementID]),
            CommandDeclaration(
                "announce change", "Change one: it is unread again", run: CommandContext.changeAnnouncement,
                options: words + [
                    audience, urgency, OptionDeclaration("not-urgent", nil, "It is urgent no longer."), json,
                ],
                operands: [announcementID]),
            CommandDeclaration(
                "announce retire", "Take one away, at once", run: CommandContext.retireAnnouncement,
                operands: [announcementID]),
        ],
        examples: [
            (
                "konza announce --title \"Burn on 20B\" --body \"Stay off until Friday.\" --urgent",
                "the crew reads it first"
            )
        ])

    private static let tripID = OperandDeclaration("TRIP", .one, "its id, from konza trips")
    private static let by = OptionDeclaration("by", .text("NAME"), "By whose hand; else the user of this machine.")
    private static let expected = OptionDeclaration(
        "expected", short: "e", .text("TIME"), "When it will be back, such as 2026-05-30T22:00:00Z.")
    private static let hours = OptionDeclaration(
        "in", .measure("HOURS", 0.1...1000), "In how many hours it will be back.")

    static let trips = CommandDeclaration(
        "trips", "Who is still out, and who is overdue", run: CommandContext.trips,
        about: [
            "Those first who are expected first. A trip ends when somebody says so, and never by a time-out. konzad.conf says after how "
                + "long an overdue party is reported to whom ([Trips]), and how messages go out ([Courier] MailServer=, "
                + "Webhook=)."
        ],
        options: [OptionDeclaration("returned", nil, "Those that came back, the latest first."), json],
        verbs: [
            CommandDeclaration(
                "trips show", "One trip and what happened to it", run: CommandContext.trip, options: [json],
                operands: [tripID]),
            CommandDeclaration(
                "trips start", "A party signs out", run: CommandContext.startTrip,
                options: [
                    OptionDeclaration("leader", short: "l", .text("NAME"), "Who leads it."),
                    OptionDeclaration(
                        "with", short: "w", .text("NAME"), "Somebody else of it; again for each.", isRepeated: true),
                    OptionDeclaration("to", short: "t", .text("PLACE"), "Where it goes."),
                    OptionDeclaration(
                        "route", .text("TRAIL"), "A trail of the way, or other words; again for each.", isRepeated: true
                    ),
                    OptionDeclaration("vehicle", .text("TEXT"), "What it drives."),
                    OptionDeclaration("contact", .text("NAME"), "Whom to ask for it."),
                    OptionDeclaration("phone", .text("NUMBER"), "The contact's telephone number."),
                    OptionDeclaration("email", .text("ADDRESS"), "The contact's mail address."),
                    OptionDeclaration(
                        "language", .text("TAG"),
                        "In which the contact is written to, en or es; else the station's, or both."),
                    OptionDeclaration("note", .text("TEXT"), "What else is to be known."), expected, hours, by, json,
                ]),
            CommandDeclaration(
                "trips extend", "It will be back at another time", run: CommandContext.extendTrip,
                options: [expected, hours, by, json], operands: [tripID]),
            CommandDeclaration(
                "trips return", "It is back", run: CommandContext.endTrip,
                options: [OptionDeclaration("how", .text("TEXT"), "How it came back."), by, json], operands: [tripID]),
            CommandDeclaration(
                "trips acknowledge", "Take care of one that is overdue", run: CommandContext.acknowledgeTrip,
                options: [by, json], operands: [tripID]),
            CommandDeclaration(
                "trips messages", "Messages to people elsewhere, and which were sent", run: CommandContext.messages,
                options: [json]),
        ],
        examples: [
            ("konza trips start --leader Ana --with Ben --to \"Watershed 20B\" --in 4", "they are out for four hours")
        ])
}
