import Calendars
import KonzaModel
import Testing

/// Files in the shape that Outlook, Exchange, Google's and Apple's calendars export; the words and times are our own.
@Suite("Calendars as programs export them")
struct ExportedCalendarTests {
    private func file(_ text: String) throws -> CalendarFile {
        try CalendarFile(iCalendar: Array(text.replacing("\n", with: "\r\n").utf8))
    }

    private func instances(_ file: CalendarFile, station: String = "America/Chicago") throws -> [EventInstance] {
        let from = try #require(UTCInstant(rfc3339: "2026-01-01T00:00:00Z"))
        let to = try #require(UTCInstant(rfc3339: "2027-01-01T00:00:00Z"))
        return EventCalendar([file], station: ZoneLookup.station(station)).instances(in: from..<to).instances
    }

    /// When and what, with a mark for what was cancelled.
    private func told(_ found: [EventInstance]) -> [String] {
        found.map { one in
            let when = one.isAllDay ? "\(one.firstDay)" : String(one.start.description.prefix(16))
            return "\(when) \(one.words.title)\(one.isCancelled ? " -" : "")"
        }
    }

    @Test("Outlook's program: a zone of its own name, HTML beside the text, lines folded within a character, reminders")
    func outlook() throws {
        let zone = """
            BEGIN:VCALENDAR
            PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN
            VERSION:2.0
            METHOD:PUBLISH
            X-CALSTART:20260409T140000Z
            X-CALEND:20261210T160000Z
            X-CLIPSTART:20260101T060000Z
            X-WR-RELCALID:{0000002E-0BCD-4D2A-9F3C-0123456789AB}
            X-WR-CALNAME:Docents
            X-PRIMARY-CALENDAR:TRUE
            X-MS-OLK-FORCEINSPECTOROPEN:TRUE
            BEGIN:VTIMEZONE
            TZID:Prairie Standard Time
            BEGIN:STANDARD
            DTSTART:16011104T020000
            RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11
            TZOFFSETFROM:-0500
            TZOFFSETTO:-0600
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:16010311T020000
            RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3
            TZOFFSETFROM:-0600
            TZOFFSETTO:-0500
            END:DAYLIGHT
            END:VTIMEZONE

            """
        let events = """
            BEGIN:VEVENT
            ATTENDEE;CN="Reyes, Ana; docent";RSVP=TRUE:mailto:ana@example.org
            CLASS:PUBLIC
            CREATED:20260301T120000Z
            DESCRIPTION:Bring water\\, boots and a hat.\\n\\nMeet at the <stone> barn.\\n
            DTEND;TZID="Prairie Standard Time":20260409T110000
            DTSTAMP:20260301T120000Z
            DTSTART;TZID="Prairie Standard Time":20260409T090000
            EXDATE;TZID="Prairie Standard Time":20260514T090000,20260709T0
             90000
            LAST-MODIFIED:20260302T120000Z
            LOCATION:Stone barn\\; upper gate
            ORGANIZER;CN="":
            PRIORITY:5
            RRULE:FREQ=MONTHLY;UNTIL=20260813T140000Z;BYDAY=2TH
            SEQUENCE:3
            SUMMARY;LANGUAGE=en-us:Docent walk
            TRANSP:OPAQUE
            UID:040000008200E00074C5B7101A82E00800000000B0A1C2D3E4F5DA01000000000000000
             010000000AB54A98CEB1F0AD2
            X-ALT-DESC;FMTTYPE=text/html:<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//E
             N">\\n<HTML>\\n<BODY>\\n<P DIR=LTR>Bring water: boots</P>\\n</BODY>\\n</HTML>
            X-MICROSOFT-CDO-BUSYSTATUS:BUSY
            X-MICROSOFT-CDO-IMPORTANCE:1
            X-MS-OLK-AUTOFILLLOCATION:FALSE
            BEGIN:VALARM
            TRIGGER:-PT15M
            ACTION:DISPLAY
            DESCRIPTION:Reminder
            END:VALARM
            END:VEVENT
            BEGIN:VEVENT
            CLASS:PUBLIC
            DTEND;TZID="Prairie Standard Time":20260612T110000
            DTSTART;TZID="Prairie Standard Time":20260612T090000
            RECURRENCE-ID;TZID="Prairie Standard Time":20260611T090000
            SEQUENCE:3
            SUMMARY;LANGUAGE=en-us:Docent walk\\, a day later
            UID:040000008200E00074C5B7101A82E00800000000B0A1C2D3E4F5DA01000000000000000
             010000000AB54A98CEB1F0AD2
            END:VEVENT
            BEGIN:VEVENT
            CLASS:PRIVATE
            DTSTART:20260410T150000Z
            SUMMARY;LANGUAGE=en-us:Dentist
            UID:private-1
            END:VEVENT
            BEGIN:VEVENT
            CLASS:PUBLIC
            DTEND;VALUE=DATE:20261212
            DTSTART;VALUE=DATE:20261210
            SUMMARY;LANGUAGE=es:Recuento navide
            """
        // The two bytes of ñ stand on two lines.
        var bytes = Array((zone + events).replacing("\n", with: "\r\n").utf8)
        bytes += [0xC3] + Array("\r\n ".utf8) + [0xB1] + Array("o\r\nUID:count\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".utf8)
        let file = try CalendarFile(iCalendar: bytes)
        let found = try instances(file)
        #expect(
            told(found) == [
                "2026-04-09T14:00 Docent walk", "2026-06-12T14:00 Docent walk, a day later",
                "2026-08-13T14:00 Docent walk", "2026-12-10 Recuento navideño",
            ])
        #expect(found[0].words.place == "Stone barn; upper gate")
        #expect(found[0].words.details == "Bring water, boots and a hat.\n\nMeet at the <stone> barn.")
        #expect(found[3].lastDay.description == "2026-12-11")
        #expect(file.remarks.map(\.detail) == ["1 event not for everyone (CLASS), left out"])
    }

    @Test("Exchange: days whose exceptions and ends are written as times of a zone, or marked as days")
    func exchange() throws {
        let file = try file(
            """
            BEGIN:VCALENDAR
            METHOD:PUBLISH
            PRODID:Microsoft Exchange Server 2010
            VERSION:2.0
            X-WR-CALNAME:Calendar
            BEGIN:VTIMEZONE
            TZID:W. Europe Standard Time
            BEGIN:STANDARD
            DTSTART:16010101T030000
            TZOFFSETFROM:+0200
            TZOFFSETTO:+0100
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:16010101T020000
            TZOFFSETFROM:+0100
            TZOFFSETTO:+0200
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
            END:DAYLIGHT
            END:VTIMEZONE
            BEGIN:VEVENT
            DESCRIPTION:\\n
            RRULE:FREQ=WEEKLY;UNTIL=20260629T220000Z;INTERVAL=1;BYDAY=TU;WKST=MO
            EXDATE;TZID=W. Europe Standard Time:20260609T000000
            UID:bison
            SUMMARY:Bison count
            DTSTART;VALUE=DATE:20260602
            DTEND;VALUE=DATE:20260603
            CLASS:PUBLIC
            DTSTAMP:20260501T120000Z
            TRANSP:TRANSPARENT
            STATUS:CONFIRMED
            SEQUENCE:0
            LOCATION:
            X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
            END:VEVENT
            BEGIN:VEVENT
            UID:bison
            RECURRENCE-ID;TZID=UTC+02:20260616T000000
            SUMMARY:Bison count\\, moved
            DTSTART;VALUE=DATE:20260617
            DTEND;VALUE=DATE:20260618
            CLASS:PUBLIC
            END:VEVENT
            BEGIN:VEVENT
            UID:open
            SUMMARY;LANGUAGE=en-US:Open house
            DTSTART;TZID=W. Europe Standard Time:20260704T000000
            DTEND;TZID=W. Europe Standard Time:20260706T000000
            X-MICROSOFT-CDO-ALLDAYEVENT:TRUE
            END:VEVENT
            BEGIN:VEVENT
            UID:talk
            SUMMARY;LANGUAGE=en-US:Talk
            DTSTART;TZID=tzone://Microsoft/Utc:20260801T120000
            END:VEVENT
            BEGIN:VEVENT
            UID:quoted
            SUMMARY;LANGUAGE=en-US:Second talk
            DTSTART;TZID="tzone://Microsoft/Utc":20260802T120000
            DTEND;TZID="tzone://Microsoft/Utc":20260802T130000
            X-MICROSOFT-CDO-ALLDAYEVENT:FALSE
            END:VEVENT
            END:VCALENDAR

            """)
        let found = try instances(file)
        #expect(
            told(found) == [
                "2026-06-02 Bison count", "2026-06-17 Bison count, moved", "2026-06-23 Bison count",
                "2026-06-30 Bison count", "2026-07-04 Open house", "2026-08-01T12:00 Talk",
                "2026-08-02T12:00 Second talk",
            ])
        #expect(found[4].lastDay.description == "2026-07-05")
        #expect(found.allSatisfy { $0.words.details == nil && $0.words.place == nil })
        #expect(file.remarks.isEmpty)
    }

    @Test(
        "Outlook on the web: zones that are told in words, without a VTIMEZONE",
        arguments: [
            ("(UTC-06:00) Central Time (US & Canada)", "19:00"), ("(GMT-07:00) Arizona", "21:00"),
            ("(UTC-05:00) Eastern Time (US & Canada)", "18:00"), ("(UTC-04:00) Atlantic Time (Canada)", "17:00"),
            ("(UTC-05:00) Indiana (East)", "18:00"), ("(UTC+10:00) Canberra, Melbourne, Sydney", "04:00"),
            ("(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London", "13:00"),
            ("Amsterdam, Belgrade, Berlin, Brussels, Budapest, Madrid, Paris", "12:00"),
            ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "08:30"), ("(UTC-06:00) Central America", "20:00"),
            ("(UTC-07:00) Chihuahua, La Paz, Mazatlan", "21:00"), ("(UTC) Coordinated Universal Time", "14:00"),
            ("(UTC-03:00) City of Buenos Aires", "17:00"), ("UTC+01:00", "13:00"), ("GMT-0530", "19:30"),
        ])
    func described(name: String, hour: String) throws {
        let file = try file(
            """
            BEGIN:VCALENDAR
            PRODID:Microsoft Exchange Server 2010
            BEGIN:VEVENT
            UID:1
            SUMMARY: Talk
            DTSTART;TZID="\(name)":20260530T140000
            END:VEVENT
            END:VCALENDAR

            """)
        let one = try #require(try instances(file, station: "UTC").first)
        #expect(one.start.description.contains("T\(hour):00") && !one.isZoneAssumed)
        #expect(one.words.title == "Talk" && file.remarks.isEmpty)
    }

    @Test(
        "names that describe no zone are assumed, and said",
        arguments: ["Customized Time Zone 1", "(UTC-99:00) X", "(X) Y"])
    func undescribed(name: String) throws {
        let file = try file(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:a\nDTSTART;TZID=\"\(name)\":20260530T140000\nEND:VEVENT\nEND:VCALENDAR\n"
        )
        #expect(try instances(file).first?.isZoneAssumed == true && file.remarks.count == 1)
    }

    @Test(
        "Google's: times of UTC, rules in a zone, moved and cancelled instances before their series, HTML as the text")
    func google() throws {
        let file = try file(
            """
            BEGIN:VCALENDAR
            PRODID:-//Google Inc//Google Calendar 70.9054//EN
            VERSION:2.0
            CALSCALE:GREGORIAN
            METHOD:PUBLISH
            X-WR-CALNAME:Station
            X-WR-TIMEZONE:America/Denver
            X-WR-CALDESC:
            BEGIN:VTIMEZONE
            TZID:America/Chicago
            X-LIC-LOCATION:America/Chicago
            BEGIN:DAYLIGHT
            TZOFFSETFROM:-0600
            TZOFFSETTO:-0500
            TZNAME:GMT-5
            DTSTART:19700308T020000
            RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
            END:DAYLIGHT
            BEGIN:STANDARD
            TZOFFSETFROM:-0500
            TZOFFSETTO:-0600
            TZNAME:GMT-6
            DTSTART:19701101T020000
            RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
            END:STANDARD
            END:VTIMEZONE
            BEGIN:VEVENT
            DTSTART;TZID=America/Chicago:20261023T180000
            DTEND;TZID=America/Chicago:20261023T190000
            DTSTAMP:20260901T120000Z
            UID:0a1b2c3d4e5f@google.com
            RECURRENCE-ID;TZID=America/Chicago:20261022T180000
            SUMMARY:Night sky\\, Friday
            SEQUENCE:1
            END:VEVENT
            BEGIN:VEVENT
            DTSTART;TZID=America/Chicago:20261015T180000
            DTEND;TZID=America/Chicago:20261015T190000
            RRULE:FREQ=WEEKLY;UNTIL=20261113T055959Z;BYDAY=TH
            EXDATE;TZID=America/Chicago:20261029T180000
            DTSTAMP:20260901T120000Z
            ORGANIZER;CN=Station:mailto:unknownorganizer@calendar.google.com
            UID:0a1b2c3d4e5f@google.com
            ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=ana@ex
             ample.org;X-NUM-GUESTS=0:mailto:ana@example.org
            X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij
            CREATED:20260901T120000Z
            DESCRIPTION:<p>Bring a <b>red</b> lamp&nbsp\\;&amp\\; a coat.</p><br><ul><li>Ch
             airs: ours</li></ul><a href="https://example.org/sky" target="_blank">More</a>
            LAST-MODIFIED:20260901T120000Z
            LOCATION:
            SEQUENCE:0
            STATUS:CONFIRMED
            SUMMARY:Night sky
            TRANSP:OPAQUE
            BEGIN:VALARM
            ACTION:EMAIL
            ATTENDEE:mailto:ana@example.org
            TRIGGER:-P0DT0H10M0S
            SUMMARY:Alarm notification
            DESCRIPTION:This is an event reminder
            END:VALARM
            END:VEVENT
            BEGIN:VEVENT
            DTSTART:20261105T170000
            DTEND:20261105T180000
            UID:floating@google.com
            SUMMARY:By the calendar's own zone
            END:VEVENT
            BEGIN:VEVENT
            DTSTART;VALUE=DATE:20261109
            DTEND;VALUE=DATE:20261110
            RRULE:FREQ=DAILY;UNTIL=20261110
            UID:days@google.com
            DESCRIPTION:Write to Ana <ana@example.org> if x < 3 and y > 2
            STATUS:CANCELLED
            SUMMARY:Closed
            END:VEVENT
            END:VCALENDAR

            """)
        let found = try instances(file)
        #expect(
            told(found) == [
                "2026-10-15T23:00 Night sky", "2026-10-23T23:00 Night sky, Friday",
                "2026-11-06T00:00 By the calendar's own zone", "2026-11-06T00:00 Night sky", "2026-11-09 Closed -",
                "2026-11-10 Closed -", "2026-11-13T00:00 Night sky",
            ])
        #expect(found[0].words.details == "Bring a red lamp & a coat.\n\n• Chairs: ours\n\nMore")
        #expect(found[4].words.details == "Write to Ana <ana@example.org> if x < 3 and y > 2")
        #expect(file.remarks.isEmpty)
    }

    @Test("Apple's: two calendars in one file, places with quoted addresses, pictures as lines without an end")
    func apple() throws {
        let picture = (0..<2000).map { _ in " " + String(repeating: "QUJD", count: 18) }.joined(separator: "\n")
        let file = try file(
            """
            BEGIN:VCALENDAR
            CALSCALE:GREGORIAN
            PRODID:-//Apple Inc.//macOS 15.1//EN
            VERSION:2.0
            X-APPLE-CALENDAR-COLOR:#1BADF8
            X-WR-CALNAME:Work
            BEGIN:VEVENT
            ATTACH;VALUE=BINARY;ENCODING=BASE64;FMTTYPE=image/png;X-APPLE-FILENAME=a.png:QUJD
            \(picture)
            DTSTART;TZID=America/Chicago:20260530T140000
            DURATION:PT90M
            LOCATION:Hulbert Center\\n100 Konza Lane
            SUMMARY:Plants in June
            UID:6F1C2D3E-0000-4000-8000-ABCDEF012345
            URL;VALUE=URI:https://example.org/plants
            X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS="100 Konza Lane\\, Manhattan
             : Kansas";X-APPLE-RADIUS=70.6;X-TITLE=Hulbert Center:geo:39.09,-96.57
            X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
            BEGIN:VALARM
            ACTION:NONE
            TRIGGER;VALUE=DATE-TIME:19760401T005545Z
            END:VALARM
            END:VEVENT
            END:VCALENDAR

            BEGIN:VCALENDAR
            VERSION:2.0
            BEGIN:VEVENT
            DTSTART;VALUE=DATE:20260601
            SUMMARY:Birds
            UID:2
            END:VEVENT
            BEGIN:VTODO
            SUMMARY:Not an event
            END:VTODO
            END:VCALENDAR

            """)
        let found = try instances(file)
        #expect(told(found) == ["2026-05-30T19:00 Plants in June", "2026-06-01 Birds"])
        #expect(found[0].words.place == "Hulbert Center 100 Konza Lane")
        #expect(found[0].words.link == "https://example.org/plants")
        #expect(found[0].end.description.hasPrefix("2026-05-30T20:30"))
        #expect(file.remarks.isEmpty)
    }
}
