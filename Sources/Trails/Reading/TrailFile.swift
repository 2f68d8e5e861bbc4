internal import JSONCoding
internal import KonzaModel
internal import XMLReading

/// Reads a file of trails, whatever its form.
package enum TrailFile {
    /// - Parameter bytes: GeoJSON (RFC 7946), GPX 1.1 or OSM XML.
    /// - Returns: what it says.
    /// - Throws: ``TrailError/unusableFile(_:)`` with why, and what to do.
    package static func read(_ bytes: [UInt8]) throws(TrailError) -> TrailDrawing {
        guard bytes.count <= TrailLimits.fileBytes else {
            throw .unusableFile(
                "cannot import the trails: the file has \(bytes.count) bytes, and \(TrailLimits.fileBytes) are the most; "
                    + "cut it to the region")
        }
        guard !isUTF16(bytes) else {
            throw .unusableFile("cannot import the trails: the file is UTF-16; save it as UTF-8")
        }
        var drawing: TrailDrawing
        switch firstOfContent(bytes) {
        case UInt8(ascii: "{"): drawing = try GeoJSONTrails.read(bytes)
        case UInt8(ascii: "<"): drawing = try xml(bytes)
        default:
            throw .unusableFile(
                "cannot import the trails: the file is neither GeoJSON nor GPX nor OSM XML; export the trails in one of "
                    + "these forms")
        }
        drawing.lines = drawing.lines.map { line in
            var line = line
            line.trails = line.trails.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            return line
        }
        guard drawing.lines.contains(where: { $0.points.count > 1 }) else {
            throw .unusableFile(
                "cannot import the trails: the file has no line that may be walked"
                    + (drawing.refused > 0 ? ", and \(drawing.refused) that may not" : "")
                    + "; it must have LineStrings, tracks, routes or ways")
        }
        return drawing
    }

    /// The first byte behind white space and the mark that some editors begin UTF-8 with.
    private static func firstOfContent(_ bytes: [UInt8]) -> UInt8? {
        for byte in bytes {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF: continue
            default: return byte
            }
        }
        return nil
    }

    /// By its mark (RFC 2781), or by one of the first two characters, which are in ASCII.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        let start = Array(bytes.prefix(2))
        return start == [0xFE, 0xFF] || start == [0xFF, 0xFE] || start.count == 2 && start.contains(0)
    }

    private static func xml(_ bytes: [UInt8]) throws(TrailError) -> TrailDrawing {
        var limits = XMLLimits()
        limits.bytes = TrailLimits.fileBytes
        limits.elements = 4 * TrailLimits.points
        limits.keepsAttributes = true
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLDocument.root(of: bytes, limits: limits)
        } catch {
            throw .unusableFile("cannot import the trails: \(error)")
        }
        switch root.localName {
        case "gpx": return try GPXTrails.read(root)
        case "osm": return try OSMTrails.read(root)
        default:
            throw .unusableFile(
                "cannot import the trails: the file's root element is \(root.localName.prefix(40)), and gpx or osm is "
                    + "needed")
        }
    }
}

extension XMLElement {
    /// The name without the prefix of its namespace.
    var localName: String { name.split(separator: ":").last.map(String.init) ?? name }

    func children(_ name: String) -> [XMLElement] { children.filter { $0.localName == name } }

    func text(_ name: String) -> String? { children.first { $0.localName == name }?.text }

    /// The prefix that the element gives to a namespace (XML Names, section 3).
    func prefix(of namespace: String) -> String? {
        attributes.filter { $0.value == namespace && $0.key.hasPrefix("xmlns:") }.map { String($0.key.dropFirst(6)) }
            .min()
    }

    /// The place of attributes `lat` and `lon`.
    var place: Coordinate? {
        guard let latitude = attributes["lat"].flatMap(Double.init),
            let longitude = attributes["lon"].flatMap(Double.init)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }
}
