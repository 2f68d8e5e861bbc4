internal import KonzaModel

// The collector's commands, from the rock in the hand to the upload.

extension CommandCatalogue {
    static let specimens = CommandDeclaration(
        "specimens", "What the collector takes: kept, photographed, labelled, submitted", run: CommandContext.specimens,
        about: [
            "Lists the specimens that are kept here, newest first, with how far the submission of each to MetPetDB "
                + "is. Everywhere a specimen is named by its number or by its id."
        ],
        options: specimenFilters + [
            OptionDeclaration("limit", short: "n", .number("COUNT", 1...10_000), "So many at most; 50 by default."),
            json,
        ],
        verbs: [
            showSpecimen, newSpecimen, setSpecimen, deleteSpecimen, restoreSpecimen, photographSpecimen, occupySpecimen,
            labelSpecimen, submitSpecimens, outbox, flush, resolve, export, vocabulary,
        ],
        examples: [
            ("konza specimens --near here --radius 2km --state draft", "what was taken around here and is not sent")
        ])

    static let specimenFilters = [
        OptionDeclaration("near", .text("PLACE"), "Only those taken near here, or near LAT,LON in degrees."),
        OptionDeclaration(
            "radius", .text("DISTANCE"), "How near, such as 500m or 10km; 1 km by default. Only with --near."),
        OptionDeclaration(
            "state", .choice("STATE", Submission.State.allCases.map(\.rawValue) + ["deleted"]),
            "Only those whose submission to MetPetDB is in this state, or those that were deleted."),
        OptionDeclaration("text", .text("WORDS"), "Only those that have all these words somewhere."),
        OptionDeclaration("box", .text("W,S,E,N"), "Only those taken between these meridians and parallels, degrees."),
    ]

    private static func specimen(_ note: String = "its number or id, from konza specimens") -> OperandDeclaration {
        OperandDeclaration("SPECIMEN", .one, note)
    }

    // MARK: One specimen

    private static let showSpecimen = CommandDeclaration(
        "specimens show", "All about one specimen", run: CommandContext.showSpecimen, options: [json],
        operands: [specimen()])

    private static let newSpecimen = CommandDeclaration(
        "specimens new", "Open a specimen", run: CommandContext.newSpecimen,
        about: [
            "When the command ends with 0 the specimen is safely on disk. Names of rocks, minerals, grades and regions "
                + "are checked on the spot; an unknown one gets the nearest that are known."
        ],
        options: facts + [json],
        operands: [OperandDeclaration("ROCKTYPE", .one, "the kind of rock, as in konza specimens vocabulary")],
        examples: [
            (
                "konza specimens new gneiss --mineral Garnet=5 --mineral Biotite --here",
                "with two minerals, at the present position"
            )
        ])

    private static let setSpecimen = CommandDeclaration(
        "specimens set", "Change what is said about a specimen", run: CommandContext.setSpecimen,
        about: [
            "Takes the options of konza specimens new, or FIELD=VALUE with the same names. A list (mineral, grade, "
                + "region, metamorphic-region, reference) takes the place of the one before; its values have commas "
                + "between them. A field without a value is taken away.",
            "A specimen that was submitted is submitted anew when it was changed.",
        ],
        options: [OptionDeclaration("rock-type", .text("NAME"), "The kind of rock.")] + facts + [
            OptionDeclaration("private", nil, "Only its owner may see it; the opposite of --public."), json,
        ],
        operands: [specimen(), OperandDeclaration("FIELD=VALUE", .any, "a field and its new value")],
        examples: [
            ("konza specimens set KNZ-26-117 country=Chile mineral=Garnet=5,Biotite igsn=", "three fields at once")
        ])

    private static let deleteSpecimen = CommandDeclaration(
        "specimens delete", "Delete a specimen; for 30 days it can be restored", run: CommandContext.deleteSpecimen,
        operands: [specimen()])

    private static let restoreSpecimen = CommandDeclaration(
        "specimens restore", "Take the deletion of a specimen back", run: CommandContext.restoreSpecimen,
        options: [json],
        operands: [specimen("its number or id, from konza specimens --state deleted")])

    // MARK: What is said about one

    private static let facts =
        names + [
            OptionDeclaration("here", nil, "It was taken where the station is now: one fix. Occupying is more exact."),
            OptionDeclaration(
                "at", .text("LAT,LON[,ELEV]"),
                "It was taken there: degrees, and metres above sea level where they are known."),
            OptionDeclaration(
                "accuracy", .measure("METRES", 0.001...1e6), "How well that is known, with 95 % probability."),
            OptionDeclaration(
                "override", .text("REASON"), "Why the position is good enough although it is less accurate."),
        ] + readings

