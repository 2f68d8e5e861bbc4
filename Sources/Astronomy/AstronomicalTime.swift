internal import Glibc
internal import KonzaModel

/// The time scales that the positions of sun and moon need.
enum AstronomicalTime {
    /// The Julian date of 1970-01-01T00:00:00Z.
    private static let unixEpoch = 2_440_587.5
    static let j2000 = 2_451_545.0

    static func julianDate(_ instant: UTCInstant) -> Double { unixEpoch + instant.seconds / 86_400 }

    /// Julian centuries of Terrestrial Time since J2000.
    static func centuries(_ instant: UTCInstant) -> Double {
        (julianDate(instant) + deltaT(instant) / 86_400 - j2000) / 36_525
    }

    /// Terrestrial Time less UTC, seconds.
    ///
    /// Since 1972 it is that of the leap seconds (IERS Bulletin C); later ones than of 2017 are not known. Before, it is the
    /// parabola of Morrison and Stephenson, good to some ten seconds: the moon moves 0.005 degrees in that time.
    static func deltaT(_ instant: UTCInstant) -> Double {
        let year = 1970 + instant.seconds / 31_556_952
        guard year >= 1972 else {
            let centuries = (year - 1820) / 100
            return -20 + 32 * centuries * centuries
        }
        return 42.184 + Double(leapSeconds.count { instant.seconds >= $0 })
    }

    /// When a leap second had been inserted, seconds since 1970.
    private static let leapSeconds: [Double] = [
        78_796_800, 94_694_400, 126_230_400, 157_766_400, 189_302_400, 220_924_800, 252_460_800, 283_996_800,
        315_532_800, 362_793_600, 394_329_600, 425_865_600, 489_024_000, 567_993_600, 631_152_000, 662_688_000,
        709_948_800, 741_484_800, 773_020_800, 820_454_400, 867_715_200, 915_148_800, 1_136_073_600, 1_230_768_000,
        1_341_100_800, 1_435_708_800, 1_483_228_800,
    ]

    /// Mean sidereal time at Greenwich, degrees (Meeus 12.4). UT1 is taken as UTC: less than 0.004 degrees apart.
    static func siderealDegrees(_ instant: UTCInstant) -> Double {
        let days = julianDate(instant) - j2000
        let centuries = days / 36_525
        // The whole days' turns are taken off first, which keeps the decimals.
        let turns = 0.985_647_366_29 * days + (days - days.rounded(.down)) * 360
        return 280.460_618_37 + turns + 0.000_387_933 * centuries * centuries
            - centuries * centuries * centuries / 38_710_000
    }
}

/// Trigonometry in degrees, and polynomials.
enum Angle {
    static func sine(_ degrees: Double) -> Double { sin(degrees * .pi / 180) }
    static func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
    /// 0 up to 360.
    static func whole(_ degrees: Double) -> Double {
        let rest = degrees.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }
    /// The value of a polynomial, the constant first.
    static func polynomial(_ x: Double, _ coefficients: Double...) -> Double {
        coefficients.reversed().reduce(0) { $0 * x + $1 }
    }
}
