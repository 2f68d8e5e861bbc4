internal import KonzaModel
internal import XMLReading

/// GPX 1.1 (topografix.com/GPX/1/1): tracks and routes are trails, waypoints are places. A new `trkseg` is a gap, never a straight
/// line. Heights are not used: the station has the terrain's.
enum GPXTrails {
    static func read(_ root: XMLElement) throws(TrailError) -> TrailDrawing {
        var drawing = TrailDrawing(.gpx)
        var limits = DrawingLimits()
        let prefix = root.prefix(of: closureNamespace)
        let closure = prefix.map { "\($0):closure" }
        let metadata = root.children("metadata").first
        drawing.isDemonstration =
            metadata?.children("extensions").flatMap(\.children).contains { element in
                prefix.map { element.name == "\($0):demonstration" } ?? false
            } ?? false
        drawing.attribution = TrailText.name(
            metadata?.children("copyright").first?.attributes["author"])
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
                let lines = try element.children("trkseg").map { (segment) throws(TrailError) in
                    (segment.children("trkpt"), try closures(segment, closure, &drawing))
                }
                try add(element, lines, to: &drawing, &limits)
            case "rte": try add(element, [(element.children("rtept"), [])], to: &drawing, &limits)
            case "metadata", "extensions": break
            default: drawing.ignored += 1
            }
        }
        return drawing
    }

    /// Of the elements `closure` in the `extensions` of a `trkseg`: the text is the reason, the attributes `from` and `until`
    /// are date-times of RFC 3339. The element `demonstration` in those of `metadata` says that the trails are made up.
    static let closureNamespace = "urn:konza:trails:1"

    private static func closures(
        _ element: XMLElement, _ name: String?, _ drawing: inout TrailDrawing
    ) throws(TrailError) -> [ClosedPeriod] {
        guard let name else { return [] }
        let own = element.children("extensions").flatMap(\.children).filter { $0.name == name }
        drawing.unreadableDates += own.count {
            !ClosedPeriod.isReadable(from: $0.attributes["from"], until: $0.attributes["until"])
        }
        return try ClosedPeriod.bounded(
            own.map { ClosedPeriod(text: $0.text, from: $0.attributes["from"], until: $0.attributes["until"]) })
    }

    private static func add(
        _ element: XMLElement, _ lines: [(points: [XMLElement], closures: [ClosedPeriod])],
        to drawing: inout TrailDrawing, _ limits: inout DrawingLimits
    ) throws(TrailError) {
        let number = drawing.trails.count + 1
        let name = TrailText.name(element.text("name")) ?? "trail \(number)"
        var own: [Int] = []
        let whole = lines.contains { !$0.closures.isEmpty } ? [] : closures(ofWhole: element)
        if !whole.isEmpty { drawing.bareClosures += 1 }
        for line in lines {
            var points: [Coordinate] = []
            for point in line.points {
                guard let place = point.place else { throw badPlace(point.localName, point) }
                points.append(place)
            }
            guard points.count > 1 else { continue }
            own.append(drawing.lines.count)
            var drawn = TrailDrawing.Line(points, trails: [name])
            drawn.closures = whole + line.closures
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

    /// What a track says of itself as a whole, for programs that know nothing of closures.
    private static func closures(ofWhole element: XMLElement) -> [ClosedPeriod] {
        guard element.text("type") == "closed" else { return [] }
        return [ClosedPeriod(text: element.text("cmt"), from: nil, until: nil)]
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
