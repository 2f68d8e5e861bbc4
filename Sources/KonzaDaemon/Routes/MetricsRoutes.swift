internal import Capture
internal import Drawing
internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Specimens
internal import Storage

/// `GET /metrics`: every count, in the text form that Prometheus reads (exposition format 0.0.4).
struct MetricsRoutes: Sendable {
    let parts: StationParts
    let desk: PostcardDesk
    let outbox: OutboxDesk
    let occupations: OccupationDesk
    let exports: ExportDesk
    let statistics: @Sendable () -> ServerStatistics

    var routes: [Route] {
        [
            Route(
                .get, "/metrics", access: .everyone, operation: "getMetrics", summary: "Every count, for Prometheus",
                produces: ["text/plain"], replies: [Reply(200, "Text.")],
                handler: .immediate { _ in .text(text(), type: MetricsText.mediaType) })
        ]
    }

    private func text() -> String {
        var page = MetricsText()
        process(&page)
        memory(&page)
        faults(&page)
        position(&page)
        camera(&page)
        postcards(&page)
        specimens(&page)
        page.add("konza_event_listeners", .gauge, "Open event streams.", Double(parts.events.listenerCount))
        statistics().write(to: &page)
        return page.text
    }

    private func process(_ page: inout MetricsText) {
        let usage = ProcessUsage.current()
        page.add("konza_info", .gauge, "The running version.", [([("version", ProgramVersion.number)], 1)])
        page.add(
            "konza_uptime_seconds", .gauge, "Since the start.", parts.clock.monotonic().seconds(since: parts.startedAt))
        page.add("process_resident_memory_bytes", .gauge, "Resident memory.", Double(usage.residentBytes))
        page.add("konza_heap_bytes", .gauge, "Allocated and not freed.", Double(Heap.bytesInUse))
        page.add(
            "konza_drawings_bytes", .gauge, "Of the heap: drawings kept for the next postcard with the same words.",
            Double(parts.artist.cachedBytes))
        page.add("process_open_fds", .gauge, "Open file descriptors.", Double(usage.openDescriptors))
        page.add("process_cpu_seconds_total", .counter, "User and system time.", usage.cpuSeconds)
        page.add(
            "konza_health", .gauge, "0 ok, 1 degraded, 2 failed.",
            parts.health().map { ([("part", $0.part), ("kind", $0.health.kind)], Self.number($0.health.level)) })
    }

    private func memory(_ page: inout MetricsText) {
        let figures = parts.memory.figures
        let uses = MemoryBudget.Use.allCases
        page.add(
            "konza_memory_reserved_bytes", .gauge, "Memory reserved for what clients make konzad hold, by use.",
            uses.map { ([("use", $0.rawValue)], Double(figures.reserved[$0, default: 0])) })
        page.add(
            "konza_memory_reserved_peak_bytes", .gauge, "The largest sum of all uses since the start.",
            Double(figures.peak))
        page.add(
            "konza_memory_budget_bytes", .gauge, "Memory that may be reserved at once.", Double(parts.memory.capacity))
        page.add(
            "konza_memory_refusals_total", .counter, "Reservations of memory that were refused, by use.",
            uses.map { ([("use", $0.rawValue)], Double(figures.refusals[$0, default: 0])) })
    }

    private func faults(_ page: inout MetricsText) {
        page.add(
            "konza_faults_total", .counter, "How often a part began to be unwell, by the kind that its health names.",
            parts.tally.faults.sorted { ($0.key.part, $0.key.kind) < ($1.key.part, $1.key.kind) }
                .map { ([("part", $0.key.part), ("kind", $0.key.kind)], Double($0.value)) })
        page.count(
            "konza_reloads_total", "Reloads of the configuration by what came of them.", parts.tally.reloads,
            label: "result")
        page.add(
            "konza_clock_steps_total", .counter, "How often the system's clock was set by more than half a second.",
            Double(parts.tally.clockSteps))
        page.add(
            "konza_failed_probes_total", .counter,
            "Self-checks over the socket that timed out; none renews the watchdog.",
            Double(parts.tally.failedProbes))
    }

    private static func number(_ level: PartHealth.Level) -> Double {
        switch level {
        case .ok: 0
        case .degraded: 1
        case .failed: 2
        }
    }

