internal import KonzaModel
internal import XMLReading

/// OSM XML of a region (wiki.openstreetmap.org/wiki/OSM_XML): ways that people may walk, hiking routes, and places beside them.
enum OSMTrails {
    private static let walkable: Set = ["path", "footway", "steps", "track", "bridleway", "pedestrian"]
    /// Elements beyond these are no elements of the format.
    private static let relationLimit = 20_000

    static func read(_ root: XMLElement) throws(TrailError) -> TrailDrawing {
        var drawing = TrailDrawing(.osm)
        drawing.attribution = "© OpenStreetMap contributors"
        var limits = DrawingLimits()
        var nodes: [String: Coordinate] = [:]
        for node in root.children("node") {
            guard let id = node.attributes["id"], let place = node.place else { continue }
            nodes[id] = place
            if let found = Self.place(of: node, at: place) { drawing.places.append(found) }
        }
        try DrawingLimits.check(drawing)
        let closedRelations = closedWays(root)
        var lines: [String: Int] = [:]
        for way in root.children("way") {
            let tags = tags(way)
            guard let kind = tags["highway"] else { continue }
            guard walkable.contains(kind), mayBeWalked(tags) else {
                drawing.refused += 1
                continue
            }
            var line = TrailDrawing.Line(way.children("nd").compactMap { $0.attributes["ref"].flatMap { nodes[$0] } })
            guard line.points.count > 1 else {
                drawing.ignored += 1
                continue
            }
            line.trails = [TrailText.name(tags["name"])].compactMap { $0 }
            line.id = way.attributes["id"].map { "way/\($0.prefix(30))" }
            line.surface = TrailText.name(tags["surface"], most: 40)
            line.level = level(tags)
            let reason = closedReason(tags) ?? way.attributes["id"].flatMap { closedRelations[$0] }
            line.closures = reason.map { [ClosedPeriod(reason: $0)] } ?? []
            if let id = way.attributes["id"] { lines[id] = drawing.lines.count }
            drawing.lines.append(line)
            try limits.add(line.points.count, to: drawing)
        }
        addRoutes(root, lines, to: &drawing)
        try DrawingLimits.check(drawing)
        return drawing
    }

    private static func tags(_ element: XMLElement) -> [String: String] {
        var tags: [String: String] = [:]
        for tag in element.children("tag") {
            if let key = tag.attributes["k"], let value = tag.attributes["v"] { tags[key] = value }
        }
        return tags
    }

    /// What is said of people on foot counts more than what is said of everybody.
    static func mayBeWalked(_ tags: [String: String]) -> Bool {
        if let foot = tags["foot"] {
            if ["yes", "designated", "permissive"].contains(foot) { return true }
            if ["no", "private", "use_sidepath"].contains(foot) { return false }
        }
        return !["no", "private"].contains(tags["access"] ?? "yes")
    }

    /// A closure that depends on something else is said to be one, since nobody here can tell when it holds.
    private static func closedReason(_ tags: [String: String]) -> String? {
        for key in ["foot:conditional", "access:conditional"] {
            guard let value = tags[key], value.hasPrefix("no") || value.hasPrefix("private") else { continue }
            return TrailText.name("\(key)=\(value)", most: TrailLimits.reasonLength)
        }
        return tags["state"] == "closed" ? "state=closed" : nil
    }

    private static func closedWays(_ root: XMLElement) -> [String: String] {
        var reasons: [String: String] = [:]
        for relation in root.children("relation").prefix(relationLimit) {
            let tags = tags(relation)
            guard tags["route"] == "hiking" || tags["route"] == "foot", tags["state"] == "closed" else { continue }
            let name = TrailText.name(tags["name"]) ?? "a hiking route"
            for member in relation.children("member") where member.attributes["type"] == "way" {
                if let id = member.attributes["ref"] { reasons[id] = "\(name) is closed" }
            }
        }
        return reasons
    }

    private static func addRoutes(_ root: XMLElement, _ lines: [String: Int], to drawing: inout TrailDrawing) {
        for relation in root.children("relation").prefix(relationLimit) {
            let tags = tags(relation)
            guard tags["route"] == "hiking" || tags["route"] == "foot", let name = TrailText.name(tags["name"]) else {
                continue
            }
            let own = relation.children("member").compactMap { member in
                member.attributes["type"] == "way" ? member.attributes["ref"].flatMap { lines[$0] } : nil
            }.prefix(TrailLimits.parts)
            guard !own.isEmpty else { continue }
            for line in Set(own) { drawing.lines[line].trails.append(name) }
            var trail = TrailDrawing.Trail(name: name, lines: Array(own))
            // The tag is in kilometres where it names no unit.
            if let length = tags["distance"].flatMap({ Double($0.replacing(" km", with: "")) }),
                (0.01...10_000).contains(length)
            {
                trail.published = length * 1000...length * 1000
            }
            drawing.trails.append(trail)
        }
    }

    private static func level(_ tags: [String: String]) -> Int? {
        if let bridge = tags["bridge"], bridge != "no" { return tags["layer"].flatMap { Int($0) } ?? 1 }
        if let tunnel = tags["tunnel"], tunnel != "no" { return tags["layer"].flatMap { Int($0) } ?? -1 }
        return nil
    }

    private static func place(of node: XMLElement, at coordinate: Coordinate) -> TrailPlace? {
        guard !node.children.isEmpty else { return nil }
        let tags = tags(node)
        let kind: TrailPlace.Kind? =
            switch true {
            case tags["highway"] == "trailhead": .trailhead
            case tags["information"] == "guidepost": .guidepost
            case tags["information"] == "board": .board
            case tags["tourism"] == "viewpoint": .viewpoint
            case tags["amenity"] == "toilets": .toilets
            case tags["amenity"] == "parking": .parking
            case tags["man_made"] == "mast", tags["man_made"] == "tower": .mast
            case tags["natural"] == "peak": .peak
            default: nil
            }
        return kind.map {
            TrailPlace(name: TrailText.name(tags["name"]) ?? $0.rawValue, kind: $0, coordinate: coordinate)
        }
    }
}
