internal import FleetMessaging
internal import KonzaSystem

/// A fleet of simulated boxes at mosquitto, PostgreSQL with PostGIS and `konza-hub`: what a day of it takes, how it comes back
/// from faults, and whether anything is lost.
enum FleetPart {
    private static let speed = 10.0
    /// What `[Fleet] ReconnectSpread=` is when nobody sets it, seconds.
    private static let usualSpread = 40.0

    static func run(_ options: BenchOptions) throws -> PartReport {
        let boxes = options.boxes ?? (options.isQuick ? 200 : 2000)
        let kills = options.kills ?? (options.isQuick ? 5 : 100)
        let trial = try FleetTrial(boxes: boxes, programs: Files.parent(of: Files.ownPath()), speed: speed)
        var report = PartReport(
            table: Table(
                name: "fleet", title: "A fleet of \(boxes) simulated boxes",
                columns: [Column("what", "what"), Column("value", "value"), Column("unit", "unit")],
                notes: [
                    "Boxes, mosquitto, PostgreSQL (fsync on) and konza-hub share the machine. The boxes' time runs "
                        + "\(Int(speed)) times as fast."
                ]))
        var rows: [Row] = []
        func row(_ group: String, _ what: String, _ value: Double, _ unit: String) {
            rows.append(
                Row(group: group, ["what": .text(what), "value": .figure(value), "unit": .text(unit)]))
        }
        let quiet = try trial.quiet(seconds: options.isQuick ? 20 : 180)
        add(quiet, boxes, row, &report)
        let arithmetic = FleetArithmetic(quiet)
        report.more.append(arithmetic.table)
        try addStorms(trial, boxes, isQuick: options.isQuick, row, &report)
        for workers in options.isQuick ? [1, 2] : [1, 2, 4] {
            let rate = try trial.drain(records: max(1, (options.isQuick ? 4000 : 40_000) / boxes), workers: workers)
            row("backlog", "records kept by \(workers) worker\(workers == 1 ? "" : "s")", rate, "records/s")
            if workers == 1 { report.goals.append(Goal("backlog, one worker", rate, .atLeast(1000), "records/s")) }
        }
        if kills > 0 { addKills(trial, kills, row, &report) }
        let ledger = try trial.ledger
        for (what, count) in [
            ("records acknowledged on the boxes", ledger.records), ("lost", ledger.lost),
            ("rows beyond one a record", ledger.duplicates), ("rows of no record", ledger.strange),
            ("numbers missing", ledger.gaps), ("in the quarantine", ledger.quarantined),
        ] {
            row("the oracle", what, Double(count), "")
        }
        report.table.rows = rows
        report.table.gatherGroups()
        report.goals.append(
            Goal(
                "lost, doubled or missing",
                Double(ledger.lost + ledger.duplicates + ledger.strange + ledger.gaps + ledger.quarantined), .atMost(0),
                ""))
        return report
    }

    private typealias Add = (_ group: String, _ what: String, _ value: Double, _ unit: String) -> Void

