// Decks of cards for the learning games.

extension CommandCatalogue {
    private static let file = OperandDeclaration(
        "FILE", .some, "a deck: .json or .csv, its pictures beside it", kind: .file)

    static let decks = CommandDeclaration(
        "decks", "The decks that the station has added to the learning games", run: CommandContext.decks,
        about: ["Lists the decks that the portal has found, and what is wrong with those that cannot be used."],
        options: [json],
        verbs: [
            CommandDeclaration(
                "decks check", "Check a deck before it is added", run: CommandContext.checkDecks,
                about: [
                    "Reads each file as the portal does, and the pictures that it names, and says what is wrong, with its place "
                        + "in the file. Ends with 0 where all are sound, with 65 where one is not. Needs no station."
                ],
                operands: [file],
                examples: [("konza decks check fish.csv", "")])
        ])
}
