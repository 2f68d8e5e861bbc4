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
        ],
        examples: [("konza hub boxes --state silent", "whom to look after")])
}
