import Calendars
import Foundation
import KonzaModel
import KonzaTesting
import Testing

@Suite("Calendars in iCalendar")
struct CalendarTests {
    private func calendar(_ events: String, station: String = "America/Chicago") throws -> EventCalendar {
        EventCalendar([try file(events)], station: ZoneLookup.station(station))
    }

    private func file(_ events: String) throws -> CalendarFile {
        try CalendarFile(iCalendar: Array("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n\(events)\r\nEND:VCALENDAR\r\n".utf8))
    }

    private func event(_ lines: String) -> String { "BEGIN:VEVENT\n\(lines)\nEND:VEVENT" }

    private func instances(
        _ calendar: EventCalendar, _ from: String = "2026-01-01T00:00:00Z", _ to: String = "2027-01-01T00:00:00Z"
    ) throws -> [EventInstance] {
        let (from, to) = (try #require(UTCInstant(rfc3339: from)), try #require(UTCInstant(rfc3339: to)))
        return calendar.instances(in: from..<to).instances
    }

    @Test("lines are joined as bytes before they are UTF-8")
    func folding() throws {
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260530T140000Z\r\nSUMMARY:Burn a"
        var bytes = Array(text.utf8)
        // The two bytes of ñ are apart.
        bytes += [0xC3] + Array("\r\n ".utf8) + [0xB1] + Array("o\r\nDESCRIPTION:one\\n two\\, three\r\n".utf8)
        bytes += Array("END:VEVENT\r\nEND:VCALENDAR\r\n".utf8)
        let calendar = EventCalendar([try CalendarFile(iCalendar: bytes)], station: .utc)
        let found = try instances(calendar)
        #expect(found.first?.words.title == "Burn año")
        #expect(found.first?.words.details == "one\n two, three")
    }

    @Test("a day has no zone, its end is not part of it, and equal to the start it is one day")
    func days() throws {
        let calendar = try calendar(
            event("UID:1\nSUMMARY:a\nDTSTART;VALUE=DATE:20260530\nDTEND;VALUE=DATE:20260601") + "\n"
                + event("UID:2\nSUMMARY:b\nDTSTART;VALUE=DATE:20260530\nDTEND;VALUE=DATE:20260530") + "\n"
                + event("UID:3\nSUMMARY:c\nDTSTART;VALUE=DATE:20260530"))
        let found = try instances(calendar)
        #expect(found.map(\.lastDay.description) == ["2026-05-31", "2026-05-30", "2026-05-30"])
        #expect(found.map(\.start.description).allSatisfy { $0.hasPrefix("2026-05-30T05:00:00") })
        #expect(found[0].end.description.hasPrefix("2026-06-01T05:00:00"))
        // It belongs to what is on until its end, and leaves then.
        #expect(try instances(calendar, "2026-06-01T04:59:59Z").map(\.words.title) == ["a"])
        #expect(try instances(calendar, "2026-06-01T05:00:00Z").isEmpty)
    }

    @Test("events are in the order of their starts, those of a day first within it, then by title and UID")
    func order() throws {
        let calendar = try calendar(
            event("UID:1\nSUMMARY:late\nDTSTART:20260530T230000Z") + "\n"
                + event("UID:2\nSUMMARY:midnight\nDTSTART:20260530T050000Z") + "\n"
                + event("UID:3\nSUMMARY:whole\nDTSTART;VALUE=DATE:20260530") + "\n"
                + event("UID:5\nSUMMARY:late\nDTSTART:20260530T230000Z") + "\n"
                + event("UID:4\nSUMMARY:early\nDTSTART:20260530T230000Z"))
        #expect(try instances(calendar).map(\.words.title) == ["whole", "midnight", "early", "late", "late"])
    }

    @Test(
        "a time zone is found by its name in the database, by that of Windows, in the calendar itself, or is assumed",
        arguments: [
            ("TZID=America/Chicago", "2026-05-30T19:00:00", false),
            ("TZID=Central Standard Time", "2026-05-30T19:00:00", false),
            ("TZID=\"Fort Riley\"", "2026-05-30T19:30:00", false), ("TZID=Nowhere", "2026-05-30T19:00:00", true),
            ("X-A=b", "2026-05-30T19:00:00", false),
        ])
    func zones(parameter: String, start: String, isAssumed: Bool) throws {
        let zone = """
            BEGIN:VTIMEZONE
            TZID:Fort Riley
            BEGIN:STANDARD
            DTSTART:16011101T020000
            RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
            TZOFFSETFROM:-0530
            TZOFFSETTO:-0630
            END:STANDARD
            BEGIN:DAYLIGHT
            DTSTART:16010301T020000
            RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
            TZOFFSETFROM:-0630
            TZOFFSETTO:-0530
            END:DAYLIGHT
            END:VTIMEZONE
            """
        let calendar = try calendar(zone + "\n" + event("UID:1\nSUMMARY:a\nDTSTART;\(parameter):20260530T140000"))
        let found = try #require(try instances(calendar).first)
        #expect(found.start.description.hasPrefix(start))
        #expect(found.isZoneAssumed == isAssumed)
        let winter = try self.calendar(zone + "\n" + event("UID:1\nSUMMARY:a\nDTSTART;\(parameter):20261201T140000"))
        let hour = start.contains("T19:30") ? "20:30" : "20:00"
        #expect(try instances(winter).first?.start.description.contains("T\(hour):00") == true)
    }

    @Test("a recurring event keeps its hour over a change of the clocks, without the days that are taken out")
    func exceptions() throws {
        let calendar = try calendar(
            event(
                """
                UID:walk
                SUMMARY:Walk
                DTSTART;TZID=America/Chicago:20260305T090000
                DTEND;TZID=America/Chicago:20260305T103000
                RRULE:FREQ=WEEKLY;COUNT=5
                EXDATE;TZID=America/Chicago:20260319T090000
                RDATE;TZID=America/Chicago:20260410T090000
                """) + "\n"
                + event(
                    """
                    UID:walk
                    RECURRENCE-ID;TZID=America/Chicago:20260326T090000
                    SUMMARY:Walk by the creek
                    DTSTART;TZID=America/Chicago:20260327T100000
                    """) + "\n"
                + event(
                    """
                    UID:walk
                    RECURRENCE-ID:20260402T140000Z
                    SUMMARY:Walk
                    STATUS:CANCELLED
                    DTSTART;TZID=America/Chicago:20260402T090000
                    """))
        let found = try instances(calendar)
        #expect(
            found.map { "\($0.start.description.prefix(16)) \($0.words.title)\($0.isCancelled ? " -" : "")" } == [
                "2026-03-05T15:00 Walk", "2026-03-12T14:00 Walk", "2026-03-27T15:00 Walk by the creek",
                "2026-04-02T14:00 Walk -", "2026-04-10T14:00 Walk",
            ])
        #expect(found[1].end.description.hasPrefix("2026-03-12T15:30"))
        for one in found { #expect(calendar.instance(one.id) == one) }
        #expect(calendar.instance(found[0].id.replacing("0305T15", with: "0306T15")) == nil)
        #expect(calendar.instance("x") == nil && calendar.instance("") == nil)
    }

    @Test("of two events that say they are the same the newer counts")
    func sequence() throws {
        let calendar = try calendar(
            event("UID:1\nSUMMARY:new\nSEQUENCE:2\nDTSTART:20260530T140000Z") + "\n"
                + event("UID:1\nSUMMARY:old\nSEQUENCE:1\nDTSTART:20260529T140000Z"))
        #expect(try instances(calendar).map(\.words.title) == ["new"])
    }

    @Test(
        "an event that cannot be used is left out with its line, and the others stay",
        arguments: [
            "SUMMARY:a", "DTSTART:2026-05-30", "DTSTART:20260231", "DTSTART:20260530T250000Z", "DTSTART:99990101",
            "DTSTART:20260530T140000Z\nDTEND:20260530T130000Z", "DTSTART:20260530T140000Z\nDURATION:P400D",
        ])
    func badEvent(lines: String) throws {
        let file = try file(event(lines) + "\n" + event("UID:good\nSUMMARY:good\nDTSTART:20260530T140000Z"))
        #expect(file.count == 1)
        #expect(file.remarks.map(\.line) == [3])
        #expect(file.remarks.first?.detail.hasPrefix("the event is left out: ") == true)
    }

    @Test(
        "an event whose rule is not used is left out with the line of the rule: it is not shown as if it took place once",
        arguments: [
            "FREQ=SECONDLY", "FREQ=DAILY;BYHOUR=3", "INTERVAL=2", "FREQ=DAILY;INTERVAL=0", "FREQ=WEEKLY;BYDAY=XX",
            "FREQ=MONTHLY;BYWEEKNO=3", "FREQ=MONTHLY;BYSETPOS=1", "FREQ=DAILY;FREQ=DAILY", "FREQ=YEARLY;UNTIL=soon",
        ])
    func badRule(rule: String) throws {
        let file = try file(event("UID:1\nSUMMARY:a\nDTSTART:20260530T140000Z\nRRULE:\(rule)"))
        #expect(try instances(EventCalendar([file], station: .utc)).isEmpty)
        #expect(file.remarks.map(\.line) == [7])
        #expect(file.remarks.first?.detail.hasPrefix("the event is left out: RRULE: ") == true)
    }

    @Test(
        "an event that has become bad is as it was read last, by UID and RECURRENCE-ID, and named with its line",
        arguments: [
            ("DTSTART:20260231", 7), ("DTSTART:20260601T140000Z\nRRULE:FREQ=SOMETIMES", 12), ("SUMMARY:no start", 7),
        ])
    func lastGood(lines: String, line: Int) throws {
        let other = event("UID:2\nDTSTART:20260601T100000Z\nSUMMARY:other")
        let moved = event("UID:1\nRECURRENCE-ID:20260602T140000Z\nDTSTART:20260602T160000Z\nSUMMARY:moved")
        let good = try file(
            [event("UID:1\nSUMMARY:daily\nDTSTART:20260601T140000Z\nRRULE:FREQ=DAILY;COUNT=3"), moved, other].joined(
                separator: "\n"))
        func read(_ events: [String], after before: CalendarFile?) throws -> CalendarFile {
            try CalendarFile(
                iCalendar: Array("BEGIN:VCALENDAR\n\(events.joined(separator: "\n"))\nEND:VCALENDAR\n".utf8),
                after: before)
        }
        func shown(_ file: CalendarFile) throws -> [String] {
            try instances(EventCalendar([file], station: .utc)).map {
                "\($0.words.title) \($0.start.description.prefix(13))"
            }
        }
        let all = [
            "other 2026-06-01T10", "daily 2026-06-01T14", "moved 2026-06-02T16", "daily 2026-06-03T14",
        ]
        #expect(try shown(good) == all)
        let bad = event("UID:1\nX-NOTE:\nX-NOTE:\n\(lines)")
        // The series, then the moved instance, then both; and what was kept is kept again.
        let series = try read([other, bad, moved], after: good)
        #expect(try shown(series) == all)
        #expect(series.remarks.map(\.line) == [line])
        #expect(series.remarks.first?.detail.hasSuffix("what was read of it before is used on") == true)
        let instance = event("UID:1\nRECURRENCE-ID:20260602T140000Z\nDTSTART:soon")
        let both = try read([bad, instance, other], after: series)
        #expect(try Set(shown(both)) == Set(all) && both.remarks.count == 2)
        // One that is gone is gone, and of one that was never good there is nothing to keep.
        #expect(try shown(read([bad, instance], after: nil)).isEmpty)
        #expect(try shown(read([other], after: both)) == ["other 2026-06-01T10"])
    }

    @Test(
        "what is no calendar, or was cut off, is refused with line and remedy",
        arguments: [
            ("", 1), ("<html>", 1), ("BEGIN:VEVENT\nEND:VEVENT", 1),
            ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VCALENDAR", 3),
            ("BEGIN:VCALENDAR\nBEGIN:VCALENDAR", 2), ("BEGIN:VCALENDAR\nBEGIN:VEVENT", 2),
            ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\n  b", 3), ("BEGIN:VCALENDAR\nEND:VCALEN", 2),
        ])
    func badFile(text: String, line: Int) {
        let error = #expect(throws: CalendarError.self) { try CalendarFile(iCalendar: Array(text.utf8)) }
        #expect(error?.line == line)
    }

    // A text of its length is no argument: it would stand in the log.
    @Test("what is nested without an end is refused with the line at which it is too deep")
    func nested() { badFile(text: "BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:X\n", count: 100_000), line: 9) }

