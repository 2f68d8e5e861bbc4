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
        guard let why = words(closed, last.edge) ?? (out == nil ? nil : words(closed, first.edge)) else {
            return .noWay(
                "cannot lead there: no open trail connects the two places"
                    + (closed.isEmpty ? "" : "; \(closed.count) segments are closed, see GET /v1/trails/closures"))
        }
        guard let out else { return .noWay("cannot lead there: \(why); ask for another place") }
        let place = coordinate(on: out.spot.edge, at: out.spot.along)
        let name = trailhead(at: place)?.name ?? "\(Self.degrees(place.latitude)),\(Self.degrees(place.longitude))"
        return .noWay(
            "cannot lead there: \(why); the nearest way out of the closure is at \(name), \(Int(out.metres.rounded())) m "
                + "along the trail: ask for the way there")
    }

    /// Why an edge is closed, or closes.
    private func words(_ closed: ClosedEdges, _ edge: Int) -> String? {
        if let reason = closed.reason(edge) { return "the trail is closed (\(reason))" }
        return closed.coming(edge).map { "the trail closes at \($0.from.rfc3339) (\($0.reason))" }
    }

    /// A tenth of a metre, near enough to be the same place.
    private static func degrees(_ value: Double) -> String { DecimalText.text(value, 6) }
}
