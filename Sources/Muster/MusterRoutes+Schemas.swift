public import KonzaAPI

extension MusterRoutes {
    private static let states = Schema.Shape.choice(MusterState.allCases.map(\.rawValue))
    private static let evidence = Schema.Shape.choice(["kiosk", "network", "officer"])
    private static let clocks = Schema.Shape.choice(["synchronised", "unconfirmed", "unbelieved"])

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "MusterRecord", "One row of the ledger, never changed.",
            [
                .always("sequence", .integer, "1 and up, without a gap."),
                .always("box", .string, "Which box made it."),
                .always(
                    "kind", .choice(["muster", "dated", "correction"]),
                    "dated: a muster that has a day since the clock is believed, or another one since it is known to have been ahead."
                ),
                .known("day", .string, "The local day; absent while the clock was not believed."),
                .always("at", .dateTime, "When."), .always("offsetSeconds", .integer, "East of UTC."),
                .known("state", states, "Of a correction."), .always("evidence", evidence, "By what it was seen."),
                .always("verdict", .string, "What came of looking; no coordinates or addresses."),
                .always(
                    "flags", .array(.string), "Such as shared-device: one device for two people within ten minutes."),
                .known("reason", .string, "An officer's."),
                .known(
                    "announcements", .string,
                    "What had been read: ID=SHA-256 of each, with spaces between; of many one hash and their count."),
                .always("actor", .integer, "Who wrote it down; 0 for the box."),
                .known("supersedes", .integer, "The record in whose place it stands."),
                .always("clock", clocks, "How far the clock was believed."),
                .always("hash", .string, "SHA-256 over the record and the hash before it."),
            ]),
        Schema(
            "RosterLine", "One person's day.",
            [
                .always("number", .integer, "Of the person."), .always("name", .string, "Of the person."),
                .always("role", .string, "Of the person."), .always("state", states, "How it stands."),
                .always("isOverdue", .boolean, "Still expected, after the time until which musters are on time."),
                .known("at", .dateTime, "When the person mustered."),
                .known("evidence", evidence, "By what it was seen."),
                .known("verdict", .string, "What came of looking."),
                .always("flags", .array(.string), "As the record has them."),
                .known("reason", .string, "Of a correction, or of the leave."),
                .known("correctedBy", .integer, "The officer whose word stands; 0 for the box."),
            ]),
        Schema(
            "Roster", "A day by name.",
            [
                .always("day", .string, "The local day."), .always("madeAt", .dateTime, "How old it is."),
                .always("offsetSeconds", .integer, "East of UTC."),
                .always("clock", clocks, "How far the clock is believed."),
                .always("isWorkday", .boolean, "Whether people are expected."),
                .known("dayOff", .string, "weekend, closed, or the holiday's name."),
                .always("people", .array(.reference("RosterLine")), "By name."),
                .always("removedAccounts", .integer, "People with a record whose accounts were removed since."),
                .always("box", .string, "Which box knows this."),
                .always("boxes", .array(.reference("MusterBox")), "Other boxes whose ledgers were taken."),
                .always(
                    "head", .string,
                    "The ends of the audit's chains, that of musters and that of accounts: a number, a colon and a hash each, with a slash between."
                ),
            ]),
        Schema(
            "MusterBox", "Another box of the station.",
            [
                .always("box", .string, "Its name."),
                .always("heardAt", .dateTime, "Nobody is missed on days after which it was not heard."),
                .always("records", .integer, "Of it that are known here."),
            ]),
        Schema(
            "MusterUnion", "What was taken of another box.",
            [.always("box", .string, "Which."), .always("added", .integer, "Records that were new.")]),
        Schema(
            "UnreadAnnouncement", "What is to be read first.",
            [.always("id", .string, "Of the announcement."), .always("title", .string, "Of the announcement.")]),
        Schema(
            "OwnMuster", "One's own day.",
            [
                .always("number", .integer, "Of the person."), .always("name", .string, "Of the person."),
                .always("state", states, "How it stands."),
                .always("isMustered", .boolean, "Whether one is mustered today."),
                .always("isExpected", .boolean, "Whether one is expected today."),
                .always("isOverdue", .boolean, "Whether it would be late now."),
                .known("at", .dateTime, "When one mustered."),
                .known("correction", .reference("MusterRecord"), "An officer's word."),
                .always(
                    "missing", .array(.choice(["login", "announcements", "challenge", "window"])),
                    "What keeps from mustering now."),
                .always("unread", .array(.reference("UnreadAnnouncement")), "What is to be read first."),
            ]),
        Schema(
            "MusterDay", "Today.",
            [
                .always("day", .string, "The local day."), .always("madeAt", .dateTime, "Now."),
                .always("offsetSeconds", .integer, "East of UTC."),
                .always("clock", clocks, "How far the clock is believed."),
                .always("isWorkday", .boolean, "Whether people are expected."),
                .known("dayOff", .string, "weekend, closed, or the holiday's name."),
                .always("from", .string, "From when a muster is taken, local HH:MM."),
                .always("until", .string, "Later ones are late, local HH:MM."),
                .always("allowsNetwork", .boolean, "Whether devices of the network may muster."),
                .always("needsPosition", .boolean, "Whether such a device has to say where it is."),
                .always("isKiosk", .boolean, "Whether this is the kiosk."),
                .known("you", .reference("OwnMuster"), "For whoever signed in."),
                .known("people", .array(.reference("RosterLine")), "For officers."),
                .always("head", .string, "The ends of the audit's chains."),
            ]),
        Schema(
            "MusterChallenge", "The code of these thirty seconds.",
            [
                .always("code", .string, "128 bits."), .always("digits", .string, "Eight, to be typed."),
                .always("link", .string, "What the QR code opens."),
                .always("qr", .array(.string), "A text of 0 and 1 for each row."),
                .always("secondsLeft", .number, "Until another one is shown."),
                .always("periodSeconds", .integer, "How long each is."),
            ]),
        Schema(
            "MusterTicketRequest", "The code that the kiosk shows.",
            [.always("code", .string, "The QR code's, or the eight digits.")], isClosed: true),
        Schema(
            "MusterTicket", "What the code is exchanged for.",
            [
                .always("ticket", .string, "Good once."),
                .always("expiresInSeconds", .integer, "So long a login may take."),
            ]),
        Schema(
            "MusterRequest", "A muster.",
            [
                .optional("ticket", .string, "Elsewhere than at the kiosk."),
                .optional(
                    "position", .anything,
                    "Where the device has to be at a place: latitude, longitude, accuracy in metres, ageSeconds, isSimulated. "
                        + "It is not kept."),
            ], isClosed: true),
        Schema(
            "MusterMade", "What is written down.",
            [
                .always("record", .reference("MusterRecord"), "The record that counts."),
                .always("isNew", .boolean, "Whether this request made it."),
                .always("state", states, "How the day stands."),
            ]),
        Schema(
            "MusterRecordList", "Records.",
            [.always("records", .array(.reference("MusterRecord")), "The newest first.")]),
        Schema(
            "CorrectionRequest", "An officer's word on somebody else's day.",
            [
                .always("person", .string, "Name or number."),
                .optional("day", .string, "A local day; today by default."),
                .always("state", .choice(MusterState.correctable.map(\.rawValue)), "How it is."),
                .always("reason", .name(300), "Why; the person sees it."),
            ], isClosed: true),
        Schema(
            "LeaveRequest", "Leave for somebody.",
            [
                .always("person", .string, "Name or number."), .always("first", .string, "The first local day."),
                .optional("last", .string, "The last one; the first by default."),
                .optional("reason", .line(300), "Why."),
            ], isClosed: true),
        Schema(
            "Leave", "Days in which somebody is not missed.",
            [
                .always("number", .integer, "Of the leave."), .always("person", .integer, "The number of the person."),
                .always("first", .string, "The first local day."), .always("last", .string, "The last one."),
                .always("reason", .string, "Why."), .always("actor", .integer, "Who gave it; 0 for the box."),
            ]),
        Schema(
            "LeaveList", "Leave that is not over.",
            [.always("leave", .array(.reference("Leave")), "The earliest first.")]),
        Schema("LeaveNumber", "A leave that was written down.", [.always("number", .integer, "Of the leave.")]),
        Schema(
            "MusterVerdict", "What looking through the whole chain, and that of the accounts, found.",
            [
                .always("isWhole", .boolean, "Whether nothing was changed, left out or cut off."),
                .always("records", .integer, "That were looked at."),
                .always("head", .string, "The ends of both chains."),
                .known("brokenAt", .integer, "The first record that does not follow the one before it."),
                .known("hasKnownHead", .boolean, "Whether both parts of the head that was given are in their chains."),
                .known(
                    "accountsBrokenAt", .integer,
                    "The first entry of the audit of accounts that does not follow the one before it."),
            ]),
    ]
}
