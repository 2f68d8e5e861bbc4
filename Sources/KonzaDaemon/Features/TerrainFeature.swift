internal import HTTPServing

/// The ground around the station: its height, and the skyline it makes; and the sky above.
extension Feature {
    static func terrain(_ parts: StationParts) -> Feature {
        var feature = Feature("terrain")
        feature.routes = TerrainRoutes(parts: parts).routes + SkyRoutes(parts: parts).routes
        feature.parts = [Part("terrain") { parts.ground.health }]
        return feature
    }
}
