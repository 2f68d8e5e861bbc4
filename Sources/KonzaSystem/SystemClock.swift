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
    /// Whether the kernel calls its clock synchronised with a time server or receiver (adjtimex(2)); nil if it
    /// does not say.
    public static var isSynchronized: Bool? {
        switch konza_clock_is_synchronized() {
        case 1: true
        case 0: false
        default: nil
        }
    }
}
