internal import KonzaModel

/// GPX 1.1 (topografix.com/GPX/1/1): a waypoint for each specimen that has a position. What GPX has no element for
/// stands in `extensions`, in a namespace of its own.
enum GPXForm {
    /// Only a name: nothing is to be found there.
    static let namespace = "urn:konza:specimen:1"

    static func write(_ specimens: [Specimen], to sink: @escaping ByteSink) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add(GPXText.start(namespaces: ["konza": namespace]))
        for specimen in specimens { try output.add(waypoint(specimen)) }
        try output.add(GPXText.end)
        try output.flush()
    }

    /// The elements in the order of the schema's `wptType`.
    private static func waypoint(_ specimen: Specimen) -> String {
        guard let position = specimen.position, let place = position.coordinate else { return "" }
        let longitude = GPXText.longitude(place.longitude)
        var text = "<wpt lat=\"\(NumberText.degrees(place.latitude))\" lon=\"\(NumberText.degrees(longitude))\">\n"
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { text += XMLText.element(name, value, indent: 1) }
        }
        add("ele", number(position.altitudeMSL))
        add("time", position.time?.rfc3339)
        add("geoidheight", number(position.geoidSeparation))
        add("name", specimen.number)
        add("cmt", specimen.fieldNotes)
        add("desc", specimen.description)
        add("src", "\(position.source.rawValue), \(position.kind.rawValue)")
        add("type", specimen.rockType)
        add("fix", fix(position))
        add("sat", position.satellitesUsed.flatMap { $0 >= 0 ? String($0) : nil })
        add("hdop", number(position.hdop))
        return text + extensions(specimen) + "</wpt>\n"
    }

    private static func number(_ value: Double?) -> String? {
        value.flatMap { $0.isFinite ? NumberText.plain($0) : nil }
    }

    private static func extensions(_ specimen: Specimen) -> String {
        let covered: Set = [
            "number", "rockType", "description", "fieldNotes", "latitude", "longitude", "altitudeMSL", "positionTime",
            "satellitesUsed", "hdop",
        ]
        let facts = specimen.facts.filter { !covered.contains($0.name) }
        return "  <extensions>\n" + facts.map { elements($0, indent: 2) }.joined() + "  </extensions>\n"
    }

    /// An element for each fact, one for each of a list, and elements inside it for those of a group.
    private static func elements(_ fact: Fact, indent: Int) -> String {
        let name = "konza:\(fact.name)"
        let margin = String(repeating: "  ", count: indent)
        switch fact.value {
        case .list(let values):
            return values.compactMap { Fact(fact.name, $0) }.map { elements($0, indent: indent) }.joined()
        case .group(let facts):
            let inner = facts.map { elements($0, indent: indent + 1) }.joined()
            return "\(margin)<\(name)>\n\(inner)\(margin)</\(name)>\n"
        default:
            return XMLText.element(name, fact.value.text, indent: indent)
        }
    }

    /// How the position was fixed, in GPX's words; nil for one that was written in.
    private static func fix(_ position: SpecimenPosition) -> String? {
        guard position.source != .given, let mode = position.mode else { return nil }
        return GPXText.fix(mode, position.status ?? .unknown)
    }
}
