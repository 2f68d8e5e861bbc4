internal import KonzaModel

/// Follows one walker over the network, fix by fix: the edge is chosen by the last 30 seconds and kept until another one is
/// clearly better, and progress along a trail is remembered, never read from the position, so that a loop may end where it begins and
/// a stem may be walked twice.
public struct TrailMatcher: Sendable {
    /// How much cheaper another edge must be (20:1), and for how many fixes in a row.
    private static let margin = 3.0
    private static let confirming = 3
    /// Fixes nearer to each other in time than this are one.
    private static let leastInterval = 0.9
    /// After a pause of this length all begins anew.
    private static let longestPause = 120.0
    /// Farther than this no edge is looked at, metres.
    private static let farthest = 250.0
    /// Above this error the choice is open at every fix, metres.
    private static let poorSigma = 20.0
    /// Beyond this error, 95 %, it is only said that one is off the trails, where one is farther from them than the error, metres.
    private static let poorAccuracy = 100.0
    /// How far the trails are looked for that it may be then, metres.
    private static let farthestCandidate = 500.0

    private let network: TrailNetwork
    private var window = MatchWindow()
    private var movement = MovementSense()
    private var offTrail = OffTrailState()
    private var progress = TrailProgress()
    private var last: UTCInstant?
    private var edge: Int?
    private var isDecided = false
    /// Edges that are cheaper than the chosen one, and for how many fixes.
    private var rivals: [Int: Int] = [:]
    /// What was found last.
    public private(set) var match = TrailMatch(.unknown)

    public init(_ network: TrailNetwork) {
        self.network = network
    }

    /// Takes the next fix.
    ///
    /// - Returns: where that is on the trails.
    @discardableResult
    public mutating func take(_ fix: TrailFix) -> TrailMatch {
        if let last {
            let pause = fix.time.seconds(since: last)
            if pause > Self.longestPause || pause < 0 {
                self = TrailMatcher(network)
            } else if pause < Self.leastInterval {
                return match
            }
        }
        last = fix.time
        match = found(fix)
        return match
    }

    private mutating func found(_ fix: TrailFix) -> TrailMatch {
        let point = network.plane.point(fix.place)
        guard let nearest = network.nearest(toPlace: fix.place) else { return TrailMatch(.unknown) }
        let isPoor = (fix.accuracy ?? 0) > Self.poorAccuracy
        guard !isPoor || nearest.distance > OffTrailState.limit(sigma: fix.sigma) else {
            return untold(fix, point, nearest)
        }
        movement.take(fix, point)
        let state = offTrail.take(distance: nearest.distance, sigma: fix.sigma, at: fix.time)
        guard !offTrail.isOff else {
            forget()
            var match = TrailMatch(state, spot: nearest)
            match.heading = heading(fix)
            match.trail = network.edgeTrails[nearest.edge].first.map(Int.init)
            return match
        }
        guard !isPoor else { return untold(fix, point, nearest) }
        let reach = min(Self.farthest, OffTrailState.limit(sigma: fix.sigma) + 10)
        let spots = network.spots(near: point, within: reach)
        guard !spots.isEmpty else { return TrailMatch(state, spot: nearest) }
        let costs: [Double]
        if movement.isMoving || edge == nil || !isDecided {
            window.add(fix, point, spots, in: network)
            costs = window.costs
        } else {
            // Errors of one who stands go together for minutes: they say nothing new about the edge.
            costs = []
        }
        choose(spots, costs)
        return matched(fix, state, spots, costs)
    }

    /// The position is too poor to tell.
    private mutating func untold(
        _ fix: TrailFix, _ point: PlanePoint, _ nearest: TrailNetwork.Spot
    ) -> TrailMatch {
        window.removeAll()
        var match = TrailMatch(.unknown, spot: nearest)
        let reach = min(Self.farthestCandidate, fix.accuracy ?? 0)
        match.candidates = network.spots(near: point, within: reach).map(\.edge)
        return match
    }

    private mutating func forget() {
        window.removeAll()
        progress = TrailProgress()
        (edge, isDecided) = (nil, false)
        rivals = [:]
    }

    // MARK: - The edge

