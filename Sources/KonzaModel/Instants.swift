/// A point on the UTC time scale as POSIX counts it (leap seconds are not counted), in whole nanoseconds
/// since 1970-01-01T00:00:00Z.
///
/// A stored count may be any 64-bit number (1677 to 2262). Arithmetic never traps: what lies outside ``earliest`` to
/// ``latest``, which is what RFC 3339 text is read back from, becomes the nearer of the two.
public struct UTCInstant: Hashable, Comparable, Sendable {
    /// 1678-01-01T00:00:00Z.
    public static let earliest = UTCInstant(nanoseconds: -9_214_560_000_000_000_000)
    /// 2261-12-31T23:59:59.999999999Z.
    public static let latest = UTCInstant(nanoseconds: 9_214_646_399_999_999_999)

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

    /// 2024-01-01T00:00:00Z, before which this program did not exist: a clock that says less was never set.
    public static let believedFrom = UTCInstant(nanoseconds: 1_704_067_200_000_000_000)

    /// The duration from `other` to this instant in seconds; negative if `other` is later.
    public func seconds(since other: UTCInstant) -> Double { nanoseconds.seconds(since: other.nanoseconds) }

    /// This instant moved by a number of seconds, which may be negative; saturated to ``earliest`` and ``latest``.
    /// Not a number moves it by nothing.
    public func advanced(bySeconds seconds: Double) -> UTCInstant {
        UTCInstant(nanoseconds: nanoseconds.addingClamped(Int64(nanosecondsIn: seconds))).clamped
    }

    /// The nearest instant from ``earliest`` to ``latest``.
    public var clamped: UTCInstant { min(max(self, .earliest), .latest) }
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
    public func seconds(since other: MonotonicInstant) -> Double { nanoseconds.seconds(since: other.nanoseconds) }

    /// This instant moved by a number of seconds, which may be negative; saturated. Not a number moves it by nothing.
    public func advanced(bySeconds seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: nanoseconds.addingClamped(Int64(nanosecondsIn: seconds)))
    }
}

extension Int64 {
    /// Whole nanoseconds, saturated; 0 for what is not a number.
    init(nanosecondsIn seconds: Double) {
        let scaled = (seconds * 1e9).rounded()
        // 2^63 is the least double that does not fit.
        self = scaled.isNaN ? 0 : scaled >= 0x1p63 ? .max : scaled < -0x1p63 ? .min : Int64(scaled)
    }

    /// Nanoseconds from `other` to here, in seconds, also where the count itself does not fit into 64 bits.
    fileprivate func seconds(since other: Int64) -> Double {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return (overflow ? Double(self) - Double(other) : Double(difference)) / 1e9
    }

    /// The sum, or the nearer limit where it does not fit.
    public func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearer limit where it does not fit.
    public func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the nearer limit where it does not fit.
    public func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
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

/// Both clocks, read at one moment.
public struct ClockReading: Sendable, Equatable {
    public let utc: UTCInstant
    public let monotonic: MonotonicInstant

    /// What the clock on the wall says at an instant of the steady one, if it is not set in between.
    public func utc(at instant: MonotonicInstant) -> UTCInstant {
        utc.advanced(bySeconds: instant.seconds(since: monotonic))
    }
}

extension StationClock {
    /// What both clocks say now.
    ///
    /// They are read one after the other, and a busy machine may take the thread away in between, for as long as times would then
    /// be wrong. So the steady clock is read on both sides, and its middle counts: of the closest of eight readings, or of the
    /// first that takes no more than 20 us, some hundred times what it takes undisturbed.
    public func reading() -> ClockReading {
        var (closest, width) = readBoth()
        for _ in 1..<8 where width > 20_000 {
            let next = readBoth()
            if next.width < width { (closest, width) = next }
        }
        return closest
    }

    private func readBoth() -> (reading: ClockReading, width: Int64) {
        let before = monotonic()
        let utc = utc()
        let width = monotonic().nanoseconds.subtractingClamped(before.nanoseconds)
        let middle = MonotonicInstant(nanoseconds: before.nanoseconds.addingClamped(width / 2))
        return (ClockReading(utc: utc, monotonic: middle), width)
    }

    /// Suspends for about a period, until the steady clock is at a multiple of it: those who look around now and then do it
    /// together, and the processor is woken once for all of them.
    ///
    /// - Parameter period: seconds, above 0; the wait is of half to one and a half of it.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleepToMultiple(of period: Double) async throws { try await sleep(until: nextMultiple(of: period)) }

    /// - Parameter period: seconds, above 0.
    /// - Returns: the multiple of it that is half to one and a half of it from now.
    public func nextMultiple(of period: Double) -> MonotonicInstant {
        let step = Int64(nanosecondsIn: period)
        let (count, rest) = monotonic().nanoseconds.quotientAndRemainder(dividingBy: step)
        return MonotonicInstant(nanoseconds: (count + (rest < step / 2 ? 1 : 2)).multipliedClamped(by: step))
    }
}
