/// What `konza trips` shows.
enum TripScreens {
    struct Event: Decodable {
        let kind: String
        let at: String
        let who: String
        let detail: String
        let localTime: String?
        let localDetail: String?
    }

    struct Contact: Decodable {
        let name: String
        let phone: String
        let email: String
    }

    struct Trip: Decodable {
        let id: String
        let state: String
        let leader: String
        let party: [String]
        let count: Int
        let expectedAt: String
        let expectedLocal: String?
        let startedAt: String
        let overdue: String
        let lateSeconds: Int?
        let acknowledgedBy: String?
        let withdrawnAt: String?
        let endedAt: String?
        let endedLocal: String?
        let endedBy: String?
        let destination: String?
        let route: [String]?
        let vehicle: String?
        let contact: Contact?
        let note: String?
        let events: [Event]?
        let unknownTrails: [String]?
    }

    struct List: Decodable, Sendable {
        let trips: [Trip]
        let out: Int
        let people: Int
        let overdue: Int
        let isClockBelieved: Bool
        let isReported: Bool
        let waitingMessages: Int
        let sheriff: String?
    }

    struct Message: Decodable {
        let id: String
        let way: String
        let recipient: String
        let subject: String
        let writtenAt: String
        let writtenLocal: String?
        let state: String
        let attempts: Int
        let failure: String?
    }

    struct Messages: Decodable {
        let messages: [Message]
        let waiting: Int
        let givenUp: Int
        let withdrawn: Int?
    }

    /// To the minute: by the clock on the station's wall where the portal says it, else in UTC.
    static func time(_ local: String?, _ text: String) -> String {
        local.map { TextSafety.cleaned($0) } ?? "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }

    static func expected(_ trip: Trip) -> String { time(trip.expectedLocal, trip.expectedAt) }

    private static let wishes = [
        "due": "it is due: remind it", "officer": "the officer is to know", "contacts": "call its contact",
        "search": "call for a search",
    ]

    static func list(_ list: List) -> [Line] {
        var lines: [Line] = []
        if !list.isClockBelieved {
            lines.append(
                Line(
                    "The station does not know the time: its clock was never set, or says less than before. Somebody may be overdue "
                        + "who is not shown so.", .caution))
        }
        if list.trips.isEmpty { lines.append(Line("Nobody is out.")) }
        for trip in list.trips {
            let others = trip.count > 1 ? " and \(trip.count - 1) more" : ""
            var line =
                Line(trip.id, .quiet) + "  " + Line(TextSafety.cleaned(trip.leader), .strong) + others
                + "  \(TextSafety.cleaned(trip.destination ?? ""))"
            line =
                line
                + Line(
                    trip.state == "returned"
                        ? "  back \(trip.endedAt.map { time(trip.endedLocal, $0) } ?? "")"
                        : "  expected \(expected(trip))", .quiet)
            lines.append(line)
            if let late = trip.lateSeconds {
                let care = trip.acknowledgedBy.map { "; \(TextSafety.cleaned($0)) takes care of it" } ?? ""
                lines.append(
                    Line(
                        "  overdue by \(Figures.span(seconds: late)): \(wishes[trip.overdue] ?? trip.overdue)\(care)",
                        .caution))
            } else if trip.withdrawnAt != nil {
                lines.append(Line("  an alarm about it was withdrawn: the clock was ahead", .caution))
            }
        }
        if list.out > 0 {
            lines.append(
                Line(
                    "\(list.out == 1 ? "1 party" : "\(list.out) parties") out, \(list.people) \(list.people == 1 ? "person" : "people")",
                    .quiet))
        }
        if list.overdue > 0 {
            if !list.isReported { lines.append(Line("Nobody outside the station was told.", .caution)) }
            if let sheriff = list.sheriff {
                lines.append(Line("For a search call: \(TextSafety.cleaned(sheriff))", .strong))
            }
        }
        return lines
    }

    static func one(_ trip: Trip) -> [Line] {
        func row(_ name: String, _ text: String?) -> [Line] {
            guard let text, !text.isEmpty else { return [] }
            return [Line(name, .quiet).padded(to: 17) + TextSafety.cleaned(text)]
        }
        let contact = trip.contact.map { [$0.name, $0.phone, $0.email].filter { !$0.isEmpty }.joined(separator: ", ") }
        var lines = [Line(TextSafety.cleaned(trip.leader), .strong) + Line("  \(trip.state)", .quiet)]
        lines += row("With", trip.party.joined(separator: ", "))
        lines += row("To", trip.destination) + row("By", trip.route?.joined(separator: ", "))
        lines +=
            unknownTrails(of: trip) + row("Vehicle", trip.vehicle) + row("Contact", contact) + row("Note", trip.note)
        lines += row("Expected", expected(trip))
        for event in trip.events ?? [] {
            lines += row(
                time(event.localTime, event.at).dropFirst(5).description,
                "\(event.kind) by \(event.who) \(event.localDetail ?? event.detail)")
        }
        return lines
    }

    /// What of its route is no trail.
    static func unknownTrails(of trip: Trip) -> [Line] {
        (trip.unknownTrails ?? []).map {
            Line(
                "\"\(TextSafety.cleaned($0))\" is no trail of the station's network: it is kept as it was written.",
                .caution)
        }
    }

    static func messages(_ messages: Messages) -> [Line] {
        var lines = messages.messages.map { one in
            Line(time(one.writtenLocal, one.writtenAt), .quiet) + "  "
                + Line(one.state, ["sent", "withdrawn"].contains(one.state) ? .quiet : .caution).padded(to: 10)
                + "\(TextSafety.cleaned(one.subject)) to \(TextSafety.cleaned(one.recipient.isEmpty ? "the \(one.way)" : one.recipient))"
                + Line(one.failure.map { "  \(TextSafety.cleaned($0))" } ?? "", .quiet)
        }
        let withdrawn = messages.withdrawn.map { $0 > 0 ? ", \($0) were withdrawn" : "" } ?? ""
        lines.append(
            Line("\(messages.waiting) wait to be sent, \(messages.givenUp) were given up\(withdrawn)", .quiet))
        return lines
    }
}
