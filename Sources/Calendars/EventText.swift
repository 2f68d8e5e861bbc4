internal import KonzaModel

/// One instance of an event as iCalendar, for somebody's own calendar.
public enum EventText {
    /// The most bytes of ``short(_:)``: what a QR code holds that telephones read from a screen.
    public static let shortest = 400

    /// A whole file (RFC 5545).
    ///
    /// - Parameter event: the instance.
    /// - Returns: lines of at most 75 bytes.
    public static func iCalendar(_ event: EventInstance) -> String {
        var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Konza//Station calendar//EN", "BEGIN:VEVENT"]
        // What a file is made of does not change from one request to the next: neither does its stamp.
        lines += ["UID:\(event.id)@konza", "DTSTAMP:\(stamp(event.start.wholeSeconds, isAllDay: false))Z"]
        lines += times(event)
        lines.append("SUMMARY:\(ContentLineText.escaped(event.words.title))")
        if let place = event.words.place { lines.append("LOCATION:\(ContentLineText.escaped(place))") }
        if let details = event.words.details { lines.append("DESCRIPTION:\(ContentLineText.escaped(details))") }
        if let link = event.words.link { lines.append("URL:\(link)") }
        if event.isCancelled { lines.append("STATUS:CANCELLED") }
        lines += ["END:VEVENT", "END:VCALENDAR"]
        return lines.map { ContentLineText.folded($0) + "\r\n" }.joined()
    }

    /// The event in at most ``shortest`` bytes, for a QR code: the title and the place are cut where they do not fit.
    public static func short(_ event: EventInstance) -> String {
        func text(_ title: String, _ place: String?) -> String {
            let lines =
                ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "SUMMARY:\(ContentLineText.escaped(title))"]
                + times(event)
                + (place.map { ["LOCATION:\(ContentLineText.escaped($0))"] } ?? []) + ["END:VEVENT", "END:VCALENDAR"]
            return lines.joined(separator: "\n")
        }
        var (title, place) = (event.words.title, event.words.place)
        while text(title, place).utf8.count > shortest {
            if let long = place, long.count > 20 {
                place = String(long.prefix(long.count * 3 / 4))
            } else if place != nil {
                place = nil
            } else {
                title = String(title.prefix(title.count * 3 / 4))
            }
        }
        return text(title, place)
    }

    private static func times(_ event: EventInstance) -> [String] {
        guard event.isAllDay else {
            return [
                "DTSTART:\(stamp(event.start.wholeSeconds, isAllDay: false))Z",
                "DTEND:\(stamp(event.end.wholeSeconds, isAllDay: false))Z",
            ]
        }
        // The end is the day after the last.
        let end = event.lastDay.advanced(byDays: 1) ?? event.lastDay
        return ["DTSTART;VALUE=DATE:\(compact(event.firstDay))", "DTEND;VALUE=DATE:\(compact(end))"]
    }

    private static func compact(_ date: CalendarDate) -> String { date.description.filter { $0 != "-" } }

    /// `20260530T140000`, or `20260530`.
    static func stamp(_ seconds: Int, isAllDay: Bool) -> String {
        let (day, second) = Days.split(seconds)
        guard let date = CalendarDate(day: day) else { return "" }
        if isAllDay { return compact(date) }
        let parts = [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(compact(date))T\(parts.joined())"
    }
}
