public import KonzaAPI
internal import Markup

extension StationPagesRoutes {
    private static let links = Schema.Member.always("links", .map(.string), "Paths of what belongs to it.")

    /// What these routes answer.
    public static let schemas: [Schema] = [
        Schema(
            "CalendarPage", "Events in the order of their starts.",
            [
                .always("events", .array(.reference("CalendarEvent")), "Of this page, without their details."),
                .always("from", .dateTime, "What was asked about, within what is counted."),
                .always("to", .dateTime, "The end of it."),
                .always("today", .string, "The station's day, YYYY-MM-DD."),
                .always("total", .integer, "How many there are."),
                .known("next", .string, "The cursor of the next page."),
                .always("isIncomplete", .boolean, "Whether rules have more instances than are counted."), links,
            ]),
        Schema(
            "CalendarFeeds", "The calendars that the courier fetches.",
            [.always("feeds", .array(.reference("CalendarFeed")), "By their addresses.")]),
        Schema(
            "CalendarFeed", "How a calendar is.",
            [
                .always("source", .string, "Its address as it is configured."),
                .known("etag", .string, "Of its last whole answer (RFC 9110 section 8.8.3)."),
                .known("lastModified", .string, "Of its last whole answer (RFC 9110 section 8.8.2)."),
                .known("fetchedAt", .dateTime, "When an answer last changed something."),
                .known("checkedAt", .dateTime, "When it last gave a valid answer, since the portal's start."),
                .known("fault", .string, "Why the last question got no valid answer."),
            ]),
        Schema(
            "CalendarFeedReport", "What a calendar answered: a whole one, a problem, or neither if nothing changed.",
            [
                .always("source", .string, "Its address as it is configured."),
                .optional("etag", .string, "Of the answer."),
                .optional("lastModified", .string, "Of the answer."),
                .optional("calendar", .string, "iCalendar (RFC 5545)."),
                .optional("problem", .string, "Why there is none."),
            ]),
        Schema(
            "CalendarFeedOutcome", "What became of the answer.",
            [.known("fault", .string, "Why it cannot be used; what the calendar said before stays.")]),
        Schema(
            "CalendarFeedChoice", "The calendars that are configured.",
            [.always("sources", .array(.string), "Their addresses.")]),
        Schema(
            "CalendarEvent", "One time that an event takes place.",
            [
                .always("id", .string, "Names it for as long as its event stays as it is."),
                .always("title", .string, "What it is about."),
                .always("start", .dateTime, "Of a whole day its first instant in the station's zone."),
                .always("end", .dateTime, "When it is over; the start where the calendar does not say."),
                .always("isAllDay", .boolean, "Whether it has no time of day."),
                .always("firstDay", .string, "YYYY-MM-DD in the station's zone."),
                .always("lastDay", .string, "YYYY-MM-DD in the station's zone; the last day that it takes place on."),
                .known("startTime", .string, "HH:MM in the station's zone."),
                .known("endTime", .string, "HH:MM in the station's zone."),
                .known("place", .string, "Where it takes place."),
                .always("isCancelled", .boolean, "Whether it does not take place."),
                .always("recurs", .boolean, "Whether it comes again."),
                .always("isZoneAssumed", .boolean, "Whether its time zone is not known and the station's was taken."),
                .known("details", .string, "Of one event alone: may have lines."),
                .known("link", .string, "Of one event alone: an address with http or https."),
                .known("code", .reference("PageCode"), "Of one event alone: for a telephone's calendar."),
                .known("linkCode", .reference("PageCode"), "Of one event alone: of its link."), links,
            ]),
        Schema(
            "PageCode", "A text and its QR code.",
            [
                .always("text", .string, "What the code says."),
                .always("qr", .array(.string), "A text of 0 and 1 for each row; empty where the text is too long."),
            ]),
        Schema(
            "Personnel", "The people of the station.",
            [
                .always("groups", .array(.reference("PersonnelGroup")), "The primary contacts first."),
                .always("total", .integer, "How many people there are."), links,
            ]),
        Schema(
            "PersonnelGroup", "People who belong together.",
            [
                .known("name", .string, "As the cards have it; absent for people of no group."),
                .always(
                    "people", .array(.reference("PersonnelMember")),
                    "By their names; the primary contacts as the files have them."),
            ]),
        Schema(
            "PersonnelMember", "Somebody of the station.",
            [
                .always("id", .string, "Names the card for as long as its UID stays, or its name and address."),
                .always("name", .string, "Whole."), .known("designation", .string, "What the person does here."),
                .known("organization", .string, "Whom the person is with."),
                .always("phones", .array(.reference("PersonReach")), "Numbers to call."),
                .always("mails", .array(.reference("PersonReach")), "Addresses to write to."),
                .known("groups", .array(.string), "Of one person alone, as are those that follow."),
                .known("address", .array(.string), "By lines."), .known("interests", .array(.string), "In words."),
                .known("publications", .array(.string), "As cited."), .known("note", .string, "May have lines."),
                .known("profile", .string, "An address with http or https."),
                .known("profileCode", .reference("PageCode"), "Of the profile."),
                .known("code", .reference("PageCode"), "Of the card."), links,
            ]),
        Schema(
            "PersonReach", "A number or an address.",
            [
                .always("text", .string, "As it is shown."),
                .known(
                    "address", .string, "tel: (RFC 3966) or mailto: (RFC 6068); absent for what cannot be followed."),
                .known("kind", .string, "Such as work or cell."),
            ]),
        Schema(
            "StationPageList", "The station's pages.",
            [
                .always("pages", .array(.reference("StationPageEntry")), "In their order."),
                .always("languages", .array(.string), "All that there are pages in."), links,
            ]),
        Schema(
            "StationPageEntry", "A page without its text.",
            [
                .always("name", .string, "Of its file."), .always("language", .string, "Of its folder."),
                .always("title", .string, "Its heading."), .known("summary", .string, "One line."),
                .always("order", .integer, "By which pages are sorted."), links,
            ]),
        Schema(
            "StationPage", "A page with its text.",
            [
                .always("name", .string, "Of its file."), .always("language", .string, "Of its folder."),
                .always("title", .string, "Its heading."), .known("summary", .string, "One line."),
                .always("blocks", .array(.reference("MarkupNode")), "The text as a tree (CommonMark)."),
                .always("pictures", .string, "What the names of its pictures stand behind."), links,
            ]),
        Schema(
            "MarkupNode", "A part of a text.",
            [
                .always("kind", .choice(MarkupNode.Kind.allCases.map(\.rawValue)), "What it is."),
                .known("text", .string, "Of text, code and verbatim the characters; of a picture its words."),
                .known("level", .count(1...6), "Of a heading."),
                .known("start", .integer, "Of a numbered list its first number."),
                .known("tight", .boolean, "Of a list: whether its items stand close together."),
                .known("target", .string, "Of a link its address; of a picture the name of its file."),
                .known("children", .array(.reference("MarkupNode")), "What it holds."),
            ]),
    ]
}
