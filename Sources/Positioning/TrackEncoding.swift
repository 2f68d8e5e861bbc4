internal import KonzaModel

/// Writes a track for other programs.
public enum TrackEncoding {
    /// Longer pauses between two fixes begin a new segment or line, seconds.
    private static let longestPause = 30.0

    /// GPX 1.1 (topografix.com/GPX/1/1): `ele` is above mean sea level.
    public static func gpx(_ points: [TrackPoint], name: String = "Konza") -> String {
        var text = TextBuffer()
        text.add(GPXText.start())
        text.add("<trk><name>")
        text.add(XMLText.escaped(name))
        text.add("</name>")
        if let source = source(of: points) { text.add("<src>\(source.rawValue)</src>") }
        text.add("\n")
        for segment in segments(points) {
            text.add("<trkseg>\n")
            for point in segment { addGPX(point, to: &text) }
            text.add("</trkseg>\n")
        }
        text.add("</trk>\n" + GPXText.end)
        return text.string
    }

    /// The members of `trkpt` in the order of the schema's `wptType`.
    private static func addGPX(_ point: TrackPoint, to text: inout TextBuffer) {
        text.add("<trkpt lat=\"")
        text.add(point.coordinate.latitude, 9)
        text.add("\" lon=\"")
        text.add(GPXText.longitude(point.coordinate.longitude), 9)
        text.add("\">")
        text.addElement("ele", point.altitudeMSL, 3)
        text.add("<time>\(point.time.rfc3339)</time>")
        text.addElement("geoidheight", point.geoidSeparation, 3)
        if let fix = GPXText.fix(point.mode, point.status) { text.add("<fix>\(fix)</fix>") }
        if let used = point.satellitesUsed { text.add("<sat>\(used)</sat>") }
        text.addElement("hdop", point.dop.horizontal, 2)
        text.addElement("vdop", point.dop.vertical, 2)
        text.addElement("pdop", point.dop.position, 2)
        text.add("</trkpt>\n")
    }

    /// GeoJSON (RFC 7946): a Feature whose geometry is a LineString, or a MultiLineString where the track pauses or
    /// crosses the antimeridian (section 3.1.9), with the height above the ellipsoid (section 4) where every point of
    /// a line has one. The property `times` has the same shape as the coordinates; a point that was put in at the
    /// antimeridian has the time of the crossing.
    ///
    /// The geometry is null for a track without points (section 3.2); a single point is a Point.
    public static func geoJSON(_ points: [TrackPoint]) -> String {
        var text = TextBuffer()
        let lines = segments(points).flatMap { splitAtAntimeridian($0.map { Vertex($0) }) }
        text.add("{\"type\":\"Feature\",\"geometry\":")
        addGeometry(lines, to: &text)
        text.add(",\"properties\":{")
        if let source = source(of: points) { text.add("\"source\":\"\(source.rawValue)\",") }
        text.add("\"times\":")
        switch lines.count {
        case 0: text.add("[]")
        case 1: addTimes(lines[0], to: &text)
        default: text.addList(lines) { line, text in addTimes(line, to: &text) }
        }
        text.add("}}\n")
        return text.string
    }

    private static func addGeometry(_ lines: [[Vertex]], to text: inout TextBuffer) {
        if lines.isEmpty { return text.add("null") }
        if lines.count == 1, lines[0].count == 1 {
            text.add("{\"type\":\"Point\",\"coordinates\":")
            addPosition(lines[0][0], hasHeight: lines[0][0].height != nil, to: &text)
        } else if lines.count == 1 {
            text.add("{\"type\":\"LineString\",\"coordinates\":")
            addLine(lines[0], to: &text)
        } else {
            text.add("{\"type\":\"MultiLineString\",\"coordinates\":")
            text.addList(lines) { line, text in addLine(line, to: &text) }
        }
        text.add("}")
    }

