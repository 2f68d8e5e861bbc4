internal import KonzaModel

/// What a receiver itself says of its errors: the standard deviations of an NMEA 0183 GST sentence, which gpsd passes
/// on as its class GST (gpsd_json(5)).
struct ErrorStatement: Equatable {
    var time: UTCInstant?
    var arrival: MonotonicInstant
    /// Metres, 95 %: twice the distance root mean square, which holds 95.4 % of a round and 98.2 % of a flat
    /// distribution.
    var horizontal: Double?
    /// Metres, 95 %: twice the standard deviation.
    var vertical: Double?

    /// Whether it states an error that no receiver can have.
    var isImplausible: Bool { [horizontal, vertical].contains { $0.map { !FixAccuracy.isBelievable($0) } ?? false } }

    /// How probable it is that the truth lies within, by the receiver's own word.
    static let confidence = 0.95

    init(time: UTCInstant?, arrival: MonotonicInstant, horizontal: Double?, vertical: Double?) {
        self.time = time
        self.arrival = arrival
        self.horizontal = horizontal
        self.vertical = vertical
    }

    /// - Returns: nil if the line states no error.
    init?(_ members: JSONLine, arrival: MonotonicInstant) {
        func deviation(_ name: String) -> Double? {
            members.number(name).flatMap { $0 >= 0 && $0 < 1_000_000 ? $0 : nil }
        }
        func both(_ first: String, _ second: String) -> Double? {
            guard let first = deviation(first), let second = deviation(second), first + second > 0 else { return nil }
            return 2 * (first * first + second * second).squareRoot()
        }
        // The ellipse's axes and the errors along the meridian and the parallel have the same sum of squares.
        let horizontal = both("lat", "lon") ?? both("major", "minor")
        let vertical = deviation("alt").flatMap { $0 > 0 ? 2 * $0 : nil }
        guard horizontal != nil || vertical != nil else { return nil }
        self.init(
            time: members.instant("time"), arrival: arrival, horizontal: horizontal, vertical: vertical)
    }
}
