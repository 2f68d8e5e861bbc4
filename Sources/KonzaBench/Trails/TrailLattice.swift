internal import KonzaModel
internal import KonzaTesting
internal import Trails

/// A made-up network of any size: crossing trails about 100 m apart that bend between the crossings.
struct TrailLattice {
    let source: TrailSource
    /// Along one of its trails, a step each second.
    let walk: [Coordinate]
    let corners: (Coordinate, Coordinate)

    /// Of 2·side·(side − 1) segments; nil where it would reach over a pole.
    init?(side: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let step = 0.001
        func place(_ row: Double, _ column: Double, _ shift: Double) -> Coordinate? {
            Coordinate(
                latitude: 38.9 + (row + .random(in: -shift...shift, using: &random)) * step,
                longitude: -96.9 + (column + .random(in: -shift...shift, using: &random)) * step)
        }
        var nodes: [[Coordinate]] = []
        for row in 0..<side {
            let line = (0..<side).compactMap { place(Double(row), Double($0), 0.2) }
            guard line.count == side else { return nil }
            nodes.append(line)
        }
        var segments: [TrailSegment] = []
        var trails: [NamedTrail] = []
        var walk: [Coordinate] = []
        for across in 0..<2 {
            for line in 0..<side {
                var parts: [NamedTrail.Part] = []
                for index in 0..<(side - 1) {
                    let (first, last) =
                        across == 0
                        ? (nodes[line][index], nodes[line][index + 1]) : (nodes[index][line], nodes[index + 1][line])
                    guard let bend = place(0, 0, 0.05),
                        let middle = Coordinate(
                            latitude: (first.latitude + last.latitude) / 2 + bend.latitude - 38.9,
                            longitude: (first.longitude + last.longitude) / 2 + bend.longitude + 96.9)
                    else { return nil }
                    parts.append(NamedTrail.Part(segments.count))
                    segments.append(TrailSegment(id: "s\(segments.count)", points: [first, middle, last]))
                    if across == 0, line == side / 2 { walk += Self.steps([first, middle, last]) }
                }
                trails.append(NamedTrail(name: "trail \(across)/\(line)", parts: parts))
            }
        }
        source = TrailSource(name: "lattice", origin: .imported, segments: segments, trails: trails)
        self.walk = walk
        corners = (nodes[0][0], nodes[side - 1][side - 1])
    }

    /// A place every 1.3 m or so.
    private static func steps(_ points: [Coordinate]) -> [Coordinate] {
        zip(points, points.dropFirst()).flatMap { first, last in
            (0..<33).compactMap { index in
                let share = Double(index) / 33
                return Coordinate(
                    latitude: first.latitude + (last.latitude - first.latitude) * share
                        + (index % 2 == 0 ? 2e-5 : -2e-5),
                    longitude: first.longitude + (last.longitude - first.longitude) * share)
            }
        }
    }
}
