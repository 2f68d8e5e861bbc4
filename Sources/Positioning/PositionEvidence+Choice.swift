internal import KonzaModel

/// Which of several receivers the station's position comes from.
///
/// The receiver that it comes from is kept as long as its last fix is fresh, whatever the others say, so that it does
/// not change back and forth. Then the first one that reports a fix takes over, and stays. Of receivers without a fix,
/// one that speaks takes over from one that is silent or gone. In the first seconds of a connection a receiver that
/// gpsd lists earlier takes over from one that it lists later, so that the same one is chosen after every start.
extension PositionEvidence {
    /// How long after connecting gpsd's order counts, seconds.
    private static let settling = 5.0

    /// The name under which a receiver's reports are kept. A report that names none is of the only receiver, if there
    /// is just one.
    func key(_ device: String?) -> String {
        if let device { return device }
        let active = receivers?.filter(\.isActivated) ?? []
        return active.count == 1 ? active[0].path : ""
    }

    /// Whether a receiver that just spoke takes the place of the chosen one.
    func takesOver(_ key: String, at now: MonotonicInstant, _ settings: PositionSettings) -> Bool {
        guard let chosen, let known = views[chosen] else { return true }
        func isFresh(_ view: ReceiverView?, _ fix: Fix?) -> Bool {
            fix.map { now.seconds(since: $0.arrival) <= settings.staleAfterSeconds } ?? false
        }
        let hasFix = isFresh(views[key], views[key]?.currentFix)
        if isGone(chosen) { return true }
        if isFresh(known, known.merger.lastFix) {
            return hasFix && now.seconds(since: linkSince) < Self.settling && isListed(key, before: chosen)
        }
        return hasFix || now.seconds(since: known.lastWord) > silenceLimit(settings)
    }

    /// Whether gpsd said that it has the receiver no more, and nothing came of it since.
    private func isGone(_ key: String) -> Bool {
        guard let receivers, let view = views[key], let receiversTold, view.lastWord <= receiversTold else {
            return false
        }
        return !receivers.contains { $0.path == key && $0.isActivated } && !key.isEmpty
    }

    private func isListed(_ key: String, before other: String) -> Bool {
        guard let receivers, let first = receivers.firstIndex(where: { $0.path == key }),
            let second = receivers.firstIndex(where: { $0.path == other })
        else { return false }
        return first < second
    }
}
