internal import JSONCoding
internal import KonzaModel

/// GeoJSON (RFC 7946): LineStrings and MultiLineStrings are lines of the trails that their properties name, Points are places.
/// What this station writes is read back whole; of other files `name`, `trails`, `surface`, `closed` and `status` are used where
/// they are there.
enum GeoJSONTrails {
    static func read(_ bytes: [UInt8]) throws(TrailError) -> TrailDrawing {
        let bare = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let document: GeoJSONDocument
        do {
            document = try JSONText.decode(GeoJSONDocument.self, from: bare)
        } catch let error as TrailError {
            throw error
        } catch {
            throw .unusableFile("cannot import the trails: the file is no GeoJSON: \(reason(error))")
        }
        if let system = document.otherSystem {
            throw .unusableFile(
                "cannot import the trails: their coordinates are in \(TrailText.name(system, most: 80) ?? "another system"), "
                    + "and GeoJSON has degrees on WGS 84 (RFC 7946, section 4); convert them")
        }
        var drawing = TrailDrawing(.geoJSON)
        drawing.attribution = TrailText.name(document.attribution)
        drawing.isDemonstration = document.demonstration == true
        var limits = DrawingLimits()
        var ids: [String: Int] = [:]
        var ordered: [(name: String, parts: [String], published: ClosedRange<Double>?)] = []
        for feature in document.features {
            let properties = feature.properties
            if feature.geometry == nil, properties.kind == "trail", let name = TrailText.name(properties.name) {
                ordered.append((name, properties.parts ?? [], published(properties)))
                guard ordered.count <= TrailLimits.trails, (properties.parts?.count ?? 0) <= TrailLimits.parts else {
                    throw .unusableFile(
                        "cannot import the trails: a trail has too many parts; cut the file to the region")
                }
                continue
            }
            guard let geometry = feature.geometry else {
                drawing.ignored += 1
                continue
            }
            try add(geometry, feature, to: &drawing, &limits, &ids)
        }
        add(ordered, ids, to: &drawing)
        try DrawingLimits.check(drawing)
        return drawing
    }

    private static func add(
        _ geometry: GeoJSONGeometry, _ feature: GeoJSONFeature, to drawing: inout TrailDrawing,
        _ limits: inout DrawingLimits, _ ids: inout [String: Int]
    ) throws(TrailError) {
        let properties = feature.properties
        if geometry.lines.isEmpty, geometry.points.isEmpty { drawing.ignored += 1 }
        for point in geometry.points {
            let kind = properties.kind.flatMap { TrailPlace.Kind(rawValue: $0.lowercased()) }
            drawing.places.append(
                TrailPlace(
                    name: TrailText.name(properties.name) ?? "unnamed place", kind: kind ?? .other,
                    coordinate: try place(point)))
        }
        try limits.add(geometry.points.count, to: drawing)
        let names = (properties.trails ?? [properties.name].compactMap { $0 }).prefix(100).compactMap {
            TrailText.name($0)
        }
        let periods = geometry.lines.isEmpty ? [] : try closures(properties, &drawing)
        for (number, points) in geometry.lines.enumerated() {
            var places: [Coordinate] = []
            for point in points { places.append(try place(point)) }
            var line = TrailDrawing.Line(places, trails: names)
            line.id = TrailText.name(feature.id, most: 60)
            line.isSegment = properties.kind == "segment"
            line.source = TrailText.name(properties.source)
            line.surface = TrailText.name(properties.surface, most: 40)
            line.level = properties.level.map { min(9, max(-9, $0)) }
            line.closures = periods
            if number == 0, let id = feature.id { ids[id] = drawing.lines.count }
            drawing.lines.append(line)
            try limits.add(places.count, to: drawing)
        }
        if let length = published(properties), let name = names.first, names.count == 1 {
            drawing.published[name] = length
        }
    }

    /// Trails that list their lines: then the names at the lines say nothing more.
    private static func add(
        _ ordered: [(name: String, parts: [String], published: ClosedRange<Double>?)], _ ids: [String: Int],
        to drawing: inout TrailDrawing
    ) {
        for trail in ordered {
            let lines = trail.parts.compactMap { part in ids[part.hasPrefix("-") ? String(part.dropFirst()) : part] }
            guard !lines.isEmpty else { continue }
            drawing.trails.append(
                TrailDrawing.Trail(name: trail.name, lines: lines, published: trail.published))
        }
    }

