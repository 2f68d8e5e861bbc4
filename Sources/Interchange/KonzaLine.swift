internal import KonzaModel

/// The line that keeps what a target has no field for, so that it can be read back: `[konza:1 key=value key=value]`, in
/// the keys that a submission over the network uses. What a value holds beside letters and digits of ASCII and
/// `-._~:+,/` is percent-encoded UTF-8. Lengths are metres, angles degrees, times UTC.
enum KonzaLine {
    private static let opening = "[konza:"
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:+,/".utf8)

    static func text(_ specimen: Specimen) -> String {
        var parts: [String] = []
        func add(_ key: String, _ value: String?) {
            if let value, !value.isEmpty { parts.append("\(key)=\(encoded(value))") }
        }
        if let position = specimen.position { addPosition(position, add) }
        for measurement in specimen.measurements { add(measurement.kind.rawValue, words(measurement)) }
        add("igsn", specimen.igsn)
        return "\(opening)1 \(parts.joined(separator: " "))]"
    }

    /// A person's text, which never begins like the line: then a backslash is put before it.
    static func escaped(_ text: String) -> String {
        text.drop { $0 == "\\" }.hasPrefix(opening) ? "\\" + text : text
    }

    private static func encoded(_ value: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = value.utf8.flatMap { byte in
            plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func addPosition(_ position: SpecimenPosition, _ add: (String, String?) -> Void) {
        add("position", position.source.rawValue)
        add("kind", position.kind.rawValue)
        add("hae", position.altitude.map { number($0, 2) })
        add("msl", position.altitudeMSL.map { number($0, 2) })
        add("height-error", position.altitudeAccuracy.map { number($0, 2) })
        add("time", position.time?.rfc3339)
        add("mode", position.mode.map { String($0.rawValue) })
        add("status", position.status.map { String($0.rawValue) })
        add("satellites", position.satellitesUsed.map(String.init))
        add("hdop", position.hdop.map { number($0, 2) })
        add("receiver", position.receiver)
        if let averaging = position.averaging {
            add("averaged", "\(averaging.startedAt.rfc3339)/\(averaging.endedAt.rfc3339)")
            add("fixes", String(averaging.fixesUsed))
            add("rejected", String(averaging.fixesRejected))
            add("effective", number(averaging.effectiveFixes, 1))
            add("rule", averaging.rule)
            add("ended", averaging.ended)
        }
        if let override = position.override {
            add("override", override.reason)
            add("override-time", override.at.rfc3339)
            add("wanted-error", number(override.wantedAccuracy, 2))
        }
    }

    /// `azimuth/inclination,declination,its source,feature`.
    private static func words(_ measurement: StructuralMeasurement) -> String {
        let angles = "\(number(measurement.azimuth, 1))/\(number(measurement.inclination, 1))"
        let declination = "\(number(measurement.declinationApplied, 2)),\(measurement.declinationSource)"
        return "\(angles),\(declination),\(measurement.feature ?? "")"
    }

    private static func number(_ value: Double, _ decimals: Int) -> String {
        value.isFinite ? NumberText.fixed(value, decimals, atLeast: decimals) : ""
    }
}
