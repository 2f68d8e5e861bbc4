import Foundation
import KonzaTesting
import Testing

/// Each line of the Konza app's checklist, over the real socket: events, people, pages.
@Suite("Station life: events, people and pages", .serialized)
struct StationLifeTests {
    private struct Fixture {
        let station: Station
        let portal: RunningPortal

        /// - Parameter files: of the operator's folder, by their paths.
        /// - Throws: if the station or the portal does not start.
        init(_ files: [String: String]) throws {
            folder = try TemporaryFolder()
            content = URL(filePath: folder.path)
            for (name, text) in files { try Self.write(text, content.appendingPathComponent(name)) }
            station = try Station(
                "\(Station.recorded)\n[General]\nTimeZone=America/Chicago\n[Portal]\nContent=\(folder.path)")
            portal = try RunningPortal(station)
        }

        private let folder: TemporaryFolder
        let content: URL

        static func write(_ text: String, _ file: URL) throws {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file, options: .atomic)
        }

        func write(_ name: String, _ text: String) throws { try Self.write(text, content.appendingPathComponent(name)) }

        /// Over the portal's Unix socket, as scripts do.
        func ask(_ path: String) throws -> RunningPortal.Answer {
            try portal.askOther("http://localhost\(path)", ["--unix-socket", "\(portal.state)/portal.sock"])
        }

