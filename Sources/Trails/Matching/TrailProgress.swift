internal import KonzaModel

/// How far somebody has come on which trail. It goes on from where it was: the same place may be passed twice on one trail.
struct TrailProgress: Sendable {
    /// Metres that one must have gone before a direction is said, and to turn it round.
    private static let leastStep = 3.0

    private(set) var edge: Int?
    /// Metres along the edge, smoothed.
    private(set) var position: Double?
    private(set) var direction = 0
    private(set) var trail: Int?
    private(set) var part: Int?
    /// Where on the edge the direction was last found.
    private var anchor = 0.0
    private var isOriented = false

    mutating func take(
        _ spot: TrailNetwork.Spot, at time: UTCInstant, isMoving: Bool, sigma: Double, in network: TrailNetwork
    ) {
        guard let known = edge, let before = position else { return begin(spot, in: network) }
        if known != spot.edge {
            enter(spot, from: known, in: network)
        } else if isMoving {
            // A third of what is new: the receiver's error is not progress.
            let step = network.step(on: known, from: before, to: spot.along)
            position = min(network.length(known), max(0, before + step / 3))
            turn(sigma: sigma, in: network)
        }
    }

    private mutating func begin(_ spot: TrailNetwork.Spot, in network: TrailNetwork) {
        (edge, position, anchor) = (spot.edge, spot.along, spot.along)
        direction = 0
        trail = network.edgeTrails[spot.edge].first.map(Int.init)
        part = trail.flatMap { network.part(of: $0, with: spot.edge, near: nil, direction: 0) }
    }

    /// Steps on to another edge, at the end where it was entered.
    private mutating func enter(_ spot: TrailNetwork.Spot, from known: Int, in network: TrailNetwork) {
        let (start, end) = network.nodes(known)
        let (first, last) = network.nodes(spot.edge)
        let entersAtStart = first == start || first == end
        let entersAtEnd = last == start || last == end
        if entersAtStart != entersAtEnd { direction = entersAtStart ? 1 : -1 }
        let neighbour = neighbour(of: known, leavingTo: spot.edge, in: network)
        (edge, position) = (spot.edge, spot.along)
        if first == last, let trail, let part, let neighbour {
            // Both ends of a loop are at the same place: by the trail it is entered at its beginning, or at its end.
            let isForward = neighbour == (part + 1) % network.trails[trail].parts.count
            direction = isForward == network.trails[trail].parts[neighbour].isReversed ? -1 : 1
            position = direction > 0 ? 0 : network.length(spot.edge)
            anchor = position ?? 0
        } else {
            anchor = entersAtStart == entersAtEnd ? spot.along : entersAtStart ? 0 : network.length(spot.edge)
        }
        let own =
            neighbour ?? trail.flatMap { network.part(of: $0, with: spot.edge, near: part, direction: direction) }
        if let own {
            part = own
        } else {
            let names = network.edgeTrails[spot.edge].map(Int.init)
            // A trail that came the same way is gone on with rather than one that begins here.
            trail = names.first { network.edgeTrails[known].contains(Int32($0)) } ?? names.first
            part = trail.flatMap { network.part(of: $0, with: spot.edge, near: nil, direction: direction) }
        }
    }

    /// The part before or behind the present one, by the end at which its edge is left: who turns back at the beginning of a loop is
    /// on the way to it again, not behind it.
    private func neighbour(of known: Int, leavingTo next: Int, in network: TrailNetwork) -> Int? {
        guard let trail, let part, let position else { return nil }
        let parts = network.trails[trail].parts
        let leavesAtLast = position * 2 > network.length(known)
        let index = leavesAtLast == parts[part].isReversed ? part - 1 : part + 1
        let wrapped = index < 0 ? parts.count - 1 : index % parts.count
        return parts[wrapped].edge == next ? wrapped : nil
    }

    private mutating func turn(sigma: Double, in network: TrailNetwork) {
        guard let position else { return }
        let gone = position - anchor
        // The anchor follows whoever goes on, so that a turn is measured from the farthest place.
        if gone * Double(direction) > 0 { anchor = position }
        guard gone * Double(direction) <= 0,
            abs(gone) > (direction == 0 ? Self.leastStep : max(Self.leastStep, 2 * sigma))
        else { return orient(in: network) }
        direction = gone > 0 ? 1 : -1
        anchor = position
        isOriented = false
        orient(in: network)
    }

    /// Once the direction is known, the part of the trail that is walked in it, if there is one: a stem is part of its trail
    /// twice.
    private mutating func orient(in network: TrailNetwork) {
        guard !isOriented, direction != 0, let trail, let edge else { return }
        isOriented = true
        guard let part, network.direction(of: part, on: trail) != direction else { return }
        self.part = network.part(of: trail, with: edge, near: part, direction: direction) ?? part
    }

    /// Metres along the trail.
    func along(in network: TrailNetwork) -> Double? {
        guard let trail, let part, let edge, let position else { return nil }
        let piece = network.trails[trail].parts[part]
        return piece.start + (piece.isReversed ? network.length(edge) - position : position)
    }

    /// The spot with the place along the edge that progress has.
    func spot(_ spot: TrailNetwork.Spot, in network: TrailNetwork) -> TrailNetwork.Spot {
        guard let position, edge == spot.edge else { return spot }
        return TrailNetwork.Spot(
            edge: spot.edge, along: position, distance: spot.distance, isLeft: spot.isLeft)
    }
}

extension TrailNetwork {
    /// How far it is along an edge from one place to another, backwards negative; round a loop the shorter way.
    func step(on edge: Int, from first: Double, to last: Double) -> Double {
        let step = last - first
        let length = length(edge)
        guard from[edge] == to[edge], abs(step) * 2 > length else { return step }
        return step > 0 ? step - length : step + length
    }

    /// 1 where a part of a trail is walked as its edge is drawn, else -1.
    func direction(of part: Int, on trail: Int) -> Int { trails[trail].parts[part].isReversed ? -1 : 1 }

    /// The part of a trail that an edge is: the next one from a part where it is known, one in the direction where that is
    /// known, else the first.
    func part(of trail: Int, with edge: Int, near known: Int?, direction: Int) -> Int? {
        let parts = trails[trail].parts
        let own = parts.indices.filter { parts[$0].edge == edge }
        guard let first = own.first else { return nil }
        return own.min { rank($0, parts, known, direction) < rank($1, parts, known, direction) } ?? first
    }

    private func rank(_ part: Int, _ parts: [Part], _ known: Int?, _ direction: Int) -> Int {
        let isAgainst = direction != 0 && (parts[part].isReversed ? -1 : 1) != direction
        guard let known else { return (isAgainst ? parts.count : 0) + part }
        // A loop goes on with its first part.
        let steps = abs(part - known)
        let isNext = steps <= 1 || steps == parts.count - 1
        return (isNext ? 0 : 1) * 4 * parts.count + (isAgainst ? 2 * parts.count : 0) + min(steps, parts.count - steps)
    }
}
