internal import KonzaModel

/// The shapes of what is said about a specimen.
extension SpecimenRequest {
    static let schemas: [Schema] =
        [opening, change, mineral, position, sheetReply] + measurements
        + [
            Schema(
                "MeasurementRequest", "The orientation of a plane or a line.", [],
                shape: .either(measurements.map { .reference($0.name) }))
        ]

    private static let opening = Schema(
        "SpecimenRequest", "What to say about a new specimen.",
        [
            .optional("number", number, "What is written on the bag; the next of the template by default."),
            .always("rockType", .name(SpecimenPatch.longestName), "A name of the vocabulary."),
        ] + members, isClosed: true,
        example: .object(["rockType": .string("Gneiss"), "description": .string("Folded, from the north face.")]))

    private static let change = Schema(
        "SpecimenPatch",
        "What to say about a specimen. What is left out stays, null takes away, a list replaces the one before.",
        [
            .known("number", number, "What is written on the bag."),
            .known("rockType", .name(SpecimenPatch.longestName), "A name of the vocabulary."),
        ] + members, isClosed: true, example: .object(["fieldNotes": .string("Photographed before it was broken off.")])
    )

    private static let number = Schema.Shape.text(.specimenNumber, 1...NumberTemplate.longestNumber)
    private static let names = Schema.Shape.list(.name(SpecimenPatch.longestName), atMost: SpecimenPatch.longestList)

    private static let members: [Schema.Member] = [
        .optional("collector", .line(SpecimenPatch.longestPerson), "Lastname, First name."),
        .optional("description", .text(.longText, 0...SpecimenPatch.longestText), "What it is."),
        .optional("country", .line(SpecimenPatch.longestName), "Where it is from."),
        .optional("presentLocation", .line(SpecimenPatch.longestPerson), "The institution that holds it."),
        .optional("collectionDate", .form(.day), "The local day."),
        .optional("igsn", .line(SpecimenPatch.longestIGSN), "International Generic Sample Number."),
        .optional(
            "fieldNotes", .text(.longText, 0...SpecimenPatch.longestText),
            "What stays with the collector: it is not submitted."),
        .optional("minerals", .list(.reference("MineralRequest"), atMost: SpecimenPatch.longestList), "Minerals."),
        .optional("metamorphicGrades", names, "Names of the vocabulary."),
        .optional("metamorphicRegions", names, "Names of the vocabulary."),
        .optional("regions", names, "Free names of areas."),
        .optional("references", names, "GeoRef accession numbers."),
        .optional(
            "isPublic", .boolean,
            "Whether everyone may see it: visitors of the station at once, everybody at MetPetDB once it is submitted; "
                + "false by default."),
        .optional(
            "measurements", .list(.reference("MeasurementRequest"), atMost: SpecimenPatch.longestList),
            "Planes and lines in the rock."),
        .optional(
            "position", .either([.choice(["here"]), .reference("GivenPosition")]),
            "Where it was taken; here: the current fix."),
        .optional(
            "override", .line(SpecimenPatch.longestOverride),
            "Why the position is good enough although it is less accurate than wanted."),
    ]

    private static let mineral = Schema(
        "MineralRequest", "A mineral and how much of it.",
        [
            .always("name", .name(SpecimenPatch.longestName), "A name of the vocabulary."),
            .optional(
                "amount", .either([.range(0...100), .text(.amount, 0...SpecimenPatch.longestAmount)]),
                "A modal percentage, kept as it is written (5.50 stays 5.50), or x for present; x by default."),
        ], isClosed: true)

    private static let position = Schema(
        "GivenPosition", "A position that a person enters. WGS 84.",
        [
            .always("latitude", .range(-90...90), "Degrees."),
            .always("longitude", .range(-180...180), "Degrees."),
            .optional(
                "accuracy", .range(SpecimenPatch.accuracies), "Metres: the truth is nearer with 95 % probability."),
            .optional("altitude", .range(SpecimenPatch.altitudes), "Metres above the ellipsoid."),
            .optional("altitudeMSL", .range(SpecimenPatch.altitudes), "Metres above mean sea level."),
            .optional("altitudeAccuracy", .range(SpecimenPatch.accuracies), "Metres, with 95 % probability."),
        ], isClosed: true)

    /// A plane, a line, or either as the replies have it, each against true and against magnetic north.
    private static let measurements: [Schema] = [
        ("Plane", "A plane", [("strike", "Right-hand rule, degrees"), ("dip", "Degrees")], []),
        ("Line", "A line", [("trend", "Degrees"), ("plunge", "Degrees")], []),
        (
            "Orientation", "A plane or a line, as replies have it",
            [("azimuth", "Strike or trend, degrees"), ("inclination", "Degrees")],
            [
                .always(
                    "kind", .choice(StructuralMeasurement.Kind.allCases.map(\.rawValue)), "A plane or a line.")
            ]
        ),
    ].flatMap { (name: String, note: String, angles: [(String, String)], more: [Schema.Member]) in
        let oriented: [Schema.Member] =
            more + [
                .always(angles[0].0, .range(0...360), angles[0].1 + "."),
                .always(angles[1].0, .range(0...90), angles[1].1 + "."),
            ]
        return [
            Schema(
                "\(name)ByTrueNorth", "\(note), against true north.",
                oriented + [.optional("north", .choice(["true"]), "True north, the default.")] + remarks, isClosed: true
            ),
            Schema(
                "\(name)ByMagneticNorth", "\(note), against magnetic north.",
                oriented + [
                    .always("north", .choice(["magnetic"]), "Magnetic north."),
                    .always("declination", .range(-180...180), "Degrees, east positive, that are added."),
                ] + remarks, isClosed: true),
        ]
    }

    private static let remarks: [Schema.Member] = [
        .optional("declinationApplied", .range(-180...180), "Degrees, east positive, that were added before."),
        .optional("declinationSource", .line(40), "Where the declination that was added is from."),
        .optional("feature", .line(SpecimenPatch.longestName), "Such as foliation, bedding, lineation."),
        .optional("note", .line(500), "Anything else."),
    ]

    private static let sheetReply = Schema(
        "SheetReply", "What MetPetDB answered to an uploaded sheet, as it is.", [],
        example: .array([.object(["Sample Number": .string("KP-7"), "errors": .object([:])])]),
        shape: .either([.array(.anything), .map(.anything)]))
}
