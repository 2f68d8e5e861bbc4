/// A date and time of day in the proleptic Gregorian calendar, without a zone.
public struct CivilTime: Hashable, Sendable {
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// 1 to 31.
    public var day: Int
    public var hour: Int
    public var minute: Int
    /// 0 to 59; 60 only where a leap second was read.
    public var second: Int
    public var nanosecond: Int

    public init(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.nanosecond = nanosecond
    }

    /// The civil time of an instant at an offset east of UTC, in seconds.
    public init(_ instant: UTCInstant, offsetSeconds: Int = 0) {
        let total = instant.nanoseconds.flooredDivision(by: 1_000_000_000)
        let seconds = total.quotient + Int64(offsetSeconds)
        let split = seconds.flooredDivision(by: 86_400)
        let (year, month, day) = Self.civil(fromDays: Int(split.quotient))
        let secondOfDay = Int(split.remainder)
        self.init(
            year: year, month: month, day: day, hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60,
            second: secondOfDay % 60, nanosecond: Int(total.remainder))
    }

    /// The instant that this civil time names at an offset east of UTC, in seconds; saturated to
    /// ``UTCInstant/earliest`` and ``UTCInstant/latest``.
    public func instant(offsetSeconds: Int = 0) -> UTCInstant {
        if year < 1677 { return .earliest }
        if year > 2262 { return .latest }
        let days = Self.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offsetSeconds
        return UTCInstant(
            nanoseconds: Int64(seconds).multipliedClamped(by: 1_000_000_000).addingClamped(Int64(nanosecond))
        ).clamped
    }

    /// Days since 1970-01-01 of a Gregorian date. March begins the counted year, so that the leap day ends it.
    package static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// The number of days in a month of the Gregorian calendar.
    static func daysInMonth(year: Int, month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension UTCInstant {
    /// The instant in RFC 3339 form, in UTC with milliseconds (cut, not rounded): `2026-05-30T14:03:07.250Z`. What
    /// lies outside ``earliest`` to ``latest`` is written as the nearer of the two, so that every text can be read.
    public var rfc3339: String {
        let civil = CivilTime(clamped)
        var text = [UInt8]()
        text.reserveCapacity(24)
        func append(_ value: Int, width: Int) {
            var divisor = 1
            for _ in 1..<width { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        append(civil.year, width: 4)
        text.append(UInt8(ascii: "-"))
        append(civil.month, width: 2)
        text.append(UInt8(ascii: "-"))
        append(civil.day, width: 2)
        text.append(UInt8(ascii: "T"))
        append(civil.hour, width: 2)
        text.append(UInt8(ascii: ":"))
        append(civil.minute, width: 2)
        text.append(UInt8(ascii: ":"))
        append(civil.second, width: 2)
        text.append(UInt8(ascii: "."))
        append(civil.nanosecond / 1_000_000, width: 3)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads an RFC 3339 date-time: any number of fraction digits (those past nanoseconds are dropped), `Z` or a
    /// numeric offset, `T` or a space between. A leap second (`:60`) is read as the second after it.
    ///
    /// - Returns: nil if the text is not a date-time of years 1678 to 2261.
    public init?(rfc3339 text: some StringProtocol) { self.init(text, years: 1678...2261) }

    /// Reads an RFC 3339 date-time of any year; what lies outside ``earliest`` to ``latest`` is the nearer of the two.
    ///
    /// - Returns: nil if the text is not a date-time.
    public init?(nearestRFC3339 text: some StringProtocol) { self.init(text, years: 0...9999) }

    private init?(_ text: some StringProtocol, years: ClosedRange<Int>) {
        var scanner = DigitScanner(Array(text.utf8))
        guard let year = scanner.number(4), scanner.skip("-"),
            let month = scanner.number(2), scanner.skip("-"), let day = scanner.number(2),
            scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2), scanner.skip(":"),
            let second = scanner.number(2),
            years.contains(year), (1...12).contains(month),
            (1...CivilTime.daysInMonth(year: year, month: month)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var nanosecond = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fraction() else { return nil }
            nanosecond = fraction
        }
        guard let offset = scanner.zone(), scanner.isAtEnd else { return nil }
        self =
            CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second, nanosecond: nanosecond
            ).instant(offsetSeconds: offset)
    }
}

/// Reads fixed-width digits, one after another.
private struct DigitScanner {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, UInt32(text[position]) == character.value else { return false }
        position += 1
        return true
    }

    mutating func digit() -> Int? {
        guard position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) else {
            return nil
        }
        position += 1
        return Int(text[position - 1] - UInt8(ascii: "0"))
    }

    mutating func number(_ width: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let next = digit() else { return nil }
            value = value * 10 + next
        }
        return value
    }

    mutating func fraction() -> Int? {
        guard var value = digit() else { return nil }
        var digits = 1
        while let next = digit() {
            if digits < 9 {
                value = value * 10 + next
                digits += 1
            }
        }
        for _ in digits..<9 { value *= 10 }
        return value
    }

    mutating func zone() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension UTCInstant: Codable, CustomStringConvertible {
    public var description: String { rfc3339 }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let instant = UTCInstant(rfc3339: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not an RFC 3339 date-time: \(text)"))
        }
        self = instant
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rfc3339)
    }
}

extension CivilTime {
    /// The day of the year, 1 to 366.
    public var dayOfYear: Int {
        Self.days(year: year, month: month, day: day) - Self.days(year: year, month: 1, day: 1) + 1
    }
}
