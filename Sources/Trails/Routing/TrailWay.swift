public import KonzaModel

/// A way over the trails from one place to another.
public struct TrailWay: Sendable, Equatable {
    /// What to do at a junction.
    public struct Turn: Sendable, Equatable {
        /// Metres from the start of the way.
        public let along: Double
        public let coordinate: Coordinate
        public let turn: Directions.Turn
        /// The trail that goes on from there; nil for one without a name.
        public let trail: String?
        /// The direction in which it goes on, degrees from true north.
        public let bearing: Double
    }

    /// A closed stretch that the way uses, to leave it.
    public struct Closed: Sendable, Equatable {
        public let along: Double
        public var length: Double
        public let reason: String
    }

    /// A stretch that is open now, and closes before one has left it.
    public struct Closing: Sendable, Equatable {
        public let along: Double
        public var length: Double
        public let reason: String
        /// When it closes.
        public let from: UTCInstant
    }

    /// Metres from the place to the end, with what is beside the trails.
    public let distance: Double
    /// Metres of that from the place to the trail, through the air, and from the trail to the end.
    public let approach: Double
    public let departure: Double
    /// On foot.
    public let seconds: Double
    /// From the place to the end.
    public let points: [Coordinate]
    public let turns: [Turn]
    /// Closed stretches at the start of the way.
    public let closed: [Closed]
    /// Metres of them together.
    public var closedLength: Double { closed.reduce(0) { $0 + $1.length } }
    /// Stretches that close during the walk: where one is on such a one now, and where nothing else leads off the trails.
    public let closing: [Closing]
    /// Whether edges are closed, or will be during the walk, and none of the way is.
    public let avoidsClosed: Bool
    public let profile: TrailProfile
}

extension TrailNetwork {
    /// Metres before and behind a junction between which a turn is measured.
    private static let turnReach = 15.0
    /// Beside a trail nobody is led farther than this, metres.
    private static let farthestApproach = 20_000.0
    /// One who is no farther from a trail is on it, metres.
    private static let onTrail = OffTrailState.limit(sigma: 0)

    /// The quickest way.
    ///
    /// - Parameters:
    ///   - start: where one is.
    ///   - end: where one wants to be.
    ///   - closed: edges that are used only to get off them, at the instant at which one sets out.
    ///   - match: where it is known, what one walks on.
    ///   - height: metres above the sea at a place.
    /// - Returns: the way.
    /// - Throws: ``TrailError/noWay(_:)`` with why there is none.
    public func way(
        from start: Coordinate, to end: Coordinate, closed: ClosedEdges, on match: TrailMatch? = nil,
        height: (Coordinate) -> Double? = { _ in nil }
    ) throws(TrailError) -> TrailWay {
        let outside = trailhead(at: end) != nil
        return try way(from: start, toOneOf: [end], endsOutside: outside, closed, on: match, height).way
    }

    /// So many trailheads are looked at, the nearest through the air.
    private static let mostHomes = 32

    /// The quickest way to a trailhead: to the one that one is soonest at, which need not be the nearest.
    ///
    /// - Parameters: as above.
    /// - Returns: the trailhead, and the way.
    /// - Throws: ``TrailError/noWay(_:)`` with why there is none.
    public func wayHome(
        from start: Coordinate, closed: ClosedEdges, on match: TrailMatch? = nil,
        height: (Coordinate) -> Double? = { _ in nil }
    ) throws(TrailError) -> (trailhead: TrailPlace, way: TrailWay) {
        let origin = plane.point(start)
        func distance(_ place: TrailPlace) -> Double { plane.point(place.coordinate).distance(to: origin) }
        let homes = Array(homes.sorted { distance($0) < distance($1) }.prefix(Self.mostHomes))
        let found = try way(
            from: start, toOneOf: homes.map(\.coordinate), endsOutside: true, closed, on: match, height)
        return (homes[found.index], found.way)
    }

