public import Calendars
public import KonzaModel
internal import Markup

/// What `konza pages check` says of a folder of content.
public struct ContentCheck: Sendable {
    /// What there is, then what is wrong, for people.
    public let lines: [String]
    public let hasFaults: Bool

    /// Reads a folder as the portal does. Blocks.
    ///
    /// - Parameters:
    ///   - folder: holds `calendar/`, `personnel/` and `pages/`.
    ///   - station: the zone of days and of times without a zone.
    ///   - now: until when what is on is counted from.
    public init(folder: String, station: Zone, now: UTCInstant) {
        let content = StationContent(folder: folder, packaged: nil, station: station)
        content.refresh()
        let found = content.current
        var lines = found.pages.map { page in
            let words = page.text.plain.split(whereSeparator: \.isWhitespace).count
            return "page \(page.language)/\(page.name): \(page.title) (\(words) words, order \(page.order))"
        }
        let end = now.advanced(bySeconds: Double(CalendarRoutes.daysAfter) * 86_400)
        let coming = found.calendar.instances(in: now..<end, limit: 1)
        lines.append("calendar: \(found.calendar.count) events, \(coming.total) dates until \(Self.day(end, station))")
        if let next = coming.instances.first {
            lines.append("next: \(next.firstDay) \(next.words.title)")
        }
        lines.append("personnel: \(found.people.count) people")
        self.lines = lines + found.faults
        hasFaults = !found.faults.isEmpty
    }

    private static func day(_ instant: UTCInstant, _ station: Zone) -> String {
        station.date(at: instant)?.description ?? ""
    }
}
