internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem

/// `konza fleet`.
enum FleetScreen {
    static func lines(_ fleet: FleetReply, dates: LocalDates, columns: Int?) -> [Line] {
        guard fleet.enabled else {
            return [
                Line("The station belongs to no fleet."),
                Line("Set [Fleet] Broker= and Box= in konzad.conf, then enable konza-fleet.", .quiet),
            ]
        }
        let box = Line(fleet.box ?? "", .strong) + Line(" of the site ") + Line(fleet.site ?? "", .strong)
        var lines =
            row("Station", box) + row("Broker", Line("\(fleet.broker ?? ""), ") + state(fleet))
        if let reason = fleet.connection?.reason {
            lines += Line.hanging(Line("").padded(to: 11), reason, columns: columns)
        }
        lines += nextTry(fleet.connection?.nextTryAt, dates: dates)
        var waiting = Line(
            fleet.waiting == 0 ? "nothing: the fleet knows every record" : Figures.count(fleet.waiting, "record"))
        if let since = fleet.waitingSince {
            waiting += Line(", the oldest of \(dates.dateAndTime(since)) \(dates.zone(since))")
        }
        lines += row("Waiting", waiting)
        var confirmed = Line("\(fleet.confirmed) since the start")
        if let last = fleet.confirmedAt {
            confirmed += Line(", the last on \(dates.dateAndTime(last)) \(dates.zone(last))")
        }
        lines += row("Confirmed", confirmed)
        lines += row("Messages", Line("\(fleet.lastSeq) in the log \(fleet.log)"))
        if let pictures = fleet.pictures { lines += self.pictures(pictures, dates: dates, columns: columns) }
        return lines
    }

    private static func nextTry(_ instant: UTCInstant?, dates: LocalDates) -> [Line] {
        instant.map { instant in
            let words =
                instant <= SystemClock().utc()
                ? "being tried again now" : "tried again at \(dates.dateAndTime(instant)) \(dates.zone(instant))"
            return row("", Line(words, .quiet))
        } ?? []
    }

    private static func pictures(_ pictures: FleetPicturesSummary, dates: LocalDates, columns: Int?) -> [Line] {
        var lines = row("Store", Line("\(pictures.store), ") + state(pictures))
        if let reason = pictures.report?.reason ?? pictures.lastRefusal {
            lines += Line.hanging(Line("").padded(to: 11), reason, columns: columns)
        }
        lines += nextTry(pictures.report?.nextTryAt, dates: dates)
        var parts: [String] = []
        if pictures.waitingThumbnails > 0 { parts.append(Figures.count(pictures.waitingThumbnails, "small picture")) }
        if pictures.waitingOriginals > 0 { parts.append(Figures.count(pictures.waitingOriginals, "original")) }
        if pictures.removing > 0 { parts.append("\(Figures.count(pictures.removing, "object")) to remove") }
        if pictures.refused > 0 { parts.append("\(pictures.refused) refused") }
        var waiting = Line(parts.isEmpty ? "nothing waits" : parts.joined(separator: ", "))
        if let since = pictures.waitingSince {
            waiting += Line(", the oldest of \(dates.dateAndTime(since)) \(dates.zone(since))")
        }
        lines += row("Pictures", waiting)
        if pictures.heldOriginals > 0 {
            let why =
                pictures.heldBecause == "metered"
                ? "until a network is up that does not cost by volume ([Fleet] MeteredInterfaces=)"
                : "until an operator asks for them ([Fleet] Originals=\(pictures.originals))"
            lines += Line.hanging(
                Line("").padded(to: 11), "\(Figures.count(pictures.heldOriginals, "original")) held \(why)",
                columns: columns)
        }
        return lines
    }

    private static func state(_ pictures: FleetPicturesSummary) -> Line {
        switch pictures.report?.state {
        case .working: Line("takes them", .good)
        case .idle: Line("nothing was sent yet", .quiet)
        case .offline: Line("no network that pictures may use ([Fleet] Interfaces=)", .caution)
        case .failed: Line("does not take them", .bad)
        case nil: Line("konza-fleet says nothing of it", .caution)
        }
    }

    /// `konza fleet desired`.
    static func desired(_ reply: FleetDesiredReply, dates: LocalDates, columns: Int?) -> [Line] {
        var version = Line("version \(reply.version)", .strong)
        if let at = reply.takenAt { version += Line(" of \(dates.dateAndTime(at)) \(dates.zone(at))") }
        var lines: [Line] =
            switch reply.state {
            case .none: [Line("Nothing is set from afar.")]
            case .applied: [Line("Set from afar: ") + version]
            case .dropped: [Line("Dropped here until a higher version comes: ") + version]
            case .off: [Line("The station takes no settings from afar ([Fleet] RemoteSettings=, Broker=).")]
            case .damaged: Line.hanging(Line("Ignored: ", .bad), reply.reason ?? "", columns: columns)
            }
        for setting in reply.settings {
            let own =
                setting.own == setting.value ? "as here" : "here: \(setting.own.isEmpty ? "(empty)" : setting.own)"
            lines.append(
                Line("[\(setting.section)] \(setting.key)=", .strong)
                    + Line(setting.value.isEmpty ? "(default)" : setting.value) + Line("  \(own)", .quiet)
                    + Line(setting.needsRestart ? "  at the next start" : "", .caution))
        }
        for refusal in reply.refused {
            lines += Line.hanging(
                Line("[\(refusal.section)] \(refusal.key)= refused: ", .caution), refusal.reason, columns: columns)
        }
        return lines
    }

    private static func state(_ fleet: FleetReply) -> Line {
        switch fleet.connection?.state {
        case .connected: Line("connected", fleet.connection?.kind == nil ? .good : .caution)
        case .connecting: Line("being reached", .caution)
        case .failed: Line("not reached", .bad)
        case nil: Line("konza-fleet does not run (systemctl status konza-fleet)", .bad)
        }
    }

    private static func row(_ name: String, _ value: Line) -> [Line] {
        [Line(name, .strong).padded(to: 11) + value]
    }
}
