internal import KonzaModel

/// The quickest way between two spots of a network: Dijkstra's algorithm with the distance through the air as a lower bound (A*),
/// both ends as virtual nodes on their edges. Closed edges are used only to leave them: from a start that lies on one, until the first
/// open edge.
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

    /// - Returns: nil where no open way leads there.
    func way(from start: TrailNetwork.Spot, to end: TrailNetwork.Spot) -> Way? {
        let startsClosed = closed.contains(start.edge)
        if closed.contains(end.edge), !(startsClosed && start.edge == end.edge) {
            // The place itself may be an end of a closed edge where an open one begins.
            guard let other = openSpot(at: end) else { return nil }
            return way(from: start, to: other)
        }
        var search = Search(network, closed, target: network.point(on: end.edge, at: end.along))
        var best: Way?
        if start.edge == end.edge {
            best = Way(
                legs: [leg(start.edge, start.along, end.along)], seconds: seconds(start.edge, start.along, end.along))
        }
        // Nodes of the first layer are reached over closed edges alone.
        let layer = startsClosed ? 0 : 1
        let (first, last) = network.nodes(start.edge)
        search.begin(first, layer, seconds(start.edge, start.along, 0), by: -1)
        search.begin(last, layer, seconds(start.edge, start.along, network.length(start.edge)), by: -2)
        let (near, far) = network.nodes(end.edge)
        let goals = [
            (node: near, rest: seconds(end.edge, 0, end.along), along: 0.0),
            (node: far, rest: seconds(end.edge, network.length(end.edge), end.along), along: network.length(end.edge)),
        ]
        guard let found = search.run(to: goals.map { ($0.node, $0.rest) }, below: best?.seconds ?? .infinity) else {
            return best
        }
        let goal = goals[found.goal]
        best = Way(legs: legs(search, found.state, start), seconds: found.seconds)
        if abs(goal.along - end.along) > 0 { best?.legs.append(leg(end.edge, goal.along, end.along)) }
        return best
    }

    /// An open edge at the same node, where the spot is at an end of its edge.
    private func openSpot(at spot: TrailNetwork.Spot) -> TrailNetwork.Spot? {
        let (first, last) = network.nodes(spot.edge)
        let node = spot.along <= 0.5 ? first : network.length(spot.edge) - spot.along <= 0.5 ? last : nil
        guard let node else { return nil }
        for entry in network.edges(at: node) where !closed.contains(Int(entry) / 2) {
            let edge = Int(entry) / 2
            let along = entry % 2 == 0 ? 0 : network.length(edge)
            return TrailNetwork.Spot(edge: edge, along: along, distance: spot.distance, isLeft: spot.isLeft)
        }
        return nil
    }

    private func leg(_ edge: Int, _ from: Double, _ to: Double) -> Leg { Leg(edge: edge, from: from, to: to) }

    /// Seconds along a stretch of an edge: its share of the whole.
    func seconds(_ edge: Int, _ from: Double, _ to: Double) -> Double {
        let length = network.length(edge)
        guard length > 0 else { return 0 }
        return (to >= from ? network.seconds[edge] : network.secondsBack[edge]) * abs(to - from) / length
    }

    /// Back from the last node to the start.
    private func legs(_ search: Search, _ last: Int, _ start: TrailNetwork.Spot) -> [Leg] {
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

/// The state of a search. A node is two states: reached over closed edges alone, and reached otherwise.
private struct Search {
    private struct Entry {
        let bound: Double
        let cost: Double
        let state: Int32
    }

    private let network: TrailNetwork
    private let closed: ClosedEdges
    private let target: PlanePoint
    private var costs: [Double]
    /// By which edge a state was reached: twice the edge, one more where it was walked backwards; -1 and -2 for the start's ends.
    private(set) var entries: [Int32]
    private(set) var before: [Int32]
    private var heap: [Entry] = []

    init(_ network: TrailNetwork, _ closed: ClosedEdges, target: PlanePoint) {
        self.network = network
        self.closed = closed
        self.target = target
        let count = network.nodeCount * 2
        costs = [Double](repeating: .infinity, count: count)
        entries = [Int32](repeating: -1, count: count)
        before = [Int32](repeating: -1, count: count)
    }

    mutating func begin(_ node: Int, _ layer: Int, _ seconds: Double, by entry: Int32) {
        reach(node * 2 + layer, seconds, entry, from: -1)
    }

    private mutating func reach(_ state: Int, _ cost: Double, _ entry: Int32, from: Int32) {
        guard cost < costs[state] else { return }
        costs[state] = cost
        entries[state] = entry
        before[state] = from
        push(Entry(bound: cost + bound(state / 2), cost: cost, state: Int32(state)))
    }

    /// Nobody is quicker than on the best slope through the air. A millionth less, so that rounding does not make it too much.
    private func bound(_ node: Int) -> Double {
        guard let entry = network.edges(at: node).first else { return 0 }
        let range = network.range(Int(entry) / 2)
        let point = network.points[entry % 2 == 0 ? range.lowerBound : range.upperBound - 1]
        return point.distance(to: target) / WalkingPace.greatest * 0.999_999
    }

    /// - Parameters:
    ///   - goals: nodes, and what it takes from each to the end.
    ///   - limit: only ways that take less are sought.
    /// - Returns: the goal that was reached in the least time, and its state.
    mutating func run(
        to goals: [(node: Int, rest: Double)], below limit: Double
    ) -> (goal: Int, state: Int, seconds: Double)? {
        var best: (goal: Int, state: Int, seconds: Double)?
        while let entry = pop() {
            guard entry.bound < min(limit, best?.seconds ?? .infinity) else { break }
            let state = Int(entry.state)
            guard entry.cost <= costs[state] else { continue }
            for (index, goal) in goals.enumerated() where goal.node == state / 2 {
                let seconds = entry.cost + goal.rest
                if seconds < min(limit, best?.seconds ?? .infinity) { best = (index, state, seconds) }
            }
            expand(state, entry.cost)
        }
        return best
    }

    private mutating func expand(_ state: Int, _ cost: Double) {
        let (node, layer) = (state / 2, state % 2)
        for entry in network.edges(at: node) {
            let edge = Int(entry) / 2
            let isClosed = closed.contains(edge)
            if isClosed, layer == 1 { continue }
            let isForward = entry % 2 == 0
            let next = isForward ? Int(network.to[edge]) : Int(network.from[edge])
            let seconds = isForward ? network.seconds[edge] : network.secondsBack[edge]
            reach(next * 2 + (isClosed ? 0 : 1), cost + seconds, entry, from: Int32(state))
        }
    }

    // MARK: - A binary heap

    private mutating func push(_ entry: Entry) {
        var place = heap.count
        heap.append(entry)
        while place > 0 {
            let parent = (place - 1) / 2
            guard heap[parent].bound > entry.bound else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = entry
    }

    private mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].bound < heap[child].bound { child += 1 }
            guard heap[child].bound < last.bound else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = last
        return first
    }
}