        func list(_ path: String, _ member: String) throws -> [[String: Any]] {
            try ask(path).json()[member] as? [[String: Any]] ?? []
        }
    }

    private func day(_ offset: Int) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "America/Chicago")
        format.dateFormat = "yyyyMMdd"
        return format.string(from: Date(timeIntervalSinceNow: Double(offset) * 86_400))
    }

    private func event(_ uid: String, _ title: String, _ day: String, _ more: String = "") -> String {
        "BEGIN:VEVENT\r\nUID:\(uid)\r\nSUMMARY:\(title)\r\nDTSTART;TZID=America/Chicago:\(day)T140000\r\n"
            + "DTEND;TZID=America/Chicago:\(day)T153000\r\n\(more)END:VEVENT\r\n"
    }

    private func calendar(_ events: String) -> String {
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(events)END:VCALENDAR\r\n"
    }

    @Test("the list of upcoming events is made of files, in the order of their dates, from both kinds")
    func eventsInOrder() throws {
        let compact = day(3)
        let date = "\(compact.prefix(4))-\(compact.dropFirst(4).prefix(2))-\(compact.suffix(2))"
        let fixture = try Fixture([
            "calendar/b.ics": calendar(
                event("2", "Second", day(2)) + event("9", "Over", day(-2)) + event("5", "Fifth", day(5))),
            "calendar/a.plist":
                "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"><plist version=\"1.0\"><array><dict><key>Title</key>"
                + "<string>Third</string><key>Date</key><string>\(date) 10:00</string></dict></array></plist>",
        ])
        let events = try fixture.list("/v1/calendar", "events")
        #expect(events.compactMap { $0["title"] as? String } == ["Second", "Third", "Fifth"])
        #expect(events.compactMap { $0["startTime"] as? String } == ["14:00", "10:00", "14:00"])
        // Page by page the same.
        let first = try fixture.ask("/v1/calendar?limit=2").json()
        #expect((first["events"] as? [Any])?.count == 2)
        let rest = try fixture.list("/v1/calendar?limit=2&cursor=\(first["next"] as? String ?? "")", "events")
        #expect(rest.compactMap { $0["title"] as? String } == ["Fifth"])
        #expect(try fixture.ask("/v1/calendar?from=yesterday").status == 400)
        let (program, socket) = (try Programs.path("konza"), "\(fixture.portal.state)/portal.sock")
        let said = try run("/usr/bin/env", ["KONZA_PORTAL_SOCKET=\(socket)", program.path, "calendar"])
        #expect(String(decoding: said.output, as: UTF8.self).contains("Second"))
    }

    @Test("an event has its date, place, title, details and a link to more, and goes into somebody's own calendar")
    func eventDetail() throws {
        let more =
            "LOCATION:Hulbert Center\r\nDESCRIPTION:Talks\\, then lunch.\r\nURL:https://example.org/talks\r\n"
        let fixture = try Fixture(["calendar/a.ics": calendar(event("1", "Data and fire", day(1), more))])
        let id = try #require(try fixture.list("/v1/calendar", "events").first?["id"] as? String)
        let event = try fixture.ask("/v1/calendar/\(id)").json()
        #expect(event["title"] as? String == "Data and fire" && event["place"] as? String == "Hulbert Center")
        #expect(event["details"] as? String == "Talks, then lunch.")
        #expect(event["link"] as? String == "https://example.org/talks")
        #expect(event["endTime"] as? String == "15:30")
        let code = try #require(event["code"] as? [String: Any])
        #expect(
            (code["text"] as? String)?.hasPrefix("BEGIN:VCALENDAR") == true
                && (code["qr"] as? [String])?.isEmpty == false)
        let file = try fixture.ask("/v1/calendar/\(id)/event.ics")
        #expect(file.field("content-type")?.hasPrefix("text/calendar") == true)
        #expect(String(decoding: file.body, as: UTF8.self).contains("SUMMARY:Data and fire\r\n"))
        #expect(try fixture.ask("/v1/calendar/none").status == 404)
    }

    private let people =
        "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:1\r\nFN:Zoe First\r\nN:First;Zoe;;;\r\nTITLE:Site manager\r\n"
        + "TEL;VALUE=uri:tel:+17855550100\r\nEMAIL:zoe@example.org\r\nADR:;;1 Road;Manhattan;KS;66502;USA\r\n"
        + "CATEGORIES:Primary Contacts,Faculty and Staff\r\nINTEREST:fire\r\nX-PUBLICATION:First (2020)\r\n"
        + "URL:https://example.org/zoe\r\nEND:VCARD\r\n"
        + "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Second\r\nN:Second;Ana;;;\r\nCATEGORIES:Primary Contacts\r\nEND:VCARD\r\n"
        + "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bo Third\r\nN:Third;Bo;;;\r\nCATEGORIES:Graduate Students\r\nEND:VCARD\r\n"

    @Test(
        "people stand in groups, the primary contacts first, each with designation, number to dial and address to write to"
    )
    func personnelGroups() throws {
        let fixture = try Fixture(["personnel/a.vcf": people])
        let groups = try fixture.list("/v1/personnel", "groups")
        #expect(
            groups.compactMap { $0["name"] as? String } == [
                "Primary Contacts", "Faculty and Staff", "Graduate Students",
            ])
        let primary = try #require(groups.first?["people"] as? [[String: Any]])
        #expect(primary.compactMap { $0["name"] as? String } == ["Zoe First", "Ana Second"])
        #expect(primary[0]["designation"] as? String == "Site manager")
        #expect((primary[0]["phones"] as? [[String: Any]])?.first?["address"] as? String == "tel:+17855550100")
        #expect((primary[0]["mails"] as? [[String: Any]])?.first?["address"] as? String == "mailto:zoe@example.org")
        #expect(try fixture.list("/v1/personnel?group=Graduate%20Students", "groups").count == 1)
    }

    @Test("a person's name opens address, interests, publications and the profile, and a card for telephones")
    func personDetail() throws {
        let fixture = try Fixture(["personnel/a.vcf": people])
        let groups = try fixture.list("/v1/personnel", "groups")
        let id = try #require((groups.first?["people"] as? [[String: Any]])?.first?["id"] as? String)
        let person = try fixture.ask("/v1/personnel/\(id)").json()
        #expect(person["address"] as? [String] == ["1 Road", "Manhattan, KS 66502", "USA"])
        #expect(person["interests"] as? [String] == ["fire"])
        #expect(person["publications"] as? [String] == ["First (2020)"])
        #expect(person["profile"] as? String == "https://example.org/zoe")
        #expect(((person["code"] as? [String: Any])?["qr"] as? [String])?.isEmpty == false)
        let card = try fixture.ask("/v1/personnel/\(id)/card.vcf")
        #expect(String(decoding: card.body, as: UTF8.self).hasPrefix("BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Zoe First\r\n"))
    }

    @Test("about, research, education and history come along in English and Spanish, with headings and numbered lists")
    func packagedPages() throws {
        let fixture = try Fixture([:])
        for language in ["en", "es"] {
            let pages = try fixture.list("/v1/pages?language=\(language)", "pages")
            #expect(pages.compactMap { $0["name"] as? String } == ["about", "research", "education", "history"])
            #expect(pages.allSatisfy { $0["language"] as? String == language })
            for page in pages {
                let name = page["name"] as? String ?? ""
                let whole = try fixture.ask("/v1/pages/\(name)?language=\(language)").json()
                let blocks = try #require(whole["blocks"] as? [[String: Any]])
                #expect(blocks.contains { $0["kind"] as? String == "heading" }, "\(language)/\(name)")
                #expect(
                    blocks.contains { $0["kind"] as? String == "list" && $0["start"] != nil }, "\(language)/\(name)")
            }
        }
        // A country's Spanish is read as Spanish; where there is nothing in a language, English is there.
        for (tag, language) in [
            ("es-MX", "es"), ("ES", "es"), ("es-419", "es"), ("fr", "en"), ("esx", "en"), ("-", "en"),
        ] {
            let pages = try fixture.list("/v1/pages?language=\(tag)", "pages")
            #expect(pages.count == 4 && pages.allSatisfy { $0["language"] as? String == language }, "\(tag)")
            #expect(try fixture.ask("/v1/pages/about?language=\(tag)").json()["language"] as? String == language)
        }
        // What came along as examples says so.
        let events = try fixture.list("/v1/calendar", "events")
        #expect(!events.isEmpty && events.allSatisfy { ($0["title"] as? String)?.hasPrefix("Example") == true })
    }

    @Test("a changed file is picked up, a bad one is named with line and remedy, and the last good one kept")
    func pickedUp() throws {
        let fixture = try Fixture([
            "pages/en/notes.md": "---\ntitle: Notes\norder: 1\n---\n# One\n\n![Bison](bison.jpg)\n"
        ])
        #expect(try fixture.ask("/v1/pages/notes").json()["title"] as? String == "Notes")
        try fixture.write("pages/en/notes.md", "---\ntitle: Better\n---\ntext <b>and</b> markup\n")
        try waitUntil("the page is read again", seconds: 20) {
            try fixture.ask("/v1/pages/notes").json()["title"] as? String == "Better"
        }
        try fixture.write("pages/en/notes.md", "---\ntitel: Worse\n---\ntext\n")
        try waitUntil("the page is named", seconds: 20) {
            let state = try fixture.ask("/health").json()["state"] as? String ?? ""
            return state.contains("notes.md at line 2") && state.contains("known are title")
        }
        #expect(try fixture.ask("/v1/pages/notes").json()["title"] as? String == "Better")
        // A visitor learns that something is wrong, and not where.
        try fixture.write("announcements/burn.md", "---\ntitle: Burn\nurgnet: yes\n---\n")
        try fixture.write("announcements/owls.md", "---\ntitle: Owls\n---\n")
        try fixture.write("decks/birds.csv", "no deck at all\n")
        try fixture.write("pages/es/notas.md", "texto")
        try fixture.write("personnel/crew.xlsx", "no card")
        try fixture.write("announcements/storm.txt", "no announcement")
        try waitUntil("files of other names are named", seconds: 20) {
            let state = try fixture.ask("/health").json()["state"] as? String ?? ""
            return state.contains("personnel/crew.xlsx: it is not read, as its name is none of *.vcf")
                && state.contains("storm.txt: it is not read, as its name is none of NAME.md")
        }
        try FileManager.default.createSymbolicLink(
            at: fixture.content.appendingPathComponent("pages/fr"),
            withDestinationURL: fixture.content.appendingPathComponent("pages/en"))
        let check = try run(
            try Programs.path("konza").path, ["pages", "check", fixture.content.path])
        for words in [
            "notes.md at line 2", "announcements: cannot take up burn.md, line 3: urgnet",
            "announcement owls: Owls (en)", "crew.xlsx: it is not read", "storm.txt: it is not read",
            "decks/birds: ", "there is no pages/en/notas.md", "pages/fr: it is a symbolic link",
        ] {
            #expect(check.text.contains(words), "\(words) in \(check.text)")
        }
        #expect(check.status == 65)
    }

    @Test("a picture beside a page is served as what it is, and nothing else of the disk")
    func pictures() throws {
        let fixture = try Fixture([
            "pages/en/notes.md": "![Bison](bison.jpg)", "pages/en/fake.png": "<html>",
            "secret.jpg": "secret",
        ])
        // A link of the operator's by mistake: neither the file nor what lies in the folder.
        let outside = try TemporaryFolder()
        for (link, to) in [("pages/en/linked.jpg", "other.jpg"), ("pages/es", "")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(fixture.content.path)/\(link)", withDestinationPath: "\(outside.path)/\(to)")
        }
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 0]).write(to: URL(fileURLWithPath: "\(outside.path)/other.jpg"))
        try Data([0xFF, 0xD8, 0xFF, 0xE0, 0]).write(to: fixture.content.appendingPathComponent("pages/en/bison.jpg"))
        let picture = try fixture.ask("/v1/pages/en/pictures/bison.jpg")
        #expect(picture.status == 200 && picture.field("content-type") == "image/jpeg")
        for path in [
            "en/pictures/fake.png", "en/pictures/..%2f..%2fsecret.jpg", "en/pictures/notes.md", "../pictures/x.jpg",
            "%2e%2e/pictures/secret.jpg", "en/pictures/none.jpg", "en/pictures/linked.jpg",
            "es/pictures/other.jpg",
        ] {
            #expect(try fixture.ask("/v1/pages/\(path)").status == 404, "\(path)")
        }
    }
}
