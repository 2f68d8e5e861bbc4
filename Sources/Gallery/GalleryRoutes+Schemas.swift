public import KonzaAPI

extension GalleryRoutes {
    private static let states = ["shown", "waiting", "hidden"]

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "ModerationRequest", "Whether others see a postcard.",
            [.always("state", .choice(["shown", "hidden"]), "How it is to be.")], isClosed: true),
        Schema(
            "GalleryState", "Whether others see a postcard.",
            [.always("state", .choice(states), "waiting: a ranger decides first.")]),
        Schema(
            "GalleryPage", "Postcards, the newest first.",
            [
                .always("postcards", .array(.reference("GalleryPostcard")), "Of this page."),
                .known("next", .string, "The cursor of the next page."),
                .known("waiting", .integer, "For rangers: how many wait for a decision."),
            ]),
        Schema(
            "GalleryPostcard", "What the picture of a postcard shows anyway.",
            [
                .always("id", .string, "Of the postcard."),
                .always("place", .string, "As its lettering names it."),
                .known("message", .string, "What its visitor wrote."),
                .always("exposedAt", .dateTime, "When its frame was exposed."),
                .always("width", .integer, "Pixels."),
                .always("height", .integer, "Pixels."),
                .known("state", .choice(states), "For rangers: whether others see it."),
                .known("agreedAt", .dateTime, "For rangers: when its visitor agreed."),
                .always("links", .map(.string), "Paths of image and thumbnail."),
            ]),
    ]
}
