internal import KonzaModel

/// The days on which a rule has instances, within bounds: a rule that never matches would be looked at for ever.
struct Recurrence {
    /// The most years, months, weeks or days that are looked at for one rule.
    static let mostSteps = 10_000
    /// The most instances of one rule within the time that is wanted.
    static let mostInstances = 1000

    private var rule: RecurrenceRule
    /// The last instance, where that is known.
    private var last: Int?
    private let startYear: Int16
    private let startMonth: Int8
    private let startNumber: Int32
    private let startSecond: Int32

    /// - Parameters:
    ///   - rule: where parts are missing that say which days, those of the start are taken.
    ///   - start: of the first instance, local seconds.
    init(_ rule: RecurrenceRule, start: Int) {
        let (startDay, second) = Days.split(start)
        let civil = Days.civil(startDay)
        (startYear, startMonth) = (Int16(civil.year), Int8(civil.month))
        (startNumber, startSecond) = (Int32(startDay), Int32(second))
        var rule = rule
        if rule.weeks.isEmpty, rule.yearDays.isEmpty, rule.monthDays.isEmpty, rule.weekdays.isEmpty {
            switch rule.frequency {
            case .yearly:
                if rule.months.isEmpty { rule.months = .init([civil.month]) }
                rule.monthDays = .init([civil.day])
            case .monthly: rule.monthDays = .init([civil.day])
            case .weekly: rule.weekdays = [.init(number: nil, day: Days.weekday(startDay))]
            case .daily: break
            }
        }
        self.rule = rule
    }

    private var startDay: Int { Int(startNumber) }
    private var second: Int { Int(startSecond) }
    private var start: (year: Int, month: Int) { (Int(startYear), Int(startMonth)) }

    /// The same without a COUNT, whose last instance is looked for once.
    ///
    /// - Parameters:
    ///   - steps: what may be looked at yet, which is lessened by what was.
    ///   - utc: the instant of local seconds, for an UNTIL in UTC.
    /// - Returns: the instances, and whether there are more of them than ``mostSteps`` finds.
    func withoutCount(steps: inout Int, utc: (Int) -> Int) -> (recurrence: Recurrence, isCut: Bool) {
        guard let count = rule.count else { return (self, false) }
        if let period = steadyDays {
            var other = self
            other.rule.count = nil
            other.last = (startDay + (count - 1) * rule.interval * period) * Days.second + second
            return (other, false)
        }
        var found = 0
        var last = startDay * Days.second - 1
        let isCut = walk(from: 0, to: .max, steps: &steps, utc: utc) { local in
            found += 1
            last = local
            return found < count
        }
        var other = self
        other.rule.count = nil
        other.last = last
        return (other, isCut)
    }

    /// How many days lie between instances with an interval of one, where that is always the same.
    private var steadyDays: Int? {
        guard rule.months.isEmpty, rule.monthDays.isEmpty, rule.yearDays.isEmpty, rule.weeks.isEmpty,
            rule.positions.isEmpty
        else { return nil }
        switch rule.frequency {
        case .daily: return rule.weekdays.isEmpty ? 1 : nil
        case .weekly: return rule.weekdays == [.init(number: nil, day: Days.weekday(startDay))] ? 7 : nil
        case .monthly, .yearly: return nil
        }
    }

    /// The instances of a time, ascending; one with a COUNT must have been made ``withoutCount(steps:utc:)``.
    ///
    /// - Parameters:
    ///   - window: local seconds.
    ///   - steps: what may be looked at yet, which is lessened by what was; at most ``mostSteps`` for one rule.
    ///   - utc: the instant of local seconds, for an UNTIL in UTC.
    /// - Returns: local seconds, and whether a bound ended the search.
    func instances(
        in window: Range<Int>, steps: inout Int, utc: (Int) -> Int
    ) -> (starts: [Int], isCut: Bool) {
        var starts: [Int] = []
        var isFull = false
        let wanted = Days.split(window.lowerBound).day..<(Days.split(window.upperBound).day + 1)
        let isCut = walk(
            from: firstPeriod(of: window), to: window.upperBound, within: wanted, steps: &steps, utc: utc
        ) { local in
            guard local >= window.lowerBound else { return true }
            isFull = starts.count >= Self.mostInstances
            if !isFull { starts.append(local) }
            return !isFull
        }
        return (starts, isCut || isFull)
    }

    /// Goes through the instances until the body answers false.
    ///
    /// - Parameters:
    ///   - first: the period to begin with.
    ///   - upper: local seconds, which no instance reaches.
    ///   - wanted: the days that count; those outside need not be looked at. Nil for all.
    ///   - steps: what may be looked at yet, which is lessened by what was.
    ///   - utc: the instant of local seconds, for an UNTIL in UTC.
    ///   - body: takes local seconds; answers whether to go on.
    /// - Returns: whether the steps were used up.
    private func walk(
        from first: Int, to upper: Int, within wanted: Range<Int>? = nil, steps: inout Int, utc: (Int) -> Int,
        _ body: (Int) -> Bool
    ) -> Bool {
        var left = min(steps, Self.mostSteps)
        let granted = left
        defer { steps -= granted - left }
        var period = first
        while let days = days(of: period, within: wanted) {
            guard left > 0 else { return true }
            left -= 1
            period += rule.interval
            guard days.first <= Days.split(upper).day else { return false }
            for day in days.matching where day >= startDay {
                let local = day * Days.second + second
                guard local < upper, local <= last ?? .max else { return false }
                if let until = rule.until, (until.isUTC ? utc(local) : local) > until.seconds { return false }
                guard body(local) else { return false }
            }
        }
        return false
    }

