/// A point on the UTC time scale as POSIX counts it (leap seconds are not counted), in whole nanoseconds
/// since 1970-01-01T00:00:00Z. The range is 1677 to 2262.
public struct UTCInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970-01-01T00:00:00Z; negative before.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// An instant from seconds since 1970, rounded to the nanosecond.
    ///
    /// - Returns: nil if the value is not finite or lies outside the range.
    public init?(seconds: Double) {
        let scaled = (seconds * 1e9).rounded()
        guard scaled.isFinite, abs(scaled) < 9.2e18 else { return nil }
        nanoseconds = Int64(scaled)
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    public static func < (left: UTCInstant, right: UTCInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The duration from `other` to this instant in seconds; negative if `other` is later.
    public func seconds(since other: UTCInstant) -> Double { Double(nanoseconds &- other.nanoseconds) / 1e9 }

    /// This instant moved by a number of seconds, which may be negative.
    public func advanced(bySeconds seconds: Double) -> UTCInstant {
        UTCInstant(nanoseconds: nanoseconds &+ Int64((seconds * 1e9).rounded()))
    }
}

/// A reading of `CLOCK_MONOTONIC`, in nanoseconds: never set, never going backwards, meaningless after a reboot.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The duration from `other` to this instant in seconds; negative if `other` is later.
    public func seconds(since other: MonotonicInstant) -> Double { Double(nanoseconds &- other.nanoseconds) / 1e9 }

    /// This instant moved by a number of seconds, which may be negative.
    public func advanced(bySeconds seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds &+ Int64((seconds * 1e9).rounded()))
    }
}

/// The one way in which time enters the program. Everything that waits or stamps takes one of these, so that a
/// test can stand in for time.
public protocol StationClock: Sendable {
    /// What the clock on the wall says, right or wrong.
    func utc() -> UTCInstant
    /// The steady clock, for ages and timeouts.
    func monotonic() -> MonotonicInstant
    /// Suspends until the steady clock reaches the deadline.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(until deadline: MonotonicInstant) async throws
}
