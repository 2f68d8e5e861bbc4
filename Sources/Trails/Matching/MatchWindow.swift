internal import KonzaModel

/// The steps of the last 30 seconds, and what it costs to have walked to each edge at the newest one: Viterbi's algorithm over
/// a hidden Markov model (P. Newson, J. Krumm, GIS 2009). Costs of a step are d²/2σ², those between two steps the difference of
/// the way along the network and the way through the air, over β.
struct MatchWindow: Sendable {
    static let seconds = 30.0
    /// Steps that are kept at most: one a second.
    private static let mostSteps = 32
    /// β, metres.
    private static let beta = 3.0
    /// The cost of a way that the network does not have.
    private static let noWay = 15.0
    /// How far the network is searched for a way between two steps, metres beyond the way through the air.
    private static let searched = 40.0

    struct Step: Sendable {
        let time: UTCInstant
        let point: PlanePoint
        let spots: [TrailNetwork.Spot]
        /// d²/2σ² of each spot.
        let own: [Double]
        /// From each spot of the step before to each of this, row by row.
        let between: [Double]
    }

    private(set) var steps: [Step] = []

    mutating func removeAll() { steps.removeAll(keepingCapacity: true) }

    mutating func add(_ fix: TrailFix, _ point: PlanePoint, _ spots: [TrailNetwork.Spot], in network: TrailNetwork) {
        let oldest = fix.time.advanced(bySeconds: -Self.seconds)
        let kept = max(steps.firstIndex { $0.time >= oldest } ?? steps.count, steps.count - Self.mostSteps + 1)
        if kept > 0 { steps.removeFirst(min(kept, steps.count)) }
        let square = 2 * fix.sigma * fix.sigma
        let own = spots.map { $0.distance * $0.distance / square }
        var between: [Double] = []
        if let last = steps.last {
            let moved = last.point.distance(to: point)
            between.reserveCapacity(last.spots.count * spots.count)
            for spot in last.spots {
                for next in spots {
                    let route = network.route(from: spot, to: next, within: moved + Self.searched)
                    between.append(min(Self.noWay, route.map { abs($0 - moved) / Self.beta } ?? Self.noWay))
                }
            }
        }
        steps.append(Step(time: fix.time, point: point, spots: spots, own: own, between: between))
    }

    /// What it costs at least to have come to each spot of the newest step.
    var costs: [Double] {
        var costs = steps.first?.own ?? []
        for step in steps.dropFirst() {
            var next = step.own
            for index in next.indices {
                var least = Double.infinity
                for before in costs.indices {
                    least = min(least, costs[before] + step.between[before * next.count + index])
                }
                // Without a spot before, the walk begins here.
                next[index] += costs.isEmpty ? 0 : least
            }
            costs = next
        }
        return costs
    }
}

extension TrailNetwork {
    /// The way along the network between two spots that are near each other, metres.
    ///
    /// - Returns: nil where there is none within so many metres and three edges between.
    func route(from first: Spot, to second: Spot, within metres: Double) -> Double? {
        var least = first.edge == second.edge ? abs(second.along - first.along) : Double.infinity
        if least <= metres, length(first.edge) > metres { return least }
        for (node, way) in ends(first) where way < min(least, metres) {
            least = min(least, way + (route(from: node, to: second, within: metres - way, hops: 3) ?? .infinity))
        }
        return least <= metres ? least : nil
    }

    private func ends(_ spot: Spot) -> [(node: Int, way: Double)] {
        let (start, end) = nodes(spot.edge)
        return [(start, spot.along), (end, length(spot.edge) - spot.along)]
    }

    private func route(from node: Int, to spot: Spot, within metres: Double, hops: Int) -> Double? {
        var least = Double.infinity
        for (end, way) in ends(spot) where end == node { least = min(least, way) }
        guard hops > 0 else { return least <= metres ? least : nil }
        for entry in edges(at: node) {
            let edge = Int(entry) / 2
            let length = length(edge)
            guard length < min(least, metres), edge != spot.edge else { continue }
            let next = entry % 2 == 0 ? Int(to[edge]) : Int(from[edge])
            if let way = route(from: next, to: spot, within: min(least, metres) - length, hops: hops - 1) {
                least = min(least, length + way)
            }
        }
        return least <= metres ? least : nil
    }
}
