public import KonzaAPI

extension AnnouncementRoutes {
    private static let audience = Schema.Shape.choice(Announcement.Audience.allCases.map(\.rawValue))

    private static let row: [Schema.Member] = [
        .always("id", .string, "Its name."),
        .always("title", .string, "In the language that was asked for, where it has words in it."),
        .always("language", .string, "Of the words (RFC 5646)."),
        .known("startDate", .dateTime, "It is active from then; absent: from the beginning."),
        .known("endDate", .dateTime, "It is active until then; absent: until it is retired."),
        .always("pubDate", .dateTime, "When it was published, or first seen here."),
        .always("isUrgent", .boolean, "Whether it comes first."),
        .always("isRead", .boolean, "Whether whoever asks has read it as it is now."),
        .always("isChanged", .boolean, "Whether whoever asks has read it as it was before."),
        .always("isRequired", .boolean, "Whether it must have been read before mustering."),
        .always("isActive", .boolean, "Whether it has begun and not ended."),
        .always("audience", audience, "Whom it is for."),
        .always("source", .choice(["written", "file", "feed"]), "Where it comes from."),
        .always("hash", .string, "SHA-256 of title, body, more, the three dates and urgency."),
    ]

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "AnnouncementList", "The announcements for whoever asks.",
            [
                .always("announcements", .array(.reference("AnnouncementSummary")), "In the order of the list."),
                .always("unread", .integer, "Active ones that are unread."),
                .always("unreadUrgent", .integer, "Urgent ones among them."),
                .always("hiddenUrgent", .integer, "Active urgent ones for the crew, which whoever asks is not shown."),
                .always("feeds", .array(.reference("AnnouncementFeedAge")), "How old what feeds said is."),
                .known("faults", .array(.string), "For the crew: what is wrong with files."),
            ]),
        Schema("AnnouncementSummary", "An announcement in the list.", row),
        Schema(
            "Announcement", "An announcement.",
            row + [
                .always("body", .string, "The text."),
                .always("more", .string, "What follows it; may be empty."),
                .always("format", .choice(Announcement.Format.allCases.map(\.rawValue)), "How both are written."),
                .known("bodyBlocks", .array(.anything), "The text of CommonMark as a tree."),
                .known("moreBlocks", .array(.anything), "What follows it as a tree."),
                .known("link", .string, "Where it is to be read in full."),
                .always("author", .string, "Who wrote it, or where it comes from."),
                .known("isUnreadAgain", .boolean, "Of a change: whether everyone has to read it again."),
                .always("translations", .map(.reference("AnnouncementWords")), "The words in each language."),
            ]),
        Schema(
            "AnnouncementWords", "The words in one language.",
            [
                .always("title", .string, "One line of at most 200 characters."),
                .always("body", .string, "At most 16 KiB."),
                .always("more", .string, "At most 16 KiB."),
            ]),
        Schema(
            "AnnouncementRequest", "What an announcement is to say; a change names what it changes.",
            [
                .optional("title", .string, "One line of at most 200 characters; a new one needs it."),
                .optional("body", .string, "At most 16 KiB."),
                .optional("more", .string, "At most 16 KiB."),
                .optional("language", .string, "Of these words, such as en."),
                .optional("translations", .map(.anything), "title, body and more in other languages."),
                .optional("startDate", .dateTime, "When it begins."),
                .optional("endDate", .dateTime, "When it ends; after startDate."),
                .optional("pubDate", .dateTime, "When it is published; now, where nothing is said."),
                .optional("isUrgent", .boolean, "Whether it comes first."),
                .optional("isRequired", .boolean, "Whether it must have been read before mustering."),
                .optional("audience", audience, "Whom it is for; crew where nothing is said."),
                .optional(
                    "format", .choice(Announcement.Format.allCases.map(\.rawValue)), "commonmark where nothing is said."
                ),
            ], isClosed: true),
        Schema(
            "AnnouncementFeedAge", "How old what a feed said is.",
            [
                .always("title", .string, "Its own."),
                .known("ageSeconds", .integer, "Since it was last heard of, in whole minutes."),
                .known("source", .string, "For the crew: its address."),
                .known("fault", .string, "For the crew: why the last question got no valid answer."),
            ]),
        Schema(
            "AnnouncementFeeds", "The feeds that were ever asked.",
            [.always("feeds", .array(.reference("AnnouncementFeed")), "By their addresses.")]),
        Schema(
            "AnnouncementFeed", "How a feed is.",
            [
                .always("source", .string, "Its address as it is configured."),
                .always("title", .string, "Its own."),
                .known("etag", .string, "Of its last whole answer (RFC 9110 section 8.8.3)."),
                .known("lastModified", .string, "Of its last whole answer (RFC 9110 section 8.8.2)."),
                .known("fetchedAt", .dateTime, "When an answer last changed something."),
                .known("checkedAt", .dateTime, "When it last gave a valid answer, since the portal's start."),
                .known("fault", .string, "Why the last question got no valid answer."),
            ]),
        Schema(
            "AnnouncementFeedReport", "What a feed answered: a feed, a problem, or neither if nothing changed.",
            [
                .always("source", .string, "Its address as it is configured."),
                .optional("audience", audience, "Whom its announcements are for."),
                .optional("etag", .string, "Of the answer."),
                .optional("lastModified", .string, "Of the answer."),
                .optional("feed", .anything, "A complete valid answer."),
                .optional("problem", .string, "Why there is none."),
            ]),
        Schema(
            "AnnouncementFeedOutcome", "What a feed's answer changed.",
            [
                .always("added", .integer, "New ones."), .always("changed", .integer, "Unread again."),
                .always("retired", .integer, "Not in the feed any more."),
            ]),
        Schema(
            "AnnouncementFeedChoice", "The feeds that are configured.",
            [.always("sources", .array(.string), "Their addresses.")]),
    ]
}
