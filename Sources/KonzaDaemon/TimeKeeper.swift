internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Turns instants of the steady clock into UTC, by the system's clock if it can be believed, else by the receiver's.
///
/// A field box has no battery behind its clock: after a power cut it may wake up in 1970. A picture stamped so is
/// lost to science, while the receiver knows the time to well under a second.
final class TimeKeeper: Sendable {
    enum Source: String, Sendable {
        case system
        case gps
    }

    struct Reading: Sendable {
        let instant: UTCInstant
        let source: Source
        /// What a live receiver says, while the system's clock contradicts it.
        var receiver: UTCInstant?
        /// What a live receiver says, where the system's clock is further from it than a report is ever late.
        fileprivate var onTrack: UTCInstant?

        /// The time by which the track is asked, which is by the receiver's: a clock that was set a moment ago, and is not
        /// known to contradict the receiver yet, misleads nobody.
        var trackInstant: UTCInstant { onTrack ?? instant }
    }

    /// A clock that counts as synchronised and a live receiver that disagree.
    struct Contradiction: Sendable, Equatable {
        let system: UTCInstant
        let receiver: UTCInstant
    }

    /// More than a report is ever late, seconds.
    static let tolerance = 2.0
    /// How long the two disagree before neither is believed, seconds.
    static let patience = 60.0

    /// A year before this one means that the clock was never set.
    static let firstPlausibleYear = 2024

    private let clock: any StationClock
    private let isSynchronized: @Sendable () -> Bool?
    /// UTC by a live receiver at an instant; nil without one. A fix arrives 10 to 700 ms after its epoch, which is
    /// the error of the result.
    private let receiverUTC: @Sendable (MonotonicInstant) -> UTCInstant?
    /// Since when the two disagree.
    private let disagreedSince = Mutex<MonotonicInstant?>(nil)

    init(
        clock: any StationClock, receiverUTC: @escaping @Sendable (MonotonicInstant) -> UTCInstant?,
        isSynchronized: @escaping @Sendable () -> Bool? = { SystemClock.isSynchronized }
    ) {
        self.clock = clock
        self.receiverUTC = receiverUTC
        self.isSynchronized = isSynchronized
    }

    /// Whether the system's clock can be believed: set, and known to be synchronised.
    var systemIsTrusted: Bool { systemIsSet && isSynchronized() == true }

    var systemIsSet: Bool { CivilTime(clock.utc()).year >= Self.firstPlausibleYear }

    /// Whose time stamps use now.
    var source: Source { now().source }

    /// UTC at an instant of the steady clock.
    func reading(at instant: MonotonicInstant) -> Reading {
        if !systemIsTrusted, let instant = receiverUTC(instant),
            CivilTime(instant).year >= Self.firstPlausibleYear
        {
            return Reading(instant: instant, source: .gps)
        }
        let system = clock.reading().utc(at: instant)
        let receiver = receiverUTC(instant)
        let isFar = receiver.map { abs(system.seconds(since: $0)) > Self.tolerance } ?? false
        return Reading(
            instant: system, source: .system, receiver: contradiction == nil ? nil : receiver,
            onTrack: isFar ? receiver : nil)
    }

    /// What the two clocks say, if they have disagreed for a minute. It is known only while somebody asks, as the
    /// health monitor does.
    var contradiction: Contradiction? {
        let clocks = clock.reading()
        let (now, system) = (clocks.monotonic, clocks.utc)
        guard systemIsTrusted, let receiver = receiverUTC(now),
            CivilTime(receiver).year >= Self.firstPlausibleYear,
            abs(system.seconds(since: receiver)) > Self.tolerance
        else {
            disagreedSince.withLock { $0 = nil }
            return nil
        }
        let since = disagreedSince.withLock { since in
            let first = since ?? now
            since = first
            return first
        }
        return now.seconds(since: since) >= Self.patience ? Contradiction(system: system, receiver: receiver) : nil
    }

    func now() -> Reading { reading(at: clock.monotonic()) }

    /// The time, if the system's clock can be believed or a receiver tells it; nil while the two contradict each other,
    /// so that nothing is deleted by age.
    var believedNow: UTCInstant? {
        if contradiction != nil { return nil }
        let reading = now()
        return systemIsTrusted || reading.source == .gps ? reading.instant : nil
    }

    var health: PartHealth {
        if let found = contradiction {
            return PartHealth(
                level: .degraded, kind: "clock-contradiction",
                reason: "the system's clock says \(found.system), the receiver says \(found.receiver), and they have "
                    + "disagreed for a minute; pictures carry the system's time and keep the receiver's, and nothing "
                    + "is deleted by age; check the time service's servers and the receiver")
        }
        if systemIsTrusted { return .ok("the system's clock is set and synchronised") }
        if source == .gps { return .ok("the system's clock is not synchronised; times are the receiver's") }
        guard systemIsSet else {
            return PartHealth(
                level: .failed, kind: "clock-unset",
                reason: "the system's clock was never set and no receiver tells the time; pictures would carry a "
                    + "wrong date; wait for a fix or set the clock")
        }
        guard isSynchronized() != nil else {
            return PartHealth(
                level: .degraded, kind: "clock-unsynchronised",
                reason: "nobody tells konzad whether its clock is synchronised, and no receiver tells the time; use "
                    + "systemd-timesyncd, or let the service ask the kernel (konzad(8), TIME), or wait for a fix")
        }
        return PartHealth(
            level: .degraded, kind: "clock-unsynchronised",
            reason: "the kernel does not call its clock synchronised and no receiver tells the time; start a time "
                + "service (systemd-timesyncd, chrony) or wait for a fix")
    }
}