    /// Without a COUNT, what lies before the window need not be looked at.
    private func firstPeriod(of window: Range<Int>) -> Int {
        let wanted = Days.split(window.lowerBound).day - 1
        guard wanted > startDay else { return 0 }
        let civil = Days.civil(wanted)
        let passed =
            switch rule.frequency {
            case .yearly: civil.year - start.year
            case .monthly: (civil.year - start.year) * 12 + civil.month - start.month
            case .weekly: (wanted - week(of: startDay)) / 7
            case .daily: wanted - startDay
            }
        return max(0, passed / rule.interval * rule.interval)
    }

    private func week(of day: Int) -> Int { day - (Days.weekday(day) - rule.weekStart + 7) % 7 }

    private struct Period {
        /// Its first day.
        let first: Int
        var matching: [Int]
    }

    /// The days of the year, month, week or day so many after the start's; nil past the years that are counted.
    private func days(of period: Int, within wanted: Range<Int>?) -> Period? {
        // What BYSETPOS chooses is counted among all days of the period.
        let wanted = rule.positions.isEmpty ? wanted : nil
        func matching(_ days: Range<Int>) -> [Int] { self.matching(wanted.map { days.clamped(to: $0) } ?? days) }
        var found: Period
        switch rule.frequency {
        case .yearly:
            let year = start.year + period
            guard year <= 2260 else { return nil }
            let first = Days.number(year: year, month: 1, day: 1)
            found = Period(first: first, matching: matching(first..<first + Days.inYear(year)))
        case .monthly:
            let month = start.month - 1 + period
            let year = start.year + month / 12
            guard year <= 2260 else { return nil }
            let first = Days.number(year: year, month: month % 12 + 1, day: 1)
            found = Period(first: first, matching: matching(first..<first + Days.inMonth(month % 12 + 1, of: year)))
        case .weekly, .daily:
            let span = rule.frequency == .weekly ? 7 : 1
            let first = (span == 7 ? week(of: startDay) : startDay) + period * span
            // 31 December 2260.
            guard first < 106_649 - 365 else { return nil }
            found = Period(first: first, matching: matching(first..<first + span))
        }
        if !rule.positions.isEmpty { found.matching = chosen(found.matching) }
        return found
    }

    private func chosen(_ days: [Int]) -> [Int] {
        // The first may be the last, too.
        Set(
            rule.positions.compactMap { position in
                let place = position > 0 ? position - 1 : days.count + position
                return days.indices.contains(place) ? days[place] : nil
            }
        ).sorted()
    }

    private func matching(_ days: Range<Int>) -> [Int] {
        var result: [Int] = []
        var civil = Days.civil(days.lowerBound)
        var monthLength = Days.inMonth(civil.month, of: civil.year)
        for day in days {
            if matches(day, civil.year, civil.month, civil.day, monthLength) { result.append(day) }
            civil.day += 1
            if civil.day > monthLength {
                (civil.day, civil.month) = (1, civil.month + 1)
                if civil.month > 12 { (civil.month, civil.year) = (1, civil.year + 1) }
                monthLength = Days.inMonth(civil.month, of: civil.year)
            }
        }
        return result
    }

    private func matches(_ day: Int, _ year: Int, _ month: Int, _ dayOfMonth: Int, _ monthLength: Int) -> Bool {
        if !rule.months.isEmpty, !rule.months.contains(month) { return false }
        if !rule.monthDays.isEmpty, !rule.monthDays.contains(dayOfMonth),
            !rule.monthDays.contains(dayOfMonth - monthLength - 1)
        {
            return false
        }
        if !rule.weekdays.isEmpty, !isOnWeekday(day, year, dayOfMonth, monthLength) { return false }
        if !rule.yearDays.isEmpty {
            let number = day - Days.number(year: year, month: 1, day: 1) + 1
            guard rule.yearDays.contains(number) || rule.yearDays.contains(number - Days.inYear(year) - 1) else {
                return false
            }
        }
        if !rule.weeks.isEmpty {
            let (week, count) = weekOfYear(day, year)
            guard rule.weeks.contains(week) || rule.weeks.contains(week - count - 1) else { return false }
        }
        return true
    }

    private func isOnWeekday(_ day: Int, _ year: Int, _ dayOfMonth: Int, _ monthLength: Int) -> Bool {
        let weekday = Days.weekday(day)
        return rule.weekdays.contains { wanted in
            guard wanted.day == weekday else { return false }
            guard let number = wanted.number else { return true }
            let isOfYear = rule.frequency == .yearly && rule.months.isEmpty
            let place = isOfYear ? day - Days.number(year: year, month: 1, day: 1) : dayOfMonth - 1
            let length = isOfYear ? Days.inYear(year) : monthLength
            return number == place / 7 + 1 || number == -((length - 1 - place) / 7 + 1)
        }
    }

    /// The week of the year, and how many weeks it has (ISO 8601, with the week's first day as the rule says).
    private func weekOfYear(_ day: Int, _ year: Int) -> (week: Int, count: Int) {
        let first = firstWeek(of: year)
        if day < first {
            let before = firstWeek(of: year - 1)
            return ((day - before) / 7 + 1, (first - before) / 7)
        }
        let next = firstWeek(of: year + 1)
        if day >= next { return ((day - next) / 7 + 1, (firstWeek(of: year + 2) - next) / 7) }
        return ((day - first) / 7 + 1, (next - first) / 7)
    }

    /// The first day of the week that has the fourth of January.
    private func firstWeek(of year: Int) -> Int { week(of: Days.number(year: year, month: 1, day: 4)) }
}
