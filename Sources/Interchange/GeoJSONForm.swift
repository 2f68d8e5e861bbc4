internal import KonzaModel

/// GeoJSON (RFC 7946): one Feature for each specimen; its members are those of the local API.
enum GeoJSONForm {
    static func write(_ specimens: [Specimen], to sink: @escaping ByteSink) throws(InterchangeError) {
        var output = TextOutput(sink)
        try output.add("{\"type\":\"FeatureCollection\"")
        if let box = BoundingBox(specimens.compactMap { $0.position?.coordinate }) {
            // West of the antimeridian to east of it where the box crosses it (section 5.2).
            let sides = [box.west, box.south, box.east, box.north].map(NumberText.degrees)
            try output.add(",\"bbox\":[\(sides.joined(separator: ","))]")
        }
        try output.add(",\"features\":[\n")
        for (index, specimen) in specimens.enumerated() {
            try output.add((index > 0 ? ",\n" : "") + feature(specimen))
        }
        try output.add("\n]}\n")
        try output.flush()
    }

    private static func feature(_ specimen: Specimen) -> String {
        let id = JSONText.quoted(specimen.id.description)
        let properties = Fact.json(specimen.facts)
        return "{\"type\":\"Feature\",\"id\":\(id),\"geometry\":\(geometry(specimen)),\"properties\":\(properties)}"
    }

    /// Longitude, latitude and the height above the ellipsoid (section 4); null without a position (section 3.2).
    private static func geometry(_ specimen: Specimen) -> String {
        guard let position = specimen.position, let place = position.coordinate else { return "null" }
        var numbers = [NumberText.degrees(place.longitude), NumberText.degrees(place.latitude)]
        if let height = position.altitude, height.isFinite { numbers.append(NumberText.plain(height)) }
        return "{\"type\":\"Point\",\"coordinates\":[\(numbers.joined(separator: ","))]}"
    }
}

/// The smallest box around places, which may cross the antimeridian: then its west is greater than its east.
struct BoundingBox: Equatable {
    var west: Double
    var south: Double
    var east: Double
    var north: Double

    /// - Returns: nil for no places.
    init?(_ places: [Coordinate]) {
        guard let first = places.first else { return nil }
        south = places.reduce(first.latitude) { min($0, $1.latitude) }
        north = places.reduce(first.latitude) { max($0, $1.latitude) }
        let longitudes = places.map(\.longitude).sorted()
        west = longitudes[0]
        east = longitudes[longitudes.count - 1]
        // The widest gap between neighbours around the globe is what the box leaves out.
        var widest = west + 360 - east
        for (left, right) in zip(longitudes, longitudes.dropFirst()) where right - left > widest {
            widest = right - left
            (west, east) = (right, left)
        }
    }
}
