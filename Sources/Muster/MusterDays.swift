package import KonzaModel

/// When somebody is expected, and when a muster is late.
package struct MusterRules: Sendable {
    /// From when on a day's muster is taken, minutes since midnight by the clock on the wall.
    package var from = 0
    /// Later ones are late, minutes since midnight.
    package var until = 9 * 60
    /// Whether nobody is expected on federal holidays.
    package var hasFederalHolidays = true
    /// Further days on which nobody is expected.
    package var closedDays: Set<CalendarDate> = []
    /// Whether devices of the station's network may muster with the kiosk's code.
    package var allowsNetwork = true
    /// Where such a device has to be; empty for anywhere.
    package var fences: [MusterFence] = []
    /// The local offset from UTC at an instant, seconds east.
    package var offset: @Sendable (UTCInstant) -> Int

    package init(offset: @escaping @Sendable (UTCInstant) -> Int) { self.offset = offset }

    /// The local day of an instant, with the minute of it. A day is derived from an instant and never made of a midnight, which
    /// some zones skip (America/Santiago).
    package func local(_ instant: UTCInstant) -> (day: CalendarDate, minute: Int) {
        let civil = CivilTime(instant, offsetSeconds: offset(instant))
        // Years 1 to 9999: an instant reaches to 2261.
        let day = CalendarDate(year: civil.year, month: civil.month, day: civil.day)
        return (day ?? Self.epoch, civil.hour * 60 + civil.minute)
    }

    private static let epoch = CalendarDate(text: "1970-01-01")

    /// Why nobody is expected on a day; nil on a day of work.
    package func dayOff(_ day: CalendarDate) -> DayOff? {
        if [0, 6].contains(day.weekday) { return .weekend }
        if closedDays.contains(day) { return .closed }
        if hasFederalHolidays, let name = FederalHolidays.name(of: day) { return .holiday(name) }
        return nil
    }
}

/// Why nobody is expected on a day.
package enum DayOff: Sendable, Equatable {
    case weekend
    /// A day that the settings name.
    case closed
    /// With its English name.
    case holiday(String)

    /// For programs and people: `weekend`, `closed`, or the name.
    package var text: String {
        switch self {
        case .weekend: "weekend"
        case .closed: "closed"
        case .holiday(let name): name
        }
    }
}

extension CalendarDate {
    /// A day that is written in the program.
    fileprivate init(text: StaticString) {
        guard let day = CalendarDate("\(text)") else { preconditionFailure("\(text) is a day") }
        self = day
    }

    /// 0 for Sunday to 6 for Saturday. 1970-01-01 was a Thursday.
    package var weekday: Int {
        let days = CivilTime.days(year: year, month: month, day: day)
        return ((days + 4) % 7 + 7) % 7
    }
}

/// Holidays of the federal government of the United States (5 U.S.C. 6103), on the day on which they are observed: one on a
/// Saturday on the Friday before, one on a Sunday on the Monday after (Executive Order 11582, section 3).
package enum FederalHolidays {
    private struct Rule {
        let name: String
        let month: Int
        /// Of the month; nil for one by weekday.
        let day: Int?
        let weekday: Int
        /// Which one of the month; -1 for the last.
        let which: Int
        let since: Int
    }

    private static func fixed(_ name: String, _ month: Int, _ day: Int, since: Int = 1870) -> Rule {
        Rule(name: name, month: month, day: day, weekday: 0, which: 0, since: since)
    }

    private static func floating(_ name: String, _ month: Int, _ weekday: Int, _ which: Int, since: Int = 1971) -> Rule
    {
        Rule(name: name, month: month, day: nil, weekday: weekday, which: which, since: since)
    }

    private static let rules = [
        fixed("New Year's Day", 1, 1), floating("Birthday of Martin Luther King, Jr.", 1, 1, 3, since: 1986),
        floating("Washington's Birthday", 2, 1, 3), floating("Memorial Day", 5, 1, -1),
        fixed("Juneteenth National Independence Day", 6, 19, since: 2021), fixed("Independence Day", 7, 4),
        floating("Labor Day", 9, 1, 1), floating("Columbus Day", 10, 1, 2), fixed("Veterans Day", 11, 11),
        floating("Thanksgiving Day", 11, 4, 4), fixed("Christmas Day", 12, 25),
    ]

    /// The holiday that is observed on a day; nil for none.
    package static func name(of day: CalendarDate) -> String? {
        // New Year's Day of the next year may be observed on the last day of this one.
        for year in [day.year, day.year + 1] {
            for rule in rules where year >= rule.since {
                if let date = observed(rule, in: year), date == day { return rule.name }
            }
        }
        return nil
    }

    private static func observed(_ rule: Rule, in year: Int) -> CalendarDate? {
        if let day = rule.day {
            guard let date = CalendarDate(year: year, month: rule.month, day: day) else { return nil }
            return date.weekday == 6 ? date.advanced(byDays: -1) : date.weekday == 0 ? date.advanced(byDays: 1) : date
        }
        guard let first = CalendarDate(year: year, month: rule.month, day: 1) else { return nil }
        let offset = (rule.weekday - first.weekday + 7) % 7
        if rule.which > 0 { return first.advanced(byDays: offset + 7 * (rule.which - 1)) }
        let fifth = first.advanced(byDays: offset + 28)
        return fifth?.month == rule.month ? fifth : first.advanced(byDays: offset + 21)
    }
}
