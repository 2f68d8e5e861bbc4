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
    let health: StationHealth
    /// Each feature's counts.
    let features: [@Sendable (inout MetricsText) -> Void]
    let statistics: @Sendable () -> ServerStatistics

    var routes: [Route] {
        [
            Route(
                .get, "/metrics", access: .everyone, operation: "getMetrics", summary: "Every count, for Prometheus",
                produces: ["text/plain"], replies: [Reply(200, "Text.")],
                handler: .immediate { _ in .text(text(), type: MetricsText.mediaType) })
        ]
    }

    /// Every count there is.
    func text() -> String {
        var page = MetricsText()
        process(&page)
        memory(&page)
        faults(&page)
        for metrics in features { metrics(&page) }
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
            health.current.map { ([("part", $0.part), ("kind", $0.health.kind)], Self.number($0.health.level)) })
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
}

extension MetricsText {
    /// A counter for each value of one label.
    mutating func count(_ name: String, _ help: String, _ values: [String: UInt64], label: String) {
        add(name, .counter, help, values.sorted { $0.key < $1.key }.map { ([(label, $0.key)], Double($0.value)) })
    }
}
