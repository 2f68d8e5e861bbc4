/// The line at the end of a sample's description that keeps what a target, such as MetPetDB, has no field for.
///
/// Its grammar (RFC 5234), one line, keys in the order given by ``pairs``, any key more than once:
///
///     line  = "[konza:1" 1*( SP key "=" value ) "]"
///     key   = 1*( %x61-7A / DIGIT / "-" )
///     value = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / ":" / "+" / "," / "/" / %x25 2HEXDIG )
///
/// Other bytes of UTF-8 are percent-encoded. A reader passes over keys that it does not know. Where a line of a person's
/// own text begins, after any backslashes, with `[konza:`, one more backslash is put before it, and taken away in
/// reading; so the only line that begins with `[konza:1 ` itself is ours.
public struct DescriptionLine: Sendable, Equatable {
    public struct Pair: Sendable, Equatable {
        public let key: String
        public let value: String

        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    public var pairs: [Pair]

    public init(_ pairs: [Pair]) { self.pairs = pairs }

    /// The first value of a key.
    public subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

    private static let opening = "[konza:"

    /// The line; empty without pairs.
    public var text: String {
        let parts = pairs.filter { !$0.value.isEmpty }.map { "\($0.key)=\(Self.encoded($0.value))" }
        return parts.isEmpty ? "" : "\(Self.opening)1 \(parts.joined(separator: " "))]"
    }

    /// A description of a person's text and, after it, this line.
    public func joined(to text: String?) -> String {
        let own = text.map(normalized).map { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.escaped($0) }.joined(
                separator: "\n")
        }
        return [own ?? "", self.text].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Takes a description apart.
    ///
    /// - Returns: the person's text as it was, and the line if the description ends with one.
    public static func split(_ description: String) -> (text: String, line: DescriptionLine?) {
        var lines = description.split(separator: "\n", omittingEmptySubsequences: false)
        var line: DescriptionLine?
        if let last = lines.last, let parsed = parse(last) {
            line = parsed
            lines.removeLast()
        }
        let text = lines.map { $0.hasPrefix("\\") && looksLikeOurs($0) ? String($0.dropFirst()) : String($0) }
        return (text.joined(separator: "\n"), line)
    }

    /// A line of a person's text, which never begins like ours.
    public static func escaped(_ line: some StringProtocol) -> String {
        looksLikeOurs(Substring(line)) ? "\\\(line)" : String(line)
    }

    private static func looksLikeOurs(_ line: Substring) -> Bool { line.drop { $0 == "\\" }.hasPrefix(opening) }

    private static func parse(_ line: Substring) -> DescriptionLine? {
        let prefix = opening + "1 "
        guard line.hasPrefix(prefix), line.hasSuffix("]") else { return nil }
        var pairs: [Pair] = []
        for part in line.dropFirst(prefix.count).dropLast().split(separator: " ") {
            guard let equals = part.firstIndex(of: "="), equals != part.startIndex,
                let value = percentDecoded(part[part.index(after: equals)...])
            else { return nil }
            pairs.append(Pair(String(part[..<equals]), value))
        }
        return pairs.isEmpty ? nil : DescriptionLine(pairs)
    }

    private static func encoded(_ value: String) -> String {
        value.unicodeScalars.map { ":+,/".unicodeScalars.contains($0) ? String($0) : percentEncoded(String($0)) }
            .joined()
    }
}

extension DescriptionLine {
    /// What MetPetDB cannot hold of a specimen: how its position came about, the height, measured planes and lines (as
    /// `azimuth/inclination`, true north, with the declination applied and its source, and what was measured), and a
    /// number of the registry's new form. Lengths are metres, angles degrees. Field notes stay on the station.
    ///
    /// - Parameters:
    ///   - specimen: what it is of.
    ///   - hasNumberField: whether the target has a field for a registry number of the old form.
    public init(_ specimen: Specimen, hasNumberField: Bool = true) {
        var pairs: [Pair] = []
        func add(_ key: String, _ value: String?) {
            if let value, !value.isEmpty { pairs.append(Pair(key, value)) }
        }
        if let position = specimen.position { Self.add(position, add) }
        for measurement in specimen.measurements {
            let angles = "\(decimal(measurement.azimuth, 1))/\(decimal(measurement.inclination, 1))"
            let declination = "\(decimal(measurement.declinationApplied, 2)),\(measurement.declinationSource)"
            add(measurement.kind.rawValue, "\(angles),\(declination),\(measurement.feature ?? "")")
        }
        if !hasNumberField || RegistryNumber(specimen.igsn)?.short == nil { add("igsn", specimen.igsn) }
        self.init(pairs)
    }

    private static func add(_ position: SpecimenPosition, _ add: (String, String?) -> Void) {
        add("position", position.source.rawValue)
        // A receiver's, or a recording's; nobody's where a person gave it.
        if position.source != .given { add("kind", position.kind.rawValue) }
        add("hae", position.altitude.map { decimal($0, 2) })
        add("msl", position.altitudeMSL.map { decimal($0, 2) })
        add("height-error", position.altitudeAccuracy.map { decimal($0, 2) })
        add("time", position.time?.rfc3339)
        add("mode", position.mode.map { String($0.rawValue) })
        add("status", position.status.map { String($0.rawValue) })
        add("satellites", position.satellitesUsed.map(String.init))
        add("hdop", position.hdop.map { decimal($0, 2) })
        add("receiver", position.receiver)
        if let averaging = position.averaging {
            add("averaged", "\(averaging.startedAt.rfc3339)/\(averaging.endedAt.rfc3339)")
            add("fixes", String(averaging.fixesUsed))
            add("rejected", String(averaging.fixesRejected))
            add("effective", decimal(averaging.effectiveFixes, 1))
            add("rule", averaging.rule)
            add("ended", averaging.ended)
        }
        if let override = position.override {
            add("override", override.reason)
            add("override-time", override.at.rfc3339)
            add("wanted-error", decimal(override.wantedAccuracy, 2))
        }
    }

    /// What MetPetDB cannot hold of a photograph.
    public init(_ photograph: Photograph) {
        var pairs: [Pair] = []
        if let direction = photograph.direction { pairs.append(Pair("direction", decimal(direction, 1))) }
        if let time = photograph.takenAt { pairs.append(Pair("time", time.rfc3339)) }
        if let kind = photograph.cameraSource { pairs.append(Pair("kind", kind.rawValue)) }
        self.init(pairs)
    }
}