    /// The way to the one of several places that one is soonest at, and which it is.
    private func way(
        from start: Coordinate, toOneOf ends: [Coordinate], endsOutside: Bool, _ closed: ClosedEdges,
        on match: TrailMatch?, _ height: (Coordinate) -> Double?
    ) throws(TrailError) -> (index: Int, way: TrailWay) {
        let lasts = ends.enumerated().compactMap { index, end in spot(of: end, avoiding: closed).map { (index, $0) } }
        guard let first = self.start(at: start, match, closed), !lasts.isEmpty else {
            throw .noWay(
                isEmpty
                    ? "cannot lead there: the station has no trails; import some with konza trails import FILE"
                    : "cannot lead there: every trail is closed, and nobody is led into them from beside them; ask again "
                        + "when one is open")
        }
        let reached = lasts.filter { $0.1.distance <= Self.farthestApproach }
        guard first.distance <= Self.farthestApproach, let closest = reached.first?.1 else {
            let distance = max(first.distance, lasts.map(\.1.distance).min() ?? 0)
            throw .noWay(
                "cannot lead there: the nearest trail is \(Int(distance / 1000)) km away; ask for a place near the trails"
            )
        }
        // Where both are beside the trails, and no farther from each other than from those, one goes straight.
        let beside = nearest(toPlace: start)?.distance ?? 0
        let straight = reached.map { (index: $0.0, metres: start.distance(to: ends[$0.0]), beside: $0.1.distance) }
            .filter { $0.metres <= beside + $0.beside }.min { $0.metres < $1.metres }
        if let straight {
            return (straight.index, straightWay(from: start, to: ends[straight.index], metres: straight.metres, height))
        }
        let finder = WayFinder(
            network: self, closed: closed, startsOutside: trailhead(at: start) != nil, endsOutside: endsOutside,
            delay: Self.seconds(beside: first.distance))
        guard let way = finder.way(from: first, toOneOf: reached.map(\.1)) else {
            throw refusal(finder, from: first, to: closest)
        }
        let (index, last) = reached[way.endIndex]
        return (index, described(way, from: (start, first), to: (ends[index], last), closed, height))
    }

    /// Beside the trails.
    private func straightWay(
        from start: Coordinate, to end: Coordinate, metres: Double, _ height: (Coordinate) -> Double?
    ) -> TrailWay {
        let profile = TrailProfile(length: metres) { along in
            height(start.between(end, share: metres > 0 ? along / metres : 0))
        }
        return TrailWay(
            distance: metres, approach: 0, departure: metres, seconds: Self.seconds(beside: metres),
            points: start == end ? [start] : [start, end], turns: [], closed: [], closing: [], avoidsClosed: false,
            profile: profile)
    }

    static func seconds(beside metres: Double) -> Double {
        metres / (WalkingPace.flat * WalkingPace.offTrail)
    }

    /// Where one is on the trails: where the matching found one, or near by. One who is beside them comes to an open one.
    private func start(at place: Coordinate, _ match: TrailMatch?, _ closed: ClosedEdges) -> Spot? {
        if let spot = match?.spot { return spot }
        guard let nearest = spot(of: place, avoiding: closed) else { return nil }
        guard nearest.distance > Self.onTrail, closed.contains(nearest.edge) else { return nearest }
        return self.nearest(toPlace: place) { !closed.contains($0) }
    }

    /// The nearest spot of a place. Of spots at one distance, as at a junction, an open one.
    private func spot(of place: Coordinate, avoiding closed: ClosedEdges) -> Spot? {
        let point = plane.point(place)
        guard let nearest = nearest(toPlace: place) else { return nil }
        guard closed.contains(nearest.edge) else { return nearest }
        return spots(near: point, within: nearest.distance + 0.5).first { !closed.contains($0.edge) } ?? nearest
    }