    private static func add(_ quiet: FleetTrial.Quiet, _ boxes: Int, _ row: Add, _ report: inout PartReport) {
        let days = quiet.boxDays
        row("load", "messages from all boxes", Double(quiet.messages) / quiet.seconds, "messages/s")
        row("a box-day", "messages from the box", Double(quiet.messages) / days, "")
        row("a box-day", "on the wire, with the headers of TCP and IP", Double(quiet.wire.total) / days / 1e6, "MB")
        row("a box-day", "without them", Double(quiet.wire.payload) / days / 1e6, "MB")
        for (kind, sent) in quiet.sent.sorted(by: { $0.value.bytes > $1.value.bytes }) where sent.messages > 0 {
            row(
                "messages", "\(kind.rawValue), \(Int((Double(sent.messages) / days).rounded())) a day",
                Double(sent.bytes) / Double(sent.messages), "bytes")
        }
        row("a box-day", "rows", Double(quiet.rows) / days, "")
        row("a box-day", "bytes of rows", Double(quiet.rowBytes) / days / 1e3, "kB")
        row("a box-day", "write-ahead log of the database", Double(quiet.logBytes) / days / 1e3, "kB")
        row("load", "fsync(2) of the database's log", Double(quiet.syncs) / quiet.seconds, "/s")
        report.goals.append(
            Goal("telemetry of a box-day on the wire", Double(quiet.wire.total) / days / 1e6, .atMost(0.7), "MB"))
        if let ages = Summary(quiet.ages) {
            row("from the event at the box to its receipt", "p50", ages.median * 1000, "ms")
            row("from the event at the box to its receipt", "p99", ages.percentile(99) * 1000, "ms")
            report.goals.append(Goal("event to receipt, p50", ages.median, .atMost(0.3), "s"))
            report.goals.append(Goal("event to receipt, p99", ages.percentile(99), .atMost(2), "s"))
        } else {
            report.failures.append("cannot measure the age at COMMIT: no record was made")
        }
        for engine in FleetEngines.Engine.allCases {
            guard let use = quiet.uses[engine] else { continue }
            row("engines", "\(engine.rawValue): of a processor", use.processorSeconds / quiet.seconds * 100, "%")
            row("engines", "\(engine.rawValue): memory", Double(use.residentBytes) / 1e6, "MB")
        }
        if let broker = quiet.uses[.broker] {
            row("engines", "broker: memory a connection", Double(broker.anonymousBytes) / 1e3 / Double(boxes), "kB")
        }
    }

    private static func addStorms(
        _ trial: FleetTrial, _ boxes: Int, isQuick: Bool, _ row: Add, _ report: inout PartReport
    ) throws {
        let plain = try trial.storm(.fixed(seconds: 1))
        let capacity = Double(boxes) * 0.99 / plain.nearlyAll
        row("the broker restarts", "no jitter, each second: 99 % are back", plain.nearlyAll, "s")
        row("the broker restarts", "so C is", capacity, "connections/s")
        row("the broker restarts", "no jitter: the broker's processor time", plain.brokerSeconds, "s")
        let window = Double(boxes) / (capacity / 2)
        row("the broker restarts", "so W = N / (C / 2) is", window, "s")
        for spread in isQuick ? [max(window, 2)] : [window, usualSpread] {
            let storm = try trial.storm(.spread(seconds: spread))
            let name = "spread over \(Int(spread.rounded())) s"
            row("the broker restarts", "\(name): half are back", storm.half, "s")
            row("the broker restarts", "\(name): 99 % are back", storm.nearlyAll, "s")
            row("the broker restarts", "\(name): the broker's processor time", storm.brokerSeconds, "s")
            row("the broker restarts", "\(name): the broker's memory", Double(storm.brokerBytes) / 1e6, "MB")
            if spread == usualSpread {
                report.goals.append(
                    Goal("99 % are back, in windows of \(Int(spread)) s", storm.nearlyAll / spread, .below(2), ""))
            }
        }
    }

    private static func addKills(
        _ trial: FleetTrial, _ count: Int, _ row: Add, _ report: inout PartReport
    ) {
        trial.fleet.common.speed = max(speed, 200_000 / Double(trial.fleet.boxes.count))
        defer { trial.fleet.common.speed = speed }
        var generator = SystemRandomNumberGenerator()
        var kills = FleetTrial.Kills()
        do {
            try trial.kill(count, using: &generator, into: &kills)
        } catch {
            report.failures.append("\(error)")
        }
        for engine in FleetEngines.Engine.allCases {
            row("faults", "\(engine.rawValue): SIGKILL", Double(kills.kills[engine] ?? 0), "")
            row("faults", "\(engine.rawValue): SIGSTOP for a while", Double(kills.stops[engine] ?? 0), "")
        }
        row("faults", "records acknowledged meanwhile", Double(kills.records), "")
        row("faults", "records sent again", Double(kills.resent), "")
        row("faults", "time", kills.seconds, "s")
    }
}