    private mutating func choose(_ spots: [TrailNetwork.Spot], _ costs: [Double]) {
        guard costs.count == spots.count,
            let best = spots.indices.min(by: { costs[$0] < costs[$1] })
        else { return }
        guard let edge, isDecided else { return edge = spots[best].edge }
        let own = spots.firstIndex { $0.edge == edge }.map { costs[$0] } ?? .infinity
        var cheaper: [Int: Int] = [:]
        for index in spots.indices where own - costs[index] >= Self.margin {
            cheaper[spots[index].edge] = (rivals[spots[index].edge] ?? 0) + 1
        }
        rivals = cheaper
        if (rivals[spots[best].edge] ?? 0) >= Self.confirming, movement.isAdvancing {
            self.edge = spots[best].edge
            rivals = [:]
        }
    }

    private mutating func matched(
        _ fix: TrailFix, _ state: TrailMatch.State, _ spots: [TrailNetwork.Spot], _ costs: [Double]
    ) -> TrailMatch {
        let point = network.plane.point(fix.place)
        let known = progress.edge == edge ? progress.position : nil
        guard let edge, let spot = network.spot(on: edge, near: point, from: known) else {
            return TrailMatch(state, spot: spots[0])
        }
        let others = isDecided && fix.sigma <= Self.poorSigma ? [] : ambiguous(spots, costs, spot)
        if others.isEmpty, !isDecided { isDecided = true }
        guard others.isEmpty else {
            var match = TrailMatch(.unknown, spot: spot)
            match.candidates = others
            match.heading = movement.isMoving ? courseOverGround(fix) : nil
            return match
        }
        progress.take(spot, at: fix.time, isMoving: movement.isMoving, sigma: fix.sigma, in: network)
        var match = TrailMatch(state, spot: progress.spot(spot, in: network))
        match.direction = movement.isMoving ? progress.direction : 0
        match.trail = progress.trail
        match.part = progress.part
        match.along = progress.along(in: network)
        match.heading = heading(fix)
        return match
    }

    /// The edges that cannot be told from each other: about as likely, and their spots so far apart that it matters, which is
    /// beside the least error with which they are about as likely: what a good position cannot tell, a poor one cannot.
    private func ambiguous(
        _ spots: [TrailNetwork.Spot], _ costs: [Double], _ chosen: TrailNetwork.Spot
    ) -> [Int] {
        guard costs.count == spots.count, let least = costs.min() else { return match.candidates }
        let own = network.point(on: chosen.edge, at: chosen.along)
        let likely = spots.indices.filter { costs[$0] - least < Self.margin }
        let isOpen = likely.contains { index in
            let spot = spots[index]
            guard spot.edge != chosen.edge else { return false }
            let squares = max(0, spot.distance * spot.distance - chosen.distance * chosen.distance)
            let sigma = (squares / (2 * Self.margin)).squareRoot()
            return network.point(on: spot.edge, at: spot.along).distance(to: own) > max(8, 1.5 * sigma)
        }
        return isOpen ? likely.map { spots[$0].edge } : []
    }

    // MARK: - Heading

    private func courseOverGround(_ fix: TrailFix) -> Double? {
        guard let speed = fix.speed, speed > 0.7 else { return nil }
        return fix.course
    }

    private func heading(_ fix: TrailFix) -> Double? {
        guard movement.isMoving else { return nil }
        if let course = courseOverGround(fix) { return course }
        guard let edge, isDecided, progress.direction != 0 else { return nil }
        return network.bearing(of: edge, at: progress.position ?? 0, forward: progress.direction > 0)
    }
}

extension TrailNetwork {
    /// The nearest spot of one edge. Where the walker was known to be on it, a spot near there counts more: an edge may come
    /// near itself.
    func spot(on edge: Int, near point: PlanePoint, from known: Double?) -> Spot? {
        var best: Spot?
        var least = Double.infinity
        for index in range(edge).dropLast() {
            let foot = Foot(of: point, on: points[index], points[index + 1])
            let distance = foot.squaredDistance.squareRoot()
            let along = alongs[index] + (alongs[index + 1] - alongs[index]) * foot.share
            let cost = distance + (known.map { abs(step(on: edge, from: $0, to: along)) } ?? 0) / 20
            if cost < least {
                least = cost
                best = Spot(edge: edge, along: along, distance: distance, isLeft: foot.side > 0)
            }
        }
        return best
    }

    /// The direction of an edge at a place, degrees from true north.
    func bearing(of edge: Int, at along: Double, forward: Bool) -> Double {
        let length = length(edge)
        let back = point(on: edge, at: max(0, along - 5))
        let ahead = point(on: edge, at: min(length, along + 5))
        return forward ? back.bearing(to: ahead) : ahead.bearing(to: back)
    }
}
