internal import KonzaAPI

/// Every command of `konza`.
enum CommandCatalogue {
    /// The options that every command takes.
    static let common: [OptionDeclaration] = [
        OptionDeclaration(
            "socket", .file,
            "Ask the station on this socket. Otherwise $KONZA_SOCKET, else /run/konza.sock, else konza.sock in "
                + "~/.local/state/konza. The portal's is $KONZA_PORTAL_SOCKET, else portal/portal.sock beside it, else "
                + "/run/konza-portal/portal.sock. That of a fleet's hub is $KONZA_HUB_SOCKET, else /run/konza-hub/hub.sock."
        ),
        OptionDeclaration(
            "color", .choice("WHEN", Paint.Wish.allCases.map(\.rawValue)),
            "Use colour: auto (on a terminal, unless $NO_COLOR is set), always or never."),
        OptionDeclaration("help", short: "h", nil, "Explain the command and end."),
        OptionDeclaration("version", nil, "Print the version of konza and end."),
    ]

    static let json = OptionDeclaration("json", nil, "Print the station's own answer, for programs.")
    static let watch = OptionDeclaration("watch", short: "w", nil, "Keep showing what is new, until Ctrl-C.")
    static let force = OptionDeclaration("force", short: "f", nil, "Replace a file that is there already.")

    static func output(_ note: String) -> OptionDeclaration {
        OptionDeclaration(
            "output", short: "o", .file,
            "\(note) An existing file is not replaced; - is the standard output.")
    }

    static let commands: [CommandDeclaration] = [
        status, whereCommand, way, trails, sky, track, postcard, postcards, specimens, camera, view, fleet, templates,
        samples, sample, regions,
        events, announce, trips, people, muster, calendar, personnel, pages, pair, devices, gallery, decks, printer,
        portal,
        hub,
        doctor, version, help,
    ]

    /// The command at a path, such as `["postcards", "show"]`.
    static func command(at path: [String]) -> CommandDeclaration? {
        guard let top = commands.first(where: { $0.path.first == path.first }) else { return nil }
        return path.count == 1 ? top : top.verbs.first { $0.path == path }
    }

    /// Every command and every part of one.
    static var all: [CommandDeclaration] { commands.flatMap { [$0] + $0.verbs } }
}

extension CommandCatalogue {
    static let status = CommandDeclaration(
        "status", "How the station is, part by part", run: CommandContext.status,
        about: [
            "Shows each part of the station with the one reason for its state. Ends with 0 when the station works, "
                + "if with something less (degraded), and with 69 when a part has failed."
        ],
        options: [json])

    static let whereCommand = CommandDeclaration(
        "where", "Where the station is, how exactly, and how old that is", run: CommandContext.whereIs,
        about: [
            "Prints one line: the coordinates, the horizontal error with who says so, the height above sea level, "
                + "the kind of fix, its age, and where that is on the trails. A recorded or simulated position says so. A position that is no "
                + "longer fresh is called stale, with the reason, and the command ends with 69."
        ],
        options: [
            watch, json,
            OptionDeclaration(
                "format", .choice("FORM", CoordinateFormat.allCases.map(\.rawValue)),
                "Write the coordinates as decimal degrees, as dms (degrees, minutes and seconds), as a geo URI "
                    + "(RFC 5870) or as utm (zone, easting, northing; WGS 84)."),
        ],
        examples: [
            ("konza where", "one line"),
            ("konza where --format utm --watch", "follow it on a paper map"),
        ])

    static let sky = CommandDeclaration(
        "sky", "Sun, moon, and the satellites in view, as a plot and a table", run: CommandContext.sky,
        about: [
            "The plot shows the sky as a map: north is at the top, east at the right, the rim is the horizon and the "
                + "middle is straight up. Filled marks are satellites that the position rests on. With --sun, --at or "
                + "--time it prints the sun, the moon and the magnetic declination alone; with --json as well, all that "
                + "is known of them."
        ],
        options: [
            watch, json, OptionDeclaration("sun", nil, "Sun, moon and magnetic declination, without the satellites."),
            OptionDeclaration("at", .text("LATITUDE,LONGITUDE"), "Seen from another place."),
            OptionDeclaration("time", .text("TIME"), "At another time, RFC 3339."),
        ],
        examples: [
            ("konza sky --sun", "when it gets dark"),
            ("konza sky --at 39.1,-96.6 --time 2026-12-21T14:00:00Z", "for a plan"),
        ])

    static let track = CommandDeclaration(
        "track", "Where the station was in the last half hour", run: CommandContext.track,
        about: ["Without a form it prints a summary. A file's ending (.gpx, .geojson, .json) chooses its form."],
        options: [
            OptionDeclaration(
                "since", .text("TIME"),
                "Only what is newer: a time span back from now (90s, 10m, 1h), or an RFC 3339 time."),
            OptionDeclaration("gpx", nil, "As GPX 1.1, for map programs."),
            OptionDeclaration("geojson", nil, "As GeoJSON (RFC 7946)."),
            json, output("Write the track to FILE."), force,
        ],
        examples: [("konza track --since 10m -o walk.gpx", "the last ten minutes, for a map program")])

