internal import KonzaModel

/// The quickest way between two spots of a network: Dijkstra's algorithm with the distance through the air as a lower bound (A*),
/// both ends as virtual nodes on their edges. Closed edges are used only to leave them: from a start that lies on one, until the first
/// open edge, and as few metres of them as the end can be reached with.
struct WayFinder {
    /// An edge of a way, or a piece of one.
    struct Leg: Equatable {
        let edge: Int
        /// Metres along the edge where the leg begins and ends; it is walked backwards where the end is less.
        let from: Double
        let to: Double

        var length: Double { abs(to - from) }
    }

    struct Way: Equatable {
        var legs: [Leg]
        var seconds: Double
    }

    let network: TrailNetwork
    let closed: ClosedEdges
    /// Whether the start is outside of the trails, as at a trailhead: then a closed edge is left by its nearer end only.
    var startsOutside = false

    /// Metres from the end of an edge within which a spot is at its node, and so on every edge there.
    private static let atNode = 0.5

    /// - Returns: nil where no open way leads there.
    func way(from start: TrailNetwork.Spot, to end: TrailNetwork.Spot) -> Way? {
        let start = openSpot(at: start) ?? start
        let startsClosed = closed.contains(start.edge)
        var best: (way: Way, cost: WayCost)?
        if start.edge == end.edge, !(startsClosed && startsOutside) {
            let direct = leg(start.edge, start.along, end.along)
            let cost = WayCost(
                closed: startsClosed ? direct.length : 0, seconds: seconds(start.edge, start.along, end.along))
            best = (Way(legs: [direct], seconds: cost.seconds), cost)
        }
        let goals = goals(end)
        var search = WaySearch(network, closed, target: network.point(on: end.edge, at: end.along))
        // Nodes of the first layer are reached over closed edges alone.
        let layer = startsClosed && !startsOutside ? 0 : 1
        let (first, last) = network.nodes(start.edge)
        var ends: [(Int, Double, Int32)] = [(first, 0, -1), (last, network.length(start.edge), -2)]
        if startsClosed, startsOutside { ends.remove(at: start.along * 2 > network.length(start.edge) ? 0 : 1) }
        for (node, along, entry) in ends {
            let cost = WayCost(
                closed: startsClosed ? abs(along - start.along) : 0, seconds: seconds(start.edge, start.along, along))
            search.begin(node, layer, cost, by: entry)
        }
        let limit = best?.cost ?? WayCost(closed: .infinity, seconds: .infinity)
        guard let found = search.run(to: goals.map { ($0.node, $0.rest) }, below: limit) else { return best?.way }
        let goal = goals[found.goal]
        var way = Way(legs: legs(search, found.state, start), seconds: found.cost.seconds)
        if goal.along != end.along { way.legs.append(leg(end.edge, goal.along, end.along)) }
        return way
    }

    /// The nodes from which the end is reached, with the seconds from each, and the place of each along the end's edge. Inside of a
    /// closed edge nobody is led; its nodes are not inside.
    private func goals(_ end: TrailNetwork.Spot) -> [(node: Int, rest: Double, along: Double)] {
        guard !closed.contains(end.edge) else { return node(at: end).map { [($0, 0, end.along)] } ?? [] }
        let (near, far) = network.nodes(end.edge)
        let length = network.length(end.edge)
        return [(near, seconds(end.edge, 0, end.along), 0), (far, seconds(end.edge, length, end.along), length)]
    }

    /// The node that a spot is at.
    private func node(at spot: TrailNetwork.Spot) -> Int? {
        let (first, last) = network.nodes(spot.edge)
        return spot.along <= Self.atNode
            ? first : network.length(spot.edge) - spot.along <= Self.atNode ? last : nil
    }

    /// For a spot at a node of a closed edge: an open edge there.
    private func openSpot(at spot: TrailNetwork.Spot) -> TrailNetwork.Spot? {
        guard closed.contains(spot.edge), let node = node(at: spot) else { return nil }
        guard let entry = network.edges(at: node).first(where: { !closed.contains(Int($0) / 2) }) else { return nil }
        let edge = Int(entry) / 2
        let along = entry % 2 == 0 ? 0 : network.length(edge)
        return TrailNetwork.Spot(edge: edge, along: along, distance: spot.distance, isLeft: spot.isLeft)
    }

    private func leg(_ edge: Int, _ from: Double, _ to: Double) -> Leg { Leg(edge: edge, from: from, to: to) }

    /// Seconds along a stretch of an edge: its share of the whole.
    func seconds(_ edge: Int, _ from: Double, _ to: Double) -> Double {
        let length = network.length(edge)
        guard length > 0 else { return 0 }
        return (to >= from ? network.seconds[edge] : network.secondsBack[edge]) * abs(to - from) / length
    }

    /// Back from the last node to the start.
    private func legs(_ search: WaySearch, _ last: Int, _ start: TrailNetwork.Spot) -> [Leg] {
        var legs: [Leg] = []
        var state = last
        while true {
            let entry = Int(search.entries[state])
            if entry < 0 {
                let end = entry == -1 ? 0 : network.length(start.edge)
                if end != start.along { legs.append(leg(start.edge, start.along, end)) }
                return legs.reversed()
            }
            let length = network.length(entry / 2)
            legs.append(entry % 2 == 0 ? leg(entry / 2, 0, length) : leg(entry / 2, length, 0))
            state = Int(search.before[state])
        }
    }
}
