public import Calendars
public import KonzaModel
internal import KonzaSystem
internal import Markup
internal import Storage

/// What `konza pages check` says of a folder of content.
public struct ContentCheck: Sendable {
    /// What there is, for people.
    public private(set) var lines: [String]
    /// What is wrong, each with what to do.
    public private(set) var faults: [String]
    /// What can be used and is probably not meant so, each with what to do.
    public private(set) var warnings: [String] = []

    /// Reads a folder as the portal does. Blocks.
    ///
    /// - Parameters:
    ///   - folder: holds `calendar/`, `personnel/` and `pages/`.
    ///   - packaged: what came along, whose pages are partners of the folder's as well; nil for nothing.
    ///   - station: the zone of days and of times without a zone.
    ///   - now: until when what is on is counted from.
    public init(folder: String, packaged: String? = nil, station: Zone, now: UTCInstant) {
        let content = StationContent(folder: folder, packaged: nil, station: station)
        content.refresh()
        let found = content.current
        var lines = found.pages.map { page in
            let words = page.text.plain.split(whereSeparator: \.isWhitespace).count
            return "page \(page.language)/\(page.name): \(page.title) (\(counted(words, "word")), order \(page.order))"
        }
        let end = now.advanced(bySeconds: Double(CalendarRoutes.daysAfter) * 86_400)
        let coming = found.calendar.instances(in: now..<end, limit: 1)
        lines.append(
            "calendar: \(counted(found.calendar.count, "event")), \(counted(coming.total, "date")) until "
                + Self.day(end, station))
        if let next = coming.instances.first {
            lines.append("next: \(next.firstDay) \(next.words.title)")
        }
        lines.append("personnel: \(counted(found.people.count, "person", "people"))")
        self.lines = lines
        faults = found.faults
        faults += Self.lonePages(found.pages, folder: folder, packaged: packaged)
    }

    /// Adds what is to be said of another part of the folder.
    public mutating func add(_ lines: [String], faults: [String], warnings: [String] = []) {
        self.lines += lines
        self.faults += faults
        self.warnings += warnings
    }

    /// The pages that another language lacks. They are expected in pairs where the folder has pages of more than one language.
    private static func lonePages(_ pages: [StationPage], folder: String, packaged: String?) -> [String] {
        // Also those whose pages cannot be read yet.
        let folders = ((try? Folder.entries("\(folder)/pages")) ?? []).filter { entry in
            entry.isFolder
                && ((try? Folder.entries("\(folder)/pages/\(entry.name)")) ?? []).contains { $0.name.hasSuffix(".md") }
        }
        let languages = Set(folders.map(\.name)).sorted()
        return pages.flatMap { page in
            languages.filter { language in
                // One that is hidden is meant to be missing.
                ![folder, packaged].compactMap { $0 }.contains {
                    Folder.exists("\($0)/pages/\(language)/\(page.name).md")
                }
            }.map { language in
                "\(folder)/pages/\(page.language)/\(page.name).md: there is no pages/\(language)/\(page.name).md, whose readers do not find "
                    + "this page; translate it, or take it out for them by a file of that name with hidden: true"
            }
        }
    }

    private static func day(_ instant: UTCInstant, _ station: Zone) -> String {
        station.date(at: instant)?.description ?? ""
    }
}
