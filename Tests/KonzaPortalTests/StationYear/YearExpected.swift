/// Somebody of the crew.
struct YearPerson {
    let number: Int64
    let arrives: YearCalendar.Day?
    let departs: YearCalendar.Day?
    /// When the account was made.
    let madeAt: Int

    /// From which somebody can be expected.
    var firstDay: YearCalendar.Day { arrives ?? YearCalendar.day(atSecond: madeAt) }

    /// Whether the account was made on a day after its musters were due.
    func cameTooLate(on day: YearCalendar.Day) -> Bool {
        arrives == nil && firstDay == day && YearCalendar.minute(atSecond: madeAt) > YearOfStation.until
    }
}

/// What should be true of a station.
struct YearExpected {
    struct Key: Hashable {
        let person: Int64
        let day: YearCalendar.Day
    }

    struct Reading: Hashable {
        let person: Int64
        let notice: String
    }

    /// An announcement that nobody took away.
    struct Notice {
        let hash: String
        let begins: Int?
        let ends: Int?
        let isRequired: Bool

        func isActive(at now: Int) -> Bool { (begins ?? now) <= now && now < (ends ?? .max) }
    }

    struct Trip {
        var due: Int
        /// The highest step that was told of: 0 to 4.
        var step = 0
        var endedAt: Int?
    }

    /// When somebody first mustered on a day.
    var musters: [Key: Int] = [:]
    /// An officer's last word on it.
    var corrections: [Key: String] = [:]
    var leaves: [(person: Int64, first: YearCalendar.Day, last: YearCalendar.Day)] = []
    /// Rows that the ledger has.
    var records: Int64 = 0
    var notices: [String: Notice] = [:]
    var readings: [Reading: String] = [:]
    /// When announcements were taken away.
    var retired: [String: Int] = [:]
    var trips: [String: Trip] = [:]

    func unread(by person: Int64, at now: Int) -> [String] {
        notices.filter { id, notice in
            notice.isRequired && notice.isActive(at: now)
                && readings[Reading(person: person, notice: id)] != notice.hash
        }.map(\.key)
    }

    func state(_ person: YearPerson, on day: YearCalendar.Day, at now: Int) -> String {
        let key = Key(person: person.number, day: day)
        if let word = corrections[key] { return word }
        let isThere = person.firstDay <= day && day <= (person.departs ?? day)
        let isExpected = isThere && !YearCalendar.isDayOff(day)
        if let at = musters[key] {
            // A minute counts to its end.
            return isExpected && YearCalendar.minute(atSecond: at) > 9 * 60 ? "late" : "mustered"
        }
        guard isExpected else { return "not-expected" }
        if leaves.contains(where: { $0.person == person.number && $0.first <= day && day <= $0.last }) {
            return "excused"
        }
        guard day < YearCalendar.day(atSecond: now) else { return "expected" }
        return person.cameTooLate(on: day) ? "not-expected" : "missed"
    }

    /// The step of an overdue trip: the officer after a quarter of an hour, the contacts after one hour, a search after four.
    static func step(secondsLate: Int) -> Int { [0, 900, 3600, 14_400].count { secondsLate >= $0 } }
}
