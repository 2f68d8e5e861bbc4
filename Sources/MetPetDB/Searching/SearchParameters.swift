internal import FoundationEssentials
internal import KonzaModel

/// A query as parameters of `GET /api/samples/`.
struct SearchParameters {
    /// One list for each request: a box that crosses the antimeridian takes two.
    let requests: [[(String, String)]]

    init(_ query: SampleQuery) throws(MetPetDBError) {
        var filters = try Self.filters(query)
        if case .region(let name) = query.area { filters.append(("regions", try Self.list([name], "region"))) }
        requests = Self.boxes(query.area.box).map { filters + $0 }
    }

    /// West, south, east, north, with the seven decimals that samples are sent with.
    private static func boxes(_ box: GeographicBox?) -> [[(String, String)]] {
        guard let box else { return [[]] }
        func parameter(_ west: Double, _ east: Double) -> [(String, String)] {
            let edges = [west, box.south, east, box.north].map { decimal($0, 7) }
            return [("location_bbox", edges.joined(separator: ","))]
        }
        return box.crossesAntimeridian
            ? [parameter(box.west, 180), parameter(-180, box.east)] : [parameter(box.west, box.east)]
    }

    private static func filters(_ query: SampleQuery) throws(MetPetDBError) -> [(String, String)] {
        var filters: [(String, String)] = []
        func add(_ name: String, _ values: [String], _ what: String) throws(MetPetDBError) {
            if !values.isEmpty { filters.append((name, try list(values, what))) }
        }
        try add("rock_types", query.rockTypes, "rock type")
        try add("metamorphic_grades", query.metamorphicGrades, "metamorphic grade")
        try add("minerals", query.minerals, "mineral")
        if query.needsAllMinerals, query.minerals.count > 1 { filters.append(("minerals_and", "True")) }
        filters += people("owners", query.owners) + people("collectors", query.collectors)
        // The server leaves both days out.
        if let day = query.collectedFrom?.advanced(byDays: -1) { filters.append(("start_date", day.description)) }
        if let day = query.collectedTo?.advanced(byDays: 1) { filters.append(("end_date", day.description)) }
        switch query.visibility {
        case .both: break
        case .public: filters.append(("provenance", "Public"))
        case .private: filters.append(("provenance", "Private"))
        }
        return filters
    }

    private static func list(_ values: [String], _ what: String) throws(MetPetDBError) -> String {
        if let value = values.first(where: { $0.contains(",") }) {
            throw MetPetDBError(
                .question,
                "cannot look for the \(what) \"\(value)\": MetPetDB takes a comma for the end of a name; leave it out")
        }
        return values.joined(separator: ",")
    }

    /// Names of people are written "Last, First": where one has a comma, all go as regular expressions with any
    /// character in the comma's place. What these find too much is dropped afterwards.
    private static func people(_ name: String, _ values: [String]) -> [(String, String)] {
        guard !values.isEmpty else { return [] }
        guard values.contains(where: { $0.contains(",") }) else {
            return [(name, values.joined(separator: ",")), (name + "_exact", "True")]
        }
        return [(name, values.map { "^\(pattern($0))$" }.joined(separator: ","))]
    }

    private static func pattern(_ text: String) -> String {
        text.reduce(into: "") { pattern, character in
            if character == "," {
                pattern.append(".")
            } else {
                if "\\^$.|?*+()[]{}".contains(character) { pattern.append("\\") }
                pattern.append(character)
            }
        }
    }
}
