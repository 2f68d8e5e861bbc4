import KonzaModel
import Synchronization
import Testing

@Suite("Instants")
struct InstantTests {
    @Test(
        "arithmetic saturates and never traps",
        arguments: [
            .nan, .infinity, -.infinity, 1e300, -1e300, 9.3e9, -9.3e9, 0x1p63 / 1e9, -0x1p63 / 1e9, 0, 1, -1,
        ] as [Double])
    func saturation(seconds: Double) {
        for nanoseconds in [Int64.min, -9_214_560_000_000_000_000, -1, 0, 1_780_000_000_000_000_000, Int64.max] {
            let utc = UTCInstant(nanoseconds: nanoseconds).advanced(bySeconds: seconds)
            #expect(utc >= .earliest && utc <= .latest)
            let steady = MonotonicInstant(nanoseconds: nanoseconds)
            let moved = steady.advanced(bySeconds: seconds)
            if seconds > 0 { #expect(moved >= steady) }
            if seconds < 0 { #expect(moved <= steady) }
            if seconds.isNaN { #expect(moved == steady) }
        }
    }

    @Test("the duration between the ends of the range has its sign")
    func longDurations() {
        #expect(UTCInstant.latest.seconds(since: .earliest) > 1.8e10)
        #expect(UTCInstant.earliest.seconds(since: .latest) < -1.8e10)
        #expect(MonotonicInstant(nanoseconds: .max).seconds(since: MonotonicInstant(nanoseconds: .min)) > 1.8e10)
    }

    @Test("what is written can be read back", arguments: [Int64.min, Int64.min + 1, 0, Int64.max - 1, Int64.max])
    func readBack(nanoseconds: Int64) throws {
        let written = UTCInstant(nanoseconds: nanoseconds).rfc3339
        #expect(try #require(UTCInstant(rfc3339: written)).rfc3339 == written)
    }

    @Test("the ends of the range are the first and the last instant of years that are read")
    func ends() {
        #expect(UTCInstant(rfc3339: "1678-01-01T00:00:00Z") == .earliest)
        #expect(UTCInstant(rfc3339: "2261-12-31T23:59:59.999999999Z") == .latest)
        // A zone may carry a time out of the range: it becomes the nearest that is in it.
        #expect(UTCInstant(rfc3339: "1678-01-01T00:00:00+14:00") == .earliest)
        #expect(UTCInstant(rfc3339: "2261-12-31T23:59:59-12:00") == .latest)
    }

    @Test(
        "a civil time of any year is an instant",
        arguments: [
            (Int.min, true), (-1, true), (1, true), (1677, true), (2262, false), (9999, false), (Int.max, false),
        ])
    func anyYear(year: Int, isEarly: Bool) {
        let instant = CivilTime(year: year, month: 6, day: 15).instant(offsetSeconds: -50_400)
        #expect(instant == (isEarly ? .earliest : .latest))
    }

    @Test(
        "those who look around at a period wake together, half to one and a half of it from now",
        arguments: [0, 1, 499_999_999, 500_000_000, 999_999_999, 1_000_000_000, 4_600_000_000] as [Int64], [1.0, 2, 5])
    func together(now: Int64, period: Double) async throws {
        let clock = AskedClock(now: now)
        try await clock.sleepToMultiple(of: period)
        let deadline = try #require(clock.deadline)
        #expect(deadline.nanoseconds % Int64(period * 1e9) == 0)
        #expect((period / 2...period * 1.5).contains(deadline.seconds(since: clock.monotonic())))
    }
}

/// A clock that stands still, and keeps until when it was asked to sleep.
private final class AskedClock: StationClock {
    private let now: Int64
    private let asked = Mutex<MonotonicInstant?>(nil)

    init(now: Int64) { self.now = now }

    var deadline: MonotonicInstant? { asked.withLock { $0 } }

    func utc() -> UTCInstant { .earliest }

    func monotonic() -> MonotonicInstant { MonotonicInstant(nanoseconds: now) }

    func sleep(until deadline: MonotonicInstant) { asked.withLock { $0 = deadline } }
}
