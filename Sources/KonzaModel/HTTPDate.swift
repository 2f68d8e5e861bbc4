/// The date form of HTTP headers (RFC 9110 section 5.6.7), whole seconds of UTC.
public enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The instant in the fixed form, fractions of seconds dropped.
    public static func text(_ instant: UTCInstant) -> String {
        let civil = CivilTime(instant)
        let midnight = CivilTime(year: civil.year, month: civil.month, day: civil.day).instant()
        let dayNumber = Int(midnight.nanoseconds / 86_400_000_000_000)
        let day = days[((dayNumber % 7) + 7) % 7]
        return "\(day), \(two(civil.day)) \(months[civil.month - 1]) \(civil.year) "
            + "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second)) GMT"
    }

    /// Reads the fixed form, `Sun, 06 Nov 1994 08:49:37 GMT`; the two obsolete forms are not read.
    ///
    /// - Returns: nil unless the text is such a date of the years 1970 to 2200.
    public static func parse(_ text: String) -> UTCInstant? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(parts[2])), let year = Int(parts[3]),
            (1970...2200).contains(year)
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap { Int($0) }
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        return CivilTime(year: year, month: month + 1, day: day, hour: time[0], minute: time[1], second: time[2])
            .instant()
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
