import KonzaModel
import KonzaSystem
import KonzaTesting
import Testing

@testable import KonzaDaemon

@Suite("Which clock is believed")
struct TimeKeeperTests {
    private let clock = ManualClock()

    /// A keeper with a receiver that is so many seconds ahead of the system's clock.
    private func keeper(ahead seconds: Double?, isSynchronized: Bool = true) -> TimeKeeper {
        let start = clock.utc()
        let steady = clock.monotonic()
        return TimeKeeper(
            clock: clock,
            receiverUTC: { instant in
                seconds.map { start.advanced(bySeconds: instant.seconds(since: steady) + $0) }
            },
            isSynchronized: { isSynchronized })
    }

    @Test(
        "a synchronised clock that contradicts the receiver for a minute is told with both times", arguments: [-5.0, 5])
    func contradiction(_ ahead: Double) throws {
        let keeper = keeper(ahead: ahead)
        #expect(keeper.health.level == .ok)
        clock.advance(bySeconds: 59)
        #expect(keeper.health.level == .ok && keeper.believedNow != nil)
        clock.advance(bySeconds: 2)
        let found = try #require(keeper.contradiction)
        #expect(found.system == clock.utc() && found.receiver.seconds(since: found.system) == ahead)
        #expect(keeper.health.kind == "clock-contradiction")
        #expect(keeper.health.reason.contains("\(found.system)") && keeper.health.reason.contains("\(found.receiver)"))
        // Nothing is deleted by age, and a picture gets both times.
        #expect(keeper.believedNow == nil)
        #expect(keeper.now().instant == found.system && keeper.now().source == .system)
        #expect(keeper.now().receiver == found.receiver)
    }

    @Test("a receiver whose reports are late contradicts nothing", arguments: [-1.9, 0, 0.7])
    func lateness(_ ahead: Double) {
        let keeper = keeper(ahead: ahead)
        for _ in 0..<10 {
            #expect(keeper.health.level == .ok)
            clock.advance(bySeconds: 30)
        }
        #expect(keeper.now().receiver == nil)
    }

    @Test("a clock that was set right again is believed at once")
    func end() {
        let keeper = keeper(ahead: 5)
        _ = keeper.health
        clock.advance(bySeconds: 61)
        #expect(keeper.contradiction != nil)
        clock.setUTC(clock.utc().advanced(bySeconds: 5))
        #expect(keeper.contradiction == nil && keeper.believedNow == clock.utc())
    }

    @Test("a clock that nobody synchronises contradicts nothing: the receiver's is used")
    func unsynchronised() {
        let keeper = keeper(ahead: 5, isSynchronized: false)
        _ = keeper.health
        clock.advance(bySeconds: 61)
        #expect(keeper.contradiction == nil && keeper.now().source == .gps)
    }
}
