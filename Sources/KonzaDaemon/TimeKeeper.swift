internal import KonzaModel
internal import KonzaSystem

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
    }

    /// A year before this one means that the clock was never set.
    static let firstPlausibleYear = 2024

    private let clock: any StationClock
    private let isSynchronized: @Sendable () -> Bool?
    /// UTC by a live receiver at an instant; nil without one. A fix arrives 10 to 700 ms after its epoch, which is
    /// the error of the result.
    private let receiverUTC: @Sendable (MonotonicInstant) -> UTCInstant?

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
        let now = clock.utc()
        return Reading(instant: now.advanced(bySeconds: instant.seconds(since: clock.monotonic())), source: .system)
    }

    func now() -> Reading { reading(at: clock.monotonic()) }

    /// The time, if the system's clock can be believed or a receiver tells it.
    var believedNow: UTCInstant? {
        let reading = now()
        return systemIsTrusted || reading.source == .gps ? reading.instant : nil
    }

    var health: PartHealth {
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
