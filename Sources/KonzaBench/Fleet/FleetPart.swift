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
        let stations = options.stations ?? (options.isQuick ? 3 : 20)
        let trial = try FleetTrial(boxes: boxes, programs: Files.parent(of: Files.ownPath()), speed: speed)
        var report = PartReport(
            table: Table(
                name: "fleet", title: "A fleet of \(boxes) simulated boxes and \(stations) whole stations",
                columns: [Column("what", "what"), Column("value", "value"), Column("unit", "unit")],
                notes: [
                    "Boxes, mosquitto, PostgreSQL (fsync on) and konza-hub share the machine. The boxes' time runs "
                        + "\(Int(speed)) times as fast.",
                    "The whole stations, konzad and konza-fleet with recorded sources, come after the quiet time; visitors take "
                        + "postcards and specimens during restarts and faults.",
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
        try trial.bring(stations: stations)
        let before = (at: steadySeconds(), uses: stationUses(trial))
        try addStorms(trial, boxes, isQuick: options.isQuick, row, &report)
        addStations(trial, since: before, row, &report)
        trial.visitors?.pause(true)
        for workers in options.isQuick ? [1, 2] : [1, 2, 4] {
            let rate = try trial.drain(records: max(1, (options.isQuick ? 4000 : 40_000) / boxes), workers: workers)
            row("backlog", "records kept by \(workers) worker\(workers == 1 ? "" : "s")", rate, "records/s")
            if workers == 1 { report.goals.append(Goal("backlog, one worker", rate, .atLeast(1000), "records/s")) }
        }
        trial.visitors?.pause(false)
        if kills > 0 { addKills(trial, kills, minutes: options.minutes, row, &report) }
        do {
            if let visits = try trial.endVisits() {
                row("whole stations", "postcards and specimens acknowledged to visitors", Double(visits.count), "")
                row("whole stations", "visitors refused for now (429, 503)", Double(visits.refused), "")
                row("whole stations", "visitors without an answer", Double(visits.unanswered), "")
            }
        } catch {
            // The oracle says what is lost.
            report.failures.append("\(error)")
        }
        let ledger = try trial.ledger
        for (what, count) in [
            ("records acknowledged on the boxes", ledger.records),
            ("of them by whole stations to visitors", ledger.stationRecords), ("lost", ledger.lost),
            ("rows beyond one a record", ledger.duplicates), ("rows of no record", ledger.strange),
            ("numbers missing", ledger.gaps), ("in the quarantine", ledger.quarantined),
            ("pictures that are not the station's", ledger.unequal),
        ] {
            row("the oracle", what, Double(count), "")
        }
        report.table.rows = rows
        report.table.gatherGroups()
        report.goals.append(
            Goal(
                "lost, doubled or missing", Double(ledger.faults), .atMost(0), ""))
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

    private static func stationUses(_ trial: FleetTrial) -> [WholeStation.Program: FleetEngines.Use] {
        Dictionary(uniqueKeysWithValues: WholeStation.Program.allCases.map { ($0, trial.stationUse($0)) })
    }

    private static func addStations(
        _ trial: FleetTrial, since before: (at: Double, uses: [WholeStation.Program: FleetEngines.Use]), _ row: Add,
        _ report: inout PartReport
    ) {
        let count = Double(trial.stations.count)
        let seconds = steadySeconds() - before.at
        guard count > 0, seconds > 0 else { return }
        for (program, use) in stationUses(trial).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let processor = use.processorSeconds - (before.uses[program]?.processorSeconds ?? 0)
            row("whole stations", "\(program.rawValue): memory each", Double(use.residentBytes) / count / 1e6, "MB")
            row("whole stations", "\(program.rawValue): of a processor each", processor / seconds / count * 100, "%")
        }
        let fleet = Double(trial.stationUse(.fleet).residentBytes) / count / 1e6
        report.goals.append(Goal("konza-fleet, memory", fleet, .atMost(20), "MB"))
    }

    private static func addKills(
        _ trial: FleetTrial, _ count: Int, minutes: Int?, _ row: Add, _ report: inout PartReport
    ) {
        trial.fleet.common.speed = max(speed, 200_000 / Double(trial.fleet.boxes.count))
        defer { trial.fleet.common.speed = speed }
        var generator = SystemRandomNumberGenerator()
        var kills = FleetTrial.Kills()
        do {
            let seconds = minutes.map { Double($0) * 60 } ?? .infinity
            try trial.kill(count, seconds: seconds, using: &generator, into: &kills)
        } catch {
            report.failures.append("\(error)")
            // What comes after it waits long, and fails too.
            try? writeAll(Array("konza-bench: \(error)\n".utf8), to: 2)
        }
        for target in trial.targets {
            row("faults", "\(target.name): SIGKILL", Double(kills.kills[target] ?? 0), "")
            row("faults", "\(target.name): SIGSTOP for a while", Double(kills.stops[target] ?? 0), "")
        }
        if !trial.stations.isEmpty {
            row("faults", "konza-fleet: SIGKILL more, as its next try was far off", Double(trial.hastened), "")
        }
        row("faults", "records acknowledged meanwhile", Double(kills.records), "")
        row("faults", "records sent again", Double(kills.resent), "")
        row("faults", "time", kills.seconds, "s")
    }
}
