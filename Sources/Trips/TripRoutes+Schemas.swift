public import KonzaAPI

extension TripRoutes {
    private static let steps = Overdue.allCases.map(\.name)

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "TripList", "Trips.",
            [
                .always(
                    "trips", .array(.reference("Trip")),
                    "Those first who are expected first; of those that ended, the latest."),
                .always("out", .integer, "Parties of the list that are out."),
                .always("people", .integer, "People in them."),
                .always("overdue", .integer, "Parties among them that are overdue."),
                .always(
                    "isClockBelieved", .boolean,
                    "Whether the station knows the time: not where the clock was never set, by which nothing becomes overdue, nor "
                        + "where it says less after a start than before, and nobody confirms it."),
                .always(
                    "isReported", .boolean,
                    "Whether somebody outside is sent messages, none waits to be sent, and one of the last was taken."),
                .always("waitingMessages", .integer, "Messages that wait to be sent."),
                .known("sheriff", .string, "The number to call for a search."),
            ]),
        Schema(
            "Trip", "A party that is out, or was.",
            [
                .always("id", .string, "Its name."),
                .always("state", .choice(["out", "overdue", "returned"]), "How it is."),
                .always("leader", .string, "Who leads it."),
                .always("party", .array(.string), "Everybody else."),
                .always("count", .integer, "How many they are."),
                .always("expectedAt", .dateTime, "When it is expected back."),
                .always(
                    "expectedLocal", .string,
                    "The same by the station's clock on the wall, for people: 2026-11-25 09:15 CST."),
                .always("startedAt", .dateTime, "When it signed out."),
                .always("overdue", .choice(steps), "What is to be done about it."),
                .known("lateSeconds", .integer, "Since it was expected."),
                .known("acknowledgedAt", .dateTime, "When somebody took care of it."),
                .known("acknowledgedBy", .string, "Who did."),
                .known(
                    "withdrawnAt", .dateTime,
                    "When an alarm about it was withdrawn: the clock was ahead. Absent where it is overdue all the same."
                ),
                .known("endedAt", .dateTime, "When it came back."),
                .known("endedLocal", .string, "The same by the station's clock on the wall."),
                .known("endedHow", .string, "How, in words."),
                .known("isOwn", .boolean, "Where somebody signed in: whether they belong to the party."),
                .known("destination", .string, "For the crew: where it goes."),
                .known("route", .array(.string), "For the crew: by which trails."),
                .known("vehicle", .string, "For the crew."),
                .known("contact", .reference("TripContact"), "For the crew: whom to ask."),
                .known("note", .string, "For the crew."),
                .known("place", .reference("TripPlace"), "For the crew: where it was at the start, by its choice."),
                .known("startedBy", .string, "For the crew: by whose hand."),
                .known("person", .integer, "For the crew: the number of the account that signed it out."),
                .known("endedBy", .string, "For the crew: by whose hand."),
                .known("events", .array(.reference("TripEvent")), "Of one alone: what happened to it."),
                .known(
                    "unknownTrails", .array(.string),
                    "Of one alone, and of one that signs out: what of the route is no trail of the station's network now."
                ),
                .known("waitingMessages", .integer, "Of one alone: messages of the station that wait to be sent."),
            ]),
        Schema(
            "TripContact", "Whom to ask for a party.",
            [
                .always("name", .string, "Who."), .always("phone", .string, "To call."),
                .always("email", .string, "To write to."),
                .known("language", .choice(MessageLanguage.allCases.map(\.rawValue)), "In which it is written to."),
            ]),
        Schema(
            "TripPlace", "A position.",
            [
                .always("latitude", .number, "Degrees, WGS 84."), .always("longitude", .number, "Degrees, WGS 84."),
                .known("accuracy", .number, "Metres."),
            ]),
        Schema(
            "TripEvent", "Something that happened to a trip.",
            [
                .always(
                    "kind",
                    .choice(["started", "extended", "raised", "withdrawn", "dated", "acknowledged", "returned"]),
                    "What."
                ),
                .always("at", .dateTime, "When."), .always("who", .string, "By whose hand; station: by time."),
                .known("person", .integer, "The number of the account, where somebody had signed in."),
                .always("detail", .string, "The new time, the step, why it was withdrawn or dated, or how."),
                .always("localTime", .string, "When, by the station's clock on the wall."),
                .known("localDetail", .string, "The new time by the same."),
            ]),
        Schema(
            "TripRequest", "A party that signs out.",
            [
                .always("leader", .string, "Who leads it; up to 80 characters."),
                .always("destination", .string, "Where it goes; up to 200 characters."),
                .always(
                    "expectedAt", .dateTime,
                    "When it will be back: in the future, at most \(TripRegister.mostHoursAhead) hours from now."),
                .optional("party", .list(.string, atMost: TripRequest.mostParty), "Everybody else."),
                .optional(
                    "route", .list(.string, atMost: TripRequest.mostRoute),
                    "Names of trails, or other words; which are no trails the answer says."),
                .optional("vehicle", .string, "Up to 120 characters."),
                .optional(
                    "contact", .anything,
                    "name, phone and email of whom to ask, and the language of messages to it: en or es."),
                .optional("note", .string, "Up to 1000 characters."),
                .optional("place", .anything, "latitude, longitude and accuracy."),
                .optional("by", .string, "By whose hand, where several share a device."),
            ], isClosed: true),
        Schema(
            "TripExtension", "When the party will be back instead.",
            [
                .always(
                    "expectedAt", .dateTime,
                    "In the future, at most \(TripRegister.mostHoursAhead) hours from now."),
                .optional("by", .string, "By whose hand."),
            ],
            isClosed: true),
        Schema(
            "TripReturn", "That a party is back.",
            [.optional("how", .string, "In words."), .optional("by", .string, "By whose hand.")], isClosed: true),
        Schema(
            "TripAcknowledgement", "That somebody takes care of it.",
            [.optional("by", .string, "Who: nobody of the party; at the kiosk needed where nobody signed in.")],
            isClosed: true),
    ]
}

