public import KonzaAPI

extension PeopleRoutes {
    private static let role = Schema.Shape.choice(PersonRole.allCases.map(\.rawValue))
    private static let secret = Schema.Shape.string

    /// What these routes take and answer.
    public static let schemas: [Schema] = [
        Schema(
            "Person", "Somebody with an account.",
            [
                .always("number", .integer, "Given once and never again; the audits name people by it."),
                .always("name", .string, "One line."), .always("role", role, "Each includes the ones before it."),
                .known("arrives", .string, "The first local day on which the person is expected; absent: always."),
                .known("departs", .string, "The last one; absent: no end."),
                .always("createdAt", .dateTime, "When the account was made."),
                .always("canSignIn", .boolean, "Whether there is a passphrase."),
                .always("hasPIN", .boolean, "Whether there is a PIN for the kiosk."),
                .always("hasBadge", .boolean, "Whether there is a badge."),
            ]),
        Schema("PersonList", "The accounts.", [.always("people", .array(.reference("Person")), "By name.")]),
        Schema(
            "PersonRequest", "A new account.",
            [
                .always("name", .name(60), "One line with a letter among its characters."),
                .always("role", role, "What the person may do."),
                .optional("arrives", .string, "The first local day, such as 2026-06-01."),
                .optional("departs", .string, "The last local day."),
            ], isClosed: true),
        Schema(
            "PersonChange", "What is to be changed of an account; null takes a day away.",
            [
                .optional("name", .name(60), "One line."), .optional("role", role, "What the person may do."),
                .optional("arrives", .string, "The first local day."),
                .optional("departs", .string, "The last local day."),
            ], isClosed: true),
        Schema(
            "Badge", "A badge for the kiosk's reader.",
            [
                .always("text", .string, "What the code says."),
                .always("qr", .array(.string), "The QR code, a text of 0 and 1 for each row."),
            ]),
        Schema(
            "Credentials", "What opens an account; this answer alone has it.",
            [
                .always("person", .reference("Person"), "Whose."), .always("passphrase", .string, "24 characters."),
                .always("pin", .string, "Six digits, for the kiosk alone."),
                .always("badge", .reference("Badge"), "For the kiosk alone, with the PIN."),
            ]),
        Schema(
            "ImportedPeople", "What an import made.",
            [
                .always("added", .integer, "Accounts."),
                .always("unchanged", .integer, "Rows of which there was an account already, with all that they say."),
            ]),
        Schema(
            "PeopleAudit", "What was done with accounts.",
            [
                .always("entries", .array(.reference("PeopleAuditEntry")), "The newest first, at most 500."),
                .known("brokenAt", .integer, "The first entry that does not follow the one before it."),
            ]),
        Schema(
            "PeopleAuditEntry", "One thing that was done with an account.",
            [
                .always("number", .integer, "1 and up."), .always("at", .dateTime, "When."),
                .always("actor", .integer, "Who did it; 0 for the box."),
                .always("action", .string, "Such as add or reset."),
                .always("person", .integer, "With whom."), .always("detail", .string, "Never a name."),
                .always("hash", .string, "SHA-256 over the entry and the hash before it."),
            ]),
        Schema(
            "SignInRequest", "What somebody signs in with.",
            [
                .optional("name", secret, "Or, at the kiosk, the number."),
                .optional("passphrase", secret, "Elsewhere than at the kiosk."),
                .optional("badge", secret, "At the kiosk, in place of the name."),
                .optional("pin", secret, "At the kiosk."),
                .optional(
                    "keep", .choice(KeptLogin.allCases.map(\.rawValue)), "What the device keeps; nothing by default."),
                .optional("purpose", .choice(["return"]), "Only to say that one is back."),
            ], isClosed: true),
        Schema(
            "PersonSession", "Who is signed in on a device.",
            [
                .known("person", .reference("Person"), "Absent where nobody is."),
                .known("isFresh", .boolean, "Whether the secret was typed within five minutes."),
                .known("isForReturn", .boolean, "Whether it is only good to say that one is back."),
                .known("expiresAt", .dateTime, "When the session ends."),
                .known("keeps", .string, "What the device keeps."),
                .known("keptName", .string, "The name that was kept by choice."),
                .always("isKiosk", .boolean, "Whether PIN and badge are taken here."),
            ]),
        Schema(
            "PassphraseRequest", "Another passphrase.",
            [
                .always("current", secret, "The one so far."),
                .always("passphrase", secret, "15 to 128 characters of any script."),
            ], isClosed: true),
        Schema("PIN", "A new PIN; this answer alone has it.", [.always("pin", .string, "Six digits.")]),
        Schema(
            "PersonSessionList", "Where somebody is signed in.",
            [.always("sessions", .array(.reference("OwnPersonSession")), "The newest first.")]),
        Schema(
            "OwnPersonSession", "One of one's sessions.",
            [
                .always("id", .string, "It opens nothing."), .always("device", .string, "What is known of the device."),
                .always("madeAt", .dateTime, "When."), .always("expiresAt", .dateTime, "When it ends."),
                .always("keeps", .string, "What the device keeps."), .always("isThis", .boolean, "Whether it asks."),
            ]),
    ]
}
