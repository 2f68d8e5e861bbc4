internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// What went wrong at the station since its start, counted, where no part keeps count itself.
final class StationTally: Sendable {
    /// A part of the station and what it has said of itself.
    struct Fault: Hashable, Sendable {
        let part: String
        let kind: String
    }

    private struct State {
        var faults: [Fault: UInt64] = [:]
        var failedProbes: UInt64 = 0
        var reloadsTaken: UInt64 = 0
        var reloadsRefused: UInt64 = 0
        var refusal: String?
        var clockSteps: UInt64 = 0
        var lastAccess: UInt64 = 0
        /// Since when each request to the disk waits for it.
        var accesses: [UInt64: MonotonicInstant] = [:]
        var slowWrites: UInt64 = 0
    }

    /// A postcard that is written for longer is counted as slow, seconds.
    private static let slowSeconds = 1.0
    /// A disk that takes longer for one request is said to be slow, seconds.
    private static let patience = 5.0

    private let state = Mutex(State())

    /// How often each part has begun to be unwell, by the reason's kind.
    var faults: [Fault: UInt64] { state.withLock { $0.faults } }

    /// How often the socket did not answer the daemon's own request in time, so that the watchdog was not fed.
    var failedProbes: UInt64 { state.withLock { $0.failedProbes } }

    /// How often the system's clock was set.
    var clockSteps: UInt64 { state.withLock { $0.clockSteps } }

    /// Reloads of the configuration by what came of them.
    var reloads: [String: UInt64] {
        state.withLock { ["taken": $0.reloadsTaken, "refused": $0.reloadsRefused] }
    }

    /// Counts a part that has changed, unless it is well.
    func count(_ part: String, _ health: PartHealth) {
        guard health.level != .ok else { return }
        state.withLock { $0.faults[Fault(part: part, kind: health.kind), default: 0] += 1 }
    }

    func countFailedProbe() { state.withLock { $0.failedProbes += 1 } }

    func countClockStep() { state.withLock { $0.clockSteps += 1 } }

    func reloadTaken() {
        state.withLock { state in
            state.reloadsTaken += 1
            state.refusal = nil
        }
    }

    /// - Parameter reason: the first problem of the configuration.
    func reloadRefused(_ reason: String) {
        state.withLock { state in
            state.reloadsRefused += 1
            state.refusal = reason
        }
    }

    /// How many postcards took the disk more than a second.
    var slowWrites: UInt64 { state.withLock { $0.slowWrites } }

    /// Writes a postcard, and keeps count of how long the disk takes.
    func writing<Value, Failure: Error>(
        _ clock: any StationClock, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let start = clock.monotonic()
        defer {
            let isSlow = clock.monotonic().seconds(since: start) > Self.slowSeconds
            if isSlow { state.withLock { $0.slowWrites += 1 } }
        }
        return try onDisk(clock, body)
    }

    /// Does something short that waits for the disk, whose health it tells as long as it is not done.
    func onDisk<Value, Failure: Error>(
        _ clock: any StationClock, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let start = clock.monotonic()
        let number = state.withLock { state in
            state.lastAccess += 1
            state.accesses[state.lastAccess] = start
            return state.lastAccess
        }
        defer { state.withLock { $0.accesses[number] = nil } }
        return try body()
    }

    /// How long the disk has been at the oldest request that it has not done yet, seconds; 0 without one.
    func diskAge(at now: MonotonicInstant) -> Double {
        state.withLock { $0.accesses.values.min() }.map { max(0, now.seconds(since: $0)) } ?? 0
    }

    /// The archive's health, where it has nothing to complain of itself: whether the disk keeps up.
    func archive(_ health: PartHealth, at now: MonotonicInstant) -> PartHealth {
        let age = diskAge(at: now)
        guard health.level == .ok, age > Self.patience else { return health }
        return PartHealth(
            level: .degraded, kind: "disk-slow",
            reason: "the disk has been at one request for \(Int(age)) s; look at the disk and its cable (dmesg)")
    }

    /// Whether the settings in force are those of the file, as far as the last reload knows.
    var configuration: PartHealth {
        guard let refusal = state.withLock({ $0.refusal }) else { return .ok("the configuration is in force") }
        return PartHealth(
            level: .degraded, kind: "configuration-refused",
            reason: "the changed configuration was refused and the old settings stay in force: \(refusal); mend it and "
                + "reload")
    }
}
