internal import KonzaModel
internal import XMLReading

/// GPX 1.1 (topografix.com/GPX/1/1): tracks and routes are trails, waypoints are places. A new `trkseg` is a gap, never a straight
/// line. Heights are not used: the station has the terrain's.
enum GPXTrails {
    static func read(_ root: XMLElement) throws(TrailError) -> TrailDrawing {
        var drawing = TrailDrawing(.gpx)
        var limits = DrawingLimits()
        drawing.attribution = TrailText.name(
            root.children("metadata").first?.children("copyright").first?.attributes["author"])
        for element in root.children {
            switch element.localName {
            case "wpt":
                guard let place = element.place else { throw badPlace("wpt", element) }
                drawing.places.append(
                    TrailPlace(
                        name: TrailText.name(element.text("name")) ?? "unnamed place", kind: kind(element),
                        coordinate: place))
                try limits.add(1, to: drawing)
            case "trk":
                let lines = element.children("trkseg").map { $0.children("trkpt") }
                try add(element, lines, to: &drawing, &limits)
            case "rte": try add(element, [element.children("rtept")], to: &drawing, &limits)
            case "metadata", "extensions": break
            default: drawing.ignored += 1
            }
        }
        return drawing
    }

    private static func add(
        _ element: XMLElement, _ lines: [[XMLElement]], to drawing: inout TrailDrawing, _ limits: inout DrawingLimits
    ) throws(TrailError) {
        let number = drawing.trails.count + 1
        let name = TrailText.name(element.text("name")) ?? "trail \(number)"
        var own: [Int] = []
        for line in lines {
            var points: [Coordinate] = []
            for point in line {
                guard let place = point.place else { throw badPlace(point.localName, point) }
                points.append(place)
            }
            guard points.count > 1 else { continue }
            own.append(drawing.lines.count)
            var drawn = TrailDrawing.Line(points, trails: [name])
            drawn.closedReason = closedReason(element)
            drawing.lines.append(drawn)
            try limits.add(points.count, to: drawing)
        }
        guard !own.isEmpty else { return drawing.ignored += 1 }
        if let same = drawing.trails.firstIndex(where: { $0.name == name }) {
            drawing.trails[same].lines += own
        } else {
            drawing.trails.append(TrailDrawing.Trail(name: name, lines: own))
        }
        try DrawingLimits.check(drawing)
    }

    /// What this station writes for a closed segment.
    private static func closedReason(_ element: XMLElement) -> String? {
        guard element.text("type") == "closed" else { return nil }
        return TrailText.name(element.text("cmt"), most: TrailLimits.reasonLength) ?? "closed"
    }

    private static func kind(_ element: XMLElement) -> TrailPlace.Kind {
        for text in [element.text("type"), element.text("sym")] {
            if let text, let kind = TrailPlace.Kind(rawValue: text.lowercased()) { return kind }
        }
        let symbol = (element.text("sym") ?? "").lowercased()
        if symbol.contains("trail head") { return .trailhead }
        if symbol.contains("parking") { return .parking }
        if symbol.contains("restroom") { return .toilets }
        if symbol.contains("scenic") { return .viewpoint }
        if symbol.contains("summit") { return .peak }
        return .other
    }

    private static func badPlace(_ noun: String, _ element: XMLElement) -> TrailError {
        let values = ["lat", "lon"].map { "\($0)=\"\((element.attributes[$0] ?? "").prefix(30))\"" }
        return .unusableFile(
            "cannot import the trails: a \(noun) is at \(values.joined(separator: " ")), which is no place in degrees; "
                + "correct the file")
    }
}
