internal import KonzaModel

/// Figures with their units, as people read them.
enum Figures {
    /// A number with so many decimals (0 to 9), rounded half away from zero; "-0" never appears.
    static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value.isFinite, abs(value) < 9e8 else { return value.isFinite ? "\(value)" : "?" }
        var power: Int64 = 1
        for _ in 0..<digits { power *= 10 }
        let scaled = Int64((abs(value) * Double(power)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % power)
        return "\(sign)\(scaled / power).\(String(repeating: "0", count: digits - fraction.utf8.count))\(fraction)"
    }

    /// A number as short as it can be written, without a fraction where it has none.
    static func shortest(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    static func two(_ value: Int) -> String { value < 10 && value >= 0 ? "0\(value)" : "\(value)" }

    /// A length: centimetres below a metre, one decimal below ten metres.
    static func metres(_ value: Double) -> String {
        let size = abs(value)
        if size < 1 { return "\(fixed(value * 100, 0)) cm" }
        if size < 10 { return "\(fixed(value, 1)) m" }
        if size < 10_000 { return "\(fixed(value, 0)) m" }
        return "\(fixed(value / 1000, 1)) km"
    }

    /// A height, in whole metres.
    static func height(_ value: Double) -> String { "\(fixed(value, 0)) m" }

    /// Bytes in powers of ten, as disks are sold.
    static func bytes(_ count: Int64) -> String {
        let value = Double(max(count, 0))
        switch value {
        case ..<1000: return "\(max(count, 0)) bytes"
        case ..<1e6: return "\(fixed(value / 1e3, value < 1e4 ? 1 : 0)) kB"
        case ..<1e9: return "\(fixed(value / 1e6, value < 1e7 ? 1 : 0)) MB"
        case ..<1e12: return "\(fixed(value / 1e9, value < 1e10 ? 1 : 0)) GB"
        default: return "\(fixed(value / 1e12, 1)) TB"
        }
    }

    /// A span of time in its two largest units.
    static func span(seconds: Int) -> String {
        let seconds = max(seconds, 0)
        func two(_ first: Int, _ firstUnit: String, _ second: Int, _ secondUnit: String) -> String {
            second == 0 ? "\(first) \(firstUnit)" : "\(first) \(firstUnit) \(second) \(secondUnit)"
        }
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3600: return two(seconds / 60, "min", seconds % 60, "s")
        case ..<86_400: return two(seconds / 3600, "h", seconds / 60 % 60, "min")
        default: return two(seconds / 86_400, seconds / 86_400 == 1 ? "day" : "days", seconds / 3600 % 24, "h")
        }
    }

    /// An age: tenths of a second matter while it is small.
    static func age(milliseconds: Int) -> String {
        milliseconds < 10_000
            ? "\(fixed(Double(max(milliseconds, 0)) / 1000, 1)) s old" : "\(span(seconds: milliseconds / 1000)) old"
    }

    /// A count with its noun.
    static func count(_ number: Int, _ noun: String) -> String { counted(number, noun) }

    static func fixes(_ number: Int) -> String { counted(number, "fix", "fixes") }

    /// A count with marks between thousands.
    static func grouped(_ number: UInt64) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text += "," }
            text.append(digit.element)
        }
    }
}

/// Times in the zone of the one who reads.
struct LocalDates: Sendable {
    /// Seconds east of UTC at an instant.
    let offset: @Sendable (UTCInstant) -> Int

    /// `2026-05-30 09:03:07`.
    func dateAndTime(_ instant: UTCInstant) -> String { "\(date(instant)) \(time(instant))" }

    /// `2026-05-30`.
    func date(_ instant: UTCInstant) -> String {
        let civil = CivilTime(instant, offsetSeconds: offset(instant))
        return "\(civil.year)-\(Figures.two(civil.month))-\(Figures.two(civil.day))"
    }

    /// `09:03:07`.
    func time(_ instant: UTCInstant) -> String { "\(minute(instant)):\(Figures.two(civil(instant).second))" }

    /// `09:03`.
    func minute(_ instant: UTCInstant) -> String {
        "\(Figures.two(civil(instant).hour)):\(Figures.two(civil(instant).minute))"
    }

    /// `UTC-05:00`.
    func zone(_ instant: UTCInstant) -> String {
        let seconds = offset(instant)
        guard seconds != 0 else { return "UTC" }
        let minutes = abs(seconds) / 60
        return "UTC\(seconds < 0 ? "-" : "+")\(Figures.two(minutes / 60)):\(Figures.two(minutes % 60))"
    }

    private func civil(_ instant: UTCInstant) -> CivilTime {
        CivilTime(instant, offsetSeconds: offset(instant))
    }
}