    private static func addLine(_ line: [Vertex], to text: inout TextBuffer) {
        let hasHeights = line.allSatisfy { $0.height != nil }
        // A line has two positions at least (section 3.1.4): a lone fix is given twice.
        let vertices = line.count == 1 ? line + line : line
        text.addList(vertices) { vertex, text in addPosition(vertex, hasHeight: hasHeights, to: &text) }
    }

    private static func addPosition(_ vertex: Vertex, hasHeight: Bool, to text: inout TextBuffer) {
        text.add("[")
        text.add(vertex.longitude, 7)
        text.add(",")
        text.add(vertex.latitude, 7)
        if hasHeight, let height = vertex.height {
            text.add(",")
            text.add(height, 3)
        }
        text.add("]")
    }

    private static func addTimes(_ line: [Vertex], to text: inout TextBuffer) {
        text.addList(line) { vertex, text in text.add("\"\(vertex.time.rfc3339)\"") }
    }

    private static func segments(_ points: [TrackPoint]) -> [[TrackPoint]] {
        var segments: [[TrackPoint]] = []
        for point in points {
            if let last = segments.last?.last, point.time.seconds(since: last.time) <= longestPause {
                segments[segments.count - 1].append(point)
            } else {
                segments.append([point])
            }
        }
        return segments
    }

    /// One recorded point makes the whole not live; of no points nothing is said.
    private static func source(of points: [TrackPoint]) -> SourceKind? {
        (points.first { $0.source != .live } ?? points.first)?.source
    }

    /// Cuts a line where it crosses 180 degrees, with a point on either side of the cut.
    private static func splitAtAntimeridian(_ line: [Vertex]) -> [[Vertex]] {
        var lines: [[Vertex]] = [[]]
        for vertex in line {
            if let last = lines.last?.last, abs(vertex.longitude - last.longitude) > 180 {
                let edge = last.longitude < 0 ? -180.0 : 180
                let crossing = last.crossing(to: vertex, at: edge)
                if last.longitude != edge { lines[lines.count - 1].append(crossing) }
                lines.append(vertex.longitude == -edge ? [] : [crossing.moved(to: -edge)])
            }
            lines[lines.count - 1].append(vertex)
        }
        return lines
    }
}

/// A place on a line as GeoJSON has it.
private struct Vertex {
    var longitude: Double
    var latitude: Double
    var height: Double?
    var time: UTCInstant

    init(_ point: TrackPoint) {
        longitude = point.coordinate.longitude
        latitude = point.coordinate.latitude
        height = point.altitudeHAE
        time = point.time
    }

    /// The place between this one and the next where the line meets an edge of the map.
    func crossing(to next: Vertex, at edge: Double) -> Vertex {
        let unwrapped = next.longitude + (edge > 0 ? 360 : -360)
        let width = unwrapped - longitude
        let share = width == 0 ? 0 : (edge - longitude) / width
        var vertex = self
        vertex.longitude = edge
        vertex.latitude += (next.latitude - latitude) * share
        vertex.height = height.flatMap { from in next.height.map { from + ($0 - from) * share } }
        vertex.time = time.advanced(bySeconds: next.time.seconds(since: time) * share)
        return vertex
    }

    func moved(to longitude: Double) -> Vertex {
        var vertex = self
        vertex.longitude = longitude
        return vertex
    }
}

/// Text in the making.
private struct TextBuffer {
    private var bytes: [UInt8] = []

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func add(_ value: Double, _ decimals: Int) { DecimalText.append(value, decimals, to: &bytes) }

    mutating func addElement(_ name: String, _ value: Double?, _ decimals: Int) {
        guard let value else { return }
        add("<\(name)>")
        add(value, decimals)
        add("</\(name)>")
    }

    mutating func addList<Element>(_ elements: [Element], _ addOne: (Element, inout TextBuffer) -> Void) {
        add("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { add(",") }
            addOne(element, &self)
        }
        add("]")
    }
}
