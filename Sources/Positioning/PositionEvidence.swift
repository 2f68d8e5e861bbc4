internal import KonzaModel

/// What came in and when. State and health follow from it and from the time alone.
struct PositionEvidence {
    var link: PositionLink = .starting(endpoint: "")
    var linkSince: MonotonicInstant
    /// nil until gpsd listed them.
    var receivers: [Receiver]?
    var receiversSince: MonotonicInstant?
    /// When gpsd last listed its receivers.
    var receiversTold: MonotonicInstant?
    /// What each receiver said, by its device path.
    var views: [String: ReceiverView] = [:]
    /// The receiver that the station's position comes from.
    var chosen: String?
    /// The last word of the chosen receiver: a position or a sky.
    var lastReport: MonotonicInstant?
    /// The last fix that was not taken back, and the receiver that it is of.
    var fix: Fix?
    var fixKey: String?
    /// When lines were last passed over because there were too many.
    var lastFlood: MonotonicInstant?
    /// How far the position jumped, metres, and when that fix arrived.
    var lastJump: (metres: Double, at: MonotonicInstant)?
    /// The last step between two fixes that no motion explains.
    var lastImpossibleStep: ImpossibleStep?

    /// How long a jump, or a flood of lines, is reported, seconds.
    private static let memory = 60.0
    /// A flood that was seen so recently goes on, seconds.
    private static let floodPause = 2.0

    var view: ReceiverView? { chosen.flatMap { views[$0] } }

    /// What the newest report said, fix or none.
    var newestMode: FixMode { view?.newestMode ?? .notSeen }

    var isRecorded: Bool {
        if case .recorded = link { true } else { false }
    }

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

    /// The state alone, of which a recording's health says no more.
    func state(at now: MonotonicInstant, _ settings: PositionSettings) -> PositionState {
        if case .recorded = link { return judgedFix(at: now, settings).0 }
        return judged(at: now, settings).0
    }

    private func judgedReceiver(
        at now: MonotonicInstant, _ settings: PositionSettings
    ) -> (PositionState, PartHealth)? {
        guard let receivers else { return nil }
        let lastWord = views.values.map(\.lastWord).max()
        // Whatever speaks is there, also where gpsd did not report it.
        let hasSpoken = lastWord.map { $0 > receiversTold ?? linkSince } ?? false
        if receivers.isEmpty, !hasSpoken {
            return failed("no-receiver", "gpsd has no receiver; plug one in, or name it in DEVICES of gpsd's settings")
        }
        guard hasSpoken || receivers.contains(where: \.isActivated) else {
            let paths = receivers.map(\.path).joined(separator: ", ")
            return failed(
                "receiver-not-activated",
                "gpsd knows \(paths) but cannot read it; check that it is plugged in and that gpsd may open it")
        }
        let last = [lastWord, linkSince, receiversSince].compactMap { $0 }.max() ?? linkSince
        let quiet = now.seconds(since: last)
        guard quiet > silenceLimit(settings) else { return nil }
        let paths = receivers.filter(\.isActivated).map(\.path)
        let who = paths.count > 1 ? "none of the receivers \(paths.joined(separator: ", "))" : "the receiver"
        let name = paths.count == 1 ? " \(paths[0])" : ""
        let what = paths.count > 1 ? "said anything" : "said nothing"
        return failed(
            "receiver-silent",
            "\(who)\(name) has \(what) for \(DecimalText.text(quiet, 0)) s; check its cable and its power")
    }

    private func judgedFix(at now: MonotonicInstant, _ settings: PositionSettings) -> (PositionState, PartHealth) {
        guard let fix, newestMode >= .twoDimensional else {
            return (
                .acquiring, PartHealth(level: .degraded, kind: "no-fix", reason: noFixReason(at: now, settings))
            )
        }
        let age = now.seconds(since: fix.arrival)
        guard age <= settings.staleAfterSeconds else {
            let why = unusedReason(at: now, settings) ?? "waiting for the next one"
            let reason = "the last fix came \(DecimalText.text(age, 1)) s ago; \(why)"
            return (.stale, PartHealth(level: .degraded, kind: "stale", reason: reason))
        }
        if fix.source == .simulated {
            let reason = "the receiver says that it simulates; the position is not where the station is"
            return (.fix, PartHealth(level: .degraded, kind: "simulated", reason: reason))
        }
        if let reason = impossibleStepReason(at: now) {
            return (.fix, PartHealth(level: .degraded, kind: "position-implausible", reason: reason))
        }
        let kind = fix.mode == .threeDimensional ? "3D fix" : "2D fix, no altitude"
        return (.fix, .ok(([kind] + notes(at: now)).joined(separator: "; ")))
    }

