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
                options: [json])
        ])
}
