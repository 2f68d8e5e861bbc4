// What is on, whom to ask, and what the station says about itself.

extension CommandCatalogue {
    private static let eventID = OperandDeclaration("EVENT", .one, "its id, from konza calendar")

    static let calendar = CommandDeclaration(
        "calendar", "What is on at the station", run: CommandContext.calendar,
        about: [
            "Lists the events of the operator's calendars (calendar/*.ics and *.plist in Content=), the next first, with their "
                + "ids. An event stays in the list until it ends."
        ],
        options: [
            OptionDeclaration("days", short: "d", .number("DAYS", 1...400), "Of so many days; 60 without it."), json,
        ],
        verbs: [
            CommandDeclaration(
                "calendar show", "One event, with its details and a QR code for a telephone",
                run: CommandContext.showEvent,
                options: [json], operands: [eventID]),
            CommandDeclaration(
                "calendar export", "One event as a file for somebody's own calendar", run: CommandContext.exportEvent,
                options: [output("Write iCalendar to FILE instead of the standard output."), force],
                operands: [eventID]),
        ],
        examples: [("konza calendar --days 7", "what is on this week")])

    private static let personID = OperandDeclaration("PERSON", .one, "the id, from konza personnel")

    static let personnel = CommandDeclaration(
        "personnel", "The people of the station, by group", run: CommandContext.personnel,
        about: ["They come from the operator's cards (personnel/*.vcf in Content=)."],
        options: [json],
        verbs: [
            CommandDeclaration(
                "personnel show", "One person, with a QR code of the card", run: CommandContext.showPerson,
                options: [json], operands: [personID])
        ])

    static let pages = CommandDeclaration(
        "pages", "The station's pages: about it, its research, its history", run: CommandContext.pages,
        options: [
            OptionDeclaration(
                "language", short: "l", .text("LANGUAGE"), "Two or three letters, such as es; en without it."),
            json,
        ],
        verbs: [
            CommandDeclaration(
                "pages show", "One page as text", run: CommandContext.showPage,
                options: [
                    OptionDeclaration(
                        "language", short: "l", .text("LANGUAGE"), "Two or three letters, such as es; en without it."),
                    json,
                ],
                operands: [OperandDeclaration("PAGE", .one, "its name, from konza pages")]),
            CommandDeclaration(
                "pages check", "Read a folder of content, and say what is wrong with it",
                run: CommandContext.checkPages,
                about: [
                    "Reads pages/, calendar/, personnel/, announcements/ and decks/ of the folder as the portal does, lists what there "
                        + "is, and names each file that cannot be used, with the line and what to do. Ends with 65 if there is one. "
                        + "Announcements that are over are named as well. Without a "
                        + "folder that of the standard configuration is read (/etc/konza/station)."
                ],
                operands: [OperandDeclaration("FOLDER", .optional, "such as /etc/konza/station", kind: .file)]),
        ],
        examples: [("konza pages check ~/station", "before it is copied to /etc/konza/station")])
}