    /// What is odd about a position that is good.
    func notes(at now: MonotonicInstant) -> [String] {
        [accuracyNote(at: now), jumpNote(at: now), view?.date?.note, floodNote(at: now)].compactMap { $0 }
    }

    /// Why the accuracy of the fix is not what one would expect, if it is not.
    func accuracyNote(at now: MonotonicInstant) -> String? {
        guard let fix else { return nil }
        let isImplausible = fixKey.flatMap { views[$0] }?.statesImplausibleError(at: now) ?? false
        return isImplausible ? FixAccuracy.implausible : FixAccuracy.note(fix)
    }

    private func impossibleStepReason(at now: MonotonicInstant) -> String? {
        guard let step = lastImpossibleStep, now.seconds(since: step.at) < Self.memory else { return nil }
        let others = [accuracyNote(at: now), view?.date?.note, floodNote(at: now)].compactMap { $0 }
        let ago = DecimalText.text(now.seconds(since: step.at), 0)
        let reason =
            "the position jumped by \(DecimalText.text(step.metres / 1000, 1)) km \(ago) s ago, within "
            + "\(DecimalText.text(step.seconds, 1)) s, faster than any vehicle or aircraft; do not rely on it until "
            + "it has moved plausibly for \(DecimalText.text(Self.memory, 0)) s"
        return ([reason] + others).joined(separator: "; ")
    }

    private func floodNote(at now: MonotonicInstant) -> String? {
        guard let lastFlood, now.seconds(since: lastFlood) < Self.memory else { return nil }
        let age = now.seconds(since: lastFlood)
        let limit = Int(LineBudget.perSecond)
        guard age >= Self.floodPause else {
            return "gpsd sends more than \(limit) lines a second and some are passed over"
        }
        return
            "gpsd sent more than \(limit) lines a second until \(DecimalText.text(age, 0)) s ago and some were passed over"
    }

    private func jumpNote(at now: MonotonicInstant) -> String? {
        guard let jump = lastJump, now.seconds(since: jump.at) < Self.memory else { return nil }
        let kilometres = DecimalText.text(jump.metres / 1000, 1)
        return "the position jumped by \(kilometres) km \(DecimalText.text(now.seconds(since: jump.at), 0)) s ago"
    }

    /// What comes in place of positions; nil if positions come.
    private func unusedReason(at now: MonotonicInstant, _ settings: PositionSettings) -> String? {
        guard let view = view ?? views.values.max(by: { $0.lastWord < $1.lastWord }) else { return nil }
        let limit = silenceLimit(settings)
        func isRecent(_ instant: MonotonicInstant?) -> Bool { instant.map { now.seconds(since: $0) <= limit } ?? false }
        if let refusals = view.refusals, isRecent(refusals.at) {
            return "\(counted(refusals.count, "position report")) since the last good one could not be used "
                + "(\(refusals.cause.rawValue)); check gpsd's version and what its receiver sends"
        }
        if isRecent(view.heldAt) {
            return "the receiver's time does not follow from the fixes before; waiting for a report that confirms it"
        }
        // A receiver that was just found has a while to say where it is.
        guard !isRecent(view.lastPosition), !isRecent(linkSince), !isRecent(receiversSince) else { return nil }
        let classes = (isRecent(view.lastSky) ? ["SKY"] : []) + (isRecent(view.lastOther) ? view.otherClasses : [])
        guard !classes.isEmpty else { return nil }
        return "the receiver sends \(classes.joined(separator: ", ")) and no position; check its settings"
    }

    private func noFixReason(at now: MonotonicInstant, _ settings: PositionSettings) -> String {
        if let reason = unusedReason(at: now, settings) { return reason }
        guard lastReport != nil else { return "waiting for the receiver's first report" }
        let date = view?.date.flatMap { $0.verdict == .plain ? nil : $0.note }.map { "; \($0)" } ?? ""
        guard let sky = view?.sky.sky(at: now), now.seconds(since: sky.arrival) < 30 else {
            return "the receiver has no fix yet; give it a clear view of the sky\(date)"
        }
        let heard = sky.satellites.count { ($0.signal ?? 0) > 0 }
        let satellites = counted(sky.satellites.count, "satellite")
        return "the receiver has no fix: \(heard) of \(satellites) \(heard == 1 ? "is" : "are") heard; "
            + "give it a clear view of the sky\(date)"
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
