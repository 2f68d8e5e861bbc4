internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// The station itself: its time, its configuration, its events, and the pages about all features.
extension Feature {
    /// - Parameters:
    ///   - parts: of the station.
    ///   - others: all other features.
    ///   - counters: who wants all counts, and is made before they are.
    ///   - statistics: of the server.
    /// - Returns: the feature, and how all parts are.
    static func station(
        _ parts: StationParts, with others: [Feature], counters: CounterBox,
        statistics: @escaping @Sendable () -> ServerStatistics
    ) -> (feature: Feature, health: StationHealth) {
        var feature = Feature("station")
        feature.parts = [Part("clock") { parts.time.health }, Part("configuration") { parts.tally.configuration }]
        let health = StationHealth(parts: (others + [feature]).flatMap(\.parts))
        let metrics = MetricsRoutes(
            parts: parts, health: health, features: others.map(\.metrics), statistics: statistics)
        counters.attach { metrics.text() }
        feature.routes =
            StatusRoutes(parts: parts, health: health).routes + EventRoutes(parts: parts).routes
            + metrics.routes
        feature.services = [EventFeed(parts: parts)]
        return (feature, health)
    }
}
