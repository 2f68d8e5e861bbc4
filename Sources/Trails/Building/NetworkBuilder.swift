package import KonzaModel

/// Makes a source of what a file says: ends are joined, lines are split where others meet them, equal stretches are one, trails
/// are put together, and what is odd is reported.
package struct NetworkBuilder {
    /// A published length, for trails whose files do not say any: by name, metres.
    package typealias Published = [String: ClosedRange<Double>]

    private let drawing: TrailDrawing
    private var report: TrailReport
    private var source: TrailSource
    /// The segments of each line, in its direction.
    private var runs: [[NamedTrail.Part]] = []

    /// - Parameters:
    ///   - drawing: what the file says.
    ///   - name: of the source.
    ///   - origin: where the trails are from; a file that says that it is made up stays made up.
    ///   - instant: when it is imported.
    ///   - published: lengths by the names of trails.
    /// - Returns: the source, and what is to be said of it.
    /// - Throws: ``TrailError/unusableFile(_:)`` where it cannot be a network.
    package static func build(
        _ drawing: TrailDrawing, name: String, origin: TrailSource.Origin, at instant: UTCInstant?,
        published: Published = PublishedLengths.konza
    ) throws(TrailError) -> (source: TrailSource, report: TrailReport) {
        var builder = NetworkBuilder(drawing, name, origin, instant)
        try builder.build(published)
        return (builder.source, builder.report)
    }

    private init(_ drawing: TrailDrawing, _ name: String, _ origin: TrailSource.Origin, _ instant: UTCInstant?) {
        self.drawing = drawing
        report = TrailReport(format: drawing.format.rawValue)
        source = TrailSource(
            name: name, origin: drawing.isDemonstration ? .demonstration : origin, importedAt: instant,
            attribution: drawing.attribution, places: drawing.places)
    }

    private mutating func build(_ published: Published) throws(TrailError) {
        var lines = drawing.lines.map(Self.withoutRepeats)
        try checkExtent(lines)
        report.refused = drawing.refused
        report.bareClosures = drawing.bareClosures
        report.unreadableDates = drawing.unreadableDates
        report.ignored = drawing.ignored + lines.count { $0.points.count < 2 }
        var joints = EndJoints(lines)
        // Both ends of a short piece may have been joined at one place.
        lines = try joints.joined().map(Self.withoutRepeats)
        report.joinedEnds = joints.joinedCount
        report.looseEnds = joints.loose
        report.looseEndCount = joints.looseCount
        try split(lines)
        try makeTrails(published)
        describe()
    }

    /// The line without points that are where the one before them is.
    private static func withoutRepeats(_ line: TrailDrawing.Line) -> TrailDrawing.Line {
        var line = line
        var last: VertexKey?
        line.points = line.points.filter { point in
            let key = VertexKey(point)
            defer { last = key }
            return key != last
        }
        return line
    }

    private func checkExtent(_ lines: [TrailDrawing.Line]) throws(TrailError) {
        let spread = TrailLimits.spread(of: lines.lazy.flatMap(\.points))
        guard spread <= TrailLimits.extent else {
            throw .unusableFile(
                "cannot import the trails: they are more than \(Int(TrailLimits.extent / 1000)) km apart; cut the file to "
                    + "the region")
        }
        var metres = 0.0
        for line in lines {
            for (point, next) in zip(line.points, line.points.dropFirst()) { metres += point.distance(to: next) }
        }
        guard !SegmentGrid.isTooLarge(metres: metres, extent: spread) else {
            throw .unusableFile(
                "cannot import the trails: they are \(Int(metres / 1000)) km long; cut the file to the region")
        }
    }

    // MARK: - Segments

    /// Vertices where a line ends, or that have other than two neighbours.
    private func nodes(_ lines: [TrailDrawing.Line]) -> Set<VertexKey> {
        var nodes: Set<VertexKey> = []
        var neighbours: [VertexKey: (VertexKey, VertexKey?)] = [:]
        func note(_ vertex: VertexKey, _ other: VertexKey) {
            guard let known = neighbours[vertex] else { return neighbours[vertex] = (other, nil) }
            if known.0 == other || known.1 == other { return }
            if known.1 == nil { neighbours[vertex] = (known.0, other) } else { nodes.insert(vertex) }
        }
        for line in lines where line.points.count > 1 {
            let keys = line.points.map(VertexKey.init)
            for (key, next) in zip(keys, keys.dropFirst()) {
                note(key, next)
                note(next, key)
            }
            nodes.insert(keys[0])
            nodes.insert(keys[keys.count - 1])
        }
        for (vertex, known) in neighbours where known.1 == nil { nodes.insert(vertex) }
        return nodes
    }

    private mutating func split(_ lines: [TrailDrawing.Line]) throws(TrailError) {
        let nodes = nodes(lines)
        var known: [[VertexKey]: Int] = [:]
        var ids: Set<String> = []
        runs = []
        for line in lines {
            var run: [NamedTrail.Part] = []
            var start = 0
            let count = line.points.count
            for index in line.points.indices.dropFirst()
            where index == count - 1 || nodes.contains(VertexKey(line.points[index])) {
                let points = Array(line.points[start...index])
                let isWhole = start == 0 && index == count - 1
                start = index
                let keys = points.map(VertexKey.init)
                if let same = known[keys] ?? known[keys.reversed()] {
                    // One drawn twice is closed when either is.
                    let closures = source.segments[same].closures
                    if closures != line.closures {
                        source.segments[same].closures = (closures + line.closures).withoutRepeats
                    }
                    run.append(NamedTrail.Part(same, isReversed: known[keys] == nil))
                } else {
                    known[keys] = source.segments.count
                    run.append(NamedTrail.Part(source.segments.count))
                    let id = Self.id(line.id, isWhole: isWhole, number: source.segments.count + 1, &ids)
                    source.segments.append(
                        TrailSegment(
                            id: id, points: points, closures: line.closures, surface: line.surface,
                            level: line.level))
                }
            }
            runs.append(run)
            guard source.segments.count <= TrailLimits.segments else {
                throw .unusableFile(
                    "cannot import the trails: they have more than \(TrailLimits.segments) segments; cut the file to the "
                        + "region")
            }
        }
    }

    /// The file's own id where it is one of a whole line and free, else a number. One that looks like that of a piece gets another mark:
    /// pieces are the network's, see ``TrailNetwork/segmentID(_:)``.
    private static func id(_ own: String?, isWhole: Bool, number: Int, _ taken: inout Set<String>) -> String {
        let own = own.map { TrailNetwork.segmentID($0) == $0 ? $0 : $0.replacing("~", with: "-") }
        var candidates = ["s\(number)"]
        if let own { candidates = (isWhole ? [own] : []) + ["\(own)/\(number)"] + candidates }
        for candidate in candidates where taken.insert(candidate).inserted { return candidate }
        var count = number
        while true {
            count += 1
            if taken.insert("s\(number)-\(count)").inserted { return "s\(number)-\(count)" }
        }
    }

    // MARK: - Trails

    private mutating func makeTrails(_ published: Published) throws(TrailError) {
        let ends = source.segments.map { segment in
            (VertexKey(segment.points[0]), VertexKey(segment.points[segment.points.count - 1]))
        }
        var names = Set<String>()
        var partCount = 0
        func add(_ name: String, _ lines: [Int], _ length: ClosedRange<Double>?) throws(TrailError) {
            let assembly = TrailAssembly(lines.map { runs[$0] }, ends: ends)
            partCount += assembly.parts.count
            guard source.trails.count < TrailLimits.trails, assembly.parts.count <= TrailLimits.parts,
                partCount <= 4 * TrailLimits.segments
            else {
                throw .unusableFile(
                    "cannot import the trails: there are more than \(TrailLimits.trails) of them, or one has more than "
                        + "\(TrailLimits.parts) parts; cut the file to the region")
            }
            names.insert(name)
            source.trails.append(
                NamedTrail(name: name, parts: assembly.parts, publishedLength: length ?? published[name]))
        }
        for trail in drawing.trails where !names.contains(trail.name) {
            try add(trail.name, trail.lines, trail.published ?? drawing.published[trail.name])
        }
        var lines: [String: [Int]] = [:]
        var order: [String] = []
        for (index, line) in drawing.lines.enumerated() where !runs[index].isEmpty {
            for name in line.trails where !names.contains(name) {
                if lines[name] == nil { order.append(name) }
                lines[name, default: []].append(index)
            }
        }
        for name in order { try add(name, lines[name] ?? [], drawing.published[name]) }
    }

    // MARK: - The report

    private mutating func describe() {
        let network = TrailNetwork([source])
        report.segments = source.segments.count
        report.junctions = (0..<network.nodeCount).count { network.edges(at: $0).count > 2 }
        report.places = source.places.count
        report.length = (0..<network.edgeCount).reduce(0) { $0 + network.length($1) }
        report.trails = network.trails.map { trail in
            TrailReport.Trail(
                name: trail.name, length: trail.length, published: trail.published, segments: trail.parts.count)
        }
        let gaps = network.gaps
        report.gapCount = gaps.count
        report.gaps = Array(gaps.prefix(TrailLimits.reported))
        let crossings = network.crossings
        report.crossingCount = crossings.count
        report.crossings = crossings.found
        report.islands = network.islandCount
    }
}

/// Lengths that Konza Prairie's trails are published with, metres: 2.4-3.0, 4.4-4.8 and 6.0-6.5 miles.
package enum PublishedLengths {
    private static let mile = 1609.344

    package static let konza: [String: ClosedRange<Double>] = [
        "Nature Trail": 2.4 * mile...3.0 * mile, "Kings Creek Loop": 4.4 * mile...4.8 * mile,
        "Godwin Hill Loop": 6.0 * mile...6.5 * mile, "Hokanson Homestead spur": 0.05 * mile...1.0 * mile,
    ]
}
