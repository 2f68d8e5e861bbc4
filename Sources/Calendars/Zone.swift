public import KonzaModel

/// A time zone: its offsets from UTC, from a file of the time zone database (RFC 9636) or from a calendar's VTIMEZONE.
///
/// Unlike ``KonzaSystem``'s `LocalTime`, which is the process's, there may be many.
public struct Zone: Sendable, Equatable {
    /// As it was asked for; empty for the system's.
    public let name: String
    /// Instants (seconds since 1970, UTC) at which the offset changes, ascending.
    let changes: [Int]
    /// The offset after each change, seconds east.
    let offsets: [Int]
    /// The offset before the first change.
    let first: Int
    /// What holds after the last change; nil for the last offset.
    let rule: ZoneRule?

    init(name: String, changes: [Int], offsets: [Int], first: Int, rule: ZoneRule? = nil) {
        self.name = name
        self.changes = changes
        self.offsets = offsets
        self.first = first
        self.rule = rule
    }

    /// Coordinated universal time.
    public static let utc = Zone(name: "UTC", changes: [], offsets: [], first: 0)

    /// The offset from UTC at an instant, seconds east.
    public func offsetSeconds(at instant: UTCInstant) -> Int { offset(at: instant.wholeSeconds) }

    func offset(at seconds: Int) -> Int {
        guard let last = changes.last, let first = changes.first else { return rule?.offset(at: seconds) ?? self.first }
        if seconds < first { return self.first }
        if seconds >= last { return rule?.offset(at: seconds) ?? offsets[offsets.count - 1] }
        var (low, high) = (0, changes.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if changes[middle] <= seconds { low = middle } else { high = middle - 1 }
        }
        return offsets[low]
    }

    /// The instant of a local time. One that comes twice is the first; one that is skipped is counted with the offset before the
    /// gap (RFC 5545 section 3.3.5).
    func utc(local: Int) -> Int {
        let before = offset(at: local - Days.second)
        if offset(at: local - before) == before { return local - before }
        let after = offset(at: local + Days.second)
        if offset(at: local - after) == after { return local - after }
        return local - before
    }

    func local(_ seconds: Int) -> Int { seconds + offset(at: seconds) }

    /// The local date at an instant; nil outside the years 1678 to 2261.
    public func date(at instant: UTCInstant) -> CalendarDate? {
        CalendarDate(day: Days.split(local(instant.wholeSeconds)).day)
    }

    /// The first instant of a local day.
    public func start(of date: CalendarDate) -> UTCInstant {
        UTCInstant(
            wholeSeconds: utc(
                local: Days.number(year: date.year, month: date.month, day: date.day) * Days.second))
    }
}

extension UTCInstant {
    var wholeSeconds: Int { Int(nanoseconds).floored(by: 1_000_000_000).quotient }

    init(wholeSeconds: Int) {
        self = UTCInstant(nanoseconds: Int64(wholeSeconds).multipliedClamped(by: 1_000_000_000)).clamped
    }
}

/// When daylight saving time holds after the last change of a file: its footer, a POSIX TZ string with the extensions of RFC 9636
/// section 3.3.1.
struct ZoneRule: Sendable, Equatable {
    enum Day: Sendable, Equatable {
        /// Month, week (5 for the last), weekday from 0 for Sunday.
        case weekday(month: Int, week: Int, day: Int)
        /// 1 to 365, 29 February never counted.
        case julian(Int)
        /// 0 to 365.
        case ordinal(Int)
    }

    /// Seconds east.
    let standard: Int
    let daylight: Int?
    let begin: Day
    let end: Day
    /// Seconds of local time from the beginning of the day; may be negative.
    let beginTime: Int
    let endTime: Int

    func offset(at seconds: Int) -> Int {
        guard let daylight else { return standard }
        let year = Days.civil(Days.split(seconds + standard).day).year
        let on = Self.day(begin, year) * Days.second + beginTime - standard
        let off = Self.day(end, year) * Days.second + endTime - daylight
        let isOn = on < off ? (on..<off).contains(seconds) : !(off..<on).contains(seconds)
        return isOn ? daylight : standard
    }

    private static func day(_ day: Day, _ year: Int) -> Int {
        let newYear = Days.number(year: year, month: 1, day: 1)
        switch day {
        case .julian(let number): return newYear + number - 1 + (Days.isLeap(year) && number > 59 ? 1 : 0)
        case .ordinal(let number): return newYear + number
        case .weekday(let month, let week, let weekday):
            let first = Days.number(year: year, month: month, day: 1)
            // From Monday = 0 to Sunday = 0.
            let ahead = (weekday - (Days.weekday(first) + 1) % 7 + 7) % 7
            var day = first + ahead + (week - 1) * 7
            if day >= first + Days.inMonth(month, of: year) { day -= 7 }
            return day
        }
    }
}

extension ZoneRule {
    /// Reads a TZ string.
    ///
    /// - Returns: nil for one that cannot be read.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard Self.takeName(&rest), let standard = Self.takeTime(&rest, to: 24) else { return nil }
        self.standard = -standard
        guard !rest.isEmpty else {
            (daylight, begin, end, beginTime, endTime) = (nil, .ordinal(0), .ordinal(0), 0, 0)
            return
        }
        guard Self.takeName(&rest) else { return nil }
        if rest.first == UInt8(ascii: ",") {
            daylight = -standard + 3600
        } else {
            guard let offset = Self.takeTime(&rest, to: 24) else { return nil }
            daylight = -offset
        }
        guard let begin = Self.takeDay(&rest), let end = Self.takeDay(&rest), rest.isEmpty else { return nil }
        (self.begin, beginTime) = begin
        (self.end, endTime) = end
    }

    private static func takeName(_ rest: inout ArraySlice<UInt8>) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Hours, minutes and seconds with a sign, as seconds.
    private static func takeTime(_ rest: inout ArraySlice<UInt8>, to mostHours: Int) -> Int? {
        let sign = take("-", &rest) ? -1 : 1
        if sign == 1 { _ = take("+", &rest) }
        guard let hours = takeNumber(&rest), hours <= mostHours else { return nil }
        var seconds = hours * 3600
        for unit in [60, 1] {
            guard take(":", &rest) else { break }
            guard let number = takeNumber(&rest), number < 60 else { return nil }
            seconds += number * unit
        }
        return sign * seconds
    }

    private static func takeDay(_ rest: inout ArraySlice<UInt8>) -> (Day, Int)? {
        guard take(",", &rest) else { return nil }
        let day: Day
        if take("M", &rest) {
            guard let month = takeNumber(&rest), take(".", &rest), let week = takeNumber(&rest), take(".", &rest),
                let weekday = takeNumber(&rest), (1...12).contains(month), (1...5).contains(week), weekday < 7
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if take("J", &rest) {
            guard let number = takeNumber(&rest), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else {
            guard let number = takeNumber(&rest), number <= 365 else { return nil }
            day = .ordinal(number)
        }
        guard take("/", &rest) else { return (day, 7200) }
        // RFC 9636: a week before and after.
        guard let time = takeTime(&rest, to: 167) else { return nil }
        return (day, time)
    }
}