    /// Tells a way from a place to another one, each with where it is on the trails.
    private func described(
        _ way: WayFinder.Way, from start: (place: Coordinate, spot: Spot), to end: (place: Coordinate, spot: Spot),
        _ closed: ClosedEdges, _ height: (Coordinate) -> Double?
    ) -> TrailWay {
        let (first, last) = (spot(way.start, of: start), spot(way.end, of: end))
        var (along, points): (Double, [Coordinate]) = (first.distance, [start.place])
        var turns: [TrailWay.Turn] = []
        var shut: [TrailWay.Closed] = []
        var closing: [TrailWay.Closing] = []
        var seconds = Self.seconds(beside: first.distance)
        for (index, leg) in way.legs.enumerated() {
            if index > 0, let turn = turn(from: way.legs[index - 1], to: leg, at: along) { turns.append(turn) }
            seconds += WayFinder.seconds(self, leg)
            if let coming = closed.coming(leg.edge), coming.seconds < seconds {
                if let last = closing.indices.last, closing[last].from == coming.from,
                    closing[last].reason == coming.reason
                {
                    closing[last].length += leg.length
                } else {
                    closing.append(
                        TrailWay.Closing(along: along, length: leg.length, reason: coming.reason, from: coming.from))
                }
            }
            // Half a metre of a closed part is its end.
            if let reason = closed.reason(leg.edge), leg.length >= 0.5 {
                if let last = shut.indices.last, shut[last].reason == reason {
                    shut[last].length += leg.length
                } else {
                    shut.append(TrailWay.Closed(along: along, length: leg.length, reason: reason))
                }
            }
            for place in places(of: leg) where points.last != place { points.append(place) }
            along += leg.length
        }
        let trailEnd = along
        let meeting = coordinate(on: first.edge, at: first.along)
        if way.legs.isEmpty { points.append(meeting) }
        let leaving = points[points.count - 1]
        if leaving != end.place { points.append(end.place) }
        along += last.distance
        let starts = way.legs.reduce(into: [first.distance]) { $0.append(($0.last ?? 0) + $1.length) }
        var index = 0
        let profile = TrailProfile(length: along) { metres in
            if metres < first.distance {
                return height(start.place.between(meeting, share: metres / first.distance))
            }
            if metres > trailEnd {
                return height(leaving.between(end.place, share: min(1, (metres - trailEnd) / last.distance)))
            }
            while index + 1 < way.legs.count, starts[index + 1] <= metres { index += 1 }
            guard way.legs.indices.contains(index) else { return height(meeting) }
            let leg = way.legs[index]
            let inside = metres - starts[index]
            return height(coordinate(on: leg.edge, at: leg.to >= leg.from ? leg.from + inside : leg.from - inside))
        }
        let walk = way.seconds + Self.seconds(beside: first.distance + last.distance)
        return TrailWay(
            distance: along, approach: first.distance, departure: last.distance, seconds: walk,
            points: points, turns: turns, closed: shut, closing: closing,
            avoidsClosed: shut.isEmpty && closing.isEmpty && closed.isAnyShut(within: walk), profile: profile)
    }

    /// Where a way begins or ends, with its distance from the place that was asked for.
    private func spot(_ found: Spot, of asked: (place: Coordinate, spot: Spot)) -> Spot {
        guard found.edge != asked.spot.edge || found.along != asked.spot.along else { return asked.spot }
        let distance = asked.place.distance(to: coordinate(on: found.edge, at: found.along))
        return Spot(edge: found.edge, along: found.along, distance: distance, isLeft: found.isLeft)
    }

    private func places(of leg: WayFinder.Leg) -> [Coordinate] {
        let (low, high) = (min(leg.from, leg.to), max(leg.from, leg.to))
        let places = segment(leg.edge).points
        let inner = range(leg.edge).filter { alongs[$0] > low && alongs[$0] < high }.map {
            places[$0 - Int(starts[leg.edge])]
        }
        let line = [coordinate(on: leg.edge, at: low)] + inner + [coordinate(on: leg.edge, at: high)]
        return leg.to >= leg.from ? line : line.reversed()
    }

    /// The turn between two legs, where one can go otherwise.
    private func turn(from first: WayFinder.Leg, to next: WayFinder.Leg, at along: Double) -> TrailWay.Turn? {
        let node = next.to >= next.from ? Int(from[next.edge]) : Int(to[next.edge])
        guard edges(at: node).count > 2 || first.edge == next.edge else { return nil }
        let before = bearing(arriving: first)
        let after = bearing(leaving: next)
        return TrailWay.Turn(
            along: along, coordinate: coordinate(on: next.edge, at: next.from),
            turn: Directions.Turn(degrees: Directions.turn(from: before, to: after)), trail: name(of: next.edge),
            bearing: after)
    }

    private func bearing(arriving leg: WayFinder.Leg) -> Double {
        let reach = min(Self.turnReach, leg.length)
        let back = leg.to >= leg.from ? leg.to - reach : leg.to + reach
        return point(on: leg.edge, at: back).bearing(to: point(on: leg.edge, at: leg.to))
    }

    private func bearing(leaving leg: WayFinder.Leg) -> Double {
        let reach = min(Self.turnReach, leg.length)
        let ahead = leg.to >= leg.from ? leg.from + reach : leg.from - reach
        return point(on: leg.edge, at: leg.from).bearing(to: point(on: leg.edge, at: ahead))
    }

    /// The name of the shortest trail of an edge.
    func name(of edge: Int) -> String? { edgeTrails[edge].first.map { trails[Int($0)].name } }

