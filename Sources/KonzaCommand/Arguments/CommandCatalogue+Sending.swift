internal import KonzaModel

// The way of a specimen to others: submitted, or exported.

extension CommandCatalogue {
    private static let target = OptionDeclaration(
        "target", .choice("TARGET", SubmissionTarget.allCases.map(\.rawValue)), "Where to; metpetdb by default.")
    private static let number = "its number or id, from konza specimens"

    static let submitSpecimens = CommandDeclaration(
        "specimens submit", "Have specimens sent when there is a network", run: CommandContext.submit,
        about: [
            "Puts them into the outbox, from which konza-courier(8) sends them. With --watch it shows how far each is "
                + "and ends with 0 only when all are submitted: with 65 when one is refused or in conflict, which is "
                + "explained. Ctrl-C ends the watching alone."
        ],
        options: [
            target,
            OptionDeclaration(
                "override", .text("REASON"),
                "Why the position is good enough although it is less accurate than wanted; it is kept with it."),
            OptionDeclaration("watch", short: "w", nil, "Stay, and show each step, photograph and byte."), json,
        ],
        operands: [OperandDeclaration("SPECIMEN", .some, number)],
        examples: [("konza specimens submit KNZ-26-117 KNZ-26-118 --watch", "two, and see them arrive")])

    static let outbox = CommandDeclaration(
        "specimens outbox", "What is to be sent, was sent, was refused", run: CommandContext.outbox, options: [json])

    static let flush = CommandDeclaration(
        "specimens flush", "Try everything that waits in the outbox now", run: CommandContext.flush)

    static let resolve = CommandDeclaration(
        "specimens resolve", "End a conflict with a sample that was changed on the server", run: CommandContext.resolve,
        about: [
            "Shows both sides. With --keep ours this station's side is sent over theirs; with --keep theirs the "
                + "server's stays. Without --keep nothing is changed. On a terminal it asks first."
        ],
        options: [
            OptionDeclaration(
                "keep", .choice("SIDE", ConflictChoice.allCases.map(\.rawValue)), "The side that is to stand."),
            target, OptionDeclaration("yes", short: "y", nil, "Do not ask."), json,
        ], operands: [OperandDeclaration("SPECIMEN", .one, number)])

    /// The forms of an export, as the station names them.
    static let exportForms = [
        "csv", "metpetdb-csv", "metpetdb-sheets", "sesar", "geojson", "gpx", "kml", "kmz", "zip",
    ]

    static let export = CommandDeclaration(
        "specimens export", "Write specimens to a file for other programs, or to a USB stick",
        run: CommandContext.export,
        about: [
            "A folder, such as that of a stick, gets a file under a name of its own. The file is there wholly or not "
                + "at all, also when the stick is pulled out, and never in place of another unless --force says so. "
                + "When the command ends with 0 it is on the stick, not only on its way.",
            "What a form cannot hold is left out and named.",
        ],
        options: [
            OptionDeclaration(
                "format", .choice("FORM", exportForms),
                "csv by default. metpetdb-csv is one sheet of MetPetDB's bulk upload, metpetdb-sheets a zip of as many "
                    + "as it takes; zip has everything, with the photographs."),
            output("Write to FILE or into the folder FILE; here by default."), force,
            OptionDeclaration("sesar-code", .text("CODE"), "The code of your account at SESAR, for the form sesar."),
        ] + CommandCatalogue.specimenFilters,
        examples: [("konza specimens export --format zip -o /media/stick", "everything, to a stick")])
}
