internal import KonzaModel

/// What came in and when. State and health follow from it and from the time alone.
struct PositionEvidence {
    var link: PositionLink = .starting(endpoint: "")
    var linkSince: MonotonicInstant
    /// nil until gpsd listed them.
    var receivers: [Receiver]?
    var receiversSince: MonotonicInstant?
    /// The last word of the receiver: a position or a sky.
    var lastReport: MonotonicInstant?
    var newestMode = FixMode.notSeen
    var fix: Fix?
    var sky: Sky?
    /// How many times the receiver has missed that the count of weeks started over.
    var missedWeekRollovers = 0
    /// How far the position jumped, metres, and when that fix arrived.
    var lastJump: (metres: Double, at: MonotonicInstant)?

    /// How long a jump is told of, seconds.
    private static let jumpMemory = 60.0

    /// The longest that an open receiver may be quiet, seconds.
    func silenceLimit(_ settings: PositionSettings) -> Double {
        let cycle = receivers?.filter(\.isActivated).compactMap(\.cycleSeconds).max() ?? 1
        return max(settings.silentAfterSeconds, 2 * cycle)
    }

    func judged(at now: MonotonicInstant, _ settings: PositionSettings) -> (PositionState, PartHealth) {
        switch link {
        case .starting(let endpoint):
            return (
                .disconnected,
                PartHealth(
                    level: .degraded, kind: "gpsd-connecting",
                    reason: endpoint.isEmpty
                        ? "the source of the position is starting" : "connecting to gpsd at \(endpoint)")
            )
        case .down(let failure): return (.disconnected, failure.health)
        case .connected: return judgedReceiver(at: now, settings) ?? judgedFix(at: now, settings)
        case .recorded(let name):
            let (state, health) = judgedFix(at: now, settings)
            guard state == .fix else { return (state, health) }
            let reason = "the position is replayed from the recording \(name), it is not where the station is"
            return (.fix, PartHealth(level: .degraded, kind: "recorded", reason: reason))
        }
    }

    private func judgedReceiver(
        at now: MonotonicInstant, _ settings: PositionSettings
    ) -> (PositionState, PartHealth)? {
        guard let receivers else { return nil }
        if receivers.isEmpty {
            return failed("no-receiver", "gpsd has no receiver; plug one in, or name it in DEVICES of gpsd's settings")
        }
        guard receivers.contains(where: \.isActivated) else {
            let paths = receivers.map(\.path).joined(separator: ", ")
            return failed(
                "receiver-not-activated",
                "gpsd knows \(paths) but cannot read it; check that it is plugged in and that gpsd may open it")
        }
        let lastWord = [lastReport, linkSince, receiversSince].compactMap { $0 }.max() ?? linkSince
        let quiet = now.seconds(since: lastWord)
        guard quiet > silenceLimit(settings) else { return nil }
        let path = receivers.first(where: \.isActivated)?.path ?? ""
        return failed(
            "receiver-silent",
            "the receiver \(path) has said nothing for \(DecimalText.text(quiet, 0)) s; check its cable and its power")
    }

    private func judgedFix(at now: MonotonicInstant, _ settings: PositionSettings) -> (PositionState, PartHealth) {
        guard let fix, newestMode >= .twoDimensional else {
            return (.acquiring, PartHealth(level: .degraded, kind: "no-fix", reason: noFixReason(at: now)))
        }
        let age = now.seconds(since: fix.arrival)
        guard age <= settings.staleAfterSeconds else {
            let reason = "the last fix came \(DecimalText.text(age, 1)) s ago; waiting for the next one"
            return (.stale, PartHealth(level: .degraded, kind: "stale", reason: reason))
        }
        if fix.source == .simulated {
            let reason = "the receiver says that it simulates; the position is not where the station is"
            return (.fix, PartHealth(level: .degraded, kind: "simulated", reason: reason))
        }
        let kind = fix.mode == .threeDimensional ? "3D fix" : "2D fix, no altitude"
        let notes = [FixAccuracy.note(fix), jumpNote(at: now), weekNote].compactMap { $0 }
        return (.fix, .ok(([kind] + notes).joined(separator: "; ")))
    }

    private func jumpNote(at now: MonotonicInstant) -> String? {
        guard let jump = lastJump, now.seconds(since: jump.at) < Self.jumpMemory else { return nil }
        let kilometres = DecimalText.text(jump.metres / 1000, 1)
        return "the position jumped by \(kilometres) km \(DecimalText.text(now.seconds(since: jump.at), 0)) s ago"
    }

    private var weekNote: String? {
        guard missedWeekRollovers > 0 else { return nil }
        return "the receiver's date is \(1024 * missedWeekRollovers) weeks behind and was corrected"
    }

    private func noFixReason(at now: MonotonicInstant) -> String {
        guard lastReport != nil else { return "waiting for the receiver's first report" }
        guard let sky, now.seconds(since: sky.arrival) < 30 else {
            return "the receiver has no fix yet; give it a clear view of the sky"
        }
        let heard = sky.satellites.count { ($0.signal ?? 0) > 0 }
        return "the receiver has no fix: \(heard) of \(sky.satellites.count) satellites are heard; "
            + "give it a clear view of the sky"
    }

    private func failed(_ kind: String, _ reason: String) -> (PositionState, PartHealth) {
        (.disconnected, PartHealth(level: .failed, kind: kind, reason: reason))
    }
}

extension LinkFailure {
    /// The stable kind and the sentence for people.
    var health: PartHealth {
        switch self {
        case .unreachable(let endpoint, let cause):
            failed("gpsd-unreachable", "cannot reach gpsd at \(endpoint): \(cause); start gpsd or correct its address")
        case .silent(let endpoint):
            failed("gpsd-silent", "gpsd at \(endpoint) does not answer; restart gpsd if this lasts")
        case .nonsense(let endpoint, let cause):
            failed("gpsd-nonsense", "what answers at \(endpoint) is not gpsd: \(cause); correct the address of gpsd")
        case .tooOld(let endpoint, let release):
            failed("gpsd-too-old", "gpsd \(release) at \(endpoint) speaks an old protocol; install gpsd 3.20 or newer")
        case .closed(let endpoint):
            failed("gpsd-closed", "gpsd at \(endpoint) ended the connection; connecting again")
        case .brokenRecording(let cause): failed("recording-broken", cause)
        }
    }

    /// A silent gpsd may speak again on the same connection, and what it told before then still holds.
    var keepsConnection: Bool {
        if case .silent = self { true } else { false }
    }

    private func failed(_ kind: String, _ reason: String) -> PartHealth {
        PartHealth(level: .failed, kind: kind, reason: reason)
    }
}
