internal import KonzaModel

extension TrailNetwork {
    /// So near to a trailhead one is outside of the trails that begin there, metres.
    static let trailheadReach = 25.0

    /// Where one comes to the trails: trailheads and parking places; where there is none, the beginning of the first trail.
    var trailheads: [TrailPlace] {
        let places = sources.flatMap(\.places).filter { $0.kind == .trailhead || $0.kind == .parking }
        guard places.isEmpty, let first = trails.first, let place = lines(of: first).first?.first else { return places }
        return [TrailPlace(name: first.name, kind: .other, coordinate: place)]
    }

    /// Where a way home ends: at a trailhead; without any, where one comes to the trails.
    var homes: [TrailPlace] {
        let heads = sources.flatMap(\.places).filter { $0.kind == .trailhead }
        return heads.isEmpty ? trailheads : heads
    }

    /// The spots of the edges at trailheads.
    var trailheadSpots: [Spot] {
        trailheads.flatMap { spots(near: plane.point($0.coordinate), within: Self.trailheadReach) }
    }

    func trailhead(at place: Coordinate) -> TrailPlace? {
        let point = plane.point(place)
        return trailheads.first { plane.point($0.coordinate).distance(to: point) <= Self.trailheadReach }
    }

    /// Why there is no way, and what to do.
    func refusal(_ finder: WayFinder, from first: Spot, to last: Spot) -> TrailError {
        let closed = finder.closed
        let out = finder.exit(from: first)
        // What closes later than one could be there is not the reason.
        let through = finder.wayThrough(from: first, to: last)
        let walk = finder.delay + (through?.seconds ?? 0)
        let why = words(closed, last.edge, within: walk) ?? (out == nil ? nil : words(closed, first.edge, within: walk))
        guard let why else {
            return .noWay(
                "cannot lead there: no open trail connects the two places"
                    + (wayOut(finder, from: first) ?? through.flatMap { wayThrough(finder, $0) } ?? ""))
        }
        guard let out else {
            return .noWay("cannot lead there: \(why)\(wayOut(finder, from: first) ?? "; ask for another place")")
        }
        return .noWay(
            "cannot lead there: \(why); the nearest way out of the closure is at \(name(of: out.spot)), "
                + "\(Int(out.metres.rounded())) m along the trail: ask for the way there")
    }

    /// The most closed parts that a refusal names.
    private static let mostParts = 3

    /// Where one gets off an open part that closed ones cut off, and what is closed on the way: nobody is led there without knowing.
    ///
    /// - Returns: nil where open trails lead to a trailhead, or nothing does.
    private func wayOut(_ finder: WayFinder, from first: Spot) -> String? {
        guard let way = finder.wayOverClosed(from: first), way.cost.closed > 0, let last = way.legs.last else {
            return nil
        }
        let end = Spot(edge: last.edge, along: last.to, distance: 0, isLeft: true)
        let length = way.legs.reduce(0) { $0 + $1.length }
        return "; the nearest way out is at \(name(of: end)), \(Int(length.rounded())) m along the trails, and is not "
            + "open: \(closedParts(of: way, finder)); ask those who closed it before you take it"
    }

    /// What is closed, or closes before one has left it, where there would be a way but for that.
    ///
    /// - Returns: nil for a way that is open.
    private func wayThrough(_ finder: WayFinder, _ way: WayFinder.Way) -> String? {
        guard way.cost.closed > 0 else { return nil }
        return ": \(closedParts(of: way, finder)); ask for another place, or for another time"
    }

    /// The closed parts of a way, each with its trail, its length, why it is closed and where it begins.
    private func closedParts(of way: WayFinder.Way, _ finder: WayFinder) -> String {
        var parts: [(trail: String, why: String, from: Double, length: Double)] = []
        var along = 0.0
        var seconds = finder.delay
        for leg in way.legs {
            seconds += WayFinder.seconds(self, leg)
            defer { along += leg.length }
            guard finder.closed.isShut(leg.edge, leftAfter: seconds), let why = reason(finder.closed, leg.edge) else {
                continue
            }
            let trail = name(of: leg.edge) ?? "a path without a name"
            if let known = parts.last, known.trail == trail, known.why == why,
                abs(known.from + known.length - along) < 0.1
            {
                parts[parts.count - 1].length += leg.length
            } else {
                parts.append((trail, why, along, leg.length))
            }
        }
        let named = parts.prefix(Self.mostParts).map {
            "\(Int($0.length.rounded())) m of \($0.trail), \($0.why), from \(Int($0.from.rounded())) m on"
        }
        let more = parts.count > named.count ? [" and \(counted(parts.count - named.count, "more part"))"] : []
        return named.joined(separator: ", ") + more.joined()
    }

    /// A spot for people: the trailhead there, else its place.
    private func name(of spot: Spot) -> String {
        let place = coordinate(on: spot.edge, at: spot.along)
        return trailhead(at: place)?.name ?? "\(Self.degrees(place.latitude)),\(Self.degrees(place.longitude))"
    }

    /// Why an edge is closed, or closes before so many seconds are over.
    private func words(_ closed: ClosedEdges, _ edge: Int, within seconds: Double) -> String? {
        guard closed.isShut(edge, leftAfter: seconds) else { return nil }
        return reason(closed, edge).map { "the trail \(closed.contains(edge) ? "is " : "")\($0)" }
    }

    private func reason(_ closed: ClosedEdges, _ edge: Int) -> String? {
        if let reason = closed.reason(edge) { return "closed (\(reason))" }
        return closed.coming(edge).map { "closes at \(Self.minute($0.from)) (\($0.reason))" }
    }

    /// An instant for people, to the minute.
    private static func minute(_ instant: UTCInstant) -> String {
        "\(instant.rfc3339.prefix(16).replacing("T", with: " ")) UTC"
    }

    /// A tenth of a metre, near enough to be the same place.
    private static func degrees(_ value: Double) -> String { DecimalText.text(value, 6) }
}
