/// When something comes again: RRULE (RFC 5545 section 3.3.10), from daily to yearly.
///
/// What the standard leaves open is as python-dateutil has it: a start that the rule does not match is no instance.
public struct RecurrenceRule: Sendable, Equatable {
    public enum Frequency: String, Sendable, CaseIterable {
        case daily = "DAILY", weekly = "WEEKLY", monthly = "MONTHLY", yearly = "YEARLY"
    }

    /// A weekday, 0 for Monday; the first, second or last of its month or year where there is a number.
    struct Weekday: Sendable, Hashable {
        private let place: Int8
        private let weekday: Int8

        init(number: Int?, day: Int) {
            place = Int8(number ?? 0)
            weekday = Int8(day)
        }

        var number: Int? { place == 0 ? nil : Int(place) }
        var day: Int { Int(weekday) }
    }

    /// Whole numbers from -63 to 63 without zero, in two words and no memory of their own.
    struct Numbers: Sendable, Equatable {
        private var positive: UInt64 = 0
        private var negative: UInt64 = 0

        init(_ numbers: some Sequence<Int>) { for number in numbers { insert(number) } }

        var isEmpty: Bool { positive | negative == 0 }

        func contains(_ number: Int) -> Bool {
            let bits = number > 0 ? positive : negative
            return (1...63).contains(number.magnitude) && bits >> UInt64(number.magnitude) & 1 == 1
        }

        private mutating func insert(_ number: Int) {
            precondition((1...63).contains(number.magnitude), "a number of months, days or weeks is from 1 to 63")
            if number > 0 { positive |= 1 << UInt64(number) } else { negative |= 1 << UInt64(-number) }
        }
    }

    public internal(set) var frequency: Frequency
    var interval = 1
    var count: Int?
    /// Local seconds or, where it is one of UTC, seconds since 1970.
    var until: (seconds: Int, isUTC: Bool)?
    var months = Numbers([])
    var monthDays = Numbers([])
    var yearDays: Set<Int> = []
    var weeks = Numbers([])
    var weekdays: Set<Weekday> = []
    var positions: Set<Int> = []
    /// 0 for Monday.
    var weekStart = 0

    init(_ frequency: Frequency) { self.frequency = frequency }

    public static func == (left: RecurrenceRule, right: RecurrenceRule) -> Bool {
        left.frequency == right.frequency && left.interval == right.interval && left.count == right.count
            && left.until?.seconds == right.until?.seconds && left.until?.isUTC == right.until?.isUTC
            && left.months == right.months && left.monthDays == right.monthDays && left.yearDays == right.yearDays
            && left.weeks == right.weeks && left.weekdays == right.weekdays && left.positions == right.positions
            && left.weekStart == right.weekStart
    }
}

/// Why a value of a calendar cannot be read: words to follow its name.
struct CalendarRefusal: Error, Equatable {
    let reason: String
    /// The line of the file, where it is not that of the event.
    var line: Int?

    init(_ reason: String, line: Int? = nil) {
        self.reason = reason
        self.line = line
    }
}

extension RecurrenceRule {
    private static let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Reads a rule.
    init(_ text: String) throws(CalendarRefusal) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw CalendarRefusal("\"\(part.prefix(40))\" is no NAME=VALUE") }
            guard parts.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else {
                throw CalendarRefusal("\(pair[0].prefix(20)) comes twice")
            }
        }
        guard let word = parts.removeValue(forKey: "FREQ") else { throw CalendarRefusal("it has no FREQ") }
        guard let frequency = Frequency(rawValue: word) else {
            throw CalendarRefusal("FREQ=\(word.prefix(20)) is not DAILY, WEEKLY, MONTHLY or YEARLY")
        }
        self.init(frequency)
        for (name, value) in parts.sorted(by: { $0.key < $1.key }) { try take(name, value) }
        if !weeks.isEmpty, frequency != .yearly { throw CalendarRefusal("BYWEEKNO is for FREQ=YEARLY alone") }
        if !positions.isEmpty, months.isEmpty, monthDays.isEmpty, yearDays.isEmpty, weeks.isEmpty, weekdays.isEmpty {
            throw CalendarRefusal("BYSETPOS needs another part that it chooses from")
        }
    }

    private mutating func take(_ name: String, _ value: String) throws(CalendarRefusal) {
        switch name {
        case "INTERVAL": interval = try Self.number(value, 1...1000, name)
        case "COUNT": count = try Self.number(value, 1...1_000_000, name)
        case "UNTIL":
            let time = try CalendarTime(value)
            until = time.isUTC ? (time.local, true) : (time.isDate ? time.local + Days.second - 1 : time.local, false)
        case "WKST": weekStart = try Self.weekday(value[...])
        case "BYMONTH": months = Numbers(try Self.numbers(value, 1...12, name, isSigned: false))
        case "BYMONTHDAY": monthDays = Numbers(try Self.numbers(value, 1...31, name))
        case "BYYEARDAY": yearDays = try Self.numbers(value, 1...366, name)
        case "BYWEEKNO": weeks = Numbers(try Self.numbers(value, 1...53, name))
        case "BYSETPOS": positions = try Self.numbers(value, 1...366, name)
        case "BYDAY":
            for part in value.split(separator: ",", maxSplits: 400) {
                let number = String(part.dropLast(2))
                let day = try Self.weekday(part.suffix(2))
                guard !number.isEmpty else {
                    weekdays.insert(Weekday(number: nil, day: day))
                    continue
                }
                let count = try Self.numbers(number, 1...53, name).first
                // Within a week or a day there is no second one.
                let isNumbered = frequency == .yearly || frequency == .monthly
                weekdays.insert(Weekday(number: isNumbered ? count : nil, day: day))
            }
        default: throw CalendarRefusal("\(name.prefix(20)) is not used here")
        }
    }

    private static func weekday(_ text: Substring) throws(CalendarRefusal) -> Int {
        guard let day = days.firstIndex(of: String(text)) else {
            throw CalendarRefusal("\"\(text.prefix(20))\" is no weekday such as MO")
        }
        return day
    }

    private static func number(
        _ text: String, _ range: ClosedRange<Int>, _ name: String
    ) throws(CalendarRefusal) -> Int {
        guard text.utf8.count <= 8, let number = Int(text), range.contains(number) else {
            throw CalendarRefusal("\(name) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func numbers(
        _ text: String, _ range: ClosedRange<Int>, _ name: String, isSigned: Bool = true
    ) throws(CalendarRefusal) -> Set<Int> {
        var numbers: Set<Int> = []
        for part in text.split(separator: ",", maxSplits: 400) {
            guard part.utf8.count <= 8, let number = Int(part), range.contains(isSigned ? abs(number) : number) else {
                throw CalendarRefusal("\(name) is not from \(range.lowerBound) to \(range.upperBound)")
            }
            numbers.insert(number)
        }
        guard !numbers.isEmpty else { throw CalendarRefusal("\(name) is empty") }
        return numbers
    }
}
