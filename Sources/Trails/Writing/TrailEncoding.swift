internal import JSONCoding
public import KonzaModel

/// Writes trails for other programs.
public enum TrailEncoding {
    private static let notice = "Demonstration: made-up trails, nobody can walk them."

    // MARK: - GPX

    /// GPX 1.1 (topografix.com/GPX/1/1): a track for each named trail, a new `trkseg` at each gap and where other closures begin,
    /// which its `extensions` have with their dates, and a waypoint for each place.
    ///
    /// - Parameters:
    ///   - network: the trails.
    ///   - trail: the one that is wanted, by its name; nil for all.
    ///   - closed: trails with a closed part say so; of the type `closed` are those that are closed from end to end.
    ///   - height: metres above the sea at a place.
    /// - Returns: the document.
    public static func gpx(
        _ network: TrailNetwork, trail: String? = nil, closed: ClosedEdges,
        height: (Coordinate) -> Double? = { _ in nil }
    ) -> String {
        var text = GPXText.start(namespaces: ["konza": GPXTrails.closureNamespace])
        if network.isDemonstration {
            text += "<metadata><desc>\(notice)</desc><extensions><konza:demonstration/></extensions></metadata>\n"
        }
        func point(_ name: String, _ place: Coordinate, _ inner: String) -> String {
            let longitude = GPXText.longitude(place.longitude)
            let ele = height(place).map { "<ele>\(decimal($0, 1))</ele>" } ?? ""
            return
                "<\(name) lat=\"\(decimal(place.latitude, 7))\" lon=\"\(decimal(longitude, 7))\">\(ele)\(inner)</\(name)>\n"
        }
        for source in network.sources where trail == nil {
            for place in source.places {
                let name = "<name>\(XMLText.escaped(place.name))</name><type>\(place.kind.rawValue)</type>"
                text += point("wpt", place.coordinate, name)
            }
        }
        for own in network.trails where trail.map({ own.name.lowercased() == $0.lowercased() }) ?? true {
            text += "<trk><name>\(XMLText.escaped(own.name))</name>"
            let part = network.closedPart(of: own, closed)
            if let part {
                let comment = part.isWhole ? part.reason : "\(Self.words(part)): \(part.reason)"
                text += "<cmt>\(XMLText.escaped(comment))</cmt>"
            }
            if let attribution = network.sources[own.source].attribution {
                text += "<src>\(XMLText.escaped(attribution))</src>"
            }
            if part?.isWhole == true { text += "<type>closed</type>" }
            text += "\n"
            for line in network.lines(of: own, cutBy: { closed.periods($0, in: network) }) {
                text += "<trkseg>\n" + line.points.map { point("trkpt", $0, "") }.joined()
                text += extensions(line.mark) + "</trkseg>\n"
            }
            text += "</trk>\n"
        }
        return text + GPXText.end
    }

    private static func extensions(_ closures: [ClosedPeriod]) -> String {
        guard !closures.isEmpty else { return "" }
        let elements = closures.map { closure in
            let from = closure.from.map { " from=\"\($0.rfc3339)\"" } ?? ""
            let until = closure.until.map { " until=\"\($0.rfc3339)\"" } ?? ""
            return "<konza:closure\(from)\(until)>\(XMLText.escaped(closure.reason))</konza:closure>"
        }
        return "<extensions>\(elements.joined())</extensions>\n"
    }

    // MARK: - KML

