// The portal: devices that were paired, and its certificate.

extension CommandCatalogue {
    private static let roles = ["kiosk", "collector", "ranger", "keeper"]
    private static let deviceID = OperandDeclaration("DEVICE", .one, "its id, from konza devices")
    private static let letters = OperandDeclaration("LETTERS", .one, "the eight that its screen shows")
    private static let qr = OptionDeclaration(
        "qr", nil, "Draw the QR code also where the output is no terminal: a file, a pipe.")
    private static let role = OperandDeclaration(
        "ROLE", .one, "what the device will be: \(roles.joined(separator: ", "))", kind: .choice("ROLE", roles))

    static let pair = CommandDeclaration(
        "pair", "Make a link that pairs a tablet or a telephone", run: CommandContext.pair,
        about: [
            "Shows a QR code and the link in it. Whoever opens it first, within five minutes, is paired; nobody else is. A "
                + "kiosk is paired by the browser of the station itself. What each role may do is in konza-portal(8)."
        ],
        options: [
            OptionDeclaration("name", short: "n", .text("NAME"), "What the device is called; else its user says."),
            qr, json,
        ],
        operands: [role],
        examples: [("konza pair ranger --name \"Ana's tablet\"", "scan it with the tablet's camera")])

    static let devices = CommandDeclaration(
        "devices", "The devices that are paired, and those that ask to be", run: CommandContext.devices,
        options: [json],
        verbs: [
            CommandDeclaration(
                "devices approve", "Let in a device that shows eight letters", run: CommandContext.approveDevice,
                about: ["Compare the name and the address that konza devices shows with the device before you."],
                operands: [letters, role]),
            CommandDeclaration(
                "devices deny", "Turn away a device that shows eight letters", run: CommandContext.denyDevice,
                operands: [letters]),
            CommandDeclaration(
                "devices rename", "Call a device something else", run: CommandContext.renameDevice,
                operands: [deviceID, OperandDeclaration("NAME", .one, "up to 40 characters")]),
            CommandDeclaration(
                "devices revoke", "Send a device away, at once", run: CommandContext.revokeDevice,
                operands: [deviceID]),
        ],
        examples: [("konza devices approve BCDF-GHJK ranger", "the tablet that shows BCDF-GHJK")])

    private static let shownID = OperandDeclaration("POSTCARD", .one, "its id, from konza gallery")

    static let gallery = CommandDeclaration(
        "gallery", "The postcards that visitors agreed to show to others", run: CommandContext.gallery,
        about: ["The newest are listed. To delete a postcard, use konza postcards delete."],
        options: [json],
        verbs: [
            CommandDeclaration(
                "gallery show", "Show one, or approve it", run: CommandContext.showInGallery, operands: [shownID]),
            CommandDeclaration(
                "gallery hide", "Hide one, at once", run: CommandContext.hideInGallery, operands: [shownID]),
        ])

    static let printer = CommandDeclaration(
        "printer", "How the printer is, and what to do about it", run: CommandContext.printer,
        options: [json],
        verbs: [
            CommandDeclaration(
                "printer resume", "Have a stopped printer go on", run: CommandContext.resumePrinter, options: [json]),
            CommandDeclaration(
                "printer list", "The prints that have not ended, the next one first", run: CommandContext.prints,
                options: [json]),
            CommandDeclaration(
                "printer cancel", "Cancel prints that have not come out", run: CommandContext.cancelPrints,
                about: [
                    "A print that is at the printer is cancelled there too. Its sheet may come out all the same, and then "
                        + "counts as one of the copies of its postcard. The postcard is kept."
                ],
                options: [json],
                operands: [OperandDeclaration("PRINT", .some, "its id, from konza printer list; or all")]),
        ],
        examples: [("konza printer cancel all", "before the paper is changed, so that nothing old comes out after it")])

    static let portal = CommandDeclaration(
        "portal", "How the portal is: its pages, konzad behind them", run: CommandContext.portalHealth,
        options: [json],
        verbs: [
            CommandDeclaration(
                "portal pin", "Set the PIN that opens the ranger's screens at the kiosk", run: CommandContext.setPIN,
                about: [
                    "Five taps on the name of the place, at the foot of the kiosk's page, ask for it. Without --clear it is "
                        + "read from the standard input, so that it stands in no list of processes."
                ],
                options: [OptionDeclaration("clear", nil, "Take the PIN away: the door stays shut.")]),
            CommandDeclaration(
                "portal certificate", "What tablets need to trust the station", run: CommandContext.certificate,
                about: [
                    "Shows a QR code to install it by, the fingerprint to compare, and where a device gets the certificate of the station's own "
                        + "authority: it can sign for local names and private addresses alone."
                ],
                options: [
                    output("Write the authority's certificate to FILE, in PEM."), force, qr, json,
                ]),
        ])
}
