internal import HTTPServing
internal import KonzaSystem
internal import Settings

/// The station as one of many: its records on their way to the fleet's broker and store.
extension Feature {
    static func fleet(_ parts: StationParts, _ counters: CounterBox) -> Feature {
        let outbox = FleetOutboxService(parts: parts)
        var feature = Feature("fleet")
        feature.routes = FleetRoutes(outbox: outbox).routes
        feature.parts = [Part("fleet") { outbox.health }]
        feature.metrics = { outbox.count(&$0) }
        let track = TrackKeeper(parts: parts, counters: counters) { outbox.tell() }
        feature.services = [outbox, track]
        feature.finish = { _ in await track.finish() }
        feature.reload = { _, _ in outbox.reload() }
        return feature
    }
}