    private func position(_ page: inout MetricsText) {
        let snapshot = parts.board.snapshot()
        let counters = snapshot.counters
        page.add("konza_position_age_seconds", .gauge, "Age of the last fix.", snapshot.ageSeconds)
        page.add(
            "konza_position_accuracy_metres", .gauge, "Its horizontal error.",
            snapshot.fix?.horizontalAccuracy?.metres)
        page.count(
            "konza_position_events_total", "What the receiver's side counted.",
            [
                "lines": counters.lines, "fix_reports": counters.fixReports, "sky_reports": counters.skyReports,
                "epochs": counters.epochs, "merged_reports": counters.mergedReports,
                "reports_without_time": counters.reportsWithoutTime, "late_reports": counters.lateReports,
                "other_receiver_reports": counters.otherReceiverReports, "track_restarts": counters.trackRestarts,
                "position_jumps": counters.positionJumps, "connections": counters.connections,
                "reconnections": counters.reconnections, "gpsd_errors": counters.gpsdErrors,
                "week_rollovers": counters.weekRollovers, "held_reports": counters.heldReports,
                "skipped_lines": counters.skippedLines,
            ], label: "event")
        page.count(
            "konza_position_rejected_lines_total", "Lines from gpsd that were not used.",
            Dictionary(uniqueKeysWithValues: counters.rejectedLines.map { ("\($0.key)", $0.value) }), label: "cause")
    }

    private func camera(_ page: inout MetricsText) {
        let status = parts.hub.status()
        page.add("konza_camera_streaming", .gauge, "1 while frames flow.", status.isStreaming ? 1 : 0)
        page.add("konza_camera_frame_age_seconds", .gauge, "Age of the last good frame.", status.lastFrameAge)
        page.count(
            "konza_camera_events_total", "What the camera's side counted.", CameraReply.flatten(status.counters),
            label: "event")
    }

    private func postcards(_ page: inout MetricsText) {
        let usage = parts.archive.figures
        page.add("konza_archive_postcards", .gauge, "Postcards kept.", Double(usage.count))
        page.add("konza_archive_bytes", .gauge, "What they take.", Double(usage.storedBytes))
        page.add(
            "konza_archive_free_bytes", .gauge, "Free on the disk.", parts.store.figures.freeBytes.map { Double($0) })
        page.add(
            "konza_archive_slow_writes_total", .counter, "Postcards that took the disk more than a second.",
            Double(parts.tally.slowWrites))
        page.add(
            "konza_archive_write_age_seconds", .gauge, "How long the disk has been at the oldest request under way.",
            parts.tally.diskAge(at: parts.clock.monotonic()))
        page.add("konza_postcards_under_way", .gauge, "Postcards being made.", Double(desk.underWay))
        let tally = desk.tally
        page.count("konza_stamping_total", "Postcards by the way of their stamping.", tally.ways, label: "way")
        page.count("konza_postcard_failures_total", "Postcards that failed.", tally.failures, label: "kind")
    }

    private func specimens(_ page: inout MetricsText) {
        let usage = parts.specimens.figures
        page.add(
            "konza_specimens", .gauge, "Specimens.",
            [([("state", "kept")], Double(usage.count)), ([("state", "deleted")], Double(usage.deletedCount))])
        page.add("konza_specimens_bytes", .gauge, "What they take.", Double(usage.storedBytes))
        page.add(
            "konza_outbox", .gauge, "Submissions by their state.",
            Submission.State.allCases.map { ([("state", $0.rawValue)], Double(usage.outbox[$0] ?? 0)) })
        page.add(
            "konza_courier_idle_seconds", .gauge, "Since the courier last asked for an errand.",
            outbox.courierSeenAt.map { parts.clock.monotonic().seconds(since: $0) })
        page.add("konza_occupations", .gauge, "Occupations that run.", Double(occupations.count))
        page.count("konza_exports_total", "Exports by their form.", exports.tally, label: "format")
    }
}

extension MetricsText {
    /// A counter for each value of one label.
    fileprivate mutating func count(_ name: String, _ help: String, _ values: [String: UInt64], label: String) {
        add(name, .counter, help, values.sorted { $0.key < $1.key }.map { ([(label, $0.key)], Double($0.value)) })
    }
}
