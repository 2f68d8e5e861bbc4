import Calendars
import KonzaModel
import Storage
import Testing

@testable import Announcements
@testable import StationPages

extension YearOfStation {
    static let feed = "https://example.org/feed"
    static let calendar = "https://example.org/station.ics"

    // MARK: - Announcements

    private func announcement(_ title: String, begins: Int? = nil, ends: Int? = nil) -> Announcement {
        Announcement(
            words: .init(title: title, body: "Number \(number(0..<1_000_000))"), startDate: begins.map(Self.instant),
            endDate: ends.map(Self.instant), isUrgent: happens(20), isRequired: happens(70))
    }

    private func expect(_ id: String, _ one: Announcement) {
        func second(_ instant: UTCInstant?) -> Int? { instant.map { Int($0.nanoseconds / 1_000_000_000) } }
        expected.retired[id] = nil
        expected.notices[id] = .init(
            hash: one.hash, begins: second(one.startDate), ends: second(one.endDate), isRequired: one.isRequired)
    }

    /// Somebody writes an announcement that begins and ends some time.
    func write(_ title: String) throws {
        let begins = happens(40) ? now + number(0..<5 * 86_400) : nil
        let ends = happens(80) ? (begins ?? now) + number(3600..<12 * 86_400) : nil
        let one = announcement(title, begins: begins, ends: ends)
        expect(try notices.write(one, by: "officer").id, one)
    }

    /// Somebody changes an announcement, or takes one away.
    func changeSomeNotice() throws {
        let own = try notices.list(for: nil, isCrew: true, all: true).filter { $0.source.isEmpty }
        guard let one = own.randomElement(using: &chance) else { return }
        if happens(50) {
            try notices.retire(one.id)
            take(away: one.id)
        } else {
            var changed = one.announcement
            changed.words.body += " Changed."
            _ = try notices.change(one.id, to: changed)
            expect(one.id, changed)
        }
    }

    private func take(away id: String) {
        expected.notices[id] = nil
        expected.retired[id] = now
    }

    /// The courier has fetched the feed: some of what it had is there, some changed, some is new.
    func fetchFeed(_ round: Int) throws {
        let before = try notices.list(for: nil, isCrew: true, all: true).filter { $0.source == Self.feed }
        var items: [AnnouncementRegister.SourceItem] = []
        for one in before where happens(70) {
            var announcement = one.announcement
            if happens(15) { announcement.words.more = "Round \(round)" }
            items.append((announcement.words.title, announcement, []))
        }
        // Some come back that were there before.
        for _ in 0..<number(0..<3) {
            let title = "Alert \(number(0..<40))"
            if !items.contains(where: { $0.external == title }) { items.append((title, announcement(title), [])) }
        }
        _ = try notices.synchronize(Self.feed, items, state: .init(title: "Feed", entityTag: "\(round)"))
        let after = try notices.list(for: nil, isCrew: true, all: true).filter { $0.source == Self.feed }
        #expect(Set(after.map(\.announcement.words.title)) == Set(items.map(\.external)), "\(story)")
        for one in before where !after.contains(where: { $0.id == one.id }) { take(away: one.id) }
        for item in items {
            if let id = after.first(where: { $0.announcement.words.title == item.external })?.id {
                expect(id, item.announcement)
            }
        }
    }

    /// The feed and the calendar cannot be had: nothing that they said is lost, and both say so.
    func failFeeds() throws {
        notices.noteFault(Self.feed, "cannot resolve the name")
        calendars.note(Self.calendar, fault: "cannot resolve the name")
        #expect(try notices.feedState(of: Self.feed)?.fault != nil, "\(story)")
        #expect(calendars.states.first?.fault != nil, "\(story)")
    }

    /// What was taken away more than thirty days ago is gone once something is written; what was since is kept.
    func checkRetentionOfNotices() throws {
        try write("The last one")
        let kept = Set(
            try database.read { connection throws(DatabaseError) in
                try connection.rows("SELECT id FROM announcements WHERE retired_at IS NOT NULL") { $0.text(0) }
            })
        let old = now - 30 * 86_400
        #expect(kept == Set(expected.retired.filter { $0.value > old }.keys), "\(story)")
    }

    // MARK: - The calendar

    /// The courier has fetched a calendar with a lecture each Tuesday at nine by the clock on the wall.
    func fetchCalendar(_ round: Int) throws {
        let text = """
            BEGIN:VCALENDAR\r
            VERSION:2.0\r
            BEGIN:VEVENT\r
            UID:lecture\r
            DTSTART;TZID=America/Chicago:20260106T090000\r
            DTEND;TZID=America/Chicago:20260106T100000\r
            RRULE:FREQ=WEEKLY;BYDAY=TU\r
            SUMMARY:Lecture \(round)\r
            END:VEVENT\r
            END:VCALENDAR\r

            """
        let complaint = try calendars.take(text, from: Self.calendar, entityTag: "\(round)", lastModified: nil)
        #expect(complaint == nil, "\(story)")
    }

    /// The lecture of the week ahead is at nine, in summer and winter, however long ago the calendar was fetched.
    func checkCalendar(hasOne: Bool) throws {
        let window = Self.instant(now)..<Self.instant(now + 7 * 86_400)
        let lectures = EventCalendar(calendars.files, station: Self.zone).instances(in: window).instances
            .filter { $0.start >= window.lowerBound }
        guard hasOne else { return #expect(lectures.isEmpty, "\(story)") }
        let tuesday = (0...8).map { YearCalendar.Day(today.number + $0) }
            .filter { $0.weekday == 2 }
            .map { YearCalendar.begin(of: $0) + 9 * 3600 }
            .filter { $0 >= now && $0 < now + 7 * 86_400 }
        #expect(lectures.map(\.start) == tuesday.map(Self.instant), "\(story)")
    }
}
