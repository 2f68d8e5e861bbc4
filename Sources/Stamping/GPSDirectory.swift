internal import KonzaModel

/// The GPS IFD (EXIF 2.32 section 4.6.6) of a position. Its version is 2.3.0.0, whose altitudes are above sea level.
struct GPSDirectory {
    let position: PositionAtInstant
    let facts: PictureFacts

    /// - Returns: nil without a fix.
    init?(_ facts: PictureFacts) {
        guard let position = facts.position, position.mode >= .twoDimensional else { return nil }
        self.position = position
        self.facts = facts
    }

    var directory: TIFFDirectory { TIFFDirectory(entries: place + height + time + quality + motion) }

    private var place: [TIFFEntry] {
        let latitude = ExactAngle(degrees: position.coordinate.latitude)
        let longitude = ExactAngle(degrees: position.coordinate.longitude)
        var entries: [TIFFEntry] = [
            .bytes(0x0000, [2, 3, 0, 0]),
            .text(0x0001, latitude.isNegative ? "S" : "N"), .rationals(0x0002, latitude.rationals),
            .text(0x0003, longitude.isNegative ? "W" : "E"), .rationals(0x0004, longitude.rationals),
            .text(0x0012, "WGS-84"),
            .undefined(0x001B, Array("ASCII\0\0\0".utf8) + position.processingMethod.utf8),
        ]
        if let location = facts.place?.location {
            entries.append(.undefined(0x001C, GPSDirectory.area(location)))
        }
        return entries
    }

    private static func area(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array("ASCII\0\0\0".utf8) + text.utf8 }
        return Array("UNICODE\0".utf8) + text.utf16.flatMap(\.bigEndianBytes)
    }

    private var height: [TIFFEntry] {
        guard let altitude = position.writtenAltitude else { return [] }
        return [.bytes(0x0005, [altitude.isBelow ? 1 : 0]), .rationals(0x0006, [altitude.metres])]
    }

    /// The date is UTC's own, not the local one.
    private var time: [TIFFEntry] {
        let utc = CivilTime(position.time)
        let milliseconds = Int64(utc.second) * 1000 + Int64(utc.nanosecond / 1_000_000)
        return [
            .rationals(
                0x0007, [Rational(Int64(utc.hour), 1), Rational(Int64(utc.minute), 1), Rational(milliseconds, 1000)]),
            .text(0x001D, "\(utc.year.padded(4)):\(utc.month.padded(2)):\(utc.day.padded(2))"),
        ]
    }

    private var quality: [TIFFEntry] {
        let isFlat = position.mode == .twoDimensional
        var entries: [TIFFEntry] = [.text(0x0009, "A"), .text(0x000A, isFlat ? "2" : "3")]
        if let used = position.satellitesUsed { entries.append(.text(0x0008, String(used))) }
        if let dop = position.writtenDOP { entries.append(.rationals(0x000B, [dop])) }
        switch position.status {
        case .differential, .rtkFixed, .rtkFloat: entries.append(.short(0x001E, 1))
        case .normal: entries.append(.short(0x001E, 0))
        default: break
        }
        if let error = Rational(position.accuracy?.metres, over: 100) { entries.append(.rationals(0x001F, [error])) }
        return entries
    }

    private var motion: [TIFFEntry] {
        var entries: [TIFFEntry] = []
        // Kilometres per hour.
        if let speed = Rational(position.speed.map { $0 * 3.6 }, over: 100) {
            entries += [.text(0x000C, "K"), .rationals(0x000D, [speed])]
        }
        if let track = Self.direction(position.track) {
            entries += [.text(0x000E, "T"), .rationals(0x000F, [track])]
        }
        if let direction = Self.direction(facts.imageDirection) {
            entries += [.text(0x0010, "T"), .rationals(0x0011, [direction])]
        }
        return entries
    }

    /// 0.00 to 359.99 degrees: what rounds to 360 is 0.
    private static func direction(_ degrees: Double?) -> Rational? {
        guard let degrees, degrees.isFinite, (-360...720).contains(degrees) else { return nil }
        let hundredths = Int64((degrees * 100).rounded()) % 36_000
        return Rational(hundredths < 0 ? hundredths + 36_000 : hundredths, 100)
    }
}

extension ExactAngle {
    /// Whole degrees and minutes, seconds to the millionth.
    var rationals: [Rational] {
        [Rational(degrees, 1), Rational(minutes, 1), Rational(secondMillionths, 1_000_000)]
    }
}

extension PositionAtInstant {
    /// EXIF names GPS, CELLID, WLAN and MANUAL; what was not measured live says so.
    var processingMethod: String {
        switch source {
        case .live: status == .simulated ? "GPS (simulated)" : "GPS"
        case .recorded: "GPS (recorded)"
        case .simulated: "GPS (simulated)"
        case .manual: "MANUAL"
        }
    }

    /// The height above sea level as it is written; none in two dimensions.
    var writtenAltitude: (metres: Rational, isBelow: Bool)? {
        guard mode == .threeDimensional else { return nil }
        var level = altitudeMSL
        if level == nil, let altitudeHAE, let geoidSeparation { level = altitudeHAE - geoidSeparation }
        guard let level, let metres = Rational(level.magnitude, over: 100) else { return nil }
        return (metres, level < 0 && metres.numerator > 0)
    }

    /// HDOP in two dimensions, PDOP in three.
    var writtenDOP: Rational? {
        Rational(mode == .twoDimensional ? dop.horizontal : dop.position, over: 100)
    }
}
