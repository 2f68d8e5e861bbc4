import Foundation
import KonzaModel
import KonzaTesting
import Testing

@testable import KonzaPortal
@testable import Muster
@testable import People

/// A station lives through a year by the manual clock, and is compared with plain arithmetic all the way.
@Suite("A year of station life")
struct StationYearTests {
    private static let years: [UInt64] = {
        let seed = RandomTest.seed(of: "years of station life")
        return (0..<RandomTest.cases(1)).map { seed &+ UInt64($0) }
    }()

    @Test("is as plain arithmetic says at every hour of it", arguments: years)
    func year(seed: UInt64) throws {
        print("a year of station life: KONZA_SEED=\(seed)")
        // Some year of the next six, from any day: both changes of the clocks and all holidays fall in, and often 29 February.
        let begin = YearCalendar.Day(YearCalendar.number(2027, 1, 1) + Int(seed % 2190))
        let year = try YearOfStation(seed: seed, first: begin)
        for name in ["Ana", "Ben", "Cleo", "Dev"] { try year.addPerson(name) }
        var heads: [MusterHeads] = []
        var failsUntil = 0
        var offUntil = 0
        var hasCalendar = false
        for index in 0..<366 {
            let day = YearCalendar.Day(begin.number + index)
            let dawn = YearCalendar.begin(of: day)
            let end = YearCalendar.begin(of: YearCalendar.Day(day.number + 1))
            #expect([82_800, 86_400, 90_000].contains(end - dawn))
            if index > 0 {
                year.advance(to: dawn - 1)
                try year.checkRoster()
            }
            if year.now < dawn { year.advance(to: dawn) }
            try year.checkRoster()
            if index > 0 { try year.checkRoster(YearCalendar.Day(day.number - 1)) }
            // Feeds and calendars fail for weeks; the station itself is off for days, and everybody gone with it.
            if index >= failsUntil, year.happens(2) { failsUntil = index + year.number(7..<30) }
            if index >= offUntil, year.happens(1) { offUntil = index + year.number(1..<4) }
            guard index >= offUntil else { continue }
            try live(year, day, from: dawn, to: end, feedsFail: index < failsUntil, &hasCalendar)
            if index % 30 == 29 { heads.append(try year.ledger.roster(nil).heads) }
        }
        try finish(year, heads)
    }

    /// One day: what happens comes at any second of it.
    private func live(
        _ year: YearOfStation, _ day: YearCalendar.Day, from dawn: Int, to end: Int, feedsFail: Bool,
        _ hasCalendar: inout Bool
    ) throws {
        var agenda: [(at: Int, act: () throws -> Void)] = []
        func plan(_ range: Range<Int>? = nil, _ act: @escaping () throws -> Void) {
            agenda.append((year.number(range ?? dawn..<end), act))
        }
        for person in year.crew where year.happens(YearCalendar.isDayOff(day) ? 10 : 85) {
            // Most come about nine, where being late begins; the others at any second of the day.
            let nine = dawn + 9 * 3600
            plan(year.happens(80) ? nine - 1800..<nine + 600 : nil) {
                if year.crew.contains(where: { $0.number == person.number }) { try year.muster(person) }
            }
            if year.happens(10) {
                plan { if year.crew.contains(where: { $0.number == person.number }) { try year.muster(person) } }
            }
        }
        if year.happens(3) {
            plan {
                try year.addPerson(
                    "Guest \(day.text)", arrives: YearCalendar.Day(day.number + 2),
                    departs: YearCalendar.Day(day.number + 20))
            }
        }
        if year.crew.count > 8 || (year.crew.count > 3 && year.happens(1)) {
            plan { try year.removePerson(year.number(0..<year.crew.count)) }
        }
        for person in year.crew where year.happens(2) {
            let first = YearCalendar.Day(day.number + year.number(0..<10))
            plan {
                guard year.crew.contains(where: { $0.number == person.number }) else { return }
                try year.giveLeave(person, first, YearCalendar.Day(first.number + year.number(0..<8)))
            }
            plan {
                guard year.crew.contains(where: { $0.number == person.number }) else { return }
                let past = YearCalendar.Day(day.number - year.number(0..<5))
                try year.correct(person, past, MusterState.correctable[year.number(0..<4)])
                try year.checkRoster(past)
            }
        }
        if year.happens(12) { plan { try year.write("Notice of \(day.text)") } }
        if year.happens(15) { plan { try year.changeSomeNotice() } }
        for _ in 0..<2 {
            plan { if feedsFail { try year.failFeeds() } else { try year.fetchFeed(day.number) } }
            plan { try year.checkRoster() }
        }
        plan { try year.checkNotices() }
        if !feedsFail, !hasCalendar || year.happens(10) {
            try year.fetchCalendar(day.number)
            hasCalendar = true
        }
        let calendarIsThere = hasCalendar
        plan { try year.checkCalendar(hasOne: calendarIsThere) }
        for _ in 0..<year.number(0..<4) { plan { try year.startTrip() } }
        for _ in 0..<2 { plan { try year.endSomeTrip() } }
        if year.happens(40) { plan { try year.extendSomeTrip() } }
        for hour in 0..<8 {
            plan(dawn + hour * 10_000..<min(end, dawn + (hour + 1) * 10_000)) {
                try year.lookForOverdue()
                try year.sendMessages(hasNetwork: !feedsFail)
                try year.checkOut()
            }
        }
        plan { try year.checkTrips() }
        if year.happens(5) { plan { try year.restart() } }
        for (at, act) in agenda.sorted(by: { $0.at < $1.at }) {
            year.advance(to: at)
            try act()
        }
    }

    /// The chain of the ledger has every record and every head that was written down; the audit of the people is whole; nothing is kept
    /// for longer than it is said to be.
    private func finish(_ year: YearOfStation, _ heads: [MusterHeads]) throws {
        #expect(heads.count >= 8, "\(year.story)")
        for head in heads {
            let verdict = try year.ledger.verify(head)
            #expect(verdict.isWhole && verdict.records == year.expected.records, "\(verdict) \(year.story)")
        }
        #expect(try year.people.firstBrokenEntry() == nil, "\(year.story)")
        try year.checkRetentionOfNotices()
        try year.startTrip()
        try year.checkTrips()
        print(
            "\(year.expected.records) records, \(year.expected.musters.count) musters, \(year.starts) restarts, KONZA_SEED=\(year.seed)"
        )
    }
}
