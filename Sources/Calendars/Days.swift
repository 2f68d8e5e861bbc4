internal import KonzaModel

/// Civil times as numbers: local seconds count from 1970-01-01T00:00:00 of the same zone, as if it were UTC.
enum Days {
    static let second = 86_400

    static func number(year: Int, month: Int, day: Int) -> Int { CivilTime.days(year: year, month: month, day: day) }

    static func civil(_ day: Int) -> CivilTime {
        CivilTime(UTCInstant(nanoseconds: Int64(day).multipliedClamped(by: 86_400_000_000_000)).clamped)
    }

    /// 0 for Monday to 6 for Sunday; 1970-01-01 was a Thursday.
    static func weekday(_ day: Int) -> Int { (day + 3).floored(by: 7).remainder }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func inYear(_ year: Int) -> Int { isLeap(year) ? 366 : 365 }

    static func inMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day and the second of it.
    static func split(_ seconds: Int) -> (day: Int, second: Int) {
        let split = seconds.floored(by: second)
        return (split.quotient, split.remainder)
    }
}

extension Int {
    func floored(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension CalendarDate {
    /// The day of a number of days since 1970-01-01; nil outside the years 1678 to 2261.
    init?(day: Int) {
        guard (-106_650...106_650).contains(day) else { return nil }
        let civil = Days.civil(day)
        self.init(year: civil.year, month: civil.month, day: civil.day)
    }
}