    @Test("no rule takes more than its steps, and 10 000 recurring events are listed for a month in few")
    func steps() throws {
        // 30 February never comes.
        let never = try calendar(
            event("UID:1\nSUMMARY:a\nDTSTART:20260101T090000Z\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"))
        let begin = try #require(UTCInstant(rfc3339: "2026-05-01T00:00:00Z"))
        let end = try #require(UTCInstant(rfc3339: "2026-06-01T00:00:00Z"))
        let answer = never.instances(in: begin..<end)
        #expect(answer.instances.isEmpty && answer.steps <= 40)
        let counted = try file(
            event("UID:1\nSUMMARY:a\nDTSTART:17000101T090000Z\nRRULE:FREQ=DAILY;BYDAY=MO,TU;COUNT=1000000"))
        #expect(counted.remarks.first?.detail.contains("more instances than are counted") == true)
        let rules = ["FREQ=WEEKLY;BYDAY=MO", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY", "FREQ=MONTHLY;COUNT=500"]
        let files = try (0..<2).map { part in
            try file(
                (0..<5000).map { index in
                    event(
                        "UID:\(part)-\(index)\nSUMMARY:Event \(index)\nDTSTART:20200\(index % 9 + 1)0\(index % 8 + 1)T140000Z\n"
                            + "RRULE:\(rules[index % rules.count])")
                }.joined(separator: "\n"))
        }
        let calendar = EventCalendar(files, station: ZoneLookup.station("America/Chicago"))
        #expect(calendar.count == 10_000)
        let month = calendar.instances(in: begin..<end, limit: 100)
        #expect(month.instances.count == 100 && !month.isCut)
        // Six weeks, three months, two years or five weeks of days of each rule.
        #expect(month.steps <= 10_000 * 15)
        #expect(month.total > 10_000)
    }

    @Test("many events keep their own words and are found by their ids; of equal ones the first file's counts")
    func manyFiles() throws {
        let seed = RandomTest.seed(of: "many calendars")
        var generator = SeededGenerator(seed: seed)
        func words(_ most: Int) -> String? {
            let count = Int.random(in: 0...most, using: &generator)
            return count == 0 ? nil : String((0..<count).map { _ in "aé漢🌾x".randomElement(using: &generator) ?? "a" })
        }
        var expected: [String: EventWords] = [:]
        var zones = ["America/Chicago", "Europe/Madrid", "Asia/Tokyo"]
        let files = try (0..<4).map { file in
            zones.shuffle(using: &generator)
            return try self.file(
                (0..<200).map { number in
                    // A quarter of them stands in the file before, too.
                    let uid = number < 50 && file > 0 ? "\(file - 1)-\(number + 150)" : "\(file)-\(number)"
                    let some = EventWords(
                        title: uid + (words(30) ?? ""), place: words(20), details: words(300),
                        link: Bool.random(using: &generator) ? "https://example.org/\(number)" : nil)
                    if expected[uid] == nil { expected[uid] = some }
                    let lines: [String?] = [
                        "UID:\(uid)", "SUMMARY:\(some.title)", some.place.map { "LOCATION:\($0)" },
                        some.details.map { "DESCRIPTION:\($0)" }, some.link.map { "URL:\($0)" },
                        "DTSTART;TZID=\(zones[number % 3]):20260530T\(10 + number % 10)0000",
                    ]
                    return event(lines.compactMap { $0 }.joined(separator: "\n"))
                }.joined(separator: "\n"))
        }
        let calendar = EventCalendar(files, station: ZoneLookup.station("America/Chicago"))
        let found = try instances(calendar)
        #expect(calendar.count == 650 && found.count == 650)
        let byTitle = Dictionary(expected.values.map { ($0.title, $0) }, uniquingKeysWith: { first, _ in first })
        for one in found {
            #expect(one.words == byTitle[one.words.title])
            #expect(calendar.instance(one.id) == one)
        }
    }

    @Test("an event keeps its id from one version of the program to the next: links to it go on to work")
    func ids() throws {
        let calendar = try calendar(event("UID:prairie-walk\nSUMMARY:a\nDTSTART:20260530T190000Z"))
        // printf 'prairie-walk\0' | sha256sum
        #expect(try instances(calendar).map(\.id) == ["c3fb4a7a376d-20260530T190000Z"])
        for wrong in ["C3FB4A7A376D", "c3fb4a7a376", "0xc3fb4a7a37", "+c3fb4a7a376", ""] {
            #expect(calendar.instance("\(wrong)-20260530T190000Z") == nil)
        }
    }

    @Test("an event goes into somebody's own calendar and comes out as it was, also as a code of few bytes")
    func writing() throws {
        let long = String(repeating: "Hábitat, fuego; y bisontes \\ ", count: 6)
        let calendar = try calendar(
            event(
                "UID:1\nSUMMARY:\(long.replacing("\\", with: "\\\\"))\nLOCATION:\(long)\nDESCRIPTION:a\\nb\n"
                    + "URL:https://example.org/\nDTSTART:20260530T140000Z\nDTEND:20260530T150000Z") + "\n"
                + event("UID:2\nSUMMARY:days\nDTSTART;VALUE=DATE:20260601\nDTEND;VALUE=DATE:20260604"))
        for one in try instances(calendar) {
            let text = EventText.iCalendar(one)
            #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
            let again = try CalendarFile(iCalendar: Array(text.utf8))
            let read = try #require(
                try instances(EventCalendar([again], station: ZoneLookup.station("America/Chicago"))).first)
            #expect(read.words == one.words && read.start == one.start && read.end == one.end)
            #expect(read.firstDay == one.firstDay && read.lastDay == one.lastDay)
            let short = EventText.short(one)
            #expect(short.utf8.count <= 400)
            let shown = try CalendarFile(iCalendar: Array(short.utf8))
            #expect(shown.count == 1)
        }
    }

    @Test("damaged calendars are refused or read, and never a trap")
    func damage() throws {
        let good = Array(
            ("BEGIN:VCALENDAR\n"
                + event(
                    "UID:1\nSUMMARY:a\nDTSTART;TZID=America/Chicago:20260530T140000\nRRULE:FREQ=WEEKLY;BYDAY=MO,2TU;COUNT=9"
                )
                + "\nEND:VCALENDAR\n").utf8)
        var generator = SeededGenerator(seed: RandomTest.seed(of: "damaged calendars"))
        for _ in 0..<200 {
            var bad = good
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                bad[Int.random(in: 0..<bad.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let file = try? CalendarFile(iCalendar: bad) else { continue }
            _ = try instances(EventCalendar([file], station: .utc))
        }
    }
}
