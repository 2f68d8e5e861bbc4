/// What a way costs: seconds, and metres of closed edges.
struct WayCost: Equatable {
    /// A closed metre counts as ten open ones: this many seconds more, on the flat.
    static let penalty = 9 / WalkingPace.flat
    /// So much that only closed metres count, and the time where they are equal.
    static let leastClosed = 1e6

    var closed: Double
    var seconds: Double

    /// - Parameter penalty: seconds for each closed metre.
    /// - Returns: what costs are compared by, seconds.
    func total(_ penalty: Double) -> Double { closed == 0 ? seconds : seconds + closed * penalty }

    func adding(closed: Double = 0, seconds: Double) -> WayCost {
        WayCost(closed: self.closed + closed, seconds: self.seconds + seconds)
    }
}

/// The state of a search. A node is two states: reached over closed edges alone, and reached otherwise.
struct WaySearch {
    /// Which closed edges may be gone into from open ones.
    enum Entering {
        case none
        /// Those that are open still, and close before they are left.
        case coming
        case all
    }

    /// What is done with a state whose cost is final.
    enum Step {
        case expand
        /// Nothing is sought behind it.
        case pass
        case end
    }

    private struct Entry {
        /// What a way over the state costs at least.
        let bound: Double
        let state: Int32
    }

    private let network: TrailNetwork
    private let closed: ClosedEdges
    private let targets: [PlanePoint]
    private let reach: Double
    private let pace: Double
    private let penalty: Double
    private let entering: Entering
    private let delay: Double
    private var costs: [WayCost]
    /// The states whose cost is final: the bound is never greater than the cost of an edge and the bound behind it.
    private var isDone: [Bool]
    /// By which edge a state was reached: twice the edge, one more where it was walked backwards; -1 and -2 for the ends of the first start,
    /// -3 and -4 for those of the next, and so on.
    private(set) var entries: [Int32]
    private(set) var before: [Int32]
    private var heap: [Entry] = []

    /// - Parameters:
    ///   - network: in which it seeks.
    ///   - closed: at the instant at which one sets out.
    ///   - targets: what the way is sought to, one of them; none for a search in all directions.
    ///   - reach: metres from one within which the way may end, too.
    ///   - penalty: seconds for each closed metre.
    ///   - entering: which closed edges may be gone into.
    ///   - delay: seconds from the instant of the closures to the first step.
    init(
        _ network: TrailNetwork, _ closed: ClosedEdges, targets: [PlanePoint], reach: Double = 0, penalty: Double,
        entering: Entering, delay: Double
    ) {
        self.reach = reach
        self.network = network
        self.closed = closed
        self.targets = targets
        self.penalty = penalty
        self.entering = entering
        self.delay = delay
        let count = network.nodeCount * 2
        // A millionth more, so that rounding does not make a bound too much.
        pace = network.fastest * 1.000_001
        isDone = [Bool](repeating: false, count: count)
        costs = [WayCost](repeating: WayCost(closed: 0, seconds: .infinity), count: count)
        entries = [Int32](repeating: -1, count: count)
        before = [Int32](repeating: -1, count: count)
    }

    /// Begins at a node; `isShut` where it is reached over a closed edge.
    mutating func begin(_ node: Int, isShut: Bool, _ cost: WayCost, by entry: Int32) {
        reach(node * 2 + (isShut ? 0 : 1), cost, entry, from: -1)
    }

    private mutating func reach(_ state: Int, _ cost: WayCost, _ entry: Int32, from: Int32) {
        let total = cost.total(penalty)
        guard total < costs[state].total(penalty) else { return }
        costs[state] = cost
        entries[state] = entry
        before[state] = from
        push(Entry(bound: total + bound(state / 2), state: Int32(state)))
    }

    /// Nobody is quicker than on the fastest edge through the air.
    private func bound(_ node: Int) -> Double {
        guard !targets.isEmpty, let entry = network.edges(at: node).first else { return 0 }
        let range = network.range(Int(entry) / 2)
        let point = network.points[entry % 2 == 0 ? range.lowerBound : range.upperBound - 1]
        let nearest = targets.reduce(Double.infinity) { min($0, point.distance(to: $1)) }
        return max(0, nearest - network.nodeExtent - reach) / pace
    }

    /// Goes from state to state, the one with the least bound first.
    ///
    /// - Parameter step: says what is done with a state, of its cost and of what a way over it costs at least.
    mutating func run(_ step: (_ state: Int, _ cost: WayCost, _ bound: Double) -> Step) {
        while let entry = pop() {
            let state = Int(entry.state)
            guard !isDone[state] else { continue }
            isDone[state] = true
            switch step(state, costs[state], entry.bound) {
            case .expand: expand(state, costs[state])
            case .pass: continue
            case .end: return
            }
        }
    }

    /// Whether a state was reached over closed edges alone.
    static func isShut(_ state: Int) -> Bool { state % 2 == 0 }

    private mutating func expand(_ state: Int, _ cost: WayCost) {
        for entry in network.edges(at: state / 2) {
            let edge = Int(entry) / 2
            let isForward = entry % 2 == 0
            let seconds = isForward ? network.seconds[edge] : network.secondsBack[edge]
            let isShut = closed.isShut(edge, leftAfter: delay + cost.seconds + seconds)
            if isShut, !Self.isShut(state), !mayEnter(edge) { continue }
            let next = (isForward ? Int(network.to[edge]) : Int(network.from[edge])) * 2 + (isShut ? 0 : 1)
            if isDone[next] { continue }
            let sum = cost.adding(closed: isShut ? network.length(edge) : 0, seconds: seconds)
            reach(next, sum, entry, from: Int32(state))
        }
    }

    private func mayEnter(_ edge: Int) -> Bool {
        switch entering {
        case .none: false
        case .coming: !closed.contains(edge)
        case .all: true
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
