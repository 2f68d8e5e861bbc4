internal import HTTPServing
internal import PostgresAccess

/// Figures for Prometheus: the hub's own, and the fleet's as the database has them.
enum HubMetrics {
    struct Fleet: Sendable {
        var boxes: [(state: String, count: Int64)] = []
        var missing: Int64 = 0
        var quarantined: Int64 = 0
    }

    /// - Throws: ``PostgresError``.
    static func readFleet(_ connection: inout PostgresConnection) throws(PostgresError) -> Fleet {
        var fleet = Fleet()
        let states = try connection.run(
            "SELECT state, count(*) FROM box_states GROUP BY state ORDER BY state", seconds: 5)
        fleet.boxes = (0..<states.count).map { (states[$0, 0] ?? "", states.integer($0, 1) ?? 0) }
        let sums = try connection.run(
            "SELECT coalesce(sum(missing), 0)::bigint, (SELECT count(*) FROM quarantine) FROM sequence_gaps", seconds: 5
        )
        fleet.missing = sums.integer(0, 0) ?? 0
        fleet.quarantined = sums.integer(0, 1) ?? 0
        return fleet
    }

    static func text(_ figures: HubFigures, fleet: Fleet?) -> String {
        var metrics = MetricsText()
        let counts = figures.counts
        let workers = figures.workers
        metrics.add(
            "konza_hub_messages_total", .counter, "Messages taken from the broker, by kind.",
            counts.messages.sorted { $0.key < $1.key }.map { ([("kind", $0.key)], Double($0.value)) })
        metrics.add("konza_hub_kept_total", .counter, "Messages committed.", Double(counts.kept))
        metrics.add(
            "konza_hub_quarantined_total", .counter, "Messages that did not fit.", Double(counts.quarantined))
        metrics.add("konza_hub_receipts_total", .counter, "Revisions receipted.", Double(counts.receipts))
        metrics.add(
            "konza_hub_refused_receipts_total", .counter, "Messages of receipts that the broker did not take.",
            Double(counts.refusedReceipts))
        metrics.add("konza_hub_batches_total", .counter, "Transactions committed.", Double(counts.batches))
        metrics.add(
            "konza_hub_batch_seconds_total", .counter, "Time from the first attempt at a batch to its COMMIT.",
            counts.batchSeconds)
        metrics.add(
            "konza_hub_failed_batches_total", .counter, "Attempts at a batch that the database ended.",
            Double(counts.failedBatches))
        metrics.add(
            "konza_hub_dropped_total", .counter, "Messages left to their boxes, since too many waited.",
            Double(counts.dropped))
        metrics.add(
            "konza_hub_broker_connections_total", .counter, "Connections made to the broker.",
            Double(counts.brokerConnections))
        metrics.add(
            "konza_hub_database_connections_total", .counter, "Connections made to the database by workers.",
            Double(counts.databaseConnections))
        func links(_ link: (HubFigures.Worker) -> HubFigures.Link) -> [(
            labels: [(name: String, value: String)], value: Double
        )] {
            workers.enumerated().map { ([("worker", "\($0.offset + 1)")], link($0.element).isUp ? 1 : 0) }
        }
        metrics.add("konza_hub_broker_up", .gauge, "Whether a worker takes messages.", links(\.broker))
        metrics.add("konza_hub_database_up", .gauge, "Whether a worker can keep messages.", links(\.database))
        guard let fleet else { return metrics.text }
        metrics.add(
            "konza_fleet_boxes", .gauge, "Boxes by their state.",
            fleet.boxes.map { ([("state", $0.state)], Double($0.count)) })
        metrics.add(
            "konza_fleet_missing_messages", .gauge, "Numbers of messages that have not come, those under way included.",
            Double(fleet.missing))
        metrics.add(
            "konza_fleet_quarantined_messages", .gauge, "Messages in the quarantine.", Double(fleet.quarantined))
        return metrics.text
    }
}