extension MessageRoutes {
    private static let ways = Schema.Shape.choice(MessageOutbox.Way.allCases.map(\.rawValue))

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "MessageList", "Messages to people elsewhere.",
            [
                .always("messages", .array(.reference("Message")), "The newest first."),
                .always("waiting", .integer, "How many wait to be sent."),
                .always("givenUp", .integer, "How many no server took, or the settings have no way for."),
                .always("withdrawn", .integer, "How many were taken back before anybody was told."),
            ]),
        Schema(
            "Message", "A message and what became of it.",
            [
                .always("id", .string, "Its name, which is in its Message-ID too."),
                .always("way", ways, "How it goes out."),
                .always("recipient", .string, "A mail address; empty for the webhook."),
                .always("subject", .string, "In one line."),
                .always("about", .string, "The trip."),
                .always("writtenAt", .dateTime, "When it was written."),
                .always("writtenLocal", .string, "The same by the station's clock on the wall."),
                .always("state", .choice(["waiting", "sent", "given-up", "withdrawn"]), "How it is."),
                .always("attempts", .integer, "How often it was tried."),
                .known("failure", .string, "Why the last attempt failed, or why there is none any more."),
                .known("sentAt", .dateTime, "When a server took it."),
            ]),
        Schema(
            "MessageErrand", "A message that is the courier's to send now.",
            [
                .always("id", .string, "Its name."), .always("lease", .string, "Says whose it is."),
                .always("way", ways, "How."), .always("recipient", .string, "To whom."),
                .always("subject", .string, "In one line."), .always("body", .string, "The text."),
                .always("about", .string, "The trip."), .always("writtenAt", .dateTime, "When it was written."),
            ]),
        Schema(
            "MessageWish", "What the courier can send.",
            [.always("ways", .list(ways, atMost: 2), "By the settings.")]),
        Schema(
            "MessageReport", "What came of sending a message.",
            [
                .always("lease", .string, "As it was given."),
                .always("outcome", .choice(["sent", "postponed", "refused"]), "refused: it is not tried again."),
                .optional("problem", .string, "Why it was not sent."),
            ]),
    ]
}
