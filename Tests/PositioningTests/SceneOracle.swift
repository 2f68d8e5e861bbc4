import KonzaModel

@testable import Positioning

/// What can be told of a scene from the list of what was said.
extension Scene {
    /// What is wrong with what the board says now; nil if nothing.
    var complaint: String? {
        let snapshot = feed.board.snapshot()
        let now = second
        if let fix = snapshot.fix, let complaint = complaint(fix, snapshot) { return "second \(now): \(complaint)" }
        if let complaint = complaintOfSky(snapshot) ?? complaintOfReason(snapshot) {
            return "second \(now): \(complaint)"
        }
        let times = feed.board.fixes().map(\.time)
        if zip(times, times.dropFirst()).contains(where: { $0 >= $1 }) { return "second \(now): the track goes back" }
        return nil
    }

    private func complaint(_ fix: Fix, _ snapshot: PositionSnapshot) -> String? {
        guard let path = fix.device, let device = devices.indices.first(where: { name($0) == path }) else {
            return "a fix of no receiver"
        }
        if fix.coordinate?.latitude != Double(10 * (device + 1)) + 0.5 { return "a place of another receiver" }
        if let height = fix.altitudeMSL, height != Double(1000 * (device + 1)) { return "a height of another receiver" }
        if fix.mode == .twoDimensional, fix.altitudeMSL != nil { return "a height without three dimensions" }
        let arrival = now(of: snapshot)
        if snapshot.state == .fix, second - arrival > 2.5 { return "an old fix is live" }
        // All that the receiver said of this epoch; without a time, of this moment.
        var modes: [Int] = []
        var errors: [Double] = []
        var isDifferential = false
        // gpsd's model is justified where a report gave no error.
        var isModelJustified = false
        for said in log where said.device == device {
            guard case .position(let time, let mode, let eph, let differential) = said.what,
                (time != nil && time == fix.time) || (time == nil && abs(said.second - arrival) < 0.3)
            else { continue }
            modes.append(mode)
            if mode < 2, time != nil {
                // What was said of a fix that is taken back is gone.
                errors = []
                isDifferential = false
            } else if mode >= 2 {
                if let eph { errors.append(eph) } else { isModelJustified = true }
                isDifferential = isDifferential || differential
            }
        }
        if !modes.contains(fix.mode.rawValue) { return "a mode that was not said" }
        if fix.time != nil, snapshot.state == .fix, !modes.contains(where: { $0 >= 2 }) { return "a fix that was not" }
        return complaintOfError(fix, device, arrival, errors, isDifferential, isModelJustified)
    }

    private func complaintOfError(
        _ fix: Fix, _ device: Int, _ arrival: Double, _ errors: [Double], _ isDifferential: Bool,
        _ isModelJustified: Bool
    ) -> String? {
        let skies = log.filter { $0.device == device && abs($0.second - arrival) < 10 }
        let dops = skies.compactMap { if case .sky(let hdop, _, _) = $0.what { hdop } else { nil } }
        if let hdop = fix.dop.horizontal, !dops.contains(hdop) { return "a DOP that this receiver did not say" }
        let counts = skies.compactMap { if case .sky(_, let used, _) = $0.what { used } else { nil } }
        if let used = fix.satellitesUsed, !counts.contains(used) { return "a count that this receiver did not say" }
        let stated = log.compactMap { said -> (UTCInstant, Double)? in
            guard said.device == device, case .statement(let time, let metres) = said.what else { return nil }
            return (time, metres)
        }
        guard let accuracy = fix.horizontalAccuracy else { return nil }
        let ofEpoch = stated.filter { $0.0 == fix.time || fix.time == nil }.map(\.1)
        let modelled = dops.map { $0 * (isDifferential ? 4.75 : 19) }
        guard let best = (errors + ofEpoch + (isModelJustified ? modelled : [])).min() else {
            return "an accuracy from nowhere"
        }
        if accuracy.metres < best - 1e-6 { return "\(accuracy.metres) m where \(best) m is justified" }
        let isStated = stated.contains { abs($0.1 - accuracy.metres) < 1e-6 }
        if accuracy.confidence != nil, !isStated { return "a confidence that nobody stated" }
        if devices[device].isModelled, accuracy.source == .receiver, !isStated {
            return "a model called the receiver's"
        }
        return nil
    }

    private func complaintOfSky(_ snapshot: PositionSnapshot) -> String? {
        guard let sky = snapshot.sky, let path = sky.device,
            let device = devices.indices.first(where: { name($0) == path })
        else { return nil }
        if snapshot.fix != nil, snapshot.skyIsOfFix, snapshot.fix?.device != path { return "a sky of another receiver" }
        if sky.satellites.contains(where: { $0.prn / 10 != device + 1 }) { return "satellites of another receiver" }
        guard !sky.satellites.isEmpty else { return nil }
        let last = log.last { said in
            guard said.device == device, case .sky(_, let used, _) = said.what else { return false }
            return used != nil
        }
        guard let last, case .sky(_, _, let visible) = last.what else { return "satellites that nobody listed" }
        if last.connection != connection { return "satellites of another connection" }
        if sky.satellites.count != visible { return "\(sky.satellites.count) satellites where \(visible) were listed" }
        guard let age = snapshot.skyAgeSeconds, abs(age - (second - last.second)) < 1e-6 else {
            return "a list of satellites that is older than told"
        }
        return nil
    }

    private func complaintOfReason(_ snapshot: PositionSnapshot) -> String? {
        let reason = snapshot.health.reason
        if snapshot.health.level != .ok, reason.isEmpty { return "no reason" }
        let words = log.filter { second - $0.second < 3.001 && $0.connection == connection }
        switch snapshot.health.kind {
        case "receiver-silent":
            if words.contains(where: { second - $0.second < 2.999 }) { return "silence while something was said" }
        case "no-receiver", "receiver-not-activated": return "a receiver that is there is missed"
        default: break
        }
        if reason.contains("and no position") {
            // Of the chosen one: somebody must have said something else and no position in the last seconds.
            let silentOnes = devices.indices.filter { device in
                let own = words.filter { $0.device == device }
                return !own.isEmpty
                    && !own.contains { if case .position = $0.what { true } else { false } }
            }
            if silentOnes.isEmpty { return "positions came, and the reason denies it" }
        }
        if reason.contains("could not be used"),
            !words.contains(where: { if case .refused = $0.what { true } else { false } })
        {
            return "a refusal that was not"
        }
        return nil
    }

    /// The second at which the fix arrived.
    private func now(of snapshot: PositionSnapshot) -> Double { second - (snapshot.ageSeconds ?? 0) }
}