    /// KML 2.3 (OGC 12-007r2): a Placemark for each named trail and each place.
    public static func kml(_ network: TrailNetwork, trail: String? = nil, closed: ClosedEdges) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        text += "<kml xmlns=\"http://www.opengis.net/kml/2.2\" version=\"2.3\">\n<Document>\n<name>Trails</name>\n"
        if network.isDemonstration { text += "<description>\(notice)</description>\n" }
        func position(_ place: Coordinate) -> String { "\(decimal(place.longitude, 7)),\(decimal(place.latitude, 7))" }
        for own in network.trails where trail.map({ own.name.lowercased() == $0.lowercased() }) ?? true {
            text += "<Placemark><name>\(XMLText.escaped(own.name))</name>"
            if let part = network.closedPart(of: own, closed) {
                text += "<description>\(Self.words(part)): \(XMLText.escaped(part.reason))</description>"
            }
            text += "<MultiGeometry>\n"
            for line in network.lines(of: own) {
                text +=
                    "<LineString><coordinates>\(line.map(position).joined(separator: " "))</coordinates></LineString>\n"
            }
            text += "</MultiGeometry></Placemark>\n"
        }
        for place in network.sources.flatMap(\.places) where trail == nil {
            text += "<Placemark><name>\(XMLText.escaped(place.name))</name>"
            text += "<Point><coordinates>\(position(place.coordinate))</coordinates></Point></Placemark>\n"
        }
        return text + "</Document>\n</kml>\n"
    }

    // MARK: - GeoJSON

    /// GeoJSON (RFC 7946): a LineString for each segment, a Point for each place, and for each named trail a Feature without a
    /// geometry (section 3.2) that lists its segments, those that are walked backwards with a minus. What is read back is the
    /// same network.
    public static func geoJSON(_ network: TrailNetwork, trail: String? = nil, closed: ClosedEdges) -> [UInt8] {
        let wanted = network.trails.indices.filter { index in
            trail.map { network.trails[index].name.lowercased() == $0.lowercased() } ?? true
        }
        let edges =
            trail == nil ? Set(0..<network.edgeCount) : Set(wanted.flatMap { network.trails[$0].parts.map(\.edge) })
        var features = edges.sorted().map { edge in
            var feature = TrailFeature(id: network.name(ofEdge: edge))
            feature.geometry = .line(network.segment(edge).points)
            feature.properties.kind = "segment"
            feature.properties.trails = network.edgeTrails[edge].map { network.trails[Int($0)].name }
            feature.properties.surface = network.segment(edge).surface
            feature.properties.level = network.segment(edge).level
            feature.properties.length = (network.length(edge) * 10).rounded() / 10
            feature.properties.closed = closed.reason(edge)
            let periods = closed.periods(edge, in: network)
            if !periods.isEmpty { feature.properties.closures = periods }
            feature.properties.status = closed.contains(edge) ? "closed" : "open"
            feature.properties.source = network.sources[Int(network.origins[edge].source)].name
            return feature
        }
        for source in network.sources where trail == nil {
            features += source.places.map { place in
                var feature = TrailFeature()
                feature.geometry = .point(place.coordinate)
                feature.properties.kind = place.kind.rawValue
                feature.properties.name = place.name
                feature.properties.source = source.name
                return feature
            }
        }
        features += wanted.map { index in
            let own = network.trails[index]
            var feature = TrailFeature()
            feature.properties.kind = "trail"
            feature.properties.name = own.name
            feature.properties.parts = own.parts.map { ($0.isReversed ? "-" : "") + network.name(ofEdge: $0.edge) }
            feature.properties.length = (own.length * 10).rounded() / 10
            feature.properties.publishedLength = own.published.map { [$0.lowerBound, $0.upperBound] }
            let part = network.closedPart(of: own, closed)
            feature.properties.status = part.map { $0.isWhole ? "closed" : "partly-closed" } ?? "open"
            feature.properties.closedLength = part.map { ($0.length * 10).rounded() / 10 }
            feature.properties.source = network.sources[own.source].name
            return feature
        }
        let attribution = Set(network.sources.compactMap(\.attribution)).sorted().joined(separator: "; ")
        let collection = TrailFeatures(
            name: network.isDemonstration ? notice : "Trails", demonstration: network.isDemonstration,
            attribution: attribution.isEmpty ? nil : attribution, features: features)
        // Coordinates are finite, and nothing else here can fail to be encoded.
        return (try? JSONText.encode(collection)) ?? []
    }

    private static func words(_ part: ClosedPart) -> String {
        part.isWhole ? "Closed" : "Closed in part (\(decimal(part.length, 0)) m)"
    }

    private static func decimal(_ value: Double, _ decimals: Int) -> String { DecimalText.text(value, decimals) }
}

extension TrailNetwork {
    /// The segment's id, with its source in front where there are several.
    func name(ofEdge edge: Int) -> String {
        sources.count == 1 ? segment(edge).id : "\(sources[Int(origins[edge].source)].name):\(segment(edge).id)"
    }

    /// The lines of a trail, a new one behind each gap.
    func lines(of trail: Trail) -> [[Coordinate]] { lines(of: trail, cutBy: { _ in 0 }).map(\.points) }

    /// The lines of a trail, a new one behind each gap and where the mark of the edges changes.
    func lines<Mark: Equatable>(
        of trail: Trail, cutBy mark: (Int) -> Mark
    ) -> [(points: [Coordinate], mark: Mark)] {
        var lines: [(points: [Coordinate], mark: Mark)] = []
        for part in trail.parts {
            let points = segment(part.edge).points
            let own = part.isReversed ? points.reversed() : points
            let mark = mark(part.edge)
            if let last = lines.last, last.mark == mark, let end = last.points.last, let first = own.first,
                VertexKey(end) == VertexKey(first)
            {
                lines[lines.count - 1].points += own.dropFirst()
            } else {
                lines.append((own, mark))
            }
        }
        return lines
    }
}

private struct TrailFeatures: Encodable {
    let type = "FeatureCollection"
    let name: String
    let demonstration: Bool
    let attribution: String?
    let features: [TrailFeature]
}

private struct TrailFeature: Encodable {
    struct Properties: Encodable {
        var kind: String?
        var name: String?
        var trails: [String]?
        var parts: [String]?
        var surface: String?
        var level: Int?
        var length: Double?
        var publishedLength: [Double]?
        var status: String?
        var closed: String?
        var closures: [ClosedPeriod]?
        var closedLength: Double?
        var source: String?
    }

    enum Geometry: Encodable {
        case point(Coordinate)
        case line([Coordinate])

        enum CodingKeys: String, CodingKey { case type, coordinates }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            func position(_ place: Coordinate) -> [Double] { [place.longitude, place.latitude] }
            switch self {
            case .point(let place):
                try container.encode("Point", forKey: .type)
                try container.encode(position(place), forKey: .coordinates)
            case .line(let places):
                try container.encode("LineString", forKey: .type)
                try container.encode(places.map(position), forKey: .coordinates)
            }
        }
    }

    let type = "Feature"
    var id: String?
    var geometry: Geometry?
    var properties = Properties()

    enum CodingKeys: String, CodingKey { case type, id, geometry, properties }

    init(id: String? = nil) { self.id = id }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encodeIfPresent(id, forKey: .id)
        // A Feature has the member whether it has a geometry or not (section 3.2).
        try container.encode(geometry, forKey: .geometry)
        try container.encode(properties, forKey: .properties)
    }
}
