internal import KonzaModel

/// The stretches between two occupied places. One that was walked before, forth or back, is taken as it was drawn then.
struct RecordedLegs {
    /// As much two walks of one way may differ: in length by a share and metres, aside by metres.
    private static let lengthShare = 0.15
    private static let lengthMetres = 15.0
    private static let aside = 15.0

    private var known: [[Coordinate]]

    /// - Parameter lines: the segments of earlier recordings.
    init(_ lines: [[Coordinate]]) { known = lines.filter { $0.count > 1 } }

    /// The points of a stretch.
    mutating func merged(_ stretch: [TrailRecording.Vertex]) -> [Coordinate] {
        var result: [Coordinate] = []
        var leg: [TrailRecording.Vertex] = []
        for vertex in stretch {
            leg.append(vertex)
            guard vertex.node != nil, leg.count > 1 else { continue }
            append(points(of: leg), to: &result)
            leg = [vertex]
        }
        if leg.count > 1 { append(leg.map(\.place), to: &result) }
        return result
    }

    private func append(_ points: [Coordinate], to result: inout [Coordinate]) {
        result += result.isEmpty ? points[...] : points.dropFirst()
    }

    private mutating func points(of leg: [TrailRecording.Vertex]) -> [Coordinate] {
        let own = leg.map(\.place)
        guard leg.first?.node != nil, let first = own.first, let last = own.last else { return own }
        let ends = (VertexKey(first), VertexKey(last))
        for line in known {
            guard let start = line.first, let end = line.last else { continue }
            if (VertexKey(start), VertexKey(end)) == ends, Self.isSame(own, line) { return line }
            if (VertexKey(end), VertexKey(start)) == ends, Self.isSame(own, line.reversed()) { return line.reversed() }
        }
        known.append(own)
        return own
    }

    private static func isSame(_ own: [Coordinate], _ line: [Coordinate]) -> Bool {
        let plane = LocalPlane(at: own[0])
        let (walked, drawn) = (own.map(plane.point), line.map(plane.point))
        let (length, other) = (metres(walked), metres(drawn))
        guard abs(length - other) <= lengthShare * other + lengthMetres else { return false }
        return isNear(walked, drawn) && isNear(drawn, walked)
    }

    private static func metres(_ points: [PlanePoint]) -> Double {
        zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) }
    }

    private static func isNear(_ points: [PlanePoint], _ line: [PlanePoint]) -> Bool {
        points.allSatisfy { point in
            zip(line, line.dropFirst()).contains { pair in
                Foot(of: point, on: pair.0, pair.1).squaredDistance <= aside * aside
            }
        }
    }
}