    private static let names = [
        OptionDeclaration("number", .text("NUMBER"), "What is written on the bag; otherwise the next of the template."),
        OptionDeclaration("collector", .text("NAME"), "\"Lastname, First name\"."),
        OptionDeclaration(
            "mineral", .text("NAME[=AMOUNT]"), "A mineral, with its share in percent. Again for each.",
            isRepeated: true),
        OptionDeclaration("grade", .text("NAME"), "A metamorphic grade. Again for each.", isRepeated: true),
        OptionDeclaration(
            "metamorphic-region", .text("NAME"), "A metamorphic region of MetPetDB. Again for each.", isRepeated: true),
        OptionDeclaration("region", .text("NAME"), "An area in your own words. Again for each.", isRepeated: true),
        OptionDeclaration("country", .text("NAME"), "The country."),
        OptionDeclaration("description", .text("TEXT"), "What it is, for those who look it up."),
        OptionDeclaration("notes", .text("TEXT"), "Field notes, which stay on this station."),
        OptionDeclaration(
            "public", nil,
            "Everyone may see it: visitors of the station at once, everybody at MetPetDB once it is submitted."),
        OptionDeclaration("igsn", .text("NUMBER"), "Its International Generic Sample Number."),
        OptionDeclaration("date", .text("DAY"), "When it was taken, YYYY-MM-DD; today by default."),
        OptionDeclaration("present-location", .text("NAME"), "The institution that holds it."),
        OptionDeclaration("reference", .text("NUMBER"), "A GeoRef number. Again for each.", isRepeated: true),
    ]

    private static let readings = [
        OptionDeclaration("strike", .measure("DEGREES", 0...360), "Of a plane, by the right-hand rule; with --dip."),
        OptionDeclaration("dip", .measure("DEGREES", 0...90), "Of the plane, below the horizontal."),
        OptionDeclaration("trend", .measure("DEGREES", 0...360), "Of a line; with --plunge."),
        OptionDeclaration("plunge", .measure("DEGREES", 0...90), "Of the line, below the horizontal."),
        OptionDeclaration(
            "declination", .measure("DEGREES", -180...180),
            "The readings are a compass's; this much, east positive, is added for true north."),
        OptionDeclaration("feature", .text("NAME"), "What was measured, such as foliation."),
    ]

    // MARK: In the field

    private static let photographSpecimen = CommandDeclaration(
        "specimens photograph", "Photograph a specimen with the camera, or add pictures of it",
        run: CommandContext.photograph,
        options: [
            OptionDeclaration(
                "scale", .number("MM", 1...10_000_000), "The width of the whole picture on the specimen, millimetres."),
            OptionDeclaration(
                "type", .choice("TYPE", Photograph.ImageType.allCases.map(\.rawValue)),
                "What it shows, in MetPetDB's words; FIELDPHOTO by default."),
            OptionDeclaration(
                "direction", .measure("DEGREES", 0...360), "The direction of view, degrees from true north."),
            OptionDeclaration("description", .text("TEXT"), "Words about it."), json,
        ],
        operands: [
            specimen(), OperandDeclaration("FILE", .any, "JPEG or PNG pictures; without one the camera", kind: .file),
        ],
        examples: [("konza specimens photograph KNZ-26-117 --direction 245", "the outcrop, by the station's camera")])

    private static let occupySpecimen = CommandDeclaration(
        "specimens occupy", "Average the position while the station stands at the outcrop", run: CommandContext.occupy,
        about: [
            "Shows how the average settles, until it is known well enough or the time is over. Ctrl-C ends it earlier; "
                + "what was averaged so far is kept. If the terminal goes away the occupation goes on, and the same "
                + "command joins it again.",
            "Ends with 0 if the accuracy was reached or Ctrl-C ended it, and with 75 if the position was kept without "
                + "being so accurate.",
        ],
        options: [
            OptionDeclaration(
                "accuracy", .measure("METRES", 0.01...1000),
                "End when the position is known so well with 95 % probability; the station's setting by default."),
            OptionDeclaration(
                "timeout", .number("SECONDS", 1...86_400), "End after so long at the latest; 600 by default."),
            json,
        ], operands: [specimen()],
        examples: [("konza specimens occupy KNZ-26-117 --accuracy 3", "until it is known to 3 m")])

    private static let labelSpecimen = CommandDeclaration(
        "specimens label", "A label to print, with a QR code of number, IGSN and position", run: CommandContext.label,
        options: [
            OptionDeclaration("svg", nil, "As SVG; PNG by default."),
            OptionDeclaration("width", .measure("MM", 20...210), "50 by default."),
            OptionDeclaration("height", .measure("MM", 10...210), "25 by default."),
            output("Write to FILE or into the folder FILE; here, under the number, by default."), force,
        ], operands: [specimen()],
        examples: [("konza specimens label KNZ-26-117 --svg -o label.svg", "for a printer")])

    private static let vocabulary = CommandDeclaration(
        "specimens vocabulary", "The names that a specimen may be described with", run: CommandContext.vocabulary,
        about: ["Without a kind it counts them. Ends with 66 if a name is asked for that is not known."],
        options: [
            OptionDeclaration("match", .text("NAME"), "Look this name up; of an unknown one, show the nearest."), json,
        ],
        operands: [
            OperandDeclaration(
                "KIND", .optional, "which names", kind: .choice("KIND", Vocabulary.Kind.allCases.map(\.rawValue)))
        ],
        examples: [("konza specimens vocabulary minerals --match garnit", "a name that is half remembered")])
}
