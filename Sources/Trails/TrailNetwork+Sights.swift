public import KonzaModel

/// What of the trails can be seen from somewhere, for whoever knows what the ground hides.
public struct TrailSights: Sendable {
    /// A trail as points at equal distances; a gap of the trail begins another line.
    public struct Course: Sendable {
        public let name: String
        /// Where it is the shortest trail, or the only one.
        public let lines: [[Coordinate]]
        /// Where a shorter trail goes the same way.
        public let shared: [[Coordinate]]
    }

    public struct Crossing: Sendable {
        /// Of the two shortest trails that meet there.
        public let name: String
        public let coordinate: Coordinate
    }

    public let courses: [Course]
    public let crossings: [Crossing]
}

extension TrailNetwork {
    /// The most points of all courses, and the most junctions.
    private static let mostPoints = 4000
    private static let mostCrossings = 200

    /// The trails as points, and the junctions where two of them meet.
    ///
    /// - Parameter step: metres between two points; more where the network is large.
    /// - Returns: the trails that have a name, and the junctions of different ones.
    public func sights(every step: Double = 25) -> TrailSights {
        let step = max(step, totalLength / Double(Self.mostPoints))
        let courses = trails.indices.map { index in
            let lines = lines(of: trails[index]) { edgeTrails[$0].first == Int32(index) }
            func thin(_ isOwn: Bool) -> [[Coordinate]] {
                lines.filter { $0.mark == isOwn }.map { thinned($0.points, step) }
            }
            return TrailSights.Course(name: trails[index].name, lines: thin(true), shared: thin(false))
        }
        var crossings: [TrailSights.Crossing] = []
        for node in 0..<nodeCount where crossings.count < Self.mostCrossings && edges(at: node).count > 2 {
            var names: [String] = []
            for entry in edges(at: node) {
                let own = edgeTrails[Int(entry) / 2].first.map { trails[Int($0)].name }
                if let own, !names.contains(own) { names.append(own) }
            }
            guard let entry = edges(at: node).first, names.count > 1 else { continue }
            let edge = Int(entry) / 2
            crossings.append(
                TrailSights.Crossing(
                    name: names.prefix(2).joined(separator: " / "),
                    coordinate: coordinate(on: edge, at: entry % 2 == 0 ? 0 : length(edge))))
        }
        return TrailSights(courses: courses, crossings: crossings)
    }

    private func thinned(_ line: [Coordinate], _ step: Double) -> [Coordinate] {
        guard let first = line.first else { return [] }
        var made = [first]
        var last = plane.point(first)
        var left = step
        for place in line.dropFirst() {
            let next = plane.point(place)
            var distance = last.distance(to: next)
            while distance >= left, distance > 0 {
                let share = left / distance
                last = PlanePoint(
                    last.east + (next.east - last.east) * share, last.north + (next.north - last.north) * share)
                if let point = plane.coordinate(last) { made.append(point) }
                distance -= left
                left = step
            }
            left -= distance
            last = next
        }
        return made
    }

    /// The trails of which a part is closed by their names, and how much it is.
    public func closedTrails(_ closed: ClosedEdges) -> [String: ClosedPart] {
        guard !closed.isEmpty else { return [:] }
        return trails.reduce(into: [:]) { parts, trail in
            if let part = closedPart(of: trail, closed) { parts[trail.name] = part }
        }
    }
}
