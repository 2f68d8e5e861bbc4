internal import KonzaAPI
internal import KonzaModel

/// `konza status`.
enum StatusScreen {
    static func lines(_ status: StatusReply, dates: LocalDates, columns: Int?) -> [Line] {
        let title = Line("Field station ", .strong) + level(status.health.level)
        let program = Line("\(status.name) \(status.version)", .quiet)
        let since =
            "running for \(Figures.span(seconds: status.uptimeSeconds)), since "
            + "\(dates.dateAndTime(status.startedAt)) \(dates.zone(status.startedAt))"
        var lines = [title + Line("   ") + program, Line(since, .quiet), Line()]
        lines += part("Position", status.position.health, status.position.source, columns)
        lines += part("Camera", status.camera.health, status.camera.source, columns)
        lines += part("Templates", status.templates.health, nil, columns)
        lines += part("Archive", status.archive.health, nil, columns)
        lines += part("Clock", status.clock.health, nil, columns)
        // Only a refused one is worth a line.
        if let configuration = status.configuration?.health, configuration.level != .ok {
            lines += part("Settings", configuration, nil, columns)
        }
        if let trails = status.trails?.health, trails.level != .ok {
            lines += part("Trails", trails, nil, columns)
        }
        if let terrain = status.terrain?.health, terrain.level != .ok {
            lines += part("Terrain", terrain, nil, columns)
        }
        if let fleet = status.fleet?.health, fleet.level != .ok { lines += part("Fleet", fleet, nil, columns) }
        lines.append(Line())
        lines += facts(status, dates).flatMap { Line.hanging(Line("\($0.0)").padded(to: 11), $0.1, columns: columns) }
        return lines
    }

    /// The word for a level, in its colour.
    static func level(_ level: PartHealth.Level) -> Line {
        switch level {
        case .ok: Line("ok", .good)
        case .degraded: Line("degraded", .caution)
        case .failed: Line("FAILED", .bad)
        }
    }

    /// Nil for a live source, which needs no word.
    static func source(_ source: SourceKind?) -> String? {
        switch source {
        case .live, nil: nil
        case .recorded: "recorded"
        case .simulated: "simulated"
        case .manual: "entered by hand"
        }
    }

    private static func part(
        _ name: String, _ health: PartHealth, _ source: SourceKind?, _ columns: Int?
    ) -> [Line] {
        let head = Line(name, .strong).padded(to: 11) + level(health.level).padded(to: 10)
        let mark = Self.source(source).map { "(\($0)) " } ?? ""
        let reason = health.reason.isEmpty ? "nothing to report" : health.reason
        return Line.hanging(head, mark + reason, columns: columns)
    }

    private static func facts(_ status: StatusReply, _ dates: LocalDates) -> [(String, String)] {
        let archive = status.archive
        let time = status.clock.time
        let clock = status.clock.timeSource == "gps" ? "the receiver" : "this machine"
        let process = status.process
        return [
            (
                "Kept",
                "\(Figures.count(archive.postcards, "postcard"))"
                    + (archive.oldestAt.map { ", the oldest of \(dates.date($0))" } ?? "")
                    + ", \(Figures.bytes(archive.bytes)) in \(archive.folder)"
            ),
            (
                "Disk",
                "\(archive.freeBytes.map(Figures.bytes) ?? "unknown") free, of which \(Figures.bytes(archive.reserveBytes)) are kept back"
            ),
            (
                "Time",
                "\(dates.dateAndTime(time)) \(dates.zone(time)) by \(clock), "
                    + (status.clock.synchronized ? "synchronised" : "not synchronised")
            ),
            (
                "Daemon",
                "process \(process.id), \(Figures.bytes(process.residentBytes)) of memory, "
                    + "\(Figures.count(process.openDescriptors, "open file")), "
                    + "\(Figures.fixed(process.cpuSeconds, 1)) s of processor time"
            ),
        ]
    }
}
