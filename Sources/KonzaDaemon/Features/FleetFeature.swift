internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// The station as one of many: its records on their way to the fleet's broker and store.
extension Feature {
    static func fleet(_ parts: StationParts, _ counters: CounterBox) -> Feature {
        let outbox = FleetOutboxService(parts: parts)
        let pictures = FleetPictureService(parts: parts, records: outbox)
        let remote = RemoteSettingsKeeper(parts: parts, content: parts.remoteSettings)
        var feature = Feature("fleet")
        feature.routes = FleetRoutes(outbox: outbox, pictures: pictures, remote: remote).routes
        feature.parts = [
            Part("fleet") {
                let health = outbox.health(remoteComplaint: remote.complaint)
                return health.level == .ok ? pictures.complaint ?? outbox.publicLinkComplaint ?? health : health
            }
        ]
        feature.start = { remote.start() }
        feature.metrics = {
            outbox.count(&$0)
            pictures.count(&$0)
        }
        let track = TrackKeeper(parts: parts, counters: counters) { outbox.tell() }
        feature.services = [outbox, pictures, track]
        feature.finish = { _ in await track.finish() }
        feature.reload = { _, _ in
            outbox.reload()
            pictures.reload()
        }
        return feature
    }
}
