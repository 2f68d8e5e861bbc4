/// A latitude or longitude as a whole number of millionths of an arc second, so that neither EXIF's three
/// rationals nor XMP's minutes can ever round to 60.
struct ExactAngle: Equatable {
    /// Without the sign.
    let microseconds: Int64
    let isNegative: Bool

    /// Degrees, finite, at most 180 either way. An angle that rounds to 0 is positive: 0 is N and E.
    init(degrees: Double) {
        microseconds = Int64((degrees.magnitude * 3_600_000_000).rounded())
        isNegative = degrees < 0 && microseconds > 0
    }

    var degrees: Int64 { microseconds / 3_600_000_000 }
    var minutes: Int64 { microseconds / 60_000_000 % 60 }
    /// Millionths of an arc second below the whole minute.
    var secondMillionths: Int64 { microseconds % 60_000_000 }

    /// XMP's `degrees,minutes.fraction`, without the letter. Minutes have eight places: 0.02 mm.
    var xmpText: String {
        var whole = degrees
        var fine = ((microseconds % 3_600_000_000) * 10 + 3) / 6
        if fine >= 60 * 100_000_000 {
            whole += 1
            fine = 0
        }
        return "\(whole),\(fine / 100_000_000).\(Int(fine % 100_000_000).padded(8))"
    }
}

/// A number as EXIF's RATIONAL.
struct Rational: Equatable {
    let numerator: UInt32
    let denominator: UInt32

    init(_ numerator: Int64, _ denominator: UInt32) {
        self.numerator = UInt32(clamping: numerator)
        self.denominator = denominator
    }

    /// A value rounded to parts of a denominator.
    ///
    /// - Returns: nil if it is negative, not finite, or its numerator needs 32 bits, which readers take for a sign.
    init?(_ value: Double?, over denominator: UInt32) {
        guard let value, value.isFinite, value >= 0 else { return nil }
        let scaled = (value * Double(denominator)).rounded()
        guard scaled < Double(Int32.max) else { return nil }
        self.init(Int64(scaled), denominator)
    }

    var text: String { "\(numerator)/\(denominator)" }
}
