internal import FleetCommanding

// The station as one of many.

extension CommandCatalogue {
    static let fleet = CommandDeclaration(
        "fleet", "How far the station's fleet knows its records", run: CommandContext.fleet,
        about: [
            "Shows the broker that konza-fleet brings records to, how many wait and since when, and what is in the way. "
                + "Nothing that waits is lost: it is let go when the fleet's database has it. Ends with 69 while the broker is "
                + "not reached."
        ],
        options: [json],
        verbs: [
            CommandDeclaration(
                "fleet status", "How far the fleet knows the records, as konza fleet", run: CommandContext.fleet,
                options: [json]),
            CommandDeclaration(
                "fleet enrol", "Get this station's certificate with a code", run: CommandContext.fleetEnrol,
                about: [
                    "Makes a key here, which never leaves the station, and has the fleet's hub sign a certificate for it. The "
                        + "code, of konza hub enrol at home, also tells the station which hub to trust. konza-fleet renews the "
                        + "certificate at half of its life. Run it as root."
                ],
                options: [
                    OptionDeclaration("hub", .text("URL"), "Where the hub is, https://HOST:PORT."),
                    OptionDeclaration("config", .file, "konzad's configuration; /etc/konza/konzad.conf if left out."),
                    OptionDeclaration("state", .file, "konza-fleet's folder; /var/lib/konza-fleet if left out."),
                ],
                operands: [OperandDeclaration("CODE", .one, "the code, 17 groups of 4 digits")]),
        ] + fleetSigning)

    static let keyFile = OptionDeclaration("key", short: "k", .file, "The operator's private key.")
    private static let box = OptionDeclaration("box", short: "b", .text("BOX"), "The station that it is for.")

    /// What is signed needs no station: it is made where the operator is.
    static let fleetSigning = [
        CommandDeclaration(
            "fleet key", "Make an operator's key", run: CommandContext.makeFleetKey,
            about: [
                "Writes a private key (Ed25519, PKCS #8) into FILE, which nobody else may read, and prints the line for the "
                    + "stations' file of operators. What the operator may have a station do stands in that line: "
                    + "\(OperatorRight.allCases.map(\.rawValue).joined(separator: ", ")), with commas between, or - for nothing."
            ],
            options: [
                OptionDeclaration(
                    "rights", .list("RIGHTS", OperatorRight.allCases.map(\.rawValue)),
                    "What the line lets the operator do; nothing where it is left out."),
                OptionDeclaration("name", .text("NAME"), "Whose key it is, one word."),
            ],
            operands: [
                OperandDeclaration("make", .one, "the word make", kind: .choice("make", ["make"])),
                OperandDeclaration("FILE", .one, "a file that is not there yet", kind: .file),
            ],
            examples: [
                ("konza fleet key make alice.key --name alice --rights postcard,whoami", "a key, and its line")
            ]),
        CommandDeclaration(
            "fleet sign", "Sign a command for one station of a fleet", run: CommandContext.signFleetCommand,
            about: [
                "Prints the message for the topic konza/1/SITE/BOX/command. A station does it once, before its time is over, "
                    + "or never. Publish it without retaining it."
            ],
            options: [
                keyFile, box,
                OptionDeclaration(
                    "minutes", .number("MINUTES", 1...1440),
                    "How long the command holds from now; 10 where it is left out."),
            ],
            operands: [
                OperandDeclaration(
                    "VERB", .one, "what to do", kind: .choice("VERB", OperatorRight.verbs.map(\.rawValue))),
                OperandDeclaration(
                    "NAME=VALUE", .any, "its arguments: message and template of postcard, record of original"),
            ],
            examples: [
                ("konza fleet sign -k alice.key -b knz07 whoami >command.json", "for mosquitto_pub -f")
            ]),
        CommandDeclaration(
            "fleet desired", "What is set from afar; or sign the settings that one station is to have",
            run: CommandContext.fleetDesired,
            about: [
                "Without a key: shows what operators far away have set at this station, and what stands in its own "
                    + "configuration. --clear drops it until they set something again; [Fleet] RemoteSettings=no in "
                    + "konzad.conf(5) is for good.",
                "With a key: prints the message for the topic konza/1/SITE/BOX/desired, to be retained. It holds all settings that are "
                    + "wanted; a station takes over those that are harmless, and reports the others.",
            ],
            options: [
                keyFile, box,
                OptionDeclaration(
                    "revision", .number("N", 1...9_000_000_000_000),
                    "The version: above that of every message before; the seconds since 1970 where it is left out."),
                OptionDeclaration("clear", nil, "Drop what is set from afar at this station."), json,
            ],
            operands: [
                OperandDeclaration("SECTION.KEY=VALUE", .any, "settings as in konzad.conf(5); none for all defaults")
            ],
            examples: [("konza fleet desired -k alice.key -b knz07 Postcards.Template=vintage", "another template")]),
    ]
}
