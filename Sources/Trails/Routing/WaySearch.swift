/// What a way costs: metres of closed edges before all, then seconds.
struct WayCost: Comparable {
    var closed: Double
    var seconds: Double

    static func < (first: WayCost, second: WayCost) -> Bool {
        first.closed != second.closed ? first.closed < second.closed : first.seconds < second.seconds
    }

    func adding(closed: Double = 0, seconds: Double) -> WayCost {
        WayCost(closed: self.closed + closed, seconds: self.seconds + seconds)
    }
}

/// The state of a search. A node is two states: reached over closed edges alone, and reached otherwise.
struct WaySearch {
    private struct Entry {
        /// What a way over the state costs at least.
        let bound: WayCost
        let state: Int32
    }

    private let network: TrailNetwork
    private let closed: ClosedEdges
    private let target: PlanePoint
    private let pace: Double
    private var costs: [WayCost]
    /// The states whose cost is final: the bound is never greater than the cost of an edge and the bound behind it.
    private var isDone: [Bool]
    /// By which edge a state was reached: twice the edge, one more where it was walked backwards; -1 and -2 for the start's ends.
    private(set) var entries: [Int32]
    private(set) var before: [Int32]
    private var heap: [Entry] = []

    init(_ network: TrailNetwork, _ closed: ClosedEdges, target: PlanePoint) {
        self.network = network
        self.closed = closed
        self.target = target
        let count = network.nodeCount * 2
        // A millionth more, so that rounding does not make a bound too much.
        pace = network.fastest * 1.000_001
        isDone = [Bool](repeating: false, count: count)
        costs = [WayCost](repeating: WayCost(closed: .infinity, seconds: .infinity), count: count)
        entries = [Int32](repeating: -1, count: count)
        before = [Int32](repeating: -1, count: count)
    }

    mutating func begin(_ node: Int, _ layer: Int, _ cost: WayCost, by entry: Int32) {
        reach(node * 2 + layer, cost, entry, from: -1)
    }

    private mutating func reach(_ state: Int, _ cost: WayCost, _ entry: Int32, from: Int32) {
        guard cost < costs[state] else { return }
        costs[state] = cost
        entries[state] = entry
        before[state] = from
        push(Entry(bound: cost.adding(seconds: bound(state / 2)), state: Int32(state)))
    }

    /// Nobody is quicker than on the fastest edge through the air.
    private func bound(_ node: Int) -> Double {
        guard let entry = network.edges(at: node).first else { return 0 }
        let range = network.range(Int(entry) / 2)
        let point = network.points[entry % 2 == 0 ? range.lowerBound : range.upperBound - 1]
        return point.distance(to: target) / pace
    }

    /// - Parameters:
    ///   - goals: nodes, and what it takes from each to the end.
    ///   - limit: only ways that cost less are sought.
    /// - Returns: the goal that was reached at the least cost, and its state.
    mutating func run(
        to goals: [(node: Int, rest: Double)], below limit: WayCost
    ) -> (goal: Int, state: Int, cost: WayCost)? {
        var best: (goal: Int, state: Int, cost: WayCost)?
        var limit = limit
        while let entry = pop() {
            guard entry.bound < limit else { break }
            let state = Int(entry.state)
            guard !isDone[state] else { continue }
            isDone[state] = true
            let reached = costs[state]
            for (index, goal) in goals.enumerated() where goal.node == state / 2 {
                let cost = reached.adding(seconds: goal.rest)
                if cost < limit { (best, limit) = ((index, state, cost), cost) }
            }
            expand(state, reached)
        }
        return best
    }

    private mutating func expand(_ state: Int, _ cost: WayCost) {
        let (node, layer) = (state / 2, state % 2)
        for entry in network.edges(at: node) {
            let edge = Int(entry) / 2
            let isClosed = closed.contains(edge)
            if isClosed, layer == 1 { continue }
            let isForward = entry % 2 == 0
            let next = (isForward ? Int(network.to[edge]) : Int(network.from[edge])) * 2 + (isClosed ? 0 : 1)
            if isDone[next] { continue }
            let seconds = isForward ? network.seconds[edge] : network.secondsBack[edge]
            let sum = cost.adding(closed: isClosed ? network.length(edge) : 0, seconds: seconds)
            reach(next, sum, entry, from: Int32(state))
        }
    }

    // MARK: - A binary heap

    private mutating func push(_ entry: Entry) {
        var place = heap.count
        heap.append(entry)
        while place > 0 {
            let parent = (place - 1) / 2
            guard entry.bound < heap[parent].bound else { break }
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
