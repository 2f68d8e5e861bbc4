internal import KonzaModel

/// What the camera's health is derived from: evidence, never the mere absence of errors.
struct CameraEvidence: Sendable, Equatable {
    enum Phase: Sendable, Equatable {
        case starting
        /// No device is open, and why.
        case closed(CameraError)
        /// A device is open and answers, and nobody wants frames.
        case idle
        case streaming(since: MonotonicInstant)
    }

    var phase: Phase = .starting
    /// When the last sound frame arrived.
    var lastGood: MonotonicInstant?
    /// When the last frame of any kind arrived.
    var lastAny: MonotonicInstant?
    var lastFault: String?
    var recent = RecentOutcomes()

    /// How old the last good frame of a running stream may be, seconds.
    static let patience = 3.0

    func health(at now: MonotonicInstant) -> PartHealth {
        switch phase {
        case .starting:
            PartHealth(level: .degraded, kind: "starting", reason: "the camera is being looked for")
        case .closed(let error):
            PartHealth(level: .failed, kind: error.kind.rawValue, reason: error.message)
        case .idle:
            PartHealth(level: .ok, kind: "idle", reason: "the camera answers and rests: nobody is watching")
        case .streaming(let start):
            streamingHealth(since: start, now)
        }
    }

    private func streamingHealth(since start: MonotonicInstant, _ now: MonotonicInstant) -> PartHealth {
        let reference = max(lastGood ?? start, start)
        if now.seconds(since: reference) <= Self.patience {
            guard let lastGood, lastGood >= start else {
                // A camera that was well when it was put to rest is not unwell for waking up.
                if lastGood != nil { return PartHealth(level: .ok, kind: "ok", reason: "the camera wakes up") }
                return PartHealth(level: .degraded, kind: "starting", reason: "the camera has not yet sent a frame")
            }
            return recent.isMostlyBad
                ? PartHealth(
                    level: .degraded, kind: CameraError.Kind.corrupt.rawValue,
                    reason: "the camera sends more broken frames than sound ones (the last: "
                        + "\(lastFault ?? "unknown")); try another cable or port, or a smaller size")
                : .ok("frames arrive")
        }
        if let lastAny, lastAny >= start, now.seconds(since: lastAny) <= Self.patience {
            return PartHealth(
                level: .failed, kind: CameraError.Kind.corrupt.rawValue,
                reason: "the camera sends only broken frames (the last: \(lastFault ?? "unknown")); "
                    + "try another cable or port, or a smaller size")
        }
        return PartHealth(
            level: .failed, kind: CameraError.Kind.silent.rawValue,
            reason: "the camera streams and sends no frame; unplug it and plug it in again")
    }
}

/// Whether each of the last 64 frames was sound.
struct RecentOutcomes: Sendable, Equatable {
    private var bits: UInt64 = 0
    private var count = 0

    mutating func record(isGood: Bool) {
        bits = bits << 1 | (isGood ? 0 : 1)
        count = min(count + 1, 64)
    }

    /// More than half, judged from 16 frames on.
    var isMostlyBad: Bool { count >= 16 && bits.nonzeroBitCount * 2 > count }
}
