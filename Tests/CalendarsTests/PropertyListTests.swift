import Calendars
import KonzaModel
import Testing

@Suite("Events of a property list")
struct PropertyListTests {
    private static let head = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        """

    private func file(_ events: String) throws -> CalendarFile {
        try CalendarFile(propertyList: Array("\(Self.head)\n<array>\(events)</array></plist>".utf8))
    }

    @Test("have title, date, place, details and link, in the station's time or in UTC")
    func reading() throws {
        let file = try file(
            """
            <dict><key>Title</key><string>LTER all scientists &amp; friends</string><key>Date</key>
            <string>2026-05-30 14:00</string><key>End</key><string>2026-05-30 16:30</string><key>Place</key>
            <string>Hulbert Center</string><key>Details</key><string>Talks.
            Lunch.</string><key>Link</key><string>https://example.org/</string></dict>
            <dict><key>Title</key><string>Open house</string><key>Date</key><string>2026-05-29</string>
            <key>End</key><string>2026-05-31</string><key>Link</key><string>javascript:1</string></dict>
            <dict><key>Title</key><string>Seminar</string><key>Date</key><date>2026-05-30T20:00:00Z</date></dict>
            <dict><key>Title</key><string>No date</string></dict>
            """)
        #expect(file.remarks.map(\.detail) == ["event 4 is left out: it has no Date"])
        let begin = try #require(UTCInstant(rfc3339: "2026-01-01T00:00:00Z"))
        let end = try #require(UTCInstant(rfc3339: "2027-01-01T00:00:00Z"))
        let found = EventCalendar([file], station: ZoneLookup.station("America/Chicago")).instances(in: begin..<end)
            .instances
        #expect(found.map(\.words.title) == ["Open house", "LTER all scientists & friends", "Seminar"])
        #expect(found[0].isAllDay && found[0].lastDay.description == "2026-05-31" && found[0].words.link == nil)
        #expect(found[1].start.description.hasPrefix("2026-05-30T19:00:00"))
        #expect(found[1].end.description.hasPrefix("2026-05-30T21:30:00"))
        #expect(found[1].words.place == "Hulbert Center" && found[1].words.details == "Talks.\nLunch.")
        #expect(found[1].words.link == "https://example.org/")
    }

    @Test(
        "what is no such list is refused: binary, with declarations of its own, deep, cut off",
        arguments: [
            "bplist00xyz", "", "<plist><dict/></plist>", "<html/>",
            "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><array/></plist>",
            "<plist><array><dict>",
            "<?xml version=\"1.0\"?><!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist><array>&x;</array></plist>",
        ])
    func refusals(text: String) {
        #expect(throws: CalendarError.self) { try CalendarFile(propertyList: Array(text.utf8)) }
    }

    // A text of its length is no argument: it would stand in the log.
    @Test("what is nested without an end is refused")
    func nested() { refusals(text: "<plist><array>" + String(repeating: "<array>", count: 100_000)) }
}
