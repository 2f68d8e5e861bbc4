internal import KonzaModel

extension TrailNetwork {
    /// A cut this near to a point of the line is at it, metres.
    private static let atPoint = 0.5

    /// The sources with segments cut in pieces, whose ids are `ID~1`, `ID~2` and so on.
    ///
    /// - Parameter cuts: of edges, metres along them, inside of each and in their order.
    /// - Returns: sources that make the same trails, and of each of their edges the one that it was or is a piece of.
    func cutSources(at cuts: [Int: [Double]]) -> (sources: [TrailSource], wholes: [Int32]) {
        var first = 0
        var wholes: [Int32] = []
        let sources = sources.map { source in
            var source = source
            var segments: [TrailSegment] = []
            var pieces: [Range<Int>] = []
            for (number, segment) in source.segments.enumerated() {
                let start = segments.count
                segments += cuts[first + number].map { cut(first + number, at: $0) } ?? [segment]
                pieces.append(start..<segments.count)
                wholes += pieces[number].map { _ in Int32(first + number) }
            }
            first += source.segments.count
            source.segments = segments
            for trail in source.trails.indices {
                source.trails[trail].parts = source.trails[trail].parts.flatMap { part -> [NamedTrail.Part] in
                    guard pieces.indices.contains(part.segment) else { return [] }
                    let own = pieces[part.segment].map { NamedTrail.Part($0, isReversed: part.isReversed) }
                    return part.isReversed ? own.reversed() : own
                }
            }
            return source
        }
        return (sources, wholes)
    }

    private func cut(_ edge: Int, at cuts: [Double]) -> [TrailSegment] {
        let whole = segment(edge)
        let start = Int(starts[edge])
        var lines: [[Coordinate]] = [[whole.points[0]]]
        var next = 1
        func take(before along: Double) {
            while next < whole.points.count - 1, alongs[start + next] < along - Self.atPoint {
                lines[lines.count - 1].append(whole.points[next])
                next += 1
            }
        }
        for along in cuts {
            take(before: along)
            let isAtPoint = next < whole.points.count - 1 && abs(alongs[start + next] - along) <= Self.atPoint
            let place = isAtPoint ? whole.points[next] : coordinate(on: edge, at: along)
            if isAtPoint { next += 1 }
            // Two cuts at one point are one.
            guard lines[lines.count - 1].last != place else { continue }
            lines[lines.count - 1].append(place)
            lines.append([place])
        }
        lines[lines.count - 1] += whole.points[next...]
        return lines.enumerated().map { index, points in
            var piece = whole
            (piece.id, piece.points) = ("\(whole.id)~\(index + 1)", points)
            return piece
        }
    }

    /// The id that a file has for what may be a piece of its segment, or a piece of a piece.
    static func wholeID(_ id: String) -> Substring {
        var whole = id[...]
        guard id.utf8.contains(UInt8(ascii: "~")) else { return whole }
        while let mark = whole.lastIndex(of: "~"), whole[mark...].count > 1,
            whole[whole.index(after: mark)...].allSatisfy(\.isNumber)
        {
            whole = whole[..<mark]
        }
        return whole
    }

    /// The id of the segment that a piece is of; any other id as it is.
    public static func segmentID(_ id: String) -> String { String(wholeID(id)) }

    /// Whether an edge is a piece of a segment that was cut.
    func isPiece(_ edge: Int) -> Bool {
        let id = segment(edge).id
        return Self.wholeID(id).count < id.count
    }

    /// Whether an edge is a segment, or a piece of it, as files and lists name it: a source's name and a colon may stand before the id.
    ///
    /// - Parameters:
    ///   - edge: any.
    ///   - wanted: of the segment, see ``wholeID(_:)``.
    /// - Returns: whether it is.
    func isSegment(_ edge: Int, _ wanted: Substring) -> Bool {
        let own = Self.wholeID(segment(edge).id)
        if own == wanted { return true }
        // Most ids are others: the long name is made of few.
        return wanted.hasSuffix(own) && wanted == "\(sources[Int(origins[edge].source)].name):\(own)"
    }
}
