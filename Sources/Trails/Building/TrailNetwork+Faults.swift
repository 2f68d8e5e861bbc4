internal import KonzaModel

/// What is odd about a network.
extension TrailNetwork {
    /// Places where a trail has no line between two of its parts.
    var gaps: [TrailReport.Gap] {
        trails.flatMap { trail in
            zip(trail.parts, trail.parts.dropFirst()).compactMap { part, next in
                let (leaves, enters) = (node(part, atEnd: true), node(next, atEnd: false))
                guard leaves != enters else { return nil }
                let (first, last) = (place(part, atEnd: true), place(next, atEnd: false))
                return TrailReport.Gap(
                    trail: trail.name, metres: plane.point(first).distance(to: plane.point(last)), from: first, to: last
                )
            }
        }
    }

    private func node(_ part: Part, atEnd: Bool) -> Int {
        let (first, last) = nodes(part.edge)
        return part.isReversed == atEnd ? first : last
    }

    private func place(_ part: Part, atEnd: Bool) -> Coordinate {
        coordinate(on: part.edge, at: part.isReversed == atEnd ? 0 : length(part.edge))
    }

    /// Parts of the network that no way connects.
    var islandCount: Int {
        var island = [Int](repeating: -1, count: nodeCount)
        var count = 0
        for start in 0..<nodeCount where island[start] < 0 {
            var list = [start]
            island[start] = count
            while let node = list.popLast() {
                for entry in edges(at: node) {
                    let next = entry % 2 == 0 ? Int(to[Int(entry) / 2]) : Int(from[Int(entry) / 2])
                    if island[next] < 0 {
                        island[next] = count
                        list.append(next)
                    }
                }
            }
            count += 1
        }
        return count
    }

    /// Places where two lines cross without a node, those on different levels and those on one ground left out: there one is led from
    /// one to the other.
    var crossings: (count: Int, found: [TrailReport.Crossing]) {
        var (count, found): (Int, [TrailReport.Crossing]) = (0, [])
        visitPieces { piece, edge, first in
            let (start, end) = (points[first], points[first + 1])
            var seen: Set<Int> = []
            visitPieces(along: start, end) { other, otherEdge, otherFirst in
                guard other > piece else { return }
                guard segment(edge).level ?? 0 == segment(otherEdge).level ?? 0,
                    let place = Self.crossing(start, end, points[otherFirst], points[otherFirst + 1]),
                    !isOneGround(edge, otherEdge, start, end, points[otherFirst], points[otherFirst + 1])
                else { return }
                guard seen.insert(other).inserted else { return }
                count += 1
                guard found.count < TrailLimits.reported, let coordinate = plane.coordinate(place) else { return }
                let names = [name(of: edge), name(of: otherEdge)].compactMap { $0 }
                found.append(TrailReport.Crossing(place: coordinate, trails: names))
            }
        }
        return (count, found)
    }

    /// Whether pieces of two edges are drawings of one ground; of one edge, whether they run along each other.
    private func isOneGround(
        _ edge: Int, _ other: Int, _ start: PlanePoint, _ end: PlanePoint, _ from: PlanePoint, _ to: PlanePoint
    ) -> Bool {
        guard edge == other else {
            return sharedGround.others(of: edge).contains(Int32(other))
                || sharedGround.others(of: other).contains(Int32(edge))
        }
        let scalar =
            (end.east - start.east) * (to.east - from.east) + (end.north - start.north) * (to.north - from.north)
        return abs(scalar) >= SharedGround.leastCosine * start.distance(to: end) * from.distance(to: to)
    }

    /// Where two pieces cross inside both; those that share an end do not.
    private static func crossing(
        _ first: PlanePoint, _ second: PlanePoint, _ third: PlanePoint, _ fourth: PlanePoint
    ) -> PlanePoint? {
        let (ax, ay) = (second.east - first.east, second.north - first.north)
        let (bx, by) = (fourth.east - third.east, fourth.north - third.north)
        let cross = ax * by - ay * bx
        guard cross != 0 else { return nil }
        let (dx, dy) = (third.east - first.east, third.north - first.north)
        let (along, across) = ((dx * by - dy * bx) / cross, (dx * ay - dy * ax) / cross)
        // A centimetre from an end two pieces meet, they do not cross.
        let (margin, otherMargin) = (0.01 / (ax * ax + ay * ay).squareRoot(), 0.01 / (bx * bx + by * by).squareRoot())
        guard along > margin, along < 1 - margin, across > otherMargin, across < 1 - otherMargin else { return nil }
        return PlanePoint(first.east + ax * along, first.north + ay * along)
    }
}