    // MARK: - What is ahead

    /// A way on from a junction.
    public struct Exit: Sendable, Equatable {
        public let turn: Directions.Turn
        public let bearing: Double
        public let trail: String?
        /// Why it is closed; nil for an open one.
        public let closedReason: String?
    }

    /// The next junction.
    public struct JunctionAhead: Sendable, Equatable {
        /// Metres to walk.
        public let distance: Double
        public let coordinate: Coordinate
        public let exits: [Exit]
        /// The exit by which the trail that is walked goes on; nil where it is not known.
        public let ahead: Int?
    }

    /// The next junction in the direction of a walker.
    ///
    /// - Returns: nil while the direction is not known, and where the trail ends before one.
    public func junctionAhead(_ match: TrailMatch, closed: ClosedEdges) -> JunctionAhead? {
        guard let spot = match.spot, match.direction != 0 else { return nil }
        let length = length(spot.edge)
        var leg = WayFinder.Leg(edge: spot.edge, from: spot.along, to: match.direction > 0 ? length : 0)
        var distance = leg.length
        // Joints of two segments are none; the way round a loop without a junction ends.
        for _ in 0..<edgeCount {
            let isForward = leg.to > leg.from || leg.from == 0 && leg.to == 0
            let node = isForward ? Int(to[leg.edge]) : Int(from[leg.edge])
            let entries = edges(at: node)
            let own = Int32(2 * leg.edge + (isForward ? 1 : 0))
            let others = entries.filter { $0 != own }
            if others.isEmpty { return nil }
            guard others.count == 1 else { return junction(others, after: leg, distance, match, closed) }
            let edge = Int(others[0]) / 2
            let whole = self.length(edge)
            leg =
                others[0] % 2 == 0
                ? WayFinder.Leg(edge: edge, from: 0, to: whole) : WayFinder.Leg(edge: edge, from: whole, to: 0)
            if edge == spot.edge { return nil }
            distance += whole
        }
        return nil
    }

    private func junction(
        _ entries: [Int32], after leg: WayFinder.Leg, _ distance: Double, _ match: TrailMatch, _ closed: ClosedEdges
    ) -> JunctionAhead {
        let full =
            leg.edge == match.spot?.edge
            ? WayFinder.Leg(edge: leg.edge, from: leg.to > 0 ? 0 : length(leg.edge), to: leg.to) : leg
        let before = bearing(arriving: full)
        let legs = entries.map { entry in
            let whole = length(Int(entry) / 2)
            return entry % 2 == 0
                ? WayFinder.Leg(edge: Int(entry) / 2, from: 0, to: whole)
                : WayFinder.Leg(edge: Int(entry) / 2, from: whole, to: 0)
        }
        let exits = legs.map { next in
            let after = bearing(leaving: next)
            return Exit(
                turn: Directions.Turn(degrees: Directions.turn(from: before, to: after)), bearing: after,
                trail: name(of: next.edge), closedReason: closed.reason(next.edge))
        }
        return JunctionAhead(
            distance: distance, coordinate: coordinate(on: leg.edge, at: leg.to), exits: exits,
            ahead: continuation(match, after: leg).flatMap { next in legs.firstIndex { $0.edge == next } })
    }

    /// The edge by which the trail that is walked goes on behind the one at whose end the junction is.
    private func continuation(_ match: TrailMatch, after leg: WayFinder.Leg) -> Int? {
        guard let trail = match.trail, let part = match.part, let own = match.spot?.edge else { return nil }
        let parts = trails[trail].parts
        let step = direction(of: part, on: trail) == match.direction ? 1 : -1
        var index = part
        // On over joints to the part that ends at the junction.
        while parts[index].edge != leg.edge, parts.indices.contains(index + step) { index += step }
        guard parts[index].edge == leg.edge || own == leg.edge else { return nil }
        let next = index + step
        if parts.indices.contains(next) { return parts[next].edge }
        // A loop begins again where it ends.
        let other = step > 0 ? 0 : parts.count - 1
        return parts.count > 1 && sharesNode(parts[other].edge, leg) ? parts[other].edge : nil
    }

    private func sharesNode(_ edge: Int, _ leg: WayFinder.Leg) -> Bool {
        let node = leg.to > leg.from ? Int(to[leg.edge]) : Int(from[leg.edge])
        let (first, last) = nodes(edge)
        return first == node || last == node
    }
}
