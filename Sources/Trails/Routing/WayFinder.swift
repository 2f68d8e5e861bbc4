internal import KonzaModel

/// The quickest way between two spots of a network: Dijkstra's algorithm with the distance through the air as a lower bound (A*),
/// both ends as virtual nodes on their edges. Closed edges are used only to get off them: from a start that lies on one, until the
/// first open edge, and a closed metre costs as much as ten open ones. An edge is closed if it is when one leaves it. Where several lines
/// draw the ground of an end, the way may begin or end on each of them: between two drawings there are nodes at their ends only.
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
        var cost: WayCost
        /// Where it begins and ends: the spots that were asked for, or such beside them.
        var start: TrailNetwork.Spot
        var end: TrailNetwork.Spot
        /// Which of the ends that it may have it is.
        var endIndex = 0
        /// Seconds of the cost for what is beside: from the spots that were asked for, or from one of several ends to its place.
        var aside = 0.0

        /// On foot along the legs.
        var seconds: Double { cost.seconds - aside }
    }

    /// A spot at which the way may begin or end.
    private struct Terminal {
        let spot: TrailNetwork.Spot
        /// Seconds from the spot that was asked for: so that one is taken where others are no better.
        let aside: Double
        /// Which of the spots that were asked for it is, or is beside.
        var index = 0
    }

    /// From where an end is reached: a node, with what is left of the way along the end's edge.
    private struct Goal {
        let end: Terminal
        let node: Int
        let along: Double
        let metres: Double
        let seconds: Double
    }

    let network: TrailNetwork
    let closed: ClosedEdges
    /// Whether the start is outside of the trails, as at a trailhead: then a closed edge is left by its nearer end only.
    var startsOutside = false
    /// Whether the end is outside of the trails: then who is on a closed edge is led to it over closed ones, where nothing else goes.
    var endsOutside = false
    /// Seconds from the instant of the closures to the first step.
    var delay = 0.0

    /// Metres from the end of an edge within which a spot is at its node, and so on every edge there.
    private static let atNode = 0.5
    /// Metres from a trailhead's own edge within which one is there.
    private static let atTrailhead = 50.0

    /// How many closed metres may be used where the nearest way out has so few: else the way leads on through the closure.
    static func tolerated(_ least: Double) -> Double { max(least + 50, least * 1.5) }

    /// - Returns: nil where no way leads there, or only one on through a closure.
    func way(from start: TrailNetwork.Spot, to end: TrailNetwork.Spot) -> Way? { way(from: start, toOneOf: [end]) }

    /// The way to the end that one is soonest at, with what is beside the trails at it where there are several.
    func way(from start: TrailNetwork.Spot, toOneOf ends: [TrailNetwork.Spot]) -> Way? {
        let start = openSpot(at: start) ?? start
        let isInside = isShut(start) && !startsOutside
        guard let way = way(start, ends, .none) else {
            return endsOutside ? self.way(start, ends, isInside ? .all : .coming) : nil
        }
        guard isInside, !endsOutside, let out = exit(from: start) else { return way }
        let most = Self.tolerated(out.metres)
        if way.cost.closed <= most { return way }
        guard let least = self.way(start, ends, .none, WayCost.leastClosed), least.cost.closed <= most else {
            return nil
        }
        return way
    }

    /// The way on the fewest closed metres, whatever is closed.
    func wayThrough(from start: TrailNetwork.Spot, to end: TrailNetwork.Spot) -> Way? {
        way(openSpot(at: start) ?? start, [end], .all, WayCost.leastClosed)
    }

    private func way(
        _ start: TrailNetwork.Spot, _ asked: [TrailNetwork.Spot], _ entering: WaySearch.Entering,
        _ penalty: Double = WayCost.penalty
    ) -> Way? {
        let (starts, ends) = (terminals(start), terminals(asked))
        let direct = starts.flatMap { start in ends.compactMap { self.direct(start, $0, entering) } }
            .min { $0.cost.total(penalty) < $1.cost.total(penalty) }
        var limit = direct?.cost.total(penalty) ?? .infinity
        let goals = ends.flatMap { self.goals($0) }
        var search = WaySearch(
            network, closed, targets: asked.map { network.point(on: $0.edge, at: $0.along) },
            reach: ends.count > asked.count ? SharedGround.width : 0, penalty: penalty, entering: entering, delay: delay
        )
        begin(&search, starts, entering)
        var best: (goal: Goal, state: Int, cost: WayCost)?
        search.run { state, cost, bound in
            guard bound < limit else { return .end }
            for goal in goals where goal.node == state / 2 {
                guard let sum = arriving(goal, state, cost, entering), sum.total(penalty) < limit else { continue }
                (best, limit) = ((goal, state, sum), sum.total(penalty))
            }
            return .expand
        }
        guard let best else { return direct }
        let last = best.goal.end.spot
        var way = way(search, best.state, starts, to: best.goal.end, best.cost)
        if best.goal.along != last.along { way.legs.append(leg(last.edge, best.goal.along, last.along)) }
        return way
    }

    private func terminals(_ ends: [TrailNetwork.Spot]) -> [Terminal] {
        ends.enumerated().flatMap { index, end in
            let beside = ends.count > 1 ? TrailNetwork.seconds(beside: end.distance) : 0
            return terminals(end).map { Terminal(spot: $0.spot, aside: $0.aside + beside, index: index) }
        }
    }

    /// A spot, and those beside it on the lines of its ground that are as open as it is.
    private func terminals(_ spot: TrailNetwork.Spot) -> [Terminal] {
        let beside = network.spots(beside: spot)
        let own = Terminal(spot: spot, aside: 0)
        if beside.isEmpty { return [own] }
        let (isShut, isClosed) = (isShut(spot), closed.contains(spot.edge))
        let alike = beside.filter { self.isShut($0) == isShut && closed.contains($0.edge) == isClosed }
        return [own]
            + alike.map { Terminal(spot: $0, aside: $0.distance / (WalkingPace.flat * WalkingPace.offTrail)) }
    }

    /// Along the one edge that both ends are on.
    private func direct(_ start: Terminal, _ end: Terminal, _ entering: WaySearch.Entering) -> Way? {
        let (first, last) = (start.spot, end.spot)
        guard first.edge == last.edge else { return nil }
        let leg = leg(first.edge, first.along, last.along)
        let seconds = seconds(first.edge, first.along, last.along)
        let isShut = closed.isShut(first.edge, leftAfter: delay + seconds)
        if isShut {
            let mayStay = endsOutside && self.isShut(first) && (!startsOutside || leg.length <= Self.atTrailhead)
            guard mayStay || mayEnter(first.edge, entering) else { return nil }
        }
        let cost = WayCost(closed: isShut ? leg.length : 0, seconds: seconds + start.aside + end.aside)
        return Way(
            legs: [leg], cost: cost, start: first, end: last, endIndex: end.index, aside: start.aside + end.aside)
    }

    private func begin(_ search: inout WaySearch, _ starts: [Terminal], _ entering: WaySearch.Entering) {
        for (index, start) in starts.enumerated() { begin(&search, start, entering, entry: Int32(-1 - 2 * index)) }
    }

    /// Begins at both ends of the edge of a start, which are known again by an entry and the next lower one.
    private func begin(
        _ search: inout WaySearch, _ terminal: Terminal, _ entering: WaySearch.Entering, entry own: Int32
    ) {
        let start = terminal.spot
        let isShut = isShut(start)
        let length = network.length(start.edge)
        let (first, last) = network.nodes(start.edge)
        var ends: [(Int, Double, Int32)] = [(first, 0, own), (last, length, own - 1)]
        if isShut, startsOutside { ends.remove(at: start.along * 2 > length ? 0 : 1) }
        for (node, along, entry) in ends {
            let seconds = seconds(start.edge, start.along, along)
            let isLate = closed.isShut(start.edge, leftAfter: delay + seconds)
            guard isShut || !isLate || mayEnter(start.edge, entering) else { continue }
            let cost = WayCost(
                closed: isLate ? abs(along - start.along) : 0, seconds: seconds + terminal.aside)
            search.begin(node, isShut: isLate && !startsOutside, cost, by: entry)
        }
    }

    /// Whether the edge that one is on is closed, or will be before one can have left it.
    private func isShut(_ spot: TrailNetwork.Spot) -> Bool {
        [0, network.length(spot.edge)].allSatisfy {
            closed.isShut(spot.edge, leftAfter: delay + seconds(spot.edge, spot.along, $0))
        }
    }

    private func mayEnter(_ edge: Int, _ entering: WaySearch.Entering) -> Bool {
        entering == .all || entering == .coming && !closed.contains(edge)
    }

    // MARK: - The end

    private func goals(_ terminal: Terminal) -> [Goal] {
        let end = terminal.spot
        if closed.contains(end.edge), let node = node(at: end) {
            return [Goal(end: terminal, node: node, along: end.along, metres: 0, seconds: terminal.aside)]
        }
        let (near, far) = network.nodes(end.edge)
        let length = network.length(end.edge)
        return [(near, 0), (far, length)].map {
            Goal(
                end: terminal, node: $0, along: $1, metres: abs(end.along - $1),
                seconds: seconds(end.edge, $1, end.along) + terminal.aside)
        }
    }

    /// - Returns: what it costs to arrive from a node; nil where the end is in a closure that one must not be led into, or on
    ///   through. A node is not inside of a closure that ends there.
    private func arriving(
        _ goal: Goal, _ state: Int, _ cost: WayCost, _ entering: WaySearch.Entering
    ) -> WayCost? {
        let end = goal.end.spot
        let isOver = WaySearch.isShut(state)
        if goal.metres == 0 {
            guard !isOver || endsOutside || isWayOut(goal.node, after: cost.seconds) else { return nil }
            return cost.adding(seconds: goal.seconds)
        }
        guard closed.isShut(end.edge, leftAfter: delay + cost.seconds + goal.seconds) else {
            return cost.adding(seconds: goal.seconds)
        }
        guard isOver ? endsOutside : mayEnter(end.edge, entering) else { return nil }
        return cost.adding(closed: goal.metres, seconds: goal.seconds)
    }

    /// Whether an open edge begins at a node.
    private func isWayOut(_ node: Int, after seconds: Double) -> Bool {
        network.edges(at: node).contains { !closed.isShut(Int($0) / 2, leftAfter: delay + seconds) }
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

    // MARK: - The way out

    /// Where one gets out of a closure on the fewest metres: an open edge begins there, or it is a trailhead.
    ///
    /// - Returns: nil for a start that is not closed, and where nothing leads out.
    func exit(from start: TrailNetwork.Spot) -> (spot: TrailNetwork.Spot, metres: Double)? {
        guard isShut(start), !startsOutside, openSpot(at: start) == nil else { return nil }
        var best: (spot: TrailNetwork.Spot, metres: Double)?
        func take(_ spot: TrailNetwork.Spot, _ metres: Double) {
            if metres < best?.metres ?? .infinity { best = (spot, metres) }
        }
        let heads = network.trailheadSpots
        for head in heads where head.edge == start.edge { take(head, abs(head.along - start.along)) }
        var search = WaySearch(
            network, closed, targets: [], penalty: WayCost.leastClosed, entering: .none, delay: delay)
        begin(&search, [Terminal(spot: start, aside: 0)], .none)
        search.run { state, cost, _ in
            guard cost.closed < best?.metres ?? .infinity else { return .end }
            let node = state / 2
            if isWayOut(node, after: cost.seconds), let entry = network.edges(at: node).first {
                let edge = Int(entry) / 2
                let along = entry % 2 == 0 ? 0 : network.length(edge)
                take(TrailNetwork.Spot(edge: edge, along: along, distance: 0, isLeft: true), cost.closed)
                return .pass
            }
            for head in heads {
                let (first, last) = network.nodes(head.edge)
                if first == node { take(head, cost.closed + head.along) }
                if last == node { take(head, cost.closed + network.length(head.edge) - head.along) }
            }
            return .expand
        }
        return best
    }

    /// The way to a trailhead on the fewest closed metres, for one on an open part that only closed ones lead out of.
    ///
    /// - Parameter start: open.
    /// - Returns: nil for a start in a closure or at a trailhead, and where no edges lead to a trailhead.
    func wayOverClosed(from start: TrailNetwork.Spot) -> Way? {
        guard !isShut(start), !startsOutside else { return nil }
        let penalty = WayCost.leastClosed
        let heads = network.trailheadSpots
        let (first, ends) = (Terminal(spot: start, aside: 0), heads.map { Terminal(spot: $0, aside: 0) })
        var best = ends.compactMap { direct(first, $0, .all) }.min { $0.cost.total(penalty) < $1.cost.total(penalty) }
        let goals = Dictionary(grouping: ends.flatMap { self.goals($0) }, by: \.node)
        var end: (head: TrailNetwork.Spot, state: Int, leg: Leg, cost: WayCost)?
        var limit = best?.cost.total(penalty) ?? .infinity
        var search = WaySearch(network, closed, targets: [], penalty: penalty, entering: .all, delay: delay)
        begin(&search, [first], .all)
        search.run { state, cost, bound in
            guard bound < limit else { return .end }
            for goal in goals[state / 2] ?? [] {
                let head = goal.end.spot
                let isShut = closed.isShut(head.edge, leftAfter: delay + cost.seconds + goal.seconds)
                let sum = cost.adding(closed: isShut ? goal.metres : 0, seconds: goal.seconds)
                guard sum.total(penalty) < limit else { continue }
                (end, limit) = ((head, state, leg(head.edge, goal.along, head.along), sum), sum.total(penalty))
            }
            return .expand
        }
        if let end {
            best = way(search, end.state, [first], to: Terminal(spot: end.head, aside: 0), end.cost)
            if end.leg.length > 0 { best?.legs.append(end.leg) }
        }
        return best
    }

    // MARK: - Legs

    private func leg(_ edge: Int, _ from: Double, _ to: Double) -> Leg { Leg(edge: edge, from: from, to: to) }

    /// Seconds along a stretch of an edge: its share of the whole.
    func seconds(_ edge: Int, _ from: Double, _ to: Double) -> Double { Self.seconds(network, leg(edge, from, to)) }

    static func seconds(_ network: TrailNetwork, _ leg: Leg) -> Double {
        let length = network.length(leg.edge)
        guard length > 0 else { return 0 }
        return (leg.to >= leg.from ? network.seconds[leg.edge] : network.secondsBack[leg.edge]) * leg.length / length
    }

    /// The way to the node of a state, back from there to one of the starts.
    private func way(
        _ search: WaySearch, _ last: Int, _ starts: [Terminal], to end: Terminal, _ cost: WayCost
    ) -> Way {
        var legs: [Leg] = []
        var state = last
        while true {
            let entry = Int(search.entries[state])
            if entry < 0 {
                let terminal = starts[(-1 - entry) / 2]
                let start = terminal.spot
                let along = (-1 - entry) % 2 == 0 ? 0 : network.length(start.edge)
                if along != start.along { legs.append(leg(start.edge, start.along, along)) }
                return Way(
                    legs: legs.reversed(), cost: cost, start: start, end: end.spot, endIndex: end.index,
                    aside: terminal.aside + end.aside)
            }
            let length = network.length(entry / 2)
            legs.append(entry % 2 == 0 ? leg(entry / 2, 0, length) : leg(entry / 2, length, 0))
            state = Int(search.before[state])
        }
    }
}
