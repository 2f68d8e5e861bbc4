internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization
internal import Systemd

/// Looks at every part once a second, reports changes (log, events, `systemctl status`), and feeds the watchdog on
/// evidence only: this loop runs, and the socket answers a request as it would a client's.
///
/// A missing receiver or camera does not starve the watchdog: a restart would not bring them back, and positions and
/// pictures that are there are served meanwhile.
final class HealthMonitor: Service {
    let name = "health"

    /// Seconds between two looks.
    private static let period = 1.0
    /// A clock that changes by more than this between two looks was set, not slewed, seconds.
    private static let clockStep = 0.5

    private let parts: StationParts
    private let health: StationHealth
    private let manager: ServiceManager
    private let socketPath: String
    private let last = Mutex<[String: PartHealth]>([:])
    /// UTC less the steady clock at the last look, seconds.
    private let clockOffset = Mutex<Double?>(nil)
    private let nextFeed = Mutex<MonotonicInstant?>(nil)

    init(parts: StationParts, health: StationHealth, manager: ServiceManager, socketPath: String) {
        self.parts = parts
        self.health = health
        self.manager = manager
        self.socketPath = socketPath
    }

    /// A thread of its own: when the disk stands still and has taken all that wait for it, this is reported and the watchdog
    /// is fed.
    func run() async throws {
        await onTicks(named: "health", of: parts.clock, everySeconds: Self.period) { [self] in
            review()
            watchClock()
            feedWatchdog()
        }
    }

    private func feedWatchdog() {
        let now = parts.clock.monotonic()
        guard let interval = manager.watchdogSeconds, now >= nextFeed.withLock({ $0 ?? now }) else { return }
        if apiAnswers(withinSeconds: interval / 4) {
            manager.feedWatchdog()
        } else {
            parts.tally.countFailedProbe()
            parts.log(.error, "the API does not answer its own request; the watchdog is not fed")
        }
        nextFeed.withLock { $0 = parts.clock.monotonic().advanced(bySeconds: interval / 3) }
    }

    private func apiAnswers(withinSeconds limit: Double) -> Bool {
        let milliseconds = Int32(min(max(limit, 0.5), 60) * 1000)
        return SelfProbe.answers(socketPath: socketPath, milliseconds: milliseconds)
    }

    /// Counts and reports a clock that was set, by whomever: times before and after it do not compare.
    private func watchClock() {
        let clocks = parts.clock.reading()
        let offset = clocks.utc.seconds - Double(clocks.monotonic.nanoseconds) / 1e9
        let before = clockOffset.withLock { known in
            defer { known = offset }
            return known
        }
        guard let before, abs(offset - before) > Self.clockStep else { return }
        parts.tally.countClockStep()
        parts.log(.warning, "the system's clock was set by \(((offset - before) * 10).rounded() / 10) s")
    }

    /// Compares every part with the last look and reports what changed.
    func review() {
        let now = health.current
        var changed = false
        for (part, health) in now {
            let before = last.withLock { $0.updateValue(health, forKey: part) }
            guard before?.kind != health.kind || before?.level != health.level else { continue }
            changed = true
            parts.tally.count(part, health)
            parts.events.post(HealthEvent(part: part, health: health))
            // A reason that only repeats what went well is not worth a line at the start.
            if before != nil || health.level != .ok {
                parts.log(health.level == .ok ? .notice : .warning, "\(part): \(health.reason)")
            }
        }
        if changed { manager.tellStatus(StationHealth.summary(now)) }
    }
}
