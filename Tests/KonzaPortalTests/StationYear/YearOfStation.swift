import Calendars
import KonzaModel
import KonzaTesting
import Storage
import Testing

@testable import Announcements
@testable import KonzaPortal
@testable import Muster
@testable import People
@testable import StationPages
@testable import Trips

/// A station in a year, and beside it what should be true of it (`expected`), kept as plain values by other rules of arithmetic.
/// Instants are seconds since 1970.
final class YearOfStation {
    static let zone = ZoneLookup.station("America/Chicago")
    static let until = 9 * 60
    static let keptTrips = 60 * 86_400

    let database: Database
    let clock: ManualClock
    var chance: SeededGenerator
    private(set) var ledger: MusterLedger
    private(set) var people: PeopleRegister
    private(set) var trips: TripRegister
    private(set) var notices: AnnouncementRegister
    private(set) var calendars: CalendarFeeds
    private(set) var outbox: MessageOutbox
    private(set) var now: Int
    private(set) var starts = 0
    var crew: [YearPerson] = []
    var expected = YearExpected()
    let seed: UInt64

    init(seed: UInt64, first: YearCalendar.Day) throws {
        self.seed = seed
        chance = SeededGenerator(seed: seed)
        now = YearCalendar.begin(of: first)
        clock = ManualClock(utc: Self.instant(now))
        database = try Database(inMemory: 64 << 20, migrations: PortalStore.migrations)
        people = try PeopleRegister(database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
        (ledger, trips, notices, calendars, outbox) = try Self.registers(database, clock, boot: "0")
    }

    static func instant(_ second: Int) -> UTCInstant { UTCInstant(nanoseconds: Int64(second) * 1_000_000_000) }

    static func date(_ day: YearCalendar.Day) throws -> CalendarDate { try #require(CalendarDate(day.text)) }

    private static func registers(
        _ database: Database, _ clock: ManualClock, boot: String
    ) throws -> (MusterLedger, TripRegister, AnnouncementRegister, CalendarFeeds, MessageOutbox) {
        var rules = MusterRules { zone.offsetSeconds(at: $0) }
        rules.until = until
        let outbox = MessageOutbox(database, clock: clock)
        let words = OverdueMessages(station: "Konza", officer: ["officer@example.org"], hasWebhook: false, sheriff: "")
        return (
            try MusterLedger(
                database, rules: rules, gate: RequiredAnnouncements(), clock: clock, boot: boot,
                isSynchronized: { true }),
            TripRegister(
                database, keepSeconds: Double(keptTrips), clock: clock,
                announce: { raised, connection throws(DatabaseError) in
                    try outbox.write(words.drafts(raised, now: clock.utc()), &connection)
                }),
            AnnouncementRegister(database, clock: clock), CalendarFeeds(database, clock: clock), outbox
        )
    }

    /// The portal ends and starts again: what it had in memory is gone.
    func restart() throws {
        starts += 1
        people = try PeopleRegister(database, clock: clock, cost: HashCost(passes: 1, memory: 65_536))
        (ledger, trips, notices, calendars, outbox) = try Self.registers(database, clock, boot: "\(starts)")
    }

    func advance(to second: Int) {
        clock.advance(bySeconds: Double(second - now))
        now = second
    }

    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &chance) }

    func happens(_ percent: Int) -> Bool { number(0..<100) < percent }

    var today: YearCalendar.Day { YearCalendar.day(atSecond: now) }

    // MARK: - People

    func addPerson(_ name: String, arrives: YearCalendar.Day? = nil, departs: YearCalendar.Day? = nil) throws {
        var details = PersonDetails(name: name, role: .crew)
        details.arrives = try arrives.map(Self.date)
        details.departs = try departs.map(Self.date)
        let number = try people.importing([details], by: 0)[0]
        crew.append(YearPerson(number: number, arrives: arrives, departs: departs, madeAt: now))
    }

    /// An account goes; what its owner did stays in the ledger.
    func removePerson(_ index: Int) throws {
        let person = crew.remove(at: index)
        try people.remove(person.number, by: 0)
    }

    func giveLeave(_ person: YearPerson, _ first: YearCalendar.Day, _ last: YearCalendar.Day) throws {
        _ = try ledger.addLeave(person.number, Self.date(first), Self.date(last), because: "leave", by: 0)
        expected.leaves.append((person.number, first, last))
    }