    /// Those with dates, or else the one reason. What is called closed and cannot be read is closed: nothing is open by mistake.
    private static func closures(
        _ properties: GeoJSONProperties, _ drawing: inout TrailDrawing
    ) throws(TrailError) -> [ClosedPeriod] {
        if let list = properties.closures, !list.isEmpty {
            drawing.unreadableDates += list.count {
                $0.hasUnreadableEnd || !ClosedPeriod.isReadable(from: $0.from, until: $0.until)
            }
            return try ClosedPeriod.bounded(
                list.map { ClosedPeriod(text: $0.reason, from: $0.from, until: $0.until) })
        }
        if case .reason(let text) = properties.closed,
            let reason = TrailText.name(text, most: TrailLimits.reasonLength)
        {
            return [ClosedPeriod(reason: reason)]
        }
        guard properties.closed == .closed || properties.hasUnreadableClosures || properties.isCalledClosed else {
            return []
        }
        drawing.bareClosures += 1
        return [ClosedPeriod(text: nil, from: nil, until: nil)]
    }

    private static func published(_ properties: GeoJSONProperties) -> ClosedRange<Double>? {
        guard let list = properties.publishedLength, let least = list.min(), let most = list.max(), least > 0,
            most <= 1e7
        else { return nil }
        return least...most
    }

    /// Longitude first (section 3.1.1).
    private static func place(_ numbers: [Double]) throws(TrailError) -> Coordinate {
        guard numbers.count >= 2, let place = Coordinate(latitude: numbers[1], longitude: numbers[0]) else {
            let text = numbers.prefix(3).map { "\($0)" }.joined(separator: ", ")
            throw .unusableFile(
                "cannot import the trails: [\(text)] is no place in degrees; GeoJSON has the longitude first, on WGS 84"
            )
        }
        return place
    }

    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            context.debugDescription
        @unknown default: "it cannot be read"
        }
    }
}

/// A FeatureCollection, a Feature or a geometry.
private struct GeoJSONDocument: Decodable {
    var features: [GeoJSONFeature] = []
    var attribution: String?
    var demonstration: Bool?
    /// A coordinate reference system other than WGS 84, as files before RFC 7946 have it.
    var otherSystem: String?

    enum CodingKeys: String, CodingKey { case type, features, attribution, demonstration, crs }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.crs), try !container.decodeNil(forKey: .crs) {
            let name = (try? container.decode(GeoJSONSystem.self, forKey: .crs))?.properties.name
            otherSystem = GeoJSONSystem.isWGS84(name) ? nil : name ?? "a system without a name"
        }
        switch try container.decode(String.self, forKey: .type) {
        case "FeatureCollection":
            features = try container.decode([GeoJSONFeature].self, forKey: .features)
            attribution = try? container.decodeIfPresent(String.self, forKey: .attribution)
            demonstration = try? container.decodeIfPresent(Bool.self, forKey: .demonstration)
        case "Feature": features = [try GeoJSONFeature(from: decoder)]
        default: features = [GeoJSONFeature(geometry: try GeoJSONGeometry(from: decoder))]
        }
    }
}

/// The member `crs` of GeoJSON from before RFC 7946.
private struct GeoJSONSystem: Decodable {
    struct Properties: Decodable { var name: String }

    var properties: Properties

    /// Longitude and latitude in degrees, under the names that programs give them.
    static func isWGS84(_ name: String?) -> Bool {
        guard let name = name?.uppercased() else { return false }
        let last = name.split(separator: ":").last.map(String.init) ?? name
        return ["CRS84", "CRS84H", "WGS84", "WGS 84"].contains(last) || last == "4326" && name.contains("EPSG")
            || last == "4979" && name.contains("EPSG")
    }
}

private struct GeoJSONFeature: Decodable {
    var id: String?
    var geometry: GeoJSONGeometry?
    var properties = GeoJSONProperties()

    enum CodingKeys: String, CodingKey { case type, id, geometry, properties }

    init(geometry: GeoJSONGeometry) { self.geometry = geometry }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard try container.decode(String.self, forKey: .type) == "Feature" else {
            throw TrailError.unusableFile("cannot import the trails: the file's features are no GeoJSON Features")
        }
        id =
            (try? container.decodeIfPresent(String.self, forKey: .id))
            ?? (try? container.decodeIfPresent(Double.self, forKey: .id)).map { "\($0)" }
        geometry = try container.decodeIfPresent(GeoJSONGeometry.self, forKey: .geometry)
        properties = (try container.decodeIfPresent(GeoJSONProperties.self, forKey: .properties)) ?? properties
    }
}

