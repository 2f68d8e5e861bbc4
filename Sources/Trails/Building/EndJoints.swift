internal import KonzaModel

/// Ends of lines that nearly touch another line: within 3 m they are joined to it, within 25 m they are reported.
struct EndJoints {
    private static let joining = 3.0
    private static let reporting = 25.0
    /// Nearer to a vertex than this, the vertex is taken instead of a new one.
    private static let vertexReach = 1.0
    /// The way back along the own line must be longer than this for an end to be near its own line.
    private static let ownReach = 60.0

    /// Pairs of pieces in one square, of all squares.
    private static let mostPairs = 200_000_000.0

    /// A point of a line that is put in behind another one.
    private struct Insertion {
        let after: Int
        let share: Double
        let place: Coordinate
    }

    private var lines: [TrailDrawing.Line]
    private let plane: LocalPlane
    private var insertions: [Int: [Insertion]] = [:]
    private(set) var joinedCount = 0
    private(set) var loose: [TrailReport.LooseEnd] = []
    private(set) var looseCount = 0

    init(_ lines: [TrailDrawing.Line]) {
        self.lines = lines
        plane = LocalPlane(at: lines.first { !$0.points.isEmpty }?.points[0] ?? DemonstrationTrails.trailhead)
    }

    /// The lines with their ends joined.
    ///
    /// - Throws: ``TrailError/unusableFile(_:)`` where so many lines lie on each other that they cannot be compared.
    mutating func joined() throws(TrailError) -> [TrailDrawing.Line] {
        let points = lines.map { $0.points.map(plane.point) }
        var pieces: [(line: Int32, first: Int32)] = []
        for (line, own) in points.enumerated() where own.count > 1 {
            for first in 0..<(own.count - 1) { pieces.append((Int32(line), Int32(first))) }
        }
        let grid = SegmentGrid(count: pieces.count) { piece in
            let own = points[Int(pieces[piece].line)]
            return (own[Int(pieces[piece].first)], own[Int(pieces[piece].first) + 1])
        }
        guard grid.pairs <= Self.mostPairs else {
            throw .unusableFile(
                "cannot import the trails: too many lines lie on each other; simplify the file, a point every 5 m is enough"
            )
        }
        for (line, index) in looseEnds() {
            join(line, index, points, pieces, grid)
        }
        for (line, list) in insertions { insert(list, into: line) }
        return lines
    }

    /// The ends that no other vertex is at.
    private func looseEnds() -> [(line: Int, index: Int)] {
        var uses: [VertexKey: Int] = [:]
        for line in lines where line.points.count > 1 {
            for point in line.points { uses[VertexKey(point), default: 0] += 1 }
        }
        return lines.indices.filter { lines[$0].points.count > 1 }.flatMap { line in
            [0, lines[line].points.count - 1].filter { uses[VertexKey(lines[line].points[$0])] == 1 }.map { (line, $0) }
        }
    }

    private mutating func join(
        _ line: Int, _ index: Int, _ points: [[PlanePoint]], _ pieces: [(line: Int32, first: Int32)],
        _ grid: SegmentGrid
    ) {
        let end = points[line][index]
        var best: (line: Int, first: Int, foot: Foot)?
        grid.visit(near: end, within: Self.reporting) { piece in
            let (other, first) = (Int(pieces[piece].line), Int(pieces[piece].first))
            if other == line, Self.wayBack(points[line], from: index, to: first) < Self.ownReach { return }
            let foot = Foot(of: end, on: points[other][first], points[other][first + 1])
            if foot.squaredDistance < best?.foot.squaredDistance ?? Self.reporting * Self.reporting {
                best = (other, first, foot)
            }
        }
        guard let best else { return }
        let metres = best.foot.squaredDistance.squareRoot()
        guard metres <= Self.joining, isJoined(line, to: best.line) else {
            looseCount += 1
            if loose.count < TrailLimits.reported {
                loose.append(
                    TrailReport.LooseEnd(
                        place: lines[line].points[index], metres: metres, trail: lines[line].trails.first))
            }
            return
        }
        joinedCount += 1
        lines[line].points[index] = vertex(best.line, best.first, best.foot, points[best.line])
    }

    /// Whether an end that is near enough is joined: segments of one source that was written are apart as they were in it, and those
    /// of several meet as they did (see ``TouchingEnds``).
    private func isJoined(_ line: Int, to other: Int) -> Bool {
        let (own, other) = (lines[line], lines[other])
        guard own.isSegment else { return true }
        guard other.isSegment, own.source != other.source else { return false }
        guard let level = own.level, let otherLevel = other.level else { return true }
        return level == otherLevel
    }

    /// Metres along a line from its end to a piece, as far as matters.
    private static func wayBack(_ points: [PlanePoint], from end: Int, to first: Int) -> Double {
        let range = end == 0 ? 0..<first : (first + 1)..<(points.count - 1)
        var metres = 0.0
        for index in end == 0 ? Array(range.prefix(500)) : Array(range.suffix(500).reversed()) {
            metres += points[index].distance(to: points[index + 1])
            if metres >= ownReach { break }
        }
        return metres
    }

    /// The vertex of a line at which an end is joined to it.
    private mutating func vertex(_ line: Int, _ first: Int, _ foot: Foot, _ points: [PlanePoint]) -> Coordinate {
        let length = points[first].distance(to: points[first + 1])
        if foot.share * length < Self.vertexReach { return lines[line].points[first] }
        if (1 - foot.share) * length < Self.vertexReach { return lines[line].points[first + 1] }
        let place = lines[line].points[first].between(lines[line].points[first + 1], share: foot.share)
        insertions[line, default: []].append(Insertion(after: first, share: foot.share, place: place))
        return place
    }

    private mutating func insert(_ list: [Insertion], into line: Int) {
        for insertion in list.sorted(by: { ($0.after, $0.share) > ($1.after, $1.share) }) {
            lines[line].points.insert(insertion.place, at: insertion.after + 1)
        }
    }
}
