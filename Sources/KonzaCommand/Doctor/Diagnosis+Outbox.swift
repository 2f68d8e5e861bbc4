internal import KonzaAPI
internal import KonzaModel

extension Diagnosis {
    /// What waits to be sent, and why it does; nil from a daemon that knows no specimens.
    var outbox: Finding? {
        guard let outbox = (try? station.status.get())?.outbox else { return nil }
        func count(_ state: String) -> Int { outbox.submissions[state] ?? 0 }
        guard outbox.specimens > 0 else { return Finding(.ok, "Outbox", "no specimens yet") }
        let stuck = [(count("refused"), "refused"), (count("conflict"), "in conflict")].filter { $0.0 > 0 }
        let waiting = outbox.waiting > 0 ? [(outbox.waiting, "waiting")] : []
        let parts = (stuck + waiting).map { "\($0.0) \($0.1)" }
        let seen =
            parts.isEmpty
            ? "\(Figures.count(outbox.specimens, "specimen")), nothing waits" : parts.joined(separator: ", ")
        if outbox.health.level == .failed {
            return Finding(.fail, "Outbox", "\(outbox.health.reason) (\(seen))", remedy: "konza specimens outbox")
        }
        if !stuck.isEmpty {
            return Finding(
                .warn, "Outbox", seen,
                remedy: "konza specimens outbox says why; change what is refused with konza specimens set, end a "
                    + "conflict with konza specimens resolve")
        }
        return outbox.waiting > 0 ? waitingFinding(seen) : Finding(.ok, "Outbox", seen)
    }

    private func waitingFinding(_ seen: String) -> Finding {
        guard let courier = station.courier else {
            return Finding(
                .warn, "Outbox", "\(seen); the courier was not seen since the daemon started",
                remedy: "systemctl enable --now konza-courier")
        }
        if courier.seenSecondsAgo > OutboxScreen.courierPatience {
            let age = Figures.span(seconds: courier.seenSecondsAgo)
            return Finding(
                .warn, "Outbox", "\(seen); the courier was not seen for \(age)",
                remedy: "look at systemctl status konza-courier and journalctl -u konza-courier")
        }
        guard courier.hasNetwork else {
            return Finding(
                .warn, "Outbox", "\(seen); there is no network that the courier may use",
                remedy: "bring the box to a network, or allow one in konzad.conf with [Courier] Interfaces=; what "
                    + "waits is not lost")
        }
        return Finding(.ok, "Outbox", "\(seen), the courier is at work")
    }
}
