internal import FleetCommanding

// The hub: what a whole fleet has sent home.

extension CommandCatalogue {
    private static let states = ["online", "offline", "silent", "unknown"]

    static let hub = CommandDeclaration(
        "hub", "How the fleet's hub is, on the machine at home", run: CommandContext.hubStatus,
        about: [
            "Asks konza-hub(8) on its own socket, which --socket or $KONZA_HUB_SOCKET name, else "
                + "/run/konza-hub/hub.sock. Ends with 0 while every worker takes messages, else with 69."
        ],
        options: [json],
        verbs: [
            CommandDeclaration(
                "hub boxes", "The last state of every box of the fleet", run: CommandContext.hubBoxes,
                about: [
                    "A box is silent when nothing has come of it for 35 minutes: it has missed two messages of its health."
                ],
                options: [
                    OptionDeclaration("state", .choice("STATE", states), "Boxes of this state alone."),
                    OptionDeclaration("site", .text("SITE"), "Boxes of this site alone."), json,
                ]),
            CommandDeclaration(
                "hub show", "One box: its parts, its records, what is missing, what did not fit",
                run: CommandContext.hubShow, options: [json],
                operands: [OperandDeclaration("BOX", .one, "its name, from konza hub boxes")]),
            hubExport,
        ] + steering,
        examples: [("konza hub boxes --state silent", "whom to look after")])

    private static let hubExport = CommandDeclaration(
        "hub export", "The fleet for another system", run: CommandContext.hubExport,
        about: [
            "Writes boxes, positions and changes of health as entities of the OGC SensorThings API 1.1: a request of its "
                + "JSON batch a line, {\"id\", \"method\": \"post\", \"url\", \"body\"}, in the order in which a server can take them. "
                + "A Thing comes with its Location and Datastreams as a deep insert. Ids (@iot.id) are the fleet's own: a "
                + "server that keeps the client's ids gets nothing twice.",
            "A station that never knew its position has no Observations: the standard wants a place for each.",
        ],
        options: [
            OptionDeclaration("sensorthings", nil, "As entities of SensorThings; there is no other form."),
            OptionDeclaration("box", .text("BOX"), "This box alone."),
            OptionDeclaration("from", .text("TIME"), "Positions and health not before this time, RFC 3339."),
            OptionDeclaration("to", .text("TIME"), "Positions and health before this time, RFC 3339."),
            output("Write to FILE; without this its name is konza-fleet- and the day."), force,
        ],
        examples: [
            ("konza hub export --sensorthings --from 2026-11-01T00:00:00Z -o november.jsonl", "a month"),
            (
                "konza hub export --sensorthings -o - | split -l 500 - batch.", "portions that a server takes at once"
            ),
        ])

    private static let boxOperand = OperandDeclaration("BOX", .one, "its name, from konza hub boxes")
    private static let siteOption = OptionDeclaration(
        "site", .text("SITE"), "The box's site, for one of which nothing has come yet.")
    private static let wait = OptionDeclaration(
        "wait", .number("SECONDS", 1...3600), "Wait so long for the station's last word, and show it.")

    private static let steering = [
        CommandDeclaration(
            "hub enrol", "Let a box have its certificate: a code for it", run: CommandContext.hubEnrol,
            about: [
                "Prints the code for konza fleet enrol at the station. It holds a day, for one certificate and ten tries; "
                    + "another one takes its place. The hub has to give certificates ([Hub] Enrolment=)."
            ],
            options: [json], operands: [OperandDeclaration("BOX", .one, "the station's name in its fleet")]),
        CommandDeclaration(
            "hub revoke", "Take a box's certificates back", run: CommandContext.hubRevoke,
            about: [
                "It gets no further one, and the list for the broker ([Hub] RevocationList=) is written. mosquitto reads it "
                    + "again when konza-hub-crl.path is enabled, or on systemctl reload mosquitto, and lets who is connected go "
                    + "on until it is restarted."
            ],
            options: [json], operands: [OperandDeclaration("BOX", .one, "the station's name in its fleet")]),
        CommandDeclaration(
            "hub command", "Have a box do something, once", run: CommandContext.hubCommand,
            about: [
                "Signs the command with the operator's key, which stays here, and has the hub publish it. The station does it "
                    + "once, before its time is over, or never. With --wait ends with 0 if it was done, with 65 if it was "
                    + "refused or came too late, and with 75 if nothing is known yet."
            ],
            options: [
                keyFile,
                OptionDeclaration(
                    "minutes", .number("MINUTES", 1...1440),
                    "How long the command holds from now; 10 where it is left out."), wait, siteOption, json,
            ],
            operands: [
                boxOperand,
                OperandDeclaration(
                    "VERB", .one, "what to do", kind: .choice("VERB", OperatorRight.verbs.map(\.rawValue))),
                OperandDeclaration(
                    "NAME=VALUE", .any, "its arguments: message and template of postcard, record of original"),
            ],
            examples: [("konza hub command knz07 postcard message=Hello -k alice.key --wait 60", "take one, and wait")]),
        CommandDeclaration(
            "hub answer", "What became of a command", run: CommandContext.hubAnswer, options: [wait, json],
            operands: [boxOperand, OperandDeclaration("ID", .one, "of the command")]),
        CommandDeclaration(
            "hub desired", "What a box's settings are to be, and what it made of that", run: CommandContext.hubDesired,
            about: [
                "Without a key: shows what operators want, and what the station reports. With a key: signs all settings that "
                    + "are wanted and has the hub publish them; the broker keeps them for the station."
            ],
            options: [
                keyFile,
                OptionDeclaration(
                    "revision", .number("N", 1...9_000_000_000_000),
                    "The version: above that of every message before; the seconds since 1970 where it is left out."),
                siteOption, json,
            ],
            operands: [
                boxOperand,
                OperandDeclaration(
                    "SECTION.KEY=VALUE", .any, "settings as in konzad.conf(5); with a key and none, all defaults"),
            ],
            examples: [("konza hub desired knz07 Postcards.Template=vintage -k alice.key", "another template")]),
    ]
}
