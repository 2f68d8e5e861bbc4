extension CommandCatalogue {
    private static let refresh = OptionDeclaration(
        "refresh", nil, "The server's answer of now, or none; without it an answer that is kept and fresh will do.")

    private static let wait = OptionDeclaration(
        "wait", .number("SECONDS", 0...55), "So long for the server, then for what is kept; 20 by default.")

    static let samples = CommandDeclaration(
        "samples", "Samples that others have stored in MetPetDB", run: CommandContext.samples,
        about: [
            "Lists what MetPetDB has around a place, within a box or in a region, the nearest first, with the way there. "
                + "Without a network it answers from what is kept on the station, and always says how old that is.",
            "Several rock types, minerals or grades stand with commas between, or each behind an option of its own, as "
                + "owners and collectors do. Names take the vocabulary's spelling; a grade may leave out the word facies.",
        ],
        options: [
            OptionDeclaration("near", .text("PLACE"), "Around here, or LATITUDE,LONGITUDE in degrees."),
            OptionDeclaration("radius", .text("DISTANCE"), "Such as 500m or 10km; with --near, 10km by default."),
            OptionDeclaration("box", .text("W,S,E,N"), "Between these meridians and parallels, degrees."),
            OptionDeclaration("region", .text("NAME"), "In a region; see konza regions."),
            OptionDeclaration("rock-type", .text("NAMES"), "One of these rock types.", isRepeated: true),
            OptionDeclaration("mineral", .text("NAMES"), "With one of these minerals.", isRepeated: true),
            OptionDeclaration("all-minerals", nil, "With all of the minerals."),
            OptionDeclaration("grade", .text("NAMES"), "Of one of these metamorphic grades.", isRepeated: true),
            OptionDeclaration(
                "owner", .text("NAME"), "Of this owner, as the server writes the name.", isRepeated: true),
            OptionDeclaration("collector", .text("NAME"), "Taken by this collector.", isRepeated: true),
            OptionDeclaration("from", .text("DAY"), "Collected on this day or later, YYYY-MM-DD."),
            OptionDeclaration("to", .text("DAY"), "Collected on this day or earlier."),
            OptionDeclaration(
                "access", .choice("WHICH", ["both", "public", "private"]),
                "Private samples are those of the station's account; both by default."),
            OptionDeclaration("summary", nil, "Count them by rock type, mineral, grade and owner instead."),
            OptionDeclaration("places", nil, "Samples at one place together."),
            OptionDeclaration("limit", short: "n", .number("COUNT", 1...10_000), "So many at most; 50 by default."),
            refresh, wait, json,
        ],
        examples: [
            ("konza samples --near here --radius 10km", "what was found around here before"),
            ("konza samples --region Vermont --rock-type Schist,Gneiss --summary", "counted, not listed"),
        ])

    static let sample = CommandDeclaration(
        "sample", "All about one sample of MetPetDB", run: CommandContext.sample,
        about: [
            "With --picture one of its pictures is saved whole: from what is kept on the station, or fetched now."
        ],
        options: [
            refresh, wait, json,
            OptionDeclaration(
                "picture", short: "p", .number("NUMBER", 1...1000),
                "Save the picture that has this number among the sample's images."),
            output("Where to save it; named after the sample otherwise."), force,
        ],
        operands: [OperandDeclaration("ID", .one, "the sample's id, the last column of konza samples")],
        examples: [("konza sample 8c2b1d3e-0000-4000-8000-000000000001 --picture 2", "the second picture, as a file")])

    static let regions = CommandDeclaration(
        "regions", "The regions that samples can be looked for in", run: CommandContext.regions,
        options: [refresh, wait, json],
        operands: [OperandDeclaration("START", .optional, "only names that begin so")])
}
