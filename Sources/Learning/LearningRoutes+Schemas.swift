public import KonzaAPI

extension LearningRoutes {
    private static let states = ["untouched", "started", "done"]

    /// What these routes take and answer.
    public static let schemas: [Schema] = ownSchemas + ClassSchemas.all

    private static let ownSchemas: [Schema] = [
        Schema(
            "LearningRoundRequest", "How a round of a game went.",
            [
                .always("round", .string, "Told apart from every other round: 32 hexadecimal digits."),
                .known("profile", .string, "A colour and an animal, as in blue-owl."),
                .always("activity", .string, "The game, such as quiz/hard/africa."),
                .known("rule", .count(1...1000), "The version of the game's rules and deck; 1 by default."),
                .always("right", .count(0...1000), "What was found."),
                .always("of", .count(1...1000), "What there was to find; at least right."),
                .always("asked", .count(0...10_000), "Answers given; at least right."),
                .always("seconds", .range(0...86_400), "How long it took."),
                .known("timed", .boolean, "Whether it was played against the clock; true by default."),
                .known(
                    "answers", .list(.reference("LearningAnswer"), atMost: LearningRound.mostAnswers),
                    "What is noted for spaced repetition."),
            ], isClosed: true),
        Schema(
            "LearningAnswer", "One item that was asked.",
            [
                .always("deck", .string, "world, states, prairie, or deck- and the name of one of the station's."),
                .always("item", .string, "Its id in the deck."),
                .always("right", .boolean, "Whether the answer was."),
            ], isClosed: true),
        Schema(
            "LearningProgress", "What a player has reached.",
            [
                .known("profile", .string, "Absent where none was chosen."),
                .always("kept", .boolean, "Whether what the asking device reaches is kept here."),
                .always("parts", .array(.reference("LearningPart")), "Of the menu, in its order."),
                .always("activities", .array(.reference("LearningActivity")), "Every game that was played."),
                .always("items", .array(.reference("LearningItem")), "What is known, what is due first."),
            ]),
        Schema(
            "LearningPart", "A part of the menu.",
            [
                .always("part", .string, "Such as quiz/easy."),
                .always("state", .choice(states), "done: all its games are."),
                .always("right", .integer, "The sum of the best of its games."),
                .known("of", .integer, "The sum of what there is to find in those that were played."),
            ]),
        Schema(
            "LearningActivity", "The best of a game.",
            [
                .always("activity", .string, "The game."),
                .always("timed", .boolean, "Whether against the clock; scored apart."),
                .always("rule", .integer, "The version of its rules and deck."),
                .always("right", .integer, "Of the best round."),
                .always("of", .integer, "What there is to find."),
                .always("seconds", .number, "Of the best round."),
                .always("accuracy", .number, "The best share of right answers, 0 to 1."),
                .always("plays", .integer, "Rounds."),
                .always("state", .choice(states), "done: everything was found."),
            ]),
        Schema(
            "LearningItem", "What a player knows of an item.",
            [
                .always("deck", .string, "Where it is from."),
                .always("item", .string, "Its id."),
                .always("seen", .integer, "Times that it was asked."),
                .always("right", .integer, "Times that the answer was right."),
                .always("box", .integer, "1 to 5: asked again at once, and after 1, 3, 7 and 21 days."),
                .always("dueAt", .dateTime, "When it is to be asked again."),
            ]),
        Schema(
            "LearningDays", "How often games were played, by whomever.",
            [.always("days", .array(.reference("LearningDay")), "Games that were played five times or more on a day.")]),
        Schema(
            "LearningDay", "A game on a day.",
            [
                .always("day", .string, "UTC, as 2026-11-22."),
                .always("activity", .string, "The game."),
                .always("plays", .integer, "Rounds."),
                .always("finishes", .integer, "Rounds in which everything was found."),
                .always("medianSeconds", .number, "How long a round took."),
            ]),
        Schema(
            "DeckList", "The decks that the station has added.",
            [.always("decks", .array(.reference("DeckEntry")), "By name.")]),
        Schema(
            "DeckEntry", "A deck of the station.",
            [
                .always("name", .string, "Of its file, without the ending."),
                .known("title", .reference("DeckText"), "Absent where it cannot be used."),
                .always("items", .integer, "Its cards."),
                .known("complaint", .string, "What is wrong with it."),
            ]),
        Schema(
            "Deck", "A deck of the station.",
            [
                .always("title", .reference("DeckText"), "Its name."),
                .always("items", .array(.reference("DeckItem")), "Its cards."),
            ]),
        Schema(
            "DeckItem", "A card.",
            [
                .always("id", .string, "Known by it in the progress."),
                .always("name", .reference("DeckText"), "What it is called."),
                .known("group", .reference("DeckText"), "What it is sorted by."),
                .known("picture", .string, "A file below pictures/ of the deck."),
                .always("facts", .array(.reference("DeckText")), "What it is known by."),
                .known("credit", .string, "Whose picture it is."),
            ]),
        Schema(
            "DeckText", "A text of a deck.",
            [.always("en", .string, "In English."), .known("es", .string, "In Spanish, where it is known.")]),
    ]
}
