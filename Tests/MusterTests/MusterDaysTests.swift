import Foundation
import KonzaModel
import Testing

@testable import Muster

@Suite("The days of the muster")
struct MusterDaysTests {
    /// The rules in a zone of the system's database.
    private func rules(_ zone: String) throws -> MusterRules {
        let zone = try #require(TimeZone(identifier: zone))
        return MusterRules { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }
    }

    private func instant(_ text: String) throws -> UTCInstant { try #require(UTCInstant(rfc3339: text)) }

    @Test(
        "are those of the clock on the wall, also around its changes and where a midnight is skipped",
        arguments: [
            // 23 h: forward at 2026-03-08 02:00.
            ("America/Chicago", "2026-03-08T05:59:59Z", "2026-03-07", 23 * 60 + 59),
            ("America/Chicago", "2026-03-08T06:00:00Z", "2026-03-08", 0),
            ("America/Chicago", "2026-03-08T07:59:59Z", "2026-03-08", 119),
            ("America/Chicago", "2026-03-08T08:00:00Z", "2026-03-08", 180),
            ("America/Chicago", "2026-03-09T04:59:59Z", "2026-03-08", 23 * 60 + 59),
            ("America/Chicago", "2026-03-09T05:00:00Z", "2026-03-09", 0),
            // 25 h: back at 2026-11-01 02:00.
            ("America/Chicago", "2026-11-01T05:00:00Z", "2026-11-01", 0),
            ("America/Chicago", "2026-11-01T06:59:59Z", "2026-11-01", 119),
            ("America/Chicago", "2026-11-01T07:00:00Z", "2026-11-01", 60),
            ("America/Chicago", "2026-11-02T05:59:59Z", "2026-11-01", 23 * 60 + 59),
            ("America/Chicago", "2026-11-02T06:00:00Z", "2026-11-02", 0),
            // Midnight of 2026-09-06 does not exist.
            ("America/Santiago", "2026-09-06T03:59:59Z", "2026-09-05", 23 * 60 + 59),
            ("America/Santiago", "2026-09-06T04:00:00Z", "2026-09-06", 60),
            ("Asia/Manila", "2026-06-01T16:00:00Z", "2026-06-02", 0),
        ])
    func local(zone: String, at: String, day: String, minute: Int) throws {
        let local = try rules(zone).local(try instant(at))
        #expect(local.day.description == day && local.minute == minute)
    }

    @Test("are of work from Monday to Friday but for the federal holidays of the year, as they are observed")
    func years() throws {
        // opm.gov, Federal Holidays: what each year's table says.
        let observed: [Int: [String]] = [
            2021: [
                "01-01", "01-18", "02-15", "05-31", "06-18", "07-05", "09-06", "10-11", "11-11", "11-25", "12-24",
                "12-31",
            ],
            2022: ["01-17", "02-21", "05-30", "06-20", "07-04", "09-05", "10-10", "11-11", "11-24", "12-26"],
            2023: ["01-02", "01-16", "02-20", "05-29", "06-19", "07-04", "09-04", "10-09", "11-10", "11-23", "12-25"],
            2026: [
                "01-01", "01-19", "02-16", "05-25", "06-19", "07-03", "09-07", "10-12", "11-11", "11-26", "12-25",
            ],
            2027: [
                "01-01", "01-18", "02-15", "05-31", "06-18", "07-05", "09-06", "10-11", "11-11", "11-25", "12-24",
                "12-31",
            ],
        ]
        let rules = try rules("America/Chicago")
        for (year, expected) in observed {
            var day = try #require(CalendarDate(year: year, month: 1, day: 1))
            var holidays: [String] = []
            var work = 0
            var weekend = 0
            // The weekday is counted on from a known one, not computed: 2021-01-01 was a Friday.
            var weekday = try #require([2021: 5, 2022: 6, 2023: 0, 2026: 4, 2027: 5][year])
            while day.year == year {
                #expect(day.weekday == weekday)
                switch rules.dayOff(day) {
                case nil: work += 1
                case .weekend:
                    weekend += 1
                    #expect(weekday == 0 || weekday == 6)
                case .holiday: holidays.append(String(day.description.dropFirst(5)))
                case .closed: Issue.record("nobody closed \(day)")
                }
                weekday = (weekday + 1) % 7
                day = try #require(day.advanced(byDays: 1))
            }
            #expect(holidays == expected, "\(year)")
            #expect(work + weekend + holidays.count == 365)
        }
        var closed = rules
        let day = try #require(CalendarDate("2026-12-28"))
        closed.closedDays = [day]
        #expect(closed.dayOff(day) == .closed && rules.dayOff(day) == nil)
        closed.hasFederalHolidays = false
        #expect(closed.dayOff(try #require(CalendarDate("2026-12-25"))) == nil)
        // Juneteenth is one since 2021.
        #expect(rules.dayOff(try #require(CalendarDate("2020-06-19"))) == nil)
    }
}
