// People and their accounts, which the portal keeps.

extension CommandCatalogue {
    private static let roles = ["crew", "officer", "keeper"]
    private static let person = OperandDeclaration("NAME", .one, "the person's name, or number from konza people list")
    private static let lastKeeper = OptionDeclaration(
        "force", nil, "Also the last keeper: nobody but this machine can make accounts then.")
    private static let day = "a date such as 2026-06-01"

    static let people = CommandDeclaration(
        "people", "The people who have an account at the station", run: CommandContext.people,
        about: [
            "An account has a passphrase for tablets and telephones, and a PIN and a badge for the kiosk. The station keeps "
                + "hashes of them: they are printed once, when the account is made or reset.",
            "crew reads announcements and musters, officer also keeps the roster and announces, keeper also keeps the accounts.",
        ],
        options: [json],
        verbs: [
            CommandDeclaration(
                "people add", "Make an account", run: CommandContext.addPerson,
                about: ["The first keeper is made here, on the station's own machine."],
                options: [
                    OptionDeclaration(
                        "role", short: "r", .choice("ROLE", roles),
                        "What the person may do: \(roles.joined(separator: ", ")). crew where it is left out."),
                    OptionDeclaration(
                        "arrives", .text("DATE"), "The first day on which the person is expected, \(day)."),
                    OptionDeclaration("departs", .text("DATE"), "The last day, \(day)."),
                    json,
                ],
                operands: [OperandDeclaration("NAME", .one, "up to 60 characters")],
                examples: [("konza people add \"Ana Torres\" --role crew", "with a passphrase, a PIN and a badge")]),
            CommandDeclaration(
                "people list", "List the people", run: CommandContext.people, options: [json]),
            CommandDeclaration(
                "people role", "Give somebody another role", run: CommandContext.changePersonRole,
                options: [lastKeeper, json],
                operands: [
                    person,
                    OperandDeclaration(
                        "ROLE", .one, "one of \(roles.joined(separator: ", "))", kind: .choice("ROLE", roles)),
                ]),
            CommandDeclaration(
                "people reset", "Make a new passphrase, PIN and badge, and end all sessions",
                run: CommandContext.resetPerson, options: [json], operands: [person]),
            CommandDeclaration(
                "people remove", "Remove an account and all that is known of it", run: CommandContext.removePerson,
                about: ["The audits keep the number of the account."], options: [lastKeeper], operands: [person]),
            CommandDeclaration(
                "people import", "Make accounts of a CSV file", run: CommandContext.importPeople,
                about: [
                    "The first row names the columns: name, and role, arrives and departs where wished. Nobody of them can sign "
                        + "in before konza people reset."
                ],
                options: [json],
                operands: [OperandDeclaration("FILE", .one, "comma-separated values in UTF-8", kind: .file)]),
            CommandDeclaration(
                "people export", "Write the people as CSV, without what opens their accounts",
                run: CommandContext.exportPeople,
                options: [output("Write to FILE; the standard output by default."), force]),
        ])
}
