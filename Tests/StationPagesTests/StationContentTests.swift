import Calendars
import ContactCards
import Foundation
import KonzaModel
import KonzaTesting
import Markup
import Storage
import Testing

@testable import StationPages

@Suite("What the station says about itself, from files")
struct StationContentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ name: String, _ text: String) throws {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    private func page(_ text: String) throws(ContentError) -> StationPage {
        try StationPage(path: "en/about.md", Array(text.utf8))
    }

    @Test("a page has front matter: title, language, order, summary")
    func frontMatter() throws {
        let page = try page(
            "---\r\ntitle: \"About: Konza\"\r\nlanguage: en\r\norder: 10\r\n# a remark\r\n---\r\n# Heading\r\n")
        #expect(page.title == "About: Konza" && page.order == 10 && page.language == "en" && page.name == "about")
        #expect(page.text.blocks.count == 1)
        #expect(try self.page("# The heading\n\ntext").title == "The heading")
        #expect(try self.page("text").title == "about")
        #expect(try self.page("---\nhidden: true\n---\n").isHidden)
    }

    @Test(
        "a page that cannot be used is refused with its line and what to do",
        arguments: [
            ("---\ntitle: a\n", 1), ("---\ntitel: a\n---\n", 2), ("---\ntitle: a\ntitle: b\n---\n", 3),
            ("---\norder: ten\n---\n", 2), ("---\nlanguage: es\n---\n", 2), ("---\nnonsense\n---\n", 2),
            ("---\ntitle:\n---\n", 2), ("---\nhidden: yes\n---\n", 2),
            ("---\ntitle: a\n---\n\n" + String(repeating: "> ", count: 100) + "x", 5),
        ])
    func refusals(text: String, line: Int) {
        let error = #expect(throws: ContentError.self) { try page(text) }
        #expect(error?.line == line)
    }

    @Test("what is left out of a text is named by the line of the file")
    func remarks() throws {
        let page = try page("---\ntitle: a\n---\n\n<b>x</b>\n")
        #expect(page.remarks.first?.hasPrefix("line 5: raw HTML is left out") == true)
        let bytes = Array("---\ntitle: a\n---\n".utf8) + [0xFF]
        let error = #expect(throws: ContentError.self) { try StationPage(path: "en/a.md", bytes) }
        #expect(error?.line == 4)
        for text in ["", " \n"] {
            let error = #expect(throws: ContentError.self) { try self.page(text) }
            #expect(error?.detail.contains("empty") == true)
        }
        for path in ["about.md", "english/a.md", "EN/a.md", "en/Über uns.md", "en/-.md"] {
            #expect(throws: ContentError.self, "\(path)") { try StationPage(path: path, []) }
        }
    }

    @Test("the operator's files win over those that came along: pages each, events and people all")
    func layers() throws {
        try write("packaged/pages/en/about.md", "packaged")
        try write("packaged/pages/en/history.md", "packaged")
        try write("packaged/personnel/a.vcf", "BEGIN:VCARD\nFN:Example\nEND:VCARD\n")
        let content = StationContent(
            folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", station: .utc)
        #expect(content.refresh())
        #expect(content.current.pages.map(\.name) == ["about", "history"])
        #expect(content.current.people.map(\.card.name) == ["Example"])
        try write("own/pages/en/about.md", "own text\n\n![x](missing.png)")
        try write("own/pages/en/history.md", "---\nhidden: true\n---\n")
        try write("own/personnel/b.vcf", "BEGIN:VCARD\nFN:Somebody\nEND:VCARD\n")
        #expect(content.refresh())
        #expect(content.current.pages.map { $0.text.plain.prefix(8) } == ["own text"])
        #expect(content.current.people.map(\.card.name) == ["Somebody"])
        #expect(content.current.faults.count == 1)
        #expect(
            content.current.faults.first?.hasSuffix("the picture missing.png is not there; put it beside the page")
                == true)
        try FileManager.default.removeItem(atPath: "\(folder.path)/own")
        #expect(content.refresh())
        #expect(content.current.people.map(\.card.name) == ["Example"])
    }

