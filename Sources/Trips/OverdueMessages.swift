public import KonzaModel
internal import KonzaSystem

/// What is written of overdue trips: to the officer when a trip has been overdue for a while, and to the party's contact after that.
/// After an outage the officer gets one message about all of them.
///
/// A contact is written to in its own language where the trip says which, everybody else in the station's; where neither is known,
/// in all that there are (``MessageLanguage``).
public struct OverdueMessages: Sendable {
    private let station: String
    private let officer: [String]
    private let hasWebhook: Bool
    private let sheriff: String
    private let language: @Sendable () -> String?

    /// - Parameters:
    ///   - station: its name.
    ///   - officer: mail addresses.
    ///   - hasWebhook: whether messages are posted as well.
    ///   - sheriff: the number to call; may be empty.
    ///   - language: the station's, as a tag of BCP 47; nil where none was chosen.
    public init(
        station: String, officer: [String], hasWebhook: Bool, sheriff: String,
        language: @escaping @Sendable () -> String? = { nil }
    ) {
        self.station = station
        self.officer = officer
        self.hasWebhook = hasWebhook
        self.sheriff = sheriff
        self.language = language
    }

    /// Whether anybody is sent anything.
    public var isConfigured: Bool { !officer.isEmpty || hasWebhook }

    /// The messages of what was raised at one look.
    public func drafts(_ raised: [TripRegister.Raised], now: UTCInstant) -> [MessageOutbox.Draft] {
        let told = raised.filter { $0.step >= .officer }
        guard !told.isEmpty else { return [] }
        var drafts: [MessageOutbox.Draft] = []
        let isLate = told.contains(where: \.isLate)
        let isSummary = told.count > 1 || isLate
        let key = told.map { "\($0.id)/\($0.trip.expectedAt.nanoseconds)/\($0.step.rawValue)\(Self.again($0))" }
            .joined(separator: " ")
        let languages = MessageLanguage.those(language())
        let subject = subject(languages) { one in
            told.count == 1 ? one.overdue(Self.line(told[0].trip.leader)) : one.overdue(told.count)
        }
        let text = body(languages) { one in
            (isSummary ? [one.summary(isLate: isLate, count: told.count), ""] : [])
                + told.flatMap { Self.words($0, one, now) + [""] }
                + (sheriff.isEmpty ? [] : [one.search(sheriff), ""]) + [one.sent(station, LocalTime.text(now))]
        }
        for address in officer {
            drafts.append(
                .init(
                    key: "officer \(address) \(key)", way: .mail, recipient: address, subject: subject, body: text,
                    about: told[0].id))
        }
        if hasWebhook {
            drafts.append(
                .init(
                    key: "webhook \(key)", way: .webhook, recipient: "", subject: subject, body: text, about: told[0].id
                ))
        }
        for one in told where one.step >= .contacts && !one.trip.contact.email.isEmpty {
            let languages = MessageLanguage.those(one.trip.contact.language, language())
            drafts.append(
                .init(
                    key: "contact \(one.id)/\(one.trip.expectedAt.nanoseconds)\(Self.again(one))", way: .mail,
                    recipient: one.trip.contact.email,
                    subject: self.subject(languages) { $0.overdue(Self.line(one.trip.leader)) },
                    body: body(languages) { Self.words(one, $0, now) + ["", $0.contactsPart] }, about: one.id))
        }
        return drafts
    }

    /// That alarms are withdrawn, to whoever got a message of them: once for all that a withdrawal is about.
    func correction(
        _ withdrawn: [TripRegister.Withdrawn], to recipient: String, by way: MessageOutbox.Way,
        now: UTCInstant
    ) -> MessageOutbox.Draft {
        let contact = withdrawn.first { $0.trip.contact.email == recipient }?.trip.contact.language
        let languages = MessageLanguage.those(officer.contains(recipient) ? nil : contact, language())
        return .init(
            key: "withdrawn \(now.nanoseconds) \(recipient) \(withdrawn.map { "\($0.id)/" }.joined(separator: " "))",
            way: way,
            recipient: recipient,
            subject: subject(languages) { one in
                withdrawn.count == 1
                    ? one.correction(Self.line(withdrawn[0].trip.leader)) : one.correction(withdrawn.count)
            },
            body: body(languages) { one in
                [one.withdrawn, ""]
                    + withdrawn.flatMap {
                        Self.party($0.trip, one) + [
                            one.stillExpected(LocalTime.text($0.trip.expectedAt)), "",
                        ]
                    } + [one.sent(station, LocalTime.text(now))]
            }, about: withdrawn[0].id)
    }

    /// That a party is back, to whoever may have been told that it was overdue.
    func back(
        _ entry: TripRegister.Entry, to recipient: String, by way: MessageOutbox.Way, now: UTCInstant
    ) -> MessageOutbox.Draft {
        let contact = entry.trip.contact.email == recipient ? entry.trip.contact.language : nil
        let languages = MessageLanguage.those(officer.contains(recipient) ? nil : contact, language())
        return .init(
            key: "withdrawn back \(way.rawValue) \(recipient) \(entry.id)/", way: way, recipient: recipient,
            subject: subject(languages) { $0.isBack(Self.line(entry.trip.leader)) },
            body: body(languages) { one in
                [one.isBack, ""] + Self.party(entry.trip, one) + ["", one.sent(station, LocalTime.text(now))]
            }, about: entry.id)
    }

    /// The trips that a message is about, by its key.
    static func trips(ofKey key: String) -> Set<String> {
        Set(
            key.split(separator: " ").filter { $0.contains("/") }.compactMap {
                $0.split(separator: "/").first.map(String.init)
            })
    }

    /// An alarm that comes again after it was withdrawn is another one.
    private static func again(_ one: TripRegister.Raised) -> String {
        one.withdrawals == 0 ? "" : "/again\(one.withdrawals)"
    }

    private static func line(_ text: String) -> String {
        TextRule.cleaned(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func subject(_ languages: [MessageLanguage], _ words: (MessageLanguage) -> String) -> String {
        "\(station): \(languages.map(words).joined(separator: " / "))"
    }

    private func body(_ languages: [MessageLanguage], _ lines: (MessageLanguage) -> [String]) -> String {
        languages.map { lines($0).joined(separator: "\n") }.joined(separator: "\n\n— — —\n\n")
    }

    private static func party(_ trip: Trip, _ language: MessageLanguage) -> [String] {
        [
            language.party(([trip.leader] + trip.party).joined(separator: ", ")),
            language.destination(trip.destination, trip.route.joined(separator: ", ")),
        ]
    }

    private static func words(
        _ one: TripRegister.Raised, _ language: MessageLanguage, _ now: UTCInstant
    ) -> [String] {
        let trip = one.trip
        let minutes = Int(now.seconds(since: trip.expectedAt) / 60)
        var lines =
            party(trip, language) + [language.expected(LocalTime.text(trip.expectedAt), minutesAgo: minutes)]
        if !trip.vehicle.isEmpty { lines.append(language.vehicle(trip.vehicle)) }
        let contact = [trip.contact.name, trip.contact.phone, trip.contact.email].filter { !$0.isEmpty }
        if !contact.isEmpty { lines.append(language.contact(contact.joined(separator: ", "))) }
        if let place = trip.place { lines.append(language.position("\(place.latitude), \(place.longitude)")) }
        if !trip.note.isEmpty { lines.append(language.note(line(trip.note))) }
        return lines
    }
}
