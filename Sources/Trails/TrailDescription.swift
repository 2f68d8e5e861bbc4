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
    /// Those of the candidates of which a segment that it may be is closed.
    public let closedCandidates: [String]
}

/// What of a match is told when it changes: the state, the trail and the segment, or those that it may be.
public struct TrailIdentity: Sendable, Equatable {
    let state: TrailMatch.State
    let trail: Int?
    let edge: Int?
    let candidates: [Int]
}

extension TrailNetwork {
    /// The most trails of one segment that are named where it is not known which segment one is on.
    private static let mostNames = 8

    /// Describes a match.
    public func description(of match: TrailMatch, closed: ClosedEdges) -> TrailDescription {
        let spot = match.spot
        let trail = match.state == .unknown ? nil : match.trail.map { trails[$0] }
        var isForward = match.direction >= 0
        if match.direction == 0, let own = match.trail, let part = match.part {
            isForward = direction(of: part, on: own) > 0
        }
        let names = spot.map { spot in edgeTrails[spot.edge].map { trails[Int($0)].name } } ?? []
        var (candidates, closedOnes): ([String], [String]) = ([], [])
        for edge in match.candidates {
            let names = edgeTrails[edge].prefix(Self.mostNames).map { trails[Int($0)].name }
            for name in names.isEmpty ? ["unnamed path \(segment(edge).id)"] : names {
                if !candidates.contains(name) { candidates.append(name) }
                if closed.reason(edge) != nil, !closedOnes.contains(name) { closedOnes.append(name) }
            }
        }
        return TrailDescription(
            trail: trail?.name, length: trail?.length, trails: names,
            distance: spot.map { $0.isLeft == isForward ? -$0.distance : $0.distance },
            segment: match.state == .unknown ? nil : spot.map { name(ofEdge: $0.edge) },
            closedReason: match.state == .unknown ? nil : spot.flatMap { closed.reason($0.edge) },
            candidates: candidates, closedCandidates: closedOnes)
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

    /// The place that words name: of a place, its own; of a trail, its beginning.
    ///
    /// - Parameters:
    ///   - words: letter case apart; what stands in brackets behind a name may be left out.
    ///   - place: from where the nearest of several is taken.
    /// - Returns: nil if nothing is called so.
    /// - Throws: ``TrailError/tooMany(_:)`` where several trails are.
    public func place(named words: String, near place: Coordinate) throws(TrailError) -> TrailPlace? {
        let wanted = bareName(words)
        let origin = plane.point(place)
        func nearest(_ places: [TrailPlace]) -> TrailPlace? {
            places.min {
                plane.point($0.coordinate).distance(to: origin) < plane.point($1.coordinate).distance(to: origin)
            }
        }
        if let found = nearest(sources.flatMap(\.places).filter({ bareName($0.name) == wanted })) { return found }
        guard let name = try trailName(words), let first = beginning(ofTrail: name) else { return nil }
        return TrailPlace(name: name, kind: .other, coordinate: first)
    }

    /// Where the trail of a name begins; nil if there is none.
    public func beginning(ofTrail name: String) -> Coordinate? {
        trails.first { $0.name == name }.flatMap { lines(of: $0).first?.first }
    }

    /// The name of the one trail that words name, see ``trailNames(_:)``.
    ///
    /// - Returns: nil if no trail is called so.
    /// - Throws: ``TrailError/tooMany(_:)`` where several are.
    public func trailName(_ words: String) throws(TrailError) -> String? {
        let names = trailNames(words)
        guard names.count < 2 else {
            throw .tooMany("cannot tell which trail \(words) is: it may be \(Self.listed(names)); give the whole name")
        }
        return names.first
    }

    /// What words may mean, as far as there is room.
    static func listed(_ names: [String]) -> String {
        names.prefix(4).joined(separator: " or ") + (names.count > 4 ? " or another one" : "")
    }

    /// The names of trails that words may mean: the one that is called so, else those called so letter case apart, else those called so
    /// but for what stands in brackets.
    public func trailNames(_ words: String) -> [String] {
        let (same, bare) = (words.lowercased(), bareName(words))
        let names = trails.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        if names.contains(words) { return [words] }
        let alike = names.filter { $0.lowercased() == same }
        return alike.isEmpty ? names.filter { bareName($0) == bare } : alike
    }

    public var isEmpty: Bool { edgeCount == 0 }
}
