internal import CLinux
internal import Glibc
public import KonzaModel

/// The machine's own clocks.
public struct SystemClock: StationClock {
    public init() {}

    public func utc() -> UTCInstant { UTCInstant(nanoseconds: Self.read(CLOCK_REALTIME)) }

    public func monotonic() -> MonotonicInstant { MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    public func sleep(until deadline: MonotonicInstant) async throws {
        let remaining = deadline.nanoseconds - monotonic().nanoseconds
        guard remaining > 0 else { return try Task.checkCancellation() }
        try await Task.sleep(nanoseconds: UInt64(remaining))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension SystemClock {
    /// What systemd-timesyncd touches at every answer of a time server.
    private static let timesyncMark = "/run/systemd/timesync/synchronized"
    /// A clock without an answer for so long may err by more than 16 s at 500 ppm, the kernel's own limit (adjtimex(2),
    /// `maxerror`), seconds.
    private static let longestSilence = 32_000.0

    /// Whether the clock is synchronised with a time server or receiver; nil if nobody says.
    ///
    /// The kernel is asked (adjtimex(2)); where a service may not ask it, as under `ProtectClock=`, the mark of
    /// systemd-timesyncd counts while it is young: its time is by the same clock, so one that was set since makes it old,
    /// or not come yet.
    public static var isSynchronized: Bool? {
        switch konza_clock_is_synchronized() {
        case 1: true
        case 0: false
        default: isSynchronized(mark: timesyncMark, at: SystemClock().utc())
        }
    }

    /// Whether a mark is young at an instant; nil without one.
    static func isSynchronized(mark: String, at now: UTCInstant) -> Bool? {
        var facts = stat()
        guard unsafe stat(mark, &facts) == 0 else { return nil }
        let touched = UTCInstant(
            nanoseconds: Int64(facts.st_mtim.tv_sec) * 1_000_000_000 + Int64(facts.st_mtim.tv_nsec))
        // Touched and read by the same clock, but for what the file system rounds.
        return (-2...longestSilence).contains(now.seconds(since: touched))
    }
}