    // MARK: - Mustering

    /// Somebody musters, reading first what is to be read, if that is not refused for it.
    func muster(_ person: YearPerson) throws {
        let day = today
        let unread = expected.unread(by: person.number, at: now)
        if expected.musters[YearExpected.Key(person: person.number, day: day)] == nil, !unread.isEmpty {
            guard case .unread(let told) = try attempt(person) else {
                Issue.record("somebody mustered without reading, \(story)")
                return
            }
            #expect(Set(told.map(\.id)) == Set(unread), "\(story)")
            for id in unread { try read(id, by: person.number) }
        }
        switch try attempt(person) {
        case .made(let record):
            #expect(record.day?.description == day.text, "\(story)")
            #expect(record.offsetSeconds == YearCalendar.offset(atSecond: now), "\(story)")
            let isNew = expected.musters.updateValue(now, forKey: .init(person: person.number, day: day)) == nil
            #expect(isNew, "a second muster of a day, \(story)")
            expected.records += 1
        case .already(let record):
            let first = expected.musters[YearExpected.Key(person: person.number, day: day)]
            #expect(first.map(Self.instant) == record.at, "\(story)")
        default: Issue.record("a muster was refused, \(story)")
        }
    }

    private func attempt(_ person: YearPerson) throws -> MusterLedger.Outcome {
        try ledger.muster(person.number, Evidence(.kiosk, "proved"), device: "")
    }

    func correct(_ person: YearPerson, _ day: YearCalendar.Day, _ state: MusterState) throws {
        _ = try ledger.correct(person.number, on: Self.date(day), to: state, because: "seen", by: 0)
        expected.corrections[YearExpected.Key(person: person.number, day: day)] = state.rawValue
        expected.records += 1
    }

    /// Compares a day's roster with what it should be.
    func checkRoster(_ day: YearCalendar.Day? = nil) throws {
        let roster = try ledger.roster(try day.map(Self.date))
        #expect(roster.day.description == (day ?? today).text, "\(story)")
        #expect(roster.lines.count == crew.count, "\(story)")
        #expect((roster.dayOff != nil) == YearCalendar.isDayOff(day ?? today), "\(story) \((day ?? today).text)")
        for line in roster.lines {
            guard let person = crew.first(where: { $0.number == line.person.number }) else {
                Issue.record("somebody who is not there is on the roster, \(story)")
                continue
            }
            let state = expected.state(person, on: day ?? today, at: now)
            #expect(line.state.rawValue == state, "person \(person.number) on \((day ?? today).text), \(story)")
            let isOverdue =
                state == "expected" && (day ?? today) == today && YearCalendar.minute(atSecond: now) > Self.until
                && !person.cameTooLate(on: today)
            #expect(line.isOverdue == isOverdue, "\(story)")
        }
    }

    // MARK: - Announcements

    func read(_ id: String, by person: Int64) throws {
        guard let hash = expected.notices[id]?.hash else { return }
        #expect(try notices.markRead(id, hash: hash, by: PortalAnnouncements.key(ofPerson: person)), "\(story)")
        expected.readings[YearExpected.Reading(person: person, notice: id)] = hash
    }

    /// Compares somebody's list of announcements with what it should be.
    func checkNotices() throws {
        if let person = crew.randomElement(using: &chance) {
            let list = try notices.list(for: PortalAnnouncements.key(ofPerson: person.number), isCrew: true)
            let active = expected.notices.filter { $0.value.isActive(at: now) }
            #expect(Set(list.map(\.id)) == Set(active.keys), "\(story)")
            let groups = list.map { $0.isRead ? 2 : $0.announcement.isUrgent ? 0 : 1 }
            #expect(groups == groups.sorted(), "urgent unread ones are not the first, \(story)")
            for one in list {
                let readHash = expected.readings[YearExpected.Reading(person: person.number, notice: one.id)]
                #expect(one.isRead == (readHash == active[one.id]?.hash), "\(story)")
                #expect(one.isChanged == (readHash != nil && readHash != active[one.id]?.hash), "\(story)")
            }
        }
    }

    /// Where and when something went wrong.
    var story: String { "at \(Self.instant(now).rfc3339), KONZA_SEED=\(seed)" }
}
