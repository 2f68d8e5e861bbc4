import KonzaModel

/// Days, hours and holidays of the year's oracle: worked out by other means than the station's own.
struct YearCalendar {
    /// Days since 1970-01-01 (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    struct Day: Hashable, Comparable {
        let number: Int
        let year: Int
        let month: Int
        let day: Int

        /// Counts months and days from the first of January 2020.
        init(_ number: Int) {
            self.number = number
            var (year, month) = (2020, 1)
            while YearCalendar.number(year + 1, 1, 1) <= number { year += 1 }
            while month < 12, YearCalendar.number(year, month + 1, 1) <= number { month += 1 }
            self.year = year
            self.month = month
            day = number - YearCalendar.number(year, month, 1) + 1
        }

        static func < (left: Day, right: Day) -> Bool { left.number < right.number }

        /// 0 for Sunday; 1970-01-01 was a Thursday.
        var weekday: Int { (number + 4) % 7 }

        var text: String {
            func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
            return "\(year)-\(two(month))-\(two(day))"
        }

        /// Which one of its weekday in the month it is, and whether it is the last.
        var which: Int { (day - 1) / 7 + 1 }
        var isLastOfItsWeekday: Bool { Day(number + 7).month != month }
    }

    /// Central Time (15 U.S.C. 260a): from 2:00 on the second Sunday of March to 2:00 on the first one of November, daylight saving.
    static func offset(atSecond second: Int) -> Int {
        func sunday(_ month: Int, _ which: Int, _ year: Int) -> Int {
            let first = number(year, month, 1)
            // 1970-01-04 was a Sunday.
            return first + (3 - first % 7 + 7) % 7 + 7 * (which - 1)
        }
        let year = Day((second - 6 * 3600) / 86_400).year
        let begins = sunday(3, 2, year) * 86_400 + 8 * 3600
        let ends = sunday(11, 1, year) * 86_400 + 7 * 3600
        return second >= begins && second < ends ? -5 * 3600 : -6 * 3600
    }

    static func day(atSecond second: Int) -> Day { Day((second + offset(atSecond: second)) / 86_400) }

    static func minute(atSecond second: Int) -> Int { (second + offset(atSecond: second)) % 86_400 / 60 }

    /// The first second of a local day. Central Time has a midnight every day.
    static func begin(of day: Day) -> Int {
        [5, 6].map { day.number * 86_400 + $0 * 3600 }.first { Self.day(atSecond: $0) == day } ?? 0
    }

    /// Whether the federal government observes a holiday (5 U.S.C. 6103).
    static func isHoliday(_ day: Day) -> Bool {
        let fixed = [(1, 1), (6, 19), (7, 4), (11, 11), (12, 25)]
        func isFixed(_ day: Day) -> Bool { fixed.contains { $0 == (day.month, day.day) } }
        // One on a Saturday is observed on the Friday before, one on a Sunday on the Monday after.
        let stands = day.weekday == 5 ? Day(day.number + 1) : day.weekday == 1 ? Day(day.number - 1) : day
        if (1...5).contains(day.weekday), isFixed(day) || isFixed(stands) { return true }
        switch (day.month, day.weekday) {
        case (1, 1), (2, 1): return day.which == 3
        case (5, 1): return day.isLastOfItsWeekday
        case (9, 1): return day.which == 1
        case (10, 1): return day.which == 2
        case (11, 4): return day.which == 4
        default: return false
        }
    }

    static func isDayOff(_ day: Day) -> Bool { day.weekday == 0 || day.weekday == 6 || isHoliday(day) }
}
