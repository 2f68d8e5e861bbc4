public import KonzaModel

/// Where somebody is on the trails, as others are told.
public struct TrailDescription: Sendable, Equatable {
    public let trail: String?
    /// Metres of the trail.
    public let length: Double?
    /// All trails of the segment, the shortest first.
    public let trails: [String]
    /// Metres from the trail, to the right of the direction of walking positive.
    public let distance: Double?
    public let segment: String?
    public let closedReason: String?
    public let candidates: [String]
}

/// What of a match is told when it changes: the state, the trail and the segment, or those that it may be.
public struct TrailIdentity: Sendable, Equatable {
    let state: TrailMatch.State
    let trail: Int?
    let edge: Int?
    let candidates: [Int]
}

extension TrailNetwork {
    /// Describes a match.
    public func description(of match: TrailMatch, closed: ClosedEdges) -> TrailDescription {
        let spot = match.spot
        let trail = match.state == .unknown ? nil : match.trail.map { trails[$0] }
        var isForward = match.direction >= 0
        if match.direction == 0, let own = match.trail, let part = match.part {
            isForward = direction(of: part, on: own) > 0
        }
        let names = spot.map { spot in edgeTrails[spot.edge].map { trails[Int($0)].name } } ?? []
        var candidates: [String] = []
        for edge in match.candidates {
            let name = name(of: edge) ?? "unnamed path \(segment(edge).id)"
            if !candidates.contains(name) { candidates.append(name) }
        }
        return TrailDescription(
            trail: trail?.name, length: trail?.length, trails: names,
            distance: spot.map { $0.isLeft == isForward ? -$0.distance : $0.distance },
            segment: match.state == .unknown ? nil : spot.map { name(ofEdge: $0.edge) },
            closedReason: match.state == .unknown ? nil : spot.flatMap { closed.reason($0.edge) },
            candidates: candidates)
    }

    /// What of a match is worth an event when it changes.
    public func identity(of match: TrailMatch) -> TrailIdentity {
        guard match.state != .unknown else {
            return TrailIdentity(state: .unknown, trail: nil, edge: nil, candidates: match.candidates.sorted())
        }
        return TrailIdentity(
            state: match.state, trail: match.trail, edge: match.state == .off ? nil : match.spot?.edge, candidates: [])
    }

    /// A match of one whose place is not known now, with the last one that was.
    public func unknown(at place: Coordinate?) -> TrailMatch {
        TrailMatch(.unknown, spot: place.flatMap { nearest(toPlace: $0) })
    }

    /// The trails for a list, each with its ascent and with how much of it is closed.
    public func list(
        closed: ClosedEdges, height: (Coordinate) -> Double?
    ) -> [(
        name: String, source: String, length: Double, published: ClosedRange<Double>?, ascent: Double?,
        closed: ClosedPart?
    )] {
        trails.map { trail in
            (
                trail.name, sources[trail.source].name, trail.length, trail.published,
                profile(ofTrail: trail.name, height: height)?.profile.ascent,
                closedPart(of: trail, closed)
            )
        }
    }

    /// Where more than two segments meet.
    public var junctionCount: Int { (0..<nodeCount).count { edges(at: $0).count > 2 } }

    /// Metres of all segments.
    public var totalLength: Double { (0..<edgeCount).reduce(0) { $0 + length($1) } }

    /// The place that words name: of a place, its own; of a trail, its beginning; of `trailhead`, the nearest one.
    ///
    /// - Parameters:
    ///   - words: letter case apart; what stands in brackets behind a name may be left out.
    ///   - place: from where the nearest of several is taken.
    /// - Returns: nil if nothing is called so.
    public func place(named words: String, near place: Coordinate) -> TrailPlace? {
        let wanted = Self.bare(words)
        let origin = plane.point(place)
        func nearest(_ places: [TrailPlace]) -> TrailPlace? {
            places.min {
                plane.point($0.coordinate).distance(to: origin) < plane.point($1.coordinate).distance(to: origin)
            }
        }
        let all = sources.flatMap(\.places)
        if wanted == "trailhead", let found = nearest(all.filter { $0.kind == .trailhead }) { return found }
        if let found = nearest(all.filter { Self.bare($0.name) == wanted }) { return found }
        let own = trails.first { wanted == "trailhead" || Self.bare($0.name) == wanted }
        guard let own, let first = lines(of: own).first?.first else { return nil }
        return TrailPlace(name: own.name, kind: .other, coordinate: first)
    }

    private static func bare(_ name: String) -> String {
        let name = name.lowercased()
        guard let bracket = name.firstIndex(of: "("), bracket != name.startIndex else { return name }
        return name[..<bracket].split(separator: " ").joined(separator: " ")
    }

    public var isEmpty: Bool { edgeCount == 0 }
}
