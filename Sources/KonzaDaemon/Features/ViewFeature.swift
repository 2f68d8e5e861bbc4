internal import HTTPServing

/// The named view: what the fixed camera sees.
extension Feature {
    static func view(_ parts: StationParts, _ trails: TrailDesk) -> Feature {
        let desk = ViewDesk(parts: parts, trails: trails)
        var feature = Feature("view")
        parts.surroundings.tellSight { desk.sight(at: $0) }
        feature.routes = ViewRoutes(parts: parts, desk: desk).routes
        feature.start = { desk.load() }
        feature.services = [ViewWatch(parts: parts, desk: desk)]
        return feature
    }
}
