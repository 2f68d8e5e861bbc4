internal import HTTPServing
internal import KonzaSystem
internal import Settings

/// The station as one of many: its records on their way to the fleet's broker and store.
extension Feature {
    static func fleet(_ parts: StationParts) -> Feature {
        let outbox = FleetOutboxService(parts: parts)
        var feature = Feature("fleet")
        feature.routes = FleetRoutes(outbox: outbox).routes
        feature.parts = [Part("fleet") { outbox.health }]
        feature.metrics = { outbox.count(&$0) }
        feature.services = [outbox]
        feature.reload = { _, _ in outbox.reload() }
        return feature
    }
}