/// What is used of a feature's properties; one of another type than here is as good as none.
private struct GeoJSONProperties: Decodable {
    var name: String?
    var kind: String?
    var trails: [String]?
    var parts: [String]?
    var surface: String?
    var closed: GeoJSONClosed?
    var closures: [GeoJSONClosure]?
    /// Whether there are closures that are no list of them.
    var hasUnreadableClosures = false
    /// Whether the status says so.
    var isCalledClosed = false
    var level: Int?
    /// Of a network that was written.
    var source: String?
    /// Metres.
    var publishedLength: [Double]?

    enum CodingKeys: String, CodingKey {
        case name, kind, trails, parts, surface, closed, closures, status, level, source, publishedLength
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) -> Value? {
            (try? container.decodeIfPresent(Value.self, forKey: key)) ?? nil
        }
        name = read(.name)
        kind = read(.kind)
        trails = read(.trails)
        parts = read(.parts)
        surface = read(.surface)
        closed = read(.closed)
        closures = read(.closures)
        hasUnreadableClosures =
            closures == nil && container.contains(.closures) && (try? container.decodeNil(forKey: .closures)) == false
        let status: String? = read(.status)
        // As "closed", "Temporarily closed" and "CLOSED until spring", and not "not closed".
        let words = status?.lowercased().split { !$0.isLetter } ?? []
        isCalledClosed = words.contains("closed") && !words.contains("not") && !words.contains("never")
        level = read(.level)
        source = read(.source)
        publishedLength = read(.publishedLength)
    }
}

private struct GeoJSONClosure: Decodable {
    var reason: String?
    /// RFC 3339.
    var from: String?
    var until: String?
    /// Whether one of them is no text.
    var hasUnreadableEnd = false

    enum CodingKeys: String, CodingKey { case reason, from, until }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read(_ key: CodingKeys) -> String? { (try? container.decodeIfPresent(String.self, forKey: key)) ?? nil }
        (reason, from, until) = (read(.reason), read(.from), read(.until))
        hasUnreadableEnd = [.from, .until].contains { key in
            read(key) == nil && container.contains(key) && (try? container.decodeNil(forKey: key)) == false
        }
    }
}

/// What a file has as `closed`: the reason, or only that it is.
private enum GeoJSONClosed: Decodable, Equatable {
    case open
    case closed
    case reason(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            switch text.lowercased() {
            case "", "no", "false", "open", "0": self = .open
            case "yes", "true", "closed", "1": self = .closed
            default: self = .reason(text)
            }
        } else if let number = try? container.decode(Double.self) {
            self = number == 0 ? .open : .closed
        } else {
            self = (try? container.decode(Bool.self)) == false ? .open : .closed
        }
    }
}

private struct GeoJSONGeometry: Decodable {
    var points: [[Double]] = []
    var lines: [[[Double]]] = []

    enum CodingKeys: String, CodingKey { case type, coordinates, geometries }

    /// How deep collections of geometries may nest; RFC 7946 says that they should not at all.
    private static let depth = 4

    init(from decoder: any Decoder) throws { try self.init(from: decoder, depth: Self.depth) }

    private init(from decoder: any Decoder, depth: Int) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .type) {
        case "Point": points = [try container.decode([Double].self, forKey: .coordinates)]
        case "MultiPoint": points = try container.decode([[Double]].self, forKey: .coordinates)
        case "LineString": lines = [try container.decode([[Double]].self, forKey: .coordinates)]
        case "MultiLineString": lines = try container.decode([[[Double]]].self, forKey: .coordinates)
        case "GeometryCollection":
            guard depth > 0 else { return }
            var list = try container.nestedUnkeyedContainer(forKey: .geometries)
            while !list.isAtEnd {
                let inner = try GeoJSONGeometry(from: try list.superDecoder(), depth: depth - 1)
                points += inner.points
                lines += inner.lines
            }
        case "Polygon", "MultiPolygon": break
        default:
            throw TrailError.unusableFile(
                "cannot import the trails: the file has a geometry that GeoJSON (RFC 7946) does not have")
        }
    }
}
