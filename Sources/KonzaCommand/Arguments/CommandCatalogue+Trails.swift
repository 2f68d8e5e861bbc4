extension CommandCatalogue {
    private static let trail = OperandDeclaration("TRAIL", .optional, "a trail's name")

    static let trails = CommandDeclaration(
        "trails", "The trails, what is closed of them, and files of them", run: CommandContext.trails,
        about: [
            "Lists the trails that the station knows, with their lengths and what is closed. Until real ones are imported "
                + "there is a demonstration that says everywhere that it is made up."
        ],
        options: [json],
        verbs: [
            CommandDeclaration(
                "trails list", "The trails, as konza trails", run: CommandContext.trails, options: [json]),
            CommandDeclaration(
                "trails show", "A trail's length, ascent and profile", run: CommandContext.showTrail,
                about: [
                    "Without a name, the one that the station is on."
                ], options: [json], operands: [trail]),
            CommandDeclaration(
                "trails import", "Take in a file of trails", run: CommandContext.importTrails,
                about: [
                    "Takes GeoJSON (RFC 7946), GPX 1.1 and OSM XML, 16 MiB at most, and reports gaps, ends that do not join, "
                        + "crossings without a node, and lengths beside the published ones. When the command ends with 0 the "
                        + "trails are safely on disk; a file that cannot be used changes nothing, and the command ends with 65."
                ],
                options: [
                    OptionDeclaration(
                        "source", .text("NAME"),
                        "Keep them by this name, and replace those of that name; trails by default."),
                    OptionDeclaration("dry-run", nil, "Only report, and keep nothing."), json,
                ],
                operands: [OperandDeclaration("FILE", .one, "the file", kind: .file)],
                examples: [("konza trails import konza.geojson", "the trails of the region, with a report")]),
            CommandDeclaration(
                "trails record", "Record a trail by walking it", run: CommandContext.recordTrail,
                about: [
                    "Records the trail with the station's own receiver while one walks, and shows how far it is. Ctrl-C ends "
                        + "it: when the command ends with 0 the trail is safely on disk, and one of the station's. If the "
                        + "terminal is lost the recording goes on, and so it does after a power cut, which loses the last ten "
                        + "seconds at most; the same command joins it again, and --stop ends it from anywhere.",
                    "Trails meet where konza trails junction occupied a place; a stretch between two such places that was "
                        + "recorded before is the same segment.",
                    "Until something is imported, the demonstration's trails stay in use while the recorded ones are shorter "
                        + "than 500 m together; konza trails remove demonstration uses them at once.",
                ],
                options: [
                    OptionDeclaration(
                        "source", .text("NAME"), "Keep it with the trails of this source; recorded by default."),
                    OptionDeclaration("replace", nil, "Replace the trail of that name."),
                    OptionDeclaration("stop", nil, "End the recording that runs, and keep it."),
                    OptionDeclaration("discard", nil, "End the recording that runs, and keep nothing."), json,
                ],
                operands: [OperandDeclaration("NAME", .optional, "the trail's name")],
                examples: [("konza trails record \"Ridge Trail\"", "walk it, then press Ctrl-C")]),
            CommandDeclaration(
                "trails junction", "Occupy a junction of the trail that is recorded",
                run: CommandContext.occupyJunction,
                about: [
                    "Averages the position while one stands still, for a minute where nothing else is said. Walking on or "
                        + "Ctrl-C ends it earlier and keeps the mean."
                ],
                options: [
                    OptionDeclaration(
                        "kind", .text("KIND"),
                        "What is there: trailhead, viewpoint, guidepost, bridge...; junction by default."),
                    OptionDeclaration("timeout", .number("SECONDS", 5...3600), "Stand for so long; 60 by default."),
                    json,
                ],
                operands: [OperandDeclaration("NAME", .optional, "its name")],
                examples: [("konza trails junction \"Creek fork\"", "a minute at the fork")]),
            CommandDeclaration(
                "trails remove", "Forget the trails of a source", run: CommandContext.removeTrails,
                about: [
                    "The demonstration, too: then recorded trails are used in place of it however short they are."
                ],
                operands: [OperandDeclaration("SOURCE", .one, "the source's name, as konza trails shows it")]),
            CommandDeclaration(
                "trails export", "Write the trails for a map program", run: CommandContext.exportTrails,
                about: [
                    "A file's ending (.geojson, .gpx, .kml) chooses its form; GeoJSON is what trails import reads back whole."
                ],
                options: [
                    OptionDeclaration("gpx", nil, "As GPX 1.1."), OptionDeclaration("kml", nil, "As KML."),
                    OptionDeclaration("geojson", nil, "As GeoJSON (RFC 7946)."),
                    output("Write the trails to FILE."), force,
                ],
                operands: [trail]),
            CommandDeclaration(
                "trails close", "Close a trail, now or by the calendar", run: CommandContext.closeTrail,
                options: [
                    OptionDeclaration("reason", .text("TEXT"), "Why, as in \"prescribed burn\"."),
                    OptionDeclaration("from", .text("TIME"), "From when, an RFC 3339 time; at once by default."),
                    OptionDeclaration("until", .text("TIME"), "Until when; until it is opened by default."),
                    OptionDeclaration("segment", nil, "The name is a segment's id."),
                    OptionDeclaration("everything", nil, "Close all trails."), json,
                ],
                operands: [trail],
                examples: [
                    (
                        "konza trails close --everything --reason burn",
                        "all trails, until they are opened again"
                    )
                ]),
            CommandDeclaration(
                "trails open", "Take a closure of the station back", run: CommandContext.openTrail,
                operands: [
                    OperandDeclaration("WHAT", .one, "a trail, a segment, the number of a closure, or everything")
                ]),
        ])

    static let way = CommandDeclaration(
        "way", "The quickest way on foot, and when to turn back", run: CommandContext.way,
        about: [
            "Leads over open trails from where the station is, to the trailhead where nothing else is named, with the time "
                + "by the slope, the turns, and when to set out to be back before dusk. Closed trails are avoided; one who "
                + "is on one is led off it. With --watch it walks along: the next turn, and how far."
        ],
        options: [watch, json],
        operands: [
            OperandDeclaration("TO", .optional, "a place or a trail by its name, or LATITUDE,LONGITUDE in degrees")
        ],
        examples: [("konza way", "home"), ("konza way -w overlook", "step by step to the overlook")])
}