    @Test("a page that came along stays out when the file that takes it out becomes bad, also after a start")
    func staysHidden() throws {
        for name in ["about", "history"] { try write("packaged/pages/en/\(name).md", "packaged") }
        func names(_ content: StationContent) -> [String] {
            content.refresh()
            return content.current.pages.map(\.name)
        }
        func content() -> StationContent {
            StationContent(folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", station: .utc)
        }
        try write("own/pages/en/history.md", "---\nhidden: true\n---\n")
        let running = content()
        #expect(names(running) == ["about"])
        try write("own/pages/en/history.md", "---\nhiden: true\n---\n")
        for content in [running, content()] {
            #expect(names(content) == ["about"])
            #expect(content.current.faults.first?.contains("own/pages/en/history.md at line 2") == true)
        }
        // Nor does one of a folder that cannot be looked into.
        try FileManager.default.removeItem(atPath: "\(folder.path)/own/pages/en")
        #expect(names(running) == ["about", "history"])
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/own/pages/en", withDestinationPath: "elsewhere")
        #expect(names(content()).isEmpty)
    }

    @Test("files whose names say nothing are named with the names that do, and no example stands beside them")
    func names() throws {
        try write("packaged/personnel/a.vcf", "BEGIN:VCARD\nFN:Example\nEND:VCARD\n")
        try write("own/personnel/people.csv", "name")
        try write("own/calendar/events.xlsx", "")
        try write("own/pages/en/about.docx", "")
        try write("own/calendar/.events.ics.swp", "")
        let check = ContentCheck(
            folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", station: .utc,
            now: UTCInstant(nanoseconds: 0))
        #expect(
            check.faults
                == [
                    ("calendar/events.xlsx", "*.ics, *.plist"), ("personnel/people.csv", "*.vcf"),
                    ("pages/en/about.docx", "*.md"),
                ].map {
                    "cannot use \(folder.path)/own/\($0): it is not read, as its name is none of \($1); rename it, or take it away"
                })
        let content = StationContent(
            folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", station: .utc)
        content.refresh()
        #expect(content.current.people.isEmpty && content.current.faults == check.faults)
    }

    @Test("a picture that a link leads to is none: neither its file nor a folder above it is followed")
    func linkedPictures() throws {
        try write("secret/bison.png", "secret")
        try write("own/pages/en/about.md", "![a](bison.png) ![b](real.png)")
        try write("own/pages/en/real.png", "real")
        let manager = FileManager.default
        func link(_ name: String, _ to: String) throws {
            try manager.createSymbolicLink(atPath: "\(folder.path)/\(name)", withDestinationPath: to)
        }
        try link("own/pages/en/bison.png", "\(folder.path)/secret/bison.png")
        try link("own/pages/es", "\(folder.path)/secret")
        // The folder of the settings can be a link: it is named there.
        try link("station", "own")
        let content = StationContent(folder: "\(folder.path)/station", packaged: nil, station: .utc)
        content.refresh()
        #expect(content.current.pages.map(\.name) == ["about"])
        #expect(try content.picture("real.png", language: "en") == Array("real".utf8))
        for language in ["en", "es"] { #expect(try content.picture("bison.png", language: language) == nil) }
        #expect(content.current.faults.contains { $0.contains("the picture bison.png is not there") })
        try manager.moveItem(atPath: "\(folder.path)/own/pages", toPath: "\(folder.path)/away")
        try link("own/pages", "../away")
        #expect(try content.picture("real.png", language: "en") == nil)
    }

    @Test("no example stands for a calendar or people of the operator's that cannot be used, or a feed yet to come")
    func noExamples() throws {
        try write(
            "packaged/calendar/example.ics",
            "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:a\nDTSTART:20260602T120000Z\nSUMMARY:Example\nEND:VEVENT\nEND:VCALENDAR\n"
        )
        try write("packaged/personnel/a.vcf", "BEGIN:VCARD\nFN:Example\nEND:VCARD\n")
        let start = try #require(UTCInstant(rfc3339: "2026-06-01T00:00:00Z"))
        func events(_ content: StationContent) -> Int {
            content.refresh()
            return content.current.calendar.instances(in: start..<start.advanced(bySeconds: 30 * 86_400)).instances
                .count
        }
        func content(awaitsFeeds: Bool = false) -> StationContent {
            StationContent(
                folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", awaitsFeeds: awaitsFeeds,
                station: .utc)
        }
        #expect(events(content()) == 1 && events(content(awaitsFeeds: true)) == 0)
        try write("own/calendar/ours.ics", "no calendar")
        try write("own/personnel/ours.vcf", "no card")
        let bad = content()
        #expect(events(bad) == 0 && bad.current.people.isEmpty)
        #expect(bad.current.faults.count == 2 && bad.current.faults[0].contains("own/calendar/ours.ics"))
        for name in ["calendar/ours.ics", "personnel/ours.vcf"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/own/\(name)")
        }
        #expect(events(bad) == 1 && bad.current.people.map(\.card.name) == ["Example"])
    }

    @Test("a calendar that has become bad, or one event of it, is as it was when it was good, also after a start")
    func keptCalendars() throws {
        let window = try #require(UTCInstant(rfc3339: "2026-06-01T00:00:00Z"))
        func events(_ lines: String...) -> String {
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"
                + lines.enumerated().map { number, line in
                    "BEGIN:VEVENT\r\nUID:\(number)\r\nSUMMARY:E\(number)\r\n\(line)\r\nEND:VEVENT\r\n"
                }.joined() + "END:VCALENDAR\r\n"
        }
        let good = events("DTSTART:20260602T120000Z", "DTSTART:20260603T120000Z")
        let half = events("DTSTART:20260604T120000Z", "DTSTART:soon")
        /// A start of the portal, with its database as it is on the disk.
        func start(_ act: (CalendarFeeds, StationContent) throws -> Void = { _, _ in }) throws -> [String] {
            let database = try Database.open(
                in: folder.path, name: "portal.db", migrations: CalendarFeeds.migrations, at: window
            ).database
            let feeds = CalendarFeeds(database, clock: ManualClock())
            let content = StationContent(folder: folder.path, packaged: nil, feeds: feeds, station: .utc)
            content.refresh()
            try act(feeds, content)
            content.refresh()
            return content.current.calendar.instances(in: window..<window.advanced(bySeconds: 30 * 86_400)).instances
                .map { "\($0.words.title) \($0.firstDay.day)" }
        }
        try write("calendar/a.ics", good)
        #expect(try start() == ["E0 2", "E1 3"])
        try write("calendar/a.ics", half)
        for _ in 0..<2 { #expect(try start() == ["E1 3", "E0 4"], "the broken one as it was") }
        try write("calendar/a.ics", "no calendar")
        for _ in 0..<2 { #expect(try start() == ["E0 2", "E1 3"], "the last whole one") }
        try FileManager.default.removeItem(atPath: "\(folder.path)/calendar/a.ics")
        #expect(try start().isEmpty)
        try write("calendar/a.ics", "no calendar")
        #expect(try start().isEmpty, "what was taken away is not kept")
        // The same of a calendar that is fetched.
        for text in [good, half] {
            _ = try start { feeds, _ in
                _ = try feeds.take(text, from: "https://feed", entityTag: nil, lastModified: nil)
            }
        }
        #expect(try start() == ["E1 3", "E0 4"])
        #expect(try start { feeds, _ in _ = try feeds.keepOnly([]) }.isEmpty)
    }

    @Test("what calendars said when they were good takes two megabytes at most")
    func keptBytes() throws {
        let database = try Database.open(
            in: folder.path, name: "portal.db", migrations: CalendarFeeds.migrations, at: UTCInstant(nanoseconds: 0)
        ).database
        let content = StationContent(
            folder: folder.path, packaged: nil, feeds: CalendarFeeds(database, clock: ManualClock()), station: .utc)
        let long = String(repeating: "X-FILLER:\(String(repeating: "x", count: 60))\r\n", count: 10_000)
        for name in ["a", "b", "c", "d"] {
            try write(
                "calendar/\(name).ics",
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:\(name)\r\nSUMMARY:\(name)\r\nDTSTART:20260602\r\nEND:VEVENT\r\n\(long)END:VCALENDAR\r\n"
            )
            content.refresh()
        }
        let kept = try storedNames(database)
        #expect(kept.count == 2 && kept.contains("file d.ics"), "\(kept)")
    }

    @Test("a feed takes no room of what files said, and nothing old stands for what cannot be kept")
    func keptRoom() throws {
        let database = try Database.open(
            in: folder.path, name: "portal.db", migrations: CalendarFeeds.migrations, at: UTCInstant(nanoseconds: 0)
        ).database
        let feeds = CalendarFeeds(database, clock: ManualClock())
        let content = StationContent(folder: folder.path, packaged: nil, feeds: feeds, station: .utc)
        func calendar(_ name: String, _ more: String = "") -> String {
            "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:\(name)\r\nSUMMARY:\(name)\r\nDTSTART:20260602\r\nEND:VEVENT\r\n\(more)END:VCALENDAR\r\n"
        }
        func long(_ lines: Int) -> String {
            String(repeating: "X-FILLER:\(String(repeating: "x", count: 60))\r\n", count: lines)
        }
        try write("calendar/a.ics", calendar("a", long(10_000)))
        content.refresh()
        for number in 0..<3 {
            _ = try feeds.take(
                calendar("\(number)", long(25_000)), from: "https://feed/\(number)", entityTag: nil, lastModified: nil)
        }
        #expect(try storedNames(database) == ["feed https://feed/2", "file a.ics"])
        // Larger than what is kept: the older one would come back at the next start.
        try write("calendar/a.ics", calendar("b", long(40_000)))
        content.refresh()
        #expect(content.current.calendar.count == 4)
        #expect(try storedNames(database) == ["feed https://feed/2"])
    }

    @Test("two files of one name in two spellings of Unicode are named, and one of them is used")
    func spellings() throws {
        for name in ["a\u{301}", "\u{E1}"] { try write("pages/en/\(name).md", "text") }
        for name in ["e\u{301}", "\u{E9}"] {
            try write(
                "calendar/\(name).ics",
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:\(name)\r\nDTSTART:20260602\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")
        }
        let content = StationContent(folder: folder.path, packaged: nil, station: .utc)
        content.refresh()
        #expect(content.current.calendar.count == 1 && !content.refresh(), "read once")
        #expect(content.current.faults.contains { $0.contains("there are two files of this name; give one of them") })
    }

    private func storedNames(_ database: Database) throws -> [String] {
        try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT name FROM calendar_kept ORDER BY name") { $0.text(0) }
        }
    }

    @Test("a check names what there is and what is wrong")
    func check() throws {
        try write("pages/en/about.md", "---\ntitle: About\n---\none two three")
        try write("calendar/bad.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\n")
        let now = try #require(UTCInstant(rfc3339: "2026-01-01T00:00:00Z"))
        let check = ContentCheck(folder: folder.path, station: .utc, now: now)
        #expect(check.lines.first == "page en/about: About (3 words, order 100)")
        #expect(
            check.faults.map { $0.prefix { $0 != ";" } } == [
                "cannot use \(folder.path)/calendar/bad.ics at line 2: it ends within VEVENT"
            ])
    }

    @Test("a check names pages that another language lacks, where there are pages of more than one")
    func pairs() throws {
        func faults() -> [String] {
            ContentCheck(
                folder: "\(folder.path)/own", packaged: "\(folder.path)/packaged", station: .utc,
                now: UTCInstant(nanoseconds: 0)
            ).faults
        }
        try write("packaged/pages/es/about.md", "acerca")
        for name in ["about", "bats", "owls"] { try write("own/pages/en/\(name).md", "text") }
        #expect(faults().isEmpty, "a station of one language")
        try write("own/pages/es/owls.md", "---\nhidden: true\n---\n")
        try write("own/pages/es/viento.md", "texto")
        let found = faults()
        #expect(found.count == 2)
        #expect(found.first?.hasPrefix("\(folder.path)/own/pages/en/bats.md: there is no pages/es/bats.md") == true)
        #expect(found.last?.hasPrefix("\(folder.path)/own/pages/es/viento.md: there is no pages/en/viento.md") == true)
        #expect(found.allSatisfy { $0.contains("; translate it, or") })
    }

    @Test("an event of a file or a feed that has become bad is as it was, and is named")
    func lastGoodEvent() throws {
        func calendar(_ start: String) -> String {
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Burn\nDTSTART:\(start)\nEND:VEVENT\nEND:VCALENDAR\n"
        }
        let feeds = CalendarFeeds(
            try Database(inMemory: 4 << 20, migrations: CalendarFeeds.migrations), clock: ManualClock())
        let content = StationContent(folder: folder.path, packaged: nil, feeds: feeds, station: .utc)
        for start in ["20260530", "20260530T990000Z"] {
            try write("calendar/a.ics", calendar(start))
            #expect(try feeds.take(calendar(start), from: "https://feed", entityTag: start, lastModified: nil) == nil)
            content.refresh()
            #expect(content.current.calendar.count == 1)
        }
        #expect(content.current.faults.count == 2)
        for (fault, place) in zip(content.current.faults, ["\(folder.path)/calendar/a.ics", "https://feed"]) {
            #expect(fault.hasPrefix("\(place): line 2: the event cannot be used: DTSTART: "))
            #expect(fault.hasSuffix("what was read of it before is used on"))
        }
        // Each alone has the event still.
        try FileManager.default.removeItem(atPath: "\(folder.path)/calendar")
        content.refresh()
        #expect(content.current.calendar.count == 1)
    }
}
