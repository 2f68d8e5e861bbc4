internal import CLinux
internal import Glibc
public import KonzaModel

/// The machine's own clocks.
public struct SystemClock: StationClock {
    public init() {}

    /// What the clock says; one that is set past what an instant can hold says the nearest that it can.
    public func utc() -> UTCInstant { UTCInstant(nanoseconds: Self.read(CLOCK_REALTIME)).clamped }

    public func monotonic() -> MonotonicInstant { MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    public func sleep(until deadline: MonotonicInstant) async throws {
        while true {
            let remaining = deadline.nanoseconds.subtractingClamped(monotonic().nanoseconds)
            guard remaining > 0 else { return try Task.checkCancellation() }
            // A day at a time: how long the run time can sleep is not documented.
            try await Task.sleep(nanoseconds: UInt64(min(remaining, 86_400_000_000_000)))
        }
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return nanoseconds(time)
    }

    /// A time of the system's in nanoseconds, saturated.
    static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec).multipliedClamped(by: 1_000_000_000).addingClamped(Int64(time.tv_nsec))
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
        let touched = UTCInstant(nanoseconds: SystemClock.nanoseconds(facts.st_mtim)).clamped
        // Touched and read by the same clock, but for what the file system rounds.
        return (-2...longestSilence).contains(now.seconds(since: touched))
    }
}

extension SystemClock {
    /// Which run of the machine this is, in 32 hexadecimal digits (random(4)); where the kernel's word cannot be read, of the program.
    public static func bootID() -> String {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Secret.hexadecimal(bytes: 16) }
        let file = FileDescriptor(owning: descriptor)
        var bytes = [UInt8](repeating: 0, count: 36)
        guard unsafe Glibc.read(file.number, &bytes, bytes.count) == bytes.count else {
            return Secret.hexadecimal(bytes: 16)
        }
        let text = String(decoding: bytes, as: UTF8.self).filter(\.isHexDigit)
        return text.count == 32 ? text : Secret.hexadecimal(bytes: 16)
    }
}
