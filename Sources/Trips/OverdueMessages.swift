public import KonzaModel
internal import KonzaSystem

/// What is written of overdue trips: to the officer when a trip has been overdue for a while, and to the party's contact after that.
/// After an outage the officer gets one message about all of them.
public struct OverdueMessages: Sendable {
    private let station: String
    private let officer: [String]
    private let hasWebhook: Bool
    private let sheriff: String

    /// - Parameters:
    ///   - station: its name.
    ///   - officer: mail addresses.
    ///   - hasWebhook: whether messages are posted as well.
    ///   - sheriff: the number to call; may be empty.
    public init(station: String, officer: [String], hasWebhook: Bool, sheriff: String) {
        self.station = station
        self.officer = officer
        self.hasWebhook = hasWebhook
        self.sheriff = sheriff
    }

    /// Whether anybody is sent anything.
    public var isConfigured: Bool { !officer.isEmpty || hasWebhook }

    /// The messages of what was raised at one look.
    public func drafts(_ raised: [TripRegister.Raised], now: UTCInstant) -> [MessageOutbox.Draft] {
        let told = raised.filter { $0.step >= .officer }
        guard !told.isEmpty else { return [] }
        var drafts: [MessageOutbox.Draft] = []
        let isSummary = told.count > 1 || told.contains(where: \.isLate)
        let key = told.map { "\($0.id)/\($0.trip.expectedAt.nanoseconds)/\($0.step.rawValue)" }.joined(separator: " ")
        let subject =
            told.count == 1
            ? "\(station): overdue: \(Self.line(told[0].trip.leader))" : "\(station): \(told.count) trips are overdue"
        let body =
            (isSummary ? ["The station was off, or several trips became overdue at once. These are overdue:", ""] : [])
            + told.flatMap { words($0, now) + [""] }
            + (sheriff.isEmpty ? [] : ["For a search call: \(sheriff)", ""])
            + ["Sent by the station \(station) at \(LocalTime.text(now))."]
        let text = body.joined(separator: "\n")
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
            let body =
                (words(one, now) + [
                    "", "You are named as the contact of this party. If you know where it is, tell the station.",
                ])
                .joined(separator: "\n")
            drafts.append(
                .init(
                    key: "contact \(one.id) \(one.trip.expectedAt.nanoseconds)", way: .mail,
                    recipient: one.trip.contact.email,
                    subject: "\(station): overdue: \(Self.line(one.trip.leader))", body: body, about: one.id))
        }
        return drafts
    }

    private static func line(_ text: String) -> String {
        TextRule.cleaned(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func words(_ one: TripRegister.Raised, _ now: UTCInstant) -> [String] {
        let trip = one.trip
        let minutes = Int(now.seconds(since: trip.expectedAt) / 60)
        var lines = [
            "Party: \(([trip.leader] + trip.party).joined(separator: ", "))",
            "Destination: \(trip.destination)\(trip.route.isEmpty ? "" : " by \(trip.route.joined(separator: ", "))")",
            "Expected: \(LocalTime.text(trip.expectedAt)), \(minutes / 60) h \(minutes % 60) min ago",
        ]
        if !trip.vehicle.isEmpty { lines.append("Vehicle: \(trip.vehicle)") }
        let contact = [trip.contact.name, trip.contact.phone, trip.contact.email].filter { !$0.isEmpty }
        if !contact.isEmpty { lines.append("Contact: \(contact.joined(separator: ", "))") }
        if let place = trip.place { lines.append("Position at the start: \(place.latitude), \(place.longitude)") }
        if !trip.note.isEmpty { lines.append("Note: \(Self.line(trip.note))") }
        return lines
    }
}
