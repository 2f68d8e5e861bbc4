// The muster, which the portal keeps.

extension CommandCatalogue {
    private static let states = ["mustered", "late", "excused", "missed"]
    private static let day = OptionDeclaration(
        "day", .text("DATE"), "The local day, such as 2026-06-01; today by default.")

    static let muster = CommandDeclaration(
        "muster", "Who is at the station today, by name", run: CommandContext.musterRoster,
        about: [
            "Nobody is mustered by a command: people muster themselves, at the kiosk or with the code that it shows. What this "
                + "box writes down is a correction, beside which the record before it stays."
        ],
        options: [day, json],
        verbs: [
            CommandDeclaration(
                "muster roster", "A day by name, with its age", run: CommandContext.musterRoster,
                options: [
                    day, json, OptionDeclaration("csv", nil, "As comma-separated values."),
                    output("Write to FILE; the standard output by default."), force,
                ]),
            CommandDeclaration(
                "muster correct", "Write down another word on somebody's day", run: CommandContext.correctMuster,
                options: [
                    day, OptionDeclaration("reason", short: "r", .text("WORDS"), "Why; the person sees it."), json,
                ],
                operands: [
                    OperandDeclaration("NAME", .one, "the person's name or number"),
                    OperandDeclaration(
                        "STATE", .one, "one of \(states.joined(separator: ", "))", kind: .choice("STATE", states)),
                ]),
            CommandDeclaration(
                "muster leave", "Give somebody leave, in which nobody is missed", run: CommandContext.musterLeave,
                options: [OptionDeclaration("reason", short: "r", .text("WORDS"), "Why."), json],
                operands: [
                    OperandDeclaration("NAME", .one, "the person's name or number"),
                    OperandDeclaration("FIRST", .one, "the first local day, such as 2026-06-01"),
                    OperandDeclaration("LAST", .optional, "the last one; the first by default"),
                ]),
            CommandDeclaration(
                "muster export", "Write the records of some days as CSV, or for another box",
                run: CommandContext.exportMuster,
                about: [
                    "The last row has the heads of the audit's two chains, of musters and of accounts; keep it elsewhere, for konza muster verify --head.",
                    "A station with several boxes carries the ledger of each to the others: konza muster export --ledger -o FILE "
                        + "here, konza muster import FILE there.",
                ],
                options: [
                    OptionDeclaration("from", .text("DATE"), "The first local day; the first of the year by default."),
                    OptionDeclaration("to", .text("DATE"), "The last local day; today by default."),
                    OptionDeclaration(
                        "ledger", nil, "All that the chain covers, for konza muster import on another box."),
                    output("Write to FILE; the standard output by default."), force,
                ]),
            CommandDeclaration(
                "muster import", "Take another box's ledger", run: CommandContext.importMuster,
                about: [
                    "Records are added by box and number, and never changed; of several of one person and day the earliest counts. "
                        + "People are known by their names. The same file again changes nothing. Nobody is missed on a day after "
                        + "which a box was not heard, for thirty days."
                ],
                options: [json], operands: [OperandDeclaration("FILE", .one, "what konza muster export --ledger wrote")]
            ),
            CommandDeclaration(
                "muster verify", "Check that no record was changed, left out or cut off",
                run: CommandContext.verifyMuster,
                about: ["Looks at the audit of accounts, too. Ends with 0 when both chains are whole, else with 65."],
                options: [
                    OptionDeclaration(
                        "head", .text("HEAD"),
                        "A head that an export printed: both of its parts must be in their chains."),
                    json,
                ]),
        ])
}
