/// Numbers with units, as systemd writes them (systemd.time(7); sizes count in 1024).
enum Quantity {
    static let terabyte: Int64 = 1 << 40

    private static let durations: [(name: String, seconds: Double)] = [
        ("w", 604_800), ("d", 86_400), ("h", 3600), ("min", 60), ("s", 1), ("ms", 0.001), ("us", 0.000_001),
    ]
    private static let synonyms = [
        "weeks": "w", "week": "w", "days": "d", "day": "d", "hours": "h", "hour": "h", "hr": "h", "minutes": "min",
        "minute": "min", "m": "min", "seconds": "s", "second": "s", "sec": "s", "msec": "ms", "usec": "us",
    ]
    private static let sizes: [(name: String, bytes: Int64)] = [
        ("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// A plain decimal number: no exponent, no sign but minus, none of the names of infinity.
    static func decimal(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.count <= 30, digits != ".",
            digits.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
        else { return nil }
        return Double(text.hasSuffix(".") ? "\(text)0" : text)
    }

    /// The seconds of a time span such as `5min 30s`; a number alone is seconds.
    static func seconds(_ text: String) -> Double? {
        if let plain = decimal(text) { return plain }
        guard text.utf8.count <= 100 else { return nil }
        var rest = text[...]
        var total = 0.0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count).drop { $0 == " " }
            let unit = String(rest.prefix { $0.isASCII && $0.isLetter })
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            let name = synonyms[unit] ?? unit
            guard let value = decimal(String(number)), let scale = durations.first(where: { $0.name == name }) else {
                return nil
            }
            total += value * scale.seconds
        }
        // Microseconds are the finest unit; anything below is rounding of the decimal.
        return total > 0 || text.hasPrefix("0") ? (total * 1e6).rounded() / 1e6 : nil
    }

    /// The shortest way to write seconds in one unit.
    static func duration(_ seconds: Double) -> String {
        if seconds == 0 { return "0s" }
        for (name, scale) in durations {
            let count = seconds / scale
            if count >= 1, count.rounded() == count { return "\(plain(count))\(name)" }
        }
        // Finer than a whole number of any unit above microseconds, by the rounding of `seconds(_:)`.
        return "\(plain((seconds * 1e6).rounded()))us"
    }

    /// The bytes of a size such as `64K` or `1.5G`.
    static func bytes(_ text: String) -> Int64? {
        var digits = text[...]
        if digits.hasSuffix("B") { digits = digits.dropLast() }
        var scale: Int64 = 1
        if let unit = sizes.first(where: { digits.hasSuffix($0.name) }) {
            digits = digits.dropLast()
            scale = unit.bytes
        }
        guard let number = decimal(String(digits)), number >= 0 else { return nil }
        let value = (number * Double(scale)).rounded()
        return value < 9e18 ? Int64(value) : nil
    }

    /// The shortest way to write bytes in one unit.
    static func size(_ bytes: Int64) -> String {
        for (name, scale) in sizes where bytes >= scale && bytes % scale == 0 { return "\(bytes / scale)\(name)" }
        return String(bytes)
    }

    /// A number without a needless fraction.
    static func plain(_ number: Double) -> String {
        number.rounded() == number && abs(number) < 1e15 ? String(Int64(number)) : "\(number)"
    }
}
