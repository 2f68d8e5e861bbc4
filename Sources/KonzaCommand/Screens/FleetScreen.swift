internal import KonzaAPI

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
        return lines + row("Messages", Line("\(fleet.lastSeq) in the log \(fleet.log)"))
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