    static let postcard = CommandDeclaration(
        "postcard", "Take a postcard", run: CommandContext.postcard,
        about: [
            "Takes a picture, stamps it and keeps it. When the command ends with 0 the postcard is safely on disk."
        ],
        options: [
            OptionDeclaration("message", short: "m", .text("TEXT"), "The visitor's own words on the card."),
            OptionDeclaration("template", short: "t", .text("NAME"), "The template; see konza templates."),
            OptionDeclaration("place", .text("TEXT"), "The place in the caption, in place of the configured one."),
            OptionDeclaration(
                "language", .text("TAG"),
                "Of the date and the station's words on the card: en (the default) or es."),
            OptionDeclaration(
                "countdown", .number("SECONDS", 0...60), "Count down before the shot, 0 to 60 seconds."),
            OptionDeclaration(
                "shots", .number("COUNT", 2...4),
                "Make a collage of 2 to 4 pictures, each after its own countdown; of 3 seconds unless --countdown says."
            ),
            OptionDeclaration(
                "layout", .choice("LAYOUT", PostcardRequest.layouts),
                "How the pictures of a collage lie; grid by default."),
            OptionDeclaration(
                "burst", .number("SECONDS", 0...3),
                "Keep 0 to 3 seconds from the shot on as an animated picture, too (konza postcards get ID --animation)."
            ),
            OptionDeclaration(
                "labels", nil,
                "Put the names of hills, towers, trails, sun and moon at their places in the picture (konza view)."),
            output("Also write the picture to FILE."), force, json,
        ],
        examples: [
            ("konza postcard --countdown 5", "time to smile"),
            ("konza postcard --shots 3 --layout strip", "three pictures on one card"),
            ("konza postcard -m \"Hello from the tallgrass\" -o hello.jpg", "with a message, and a copy here"),
        ])

    static let postcards = CommandDeclaration(
        "postcards", "The postcards that are kept, newest first", run: CommandContext.postcards,
        options: [
            OptionDeclaration("limit", short: "n", .number("COUNT", 1...10_000), "So many at most; 20 by default."),
            json,
        ],
        verbs: [
            CommandDeclaration(
                "postcards show", "All about one postcard", run: CommandContext.showPostcard, options: [json],
                operands: [id]),
            CommandDeclaration(
                "postcards get", "Copy a postcard's picture to a file", run: CommandContext.getPostcard,
                options: [
                    output("Write to FILE; ID.jpg by default."), force,
                    OptionDeclaration("original", nil, "The frame without the overlay, if the station keeps it."),
                    OptionDeclaration("thumbnail", nil, "The small picture."),
                    OptionDeclaration(
                        "animation", nil, "The burst as an animated WebP, if one was taken; ID.webp by default."),
                ], operands: [id]),
            CommandDeclaration(
                "postcards delete", "Delete a postcard for ever", run: CommandContext.deletePostcard,
                about: ["On a terminal it asks first."],
                options: [OptionDeclaration("yes", short: "y", nil, "Do not ask.")], operands: [id]),
        ],
        examples: [("konza postcards get 01k2m3n4p5q6r7s8t9v0w1x2y3 -o card.jpg", "one picture")])

    private static let id = OperandDeclaration("ID", .one, "the postcard's id, from konza postcards")

    static let camera = CommandDeclaration(
        "camera", "The camera: device, picture, health, controls", run: CommandContext.camera,
        options: [json],
        verbs: [
            CommandDeclaration(
                "camera set", "Set controls of the camera", run: CommandContext.setCamera,
                about: ["The names and ranges are those that konza camera shows. Switches take on and off as well."],
                options: [json],
                operands: [OperandDeclaration("NAME=VALUE", .some, "a control and its new value")],
                examples: [("konza camera set brightness=128 exposure_auto=1", "two at once")]),
            CommandDeclaration(
                "camera frame", "Save one frame as it is, without the overlay", run: CommandContext.cameraFrame,
                options: [output("Write to FILE; frame.jpg by default."), force]),
        ])

    static let templates = CommandDeclaration(
        "templates", "The templates for postcards", run: CommandContext.templates, options: [json])

    static let events = CommandDeclaration(
        "events", "What happens at the station, line by line, until Ctrl-C", run: CommandContext.events,
        options: [
            OptionDeclaration(
                "types", .list("TYPES", EventScreen.types),
                "Only these, with commas between; all by default."),
            OptionDeclaration(
                "rate", .number("N", 1...20), "At most so many positions a second; 1 by default."),
            json,
        ],
        examples: [("konza events --types postcard,health", "without the positions")])

    static let doctor = CommandDeclaration(
        "doctor", "Look for what is wrong, and say what to do", run: CommandContext.doctor,
        about: [
            "Walks from the socket to the daemon, gpsd, the receiver, the sky, the camera, the templates, the disk, "
                + "the clock and the outbox. It works when the daemon does not, too. Ends with 0 when nothing fails, else "
                + "with 69."
        ],
        options: [OptionDeclaration("json", nil, "Print the findings for programs.")])

    static let version = CommandDeclaration(
        "version", "The versions of konza and of the daemon", run: CommandContext.version)

    static let help = CommandDeclaration(
        "help", "Explain a command", run: CommandContext.help,
        operands: [
            OperandDeclaration("COMMAND", .optional, "the command"), OperandDeclaration("PART", .optional, "its part"),
        ],
        examples: [("konza help postcards get", "a part of a command")])
}
