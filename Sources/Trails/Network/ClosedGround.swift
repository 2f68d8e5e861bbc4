internal import KonzaModel

/// Where a segment lay when it was closed. Ids of segments are the file's, or made up in the order of its lines: of the file that is
/// imported anew another segment may have the id. The ground stays where it is, and what lies on it is closed, whatever its name.
public struct ClosedGround: Codable, Sendable, Equatable {
    /// So many points are kept of a line at most: some 4 kB on the disk.
    static let mostPoints = 200
    /// A millionth of a degree is 0.1 m.
    private static let scale = 1e6
    /// A segment of the same source and id is still the one that was closed while half of it is so near to where it lay, metres.
    static let moved = 50.0

    /// Of the segment.
    public var source: String
    /// Of its line, latitude and longitude in turn, millionths of a degree.
    public var line: [Int]
    /// See ``TrailSegment/level``.
    public var level: Int?

    /// - Parameters:
    ///   - segment: whose line is kept, without points that it is straight without.
    ///   - source: the name of the source that it is from.
    public init(_ segment: TrailSegment, of source: String) {
        self.source = source
        level = segment.level
        line = Self.thinned(segment.points).flatMap {
            [Int(($0.latitude * Self.scale).rounded()), Int(($0.longitude * Self.scale).rounded())]
        }
    }

    /// The line's points; what no konzad wrote is left out.
    var points: [Coordinate] {
        stride(from: 0, to: line.count - 1, by: 2).compactMap {
            Coordinate(latitude: Double(line[$0]) / Self.scale, longitude: Double(line[$0 + 1]) / Self.scale)
        }
    }

    /// A line without the points that are nearest to the line without them, as far as there are too many (the algorithm of Ramer, 1972,
    /// and of Douglas and Peucker, 1973, by the greatest deviation first).
    private static func thinned(_ places: [Coordinate]) -> [Coordinate] {
        guard places.count > 2 else { return places }
        let plane = LocalPlane(at: places[0])
        let points = places.map(plane.point)
        /// The point of a stretch that is farthest from the straight line between its ends.
        func farthest(_ first: Int, _ last: Int) -> (index: Int, deviation: Double)? {
            (first + 1..<max(first + 1, last)).map { index in
                (index, Foot(of: points[index], on: points[first], points[last]).squaredDistance)
            }.max { $0.1 < $1.1 }
        }
        var kept = [0, points.count - 1]
        var worst = [farthest(0, points.count - 1)]
        while kept.count < mostPoints {
            let next = worst.indices.max { (worst[$0]?.deviation ?? 0) < (worst[$1]?.deviation ?? 0) }
            // Nearer than a quarter of a metre a line is as good as straight.
            guard let next, let found = worst[next], found.deviation > 1 / 16 else { break }
            worst.replaceSubrange(
                next...next, with: [farthest(kept[next], found.index), farthest(found.index, kept[next + 1])])
            kept.insert(found.index, at: next + 1)
        }
        return kept.map { places[$0] }
    }
}

extension TrailNetwork {
    /// The edges on a ground: those that half of lies beside its line, or that half of its line lies beside. Where there is none, the line
    /// was drawn anew elsewhere: those of its source and id that are near to where it was.
    func edges(on ground: ClosedGround, segment id: String) -> [Int] {
        let line = ground.points.map(plane.point)
        guard line.count > 1 else { return [] }
        func isAtLevel(_ edge: Int) -> Bool {
            segment(edge).level.flatMap { level in ground.level.map { $0 == level } } ?? true
        }
        let metres = zip(line, line.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
        let beside = SharedGround.metres(beside: line, in: self).filter { edge, shared in
            isAtLevel(edge) && shared * 2 >= min(length(edge), metres)
        }
        if !beside.isEmpty { return beside.keys.sorted() }
        let whole = Self.wholeID(id)
        return (0..<edgeCount).filter { edge in
            sources[Int(origins[edge].source)].name == ground.source && Self.wholeID(segment(edge).id) == whole
                && isNear(edge, to: line)
        }
    }

    /// Whether half of an edge's points are near to a line.
    private func isNear(_ edge: Int, to line: [PlanePoint]) -> Bool {
        let limit = ClosedGround.moved * ClosedGround.moved
        let own = (0...8).map { point(on: edge, at: length(edge) * Double($0) / 8) }
        return own.count { point in
            zip(line, line.dropFirst()).contains { Foot(of: point, on: $0, $1).squaredDistance <= limit }
        } * 2 >= own.count
    }

    /// The one segment that an id names, and its source: of a piece the segment that was cut.
    ///
    /// - Parameter id: a source's name and a colon may stand before it.
    /// - Returns: nil if there is none.
    /// - Throws: ``TrailError/tooMany(_:)`` where several sources have one, or where the line of that id is several segments, as others
    ///   meet it.
    public func segment(named id: String) throws(TrailError) -> (source: String, segment: TrailSegment)? {
        let found = segments(named: id)
        if found.isEmpty {
            let parts = sources.flatMap(\.segments).map { Self.segmentID($0.id) }.filter { $0.hasPrefix("\(id)/") }
            let names = parts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            guard names.isEmpty else {
                throw .tooMany(
                    "cannot tell which segment \(id) is: others meet that line, and it is \(Self.listed(names))")
            }
        }
        guard found.count < 2 else {
            let names = found.map { "\($0.source):\($0.segment.id)" }
            throw .tooMany("cannot tell which segment \(id) is: it may be \(Self.listed(names)); give its source, too")
        }
        return found.first
    }

    /// The whole segments that an id may mean, each with the name of its source: of pieces the segment that was cut.
    func segments(named id: String) -> [(source: String, segment: TrailSegment)] {
        let whole = Self.wholeID(id)
        var found: [(source: String, segment: TrailSegment)] = []
        for edge in 0..<edgeCount where isSegment(edge, whole) {
            let source = sources[Int(origins[edge].source)].name
            var piece = segment(edge)
            piece.id = Self.segmentID(piece.id)
            if let last = found.indices.last, found[last].source == source, found[last].segment.id == piece.id {
                found[last].segment.points += piece.points.dropFirst()
            } else {
                found.append((source, piece))
            }
        }
        return found
    }
}
