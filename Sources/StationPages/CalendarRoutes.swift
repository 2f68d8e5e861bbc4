internal import Calendars
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import QRCoding

/// A text, and the QR code that says it.
struct PageCode: Encodable {
    let text: String
    /// A text of 0 and 1 for each row (ISO/IEC 18004); empty where the text is too long for a code.
    let qr: [String]

    init(_ text: String) {
        self.text = text
        qr = (try? QRCode(text))?.rows ?? []
    }
}

/// `/v1/calendar`: what is on.
struct CalendarRoutes: Sendable {
    /// What may be asked about, days before and after now: nothing beyond is counted.
    static let daysBefore = 31
    static let daysAfter = 400
    static let mostOfPage = 500

    struct Links: Encodable {
        let `self`: String
        let iCalendar: String
    }

    struct Event: Encodable {
        let id: String
        let title: String
        let start: UTCInstant
        let end: UTCInstant
        let isAllDay: Bool
        /// In the station's zone, as are the times.
        let firstDay: String
        let lastDay: String
        let startTime: String?
        let endTime: String?
        let place: String?
        let isCancelled: Bool
        let recurs: Bool
        let isZoneAssumed: Bool
        var details: String?
        var link: String?
        var code: PageCode?
        var linkCode: PageCode?
        let links: Links
    }

    private struct Page: Encodable {
        let events: [Event]
        let from: UTCInstant
        let to: UTCInstant
        /// The station's day.
        let today: String
        let total: Int
        /// Of the next page; absent on the last one.
        let next: String?
        /// Whether rules have more instances than are counted.
        let isIncomplete: Bool
        let links: [String: String]
    }

    let content: StationContent
    let clock: any StationClock

    var routes: [Route] {
        [
            Route(
                .get, "/v1/calendar", access: .everyone, operation: "listCalendar", summary: "What is on",
                query: [
                    QueryParameter(
                        "from", "From this instant; events belong to it until their end. Now without it.", .dateTime),
                    QueryParameter("to", "Up to this instant. 400 days from now without it.", .dateTime),
                    QueryParameter("limit", "The most events of the page.", .count(1...Self.mostOfPage)),
                    QueryParameter("cursor", "The member `next` of the page before.", .count(0...100_000)),
                ],
                replies: [Reply(200, "Events in the order of their starts.", schema: "CalendarPage")],
                handler: .asynchronous { request in try list(request) }
            ).failing(.invalidRequest),
            Route(
                .get, "/v1/calendar/{id}", access: .everyone, operation: "getCalendarEvent",
                summary: "One event, with its details and a code for a telephone's calendar",
                replies: [Reply(200, "The event.", schema: "CalendarEvent")],
                handler: .asynchronous { request in
                    let event = try event(request)
                    return try .json(described(event, inFull: true))
                }
            ).failing(.notFound).taking("id", .string),
            Route(
                .get, "/v1/calendar/{id}/event.ics", access: .everyone, operation: "getCalendarFile",
                summary: "One event for somebody's own calendar (RFC 5545)", produces: ["text/calendar"],
                replies: [Reply(200, "iCalendar.")],
                handler: .asynchronous { request in
                    let event = try event(request)
                    var response = Response.text(
                        EventText.iCalendar(event), type: "text/calendar; charset=utf-8; method=PUBLISH")
                    response.headers["content-disposition"] = "attachment; filename=\"event.ics\""
                    return response
                }
            ).failing(.notFound).taking("id", .string),
        ]
    }

    private func list(_ request: Request) throws(Problem) -> Response {
        let now = clock.utc()
        let earliest = now.advanced(bySeconds: -Double(Self.daysBefore) * 86_400)
        let latest = now.advanced(bySeconds: Double(Self.daysAfter) * 86_400)
        let from = min(max(try request.queryInstant("from") ?? now, earliest), latest)
        let to = min(max(try request.queryInstant("to") ?? latest, earliest), latest)
        guard from <= to else { throw Request.contradiction("to", "it is before from, or outside what is counted") }
        let limit = request.queryInteger("limit") ?? 100
        let offset = request.queryInteger("cursor") ?? 0
        let answer = content.current.calendar.instances(in: from..<to, offset: offset, limit: limit)
        let next = offset + answer.instances.count
        return try .json(
            Page(
                events: answer.instances.map { described($0, inFull: false) }, from: from, to: to,
                today: content.station.date(at: now)?.description ?? "", total: answer.total,
                next: next < answer.total && !answer.instances.isEmpty ? String(next) : nil,
                isIncomplete: answer.isCut, links: ["self": "/v1/calendar"]))
    }

    private func event(_ request: Request) throws(Problem) -> EventInstance {
        let id = request.parameter("id")
        guard let event = content.current.calendar.instance(id) else {
            throw Problem(
                .notFound,
                "cannot find the event \(TextRule.cleaned(String(id.prefix(40)))): it was changed or taken out; "
                    + "GET /v1/calendar lists what is on")
        }
        return event
    }

    private func described(_ event: EventInstance, inFull: Bool) -> Event {
        var described = Event(
            id: event.id, title: event.words.title, start: event.start, end: event.end, isAllDay: event.isAllDay,
            firstDay: event.firstDay.description, lastDay: event.lastDay.description,
            startTime: event.isAllDay ? nil : time(event.start),
            endTime: event.isAllDay || event.end == event.start ? nil : time(event.end), place: event.words.place,
            isCancelled: event.isCancelled, recurs: event.recurs, isZoneAssumed: event.isZoneAssumed,
            links: Links(self: "/v1/calendar/\(event.id)", iCalendar: "/v1/calendar/\(event.id)/event.ics"))
        guard inFull else { return described }
        described.details = event.words.details
        described.link = event.words.link
        described.code = PageCode(EventText.short(event))
        described.linkCode = event.words.link.map { PageCode($0) }
        return described
    }

    /// `14:00` in the station's zone.
    private func time(_ instant: UTCInstant) -> String {
        let civil = CivilTime(instant, offsetSeconds: content.station.offsetSeconds(at: instant))
        return [civil.hour, civil.minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
