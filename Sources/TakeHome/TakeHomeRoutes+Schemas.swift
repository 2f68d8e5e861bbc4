public import KonzaAPI

extension TakeHomeRoutes {
    /// What these routes, and those of ``TrailsHome``, take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "ShareRequest", "The postcard that is to go home.",
            [.always("postcard", .form(.id), "Its id.")], isClosed: true),
        Schema(
            "Share", "A link to a postcard.",
            [
                .always("link", .reference("LinkCode"), "Where the telephone finds it."),
                .always("endsAt", .dateTime, "Until when."),
                .known("network", .reference("LinkNetwork"), "What the telephone must join first."),
            ]),
        Schema(
            "TrailLink", "A link to the GPX file of a trail.",
            [
                .always("link", .reference("LinkCode"), "Where the telephone finds it."),
                .known("network", .reference("LinkNetwork"), "What the telephone must join first."),
            ]),
        Schema(
            "LinkCode", "A text and the QR code that says it.",
            [
                .always("text", .string, "The text."),
                .always(
                    "qr", .array(.string), "ISO/IEC 18004: 0 and 1, a text for each row; empty for a text too long."),
            ]),
        Schema(
            "LinkNetwork", "The station's Wi-Fi.",
            [
                .always("name", .string, "Its name."),
                .known("password", .string, "Absent for an open network."),
                .always("code", .reference("LinkCode"), "By which a telephone joins it."),
            ]),
    ]
}
