/// A DATE or DATE-TIME as it stands in a calendar (RFC 5545 sections 3.3.4 and 3.3.5), without its zone.
struct CalendarTime: Equatable {
    /// Local seconds; of a date its first.
    let local: Int
    let isDate: Bool
    /// Whether it ends with Z.
    let isUTC: Bool

    /// The day that it names in an event of days, since 1970. What programs of Microsoft write there as a time is midnight of their
    /// own zone: as UTC it is at most half a day from the midnight that is meant, and at the end of a day a second before it.
    var day: Int {
        guard isUTC else { return Days.split(local).day }
        let midnight = local % 60 == 59 ? local + 1 - Days.second : local
        return Days.split(midnight + Days.second / 2).day
    }

    init(local: Int, isDate: Bool = false, isUTC: Bool = false) {
        self.local = local
        self.isDate = isDate
        self.isUTC = isUTC
    }

    /// Reads `20260530` or `20260530T140000`, which may end with Z. Years before 1700 become 1700: Windows writes 1601 where it means
    /// "always".
    init(_ text: String) throws(CalendarRefusal) {
        let bytes = Array(text.utf8)
        let isUTC = bytes.last == UInt8(ascii: "Z") || bytes.last == UInt8(ascii: "z")
        let digits = isUTC ? Array(bytes.dropLast()) : bytes
        let refusal = CalendarRefusal(
            "\"\(text.prefix(40))\" is no date such as 20260530 and no time such as 20260530T140000")
        guard digits.count == 8 || (digits.count == 15 && digits[8] & 0xDF == UInt8(ascii: "T")) else { throw refusal }
        func number(_ range: Range<Int>) throws(CalendarRefusal) -> Int {
            var value = 0
            for digit in digits[range] {
                guard (0x30...0x39).contains(digit) else { throw refusal }
                value = value * 10 + Int(digit - 0x30)
            }
            return value
        }
        let written = try number(0..<4)
        let (year, month, day) = (max(1700, written), try number(4..<6), try number(6..<8))
        guard written <= 2200, (1...12).contains(month), day >= 1, day <= Days.inMonth(month, of: year) else {
            throw CalendarRefusal("\"\(text.prefix(40))\" is no day of the years up to 2200")
        }
        var second = 0
        isDate = digits.count == 8
        if !isDate {
            let (hour, minute, seconds) = (try number(9..<11), try number(11..<13), try number(13..<15))
            guard hour < 24, minute < 60, seconds <= 60 else { throw refusal }
            second = hour * 3600 + minute * 60 + min(59, seconds)
        }
        guard !isUTC || !isDate else { throw refusal }
        self.isUTC = isUTC
        local = Days.number(year: year, month: month, day: day) * Days.second + second
    }
}

/// A DURATION (RFC 5545 section 3.3.6): days keep the time of day, the rest is exact.
struct CalendarDuration: Equatable {
    let days: Int
    let seconds: Int

    /// Reads `P2W`, `P1DT2H` or `PT90M`.
    init(_ text: String) throws(CalendarRefusal) {
        let refusal = CalendarRefusal("\"\(text.prefix(40))\" is no duration such as PT90M or P2D")
        var rest = Array(text.uppercased().utf8)[...]
        if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { throw refusal }
        var (days, seconds, isTime) = (0, 0, false)
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isTime {
                isTime = true
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard (1...6).contains(digits.count) else { throw refusal }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            rest = rest.dropFirst(digits.count)
            switch (rest.popFirst(), isTime) {
            case (UInt8(ascii: "W"), false): days += number * 7
            case (UInt8(ascii: "D"), false): days += number
            case (UInt8(ascii: "H"), true): seconds += number * 3600
            case (UInt8(ascii: "M"), true): seconds += number * 60
            case (UInt8(ascii: "S"), true): seconds += number
            default: throw refusal
            }
        }
        guard days <= 366, seconds <= 366 * Days.second else {
            throw CalendarRefusal("\"\(text.prefix(40))\" is longer than a year")
        }
        self.days = days
        self.seconds = seconds
    }
}
