internal import Archive
internal import Capture
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import LocalAPI
internal import Positioning

/// `GET /metrics`: every count, in the text form that Prometheus reads (exposition format 0.0.4).
struct MetricsRoutes: Sendable {
    let parts: StationParts
    let desk: PostcardDesk
    let statistics: @Sendable () -> ServerStatistics

    static let type = "text/plain; version=0.0.4; charset=utf-8"

    var routes: [Route] {
        [
            Route(
                .get, "/metrics", operation: "getMetrics", summary: "Every count, for Prometheus",
                produces: ["text/plain"], replies: [Reply(200, "Text.")],
                handler: .immediate { _ in .text(text(), type: Self.type) })
        ]
    }

    private func text() -> String {
        var page = MetricsPage()
        process(&page)
        position(&page)
        camera(&page)
        postcards(&page)
        api(&page)
        return page.text
    }

    private func process(_ page: inout MetricsPage) {
        let usage = ProcessUsage.current()
        page.gauge("konza_info", "The running version.", [(["version": Version.number], 1)])
        page.gauge("konza_uptime_seconds", "Since the start.", parts.clock.monotonic().seconds(since: parts.startedAt))
        page.gauge("process_resident_memory_bytes", "Resident memory.", Double(usage.residentBytes))
        page.gauge("process_open_fds", "Open file descriptors.", Double(usage.openDescriptors))
        page.counter("process_cpu_seconds_total", "User and system time.", usage.cpuSeconds)
        let health = parts.health().map { (["part": $0.part, "kind": $0.health.kind], Self.number($0.health.level)) }
        page.gauge("konza_health", "0 ok, 1 degraded, 2 failed.", health)
    }

    private static func number(_ level: PartHealth.Level) -> Double {
        switch level {
        case .ok: 0
        case .degraded: 1
        case .failed: 2
        }
    }

    private func position(_ page: inout MetricsPage) {
        let snapshot = parts.board.snapshot()
        let counters = snapshot.counters
        if let age = snapshot.ageSeconds { page.gauge("konza_position_age_seconds", "Age of the last fix.", age) }
        if let accuracy = snapshot.fix?.horizontalAccuracy?.metres {
            page.gauge("konza_position_accuracy_metres", "Its horizontal error.", accuracy)
        }
        page.counter(
            "konza_position_events_total", "What the receiver's side counted.",
            [
                "lines": counters.lines, "fix_reports": counters.fixReports, "sky_reports": counters.skyReports,
                "epochs": counters.epochs, "merged_reports": counters.mergedReports,
                "reports_without_time": counters.reportsWithoutTime, "late_reports": counters.lateReports,
                "other_receiver_reports": counters.otherReceiverReports, "track_restarts": counters.trackRestarts,
                "position_jumps": counters.positionJumps, "connections": counters.connections,
                "reconnections": counters.reconnections, "gpsd_errors": counters.gpsdErrors,
            ], label: "event")
        page.counter(
            "konza_position_rejected_lines_total", "Lines from gpsd that were not used.",
            Dictionary(uniqueKeysWithValues: counters.rejectedLines.map { ("\($0.key)", $0.value) }), label: "cause")
    }

    private func camera(_ page: inout MetricsPage) {
        let status = parts.hub.status()
        page.gauge("konza_camera_streaming", "1 while frames flow.", status.isStreaming ? 1 : 0)
        if let age = status.lastFrameAge {
            page.gauge("konza_camera_frame_age_seconds", "Age of the last good frame.", age)
        }
        page.counter(
            "konza_camera_events_total", "What the camera's side counted.", CameraReply.flatten(status.counters),
            label: "event")
    }

    private func postcards(_ page: inout MetricsPage) {
        let usage = parts.archive.usage()
        page.gauge("konza_archive_postcards", "Postcards kept.", Double(usage.count))
        page.gauge("konza_archive_bytes", "What they take.", Double(usage.storedBytes))
        page.gauge("konza_archive_free_bytes", "Free on the disk.", Double(usage.freeBytes ?? 0))
        page.gauge("konza_postcards_under_way", "Postcards being made.", Double(desk.underWay))
        let tally = desk.tally
        page.counter("konza_stamping_total", "Postcards by the way of their stamping.", tally.ways, label: "way")
        page.counter("konza_postcard_failures_total", "Postcards that failed.", tally.failures, label: "kind")
    }

    private func api(_ page: inout MetricsPage) {
        let counts = statistics()
        var answers: [String: UInt64] = [:]
        for (index, count) in counts.answersByClass.enumerated() where index > 0 { answers["\(index)xx"] = count }
        page.counter("konza_api_answers_total", "Answers by class of status.", answers, label: "class")
        page.counter("konza_api_refusals_total", "Requests refused.", counts.refusals, label: "kind")
        page.gauge("konza_api_connections", "Open connections.", Double(counts.openConnections))
        page.gauge("konza_api_event_listeners", "Open event streams.", Double(parts.events.listenerCount))
        page.counter(
            "konza_api_connection_events_total", "What happened to connections.",
            [
                "accepted": counts.acceptedConnections, "refused": counts.refusedConnections,
                "timed_out": counts.timedOutConnections, "stream_dropped": counts.droppedStreams,
            ], label: "event")
    }
}
