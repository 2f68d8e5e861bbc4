import KonzaModel
import KonzaTesting
import Testing

@testable import Positioning

/// Weeks of fixes whose dates follow one another, as evidence for a date that nothing else speaks for.
@Suite struct DateEvidenceTests {
    private static let day = 86_400.0

    /// After 2038-11-21, when this program can tell no period of 1024 weeks from the next.
    private func later(_ days: Double = 0) throws -> UTCInstant {
        try #require(UTCInstant(rfc3339: "2041-01-01T00:00:00Z")).advanced(bySeconds: days * Self.day)
    }

    /// Fixes every six hours on a station whose system clock says an instant.
    private final class Station {
        var feed: Feed

        init(system: UTCInstant) {
            feed = Feed(clock: ManualClock(utc: system))
            feed.say(Line.devices("/dev/x"))
        }

        func stand(days: Double, from start: UTCInstant, mode: Int = 3, drift: Double = 0) {
            for step in 0..<Int(days * 4) {
                let seconds = Double(step) * DateEvidenceTests.day / 4
                feed.say(Line.tpv(start.advanced(bySeconds: seconds * (1 + drift)), mode: mode))
                feed.clock.advance(bySeconds: DateEvidenceTests.day / 4)
            }
        }

        /// Whether a date is believed now, in the fix, the sky and the clock.
        func believes(_ time: UTCInstant) -> Bool {
            feed.say(Line.tpv(time), Line.sky(time: time, hdop: 1, used: 5, of: 6))
            let snapshot = feed.board.snapshot()
            let isBelieved = snapshot.fix?.time == time
            #expect((snapshot.sky?.time == time) == isBelieved)
            if isBelieved { #expect(clock == time) }
            return isBelieved
        }

        /// What the receiver makes of the time now.
        var clock: UTCInstant? { feed.board.receiverUTC(at: feed.clock.monotonic()) }

        var notes: [String] { feed.board.snapshot().notes }
    }

    @Test(
        "a date that nothing contradicts is believed after three weeks of fixes, and that is told",
        arguments: [0, 1e-4])
    func consistent(drift: Double) throws {
        let station = Station(system: UTCInstant(nanoseconds: 0))
        station.stand(days: 20.75, from: try later(), drift: drift)
        #expect(!station.believes(try later(20.75 * (1 + drift))))
        #expect(station.notes == ["the receiver's date 2041-01-21 cannot be true and its time is not used"])
        station.feed.clock.advance(bySeconds: Self.day / 4)
        #expect(station.believes(try later(21 * (1 + drift))))
        #expect(
            station.notes == [
                "the receiver's date 2041-01-22 is believed, since its fixes have followed one another for 21 days and "
                    + "the system's clock was never set"
            ])
    }

    @Test("a system clock that was set outweighs any number of weeks")
    func contradicted() throws {
        let station = Station(system: at(0))
        station.stand(days: 60, from: try later())
        #expect(!station.believes(try later(60)))
        #expect(station.clock == nil)
    }

    @Test("what a receiver without a fix counts on its own is no evidence")
    func withoutFix() throws {
        let station = Station(system: UTCInstant(nanoseconds: 0))
        station.stand(days: 30, from: try later(), mode: 1)
        #expect(!station.believes(try later(30)))
        #expect(station.clock == nil)
    }

    @Test("a date that does not follow is not believed, and alone does not end what the others showed; two do")
    func odd() throws {
        let station = Station(system: UTCInstant(nanoseconds: 0))
        station.stand(days: 30, from: try later())
        #expect(!station.believes(try later(7_000)))
        station.feed.clock.advance(bySeconds: 1)
        #expect(station.believes(try later(30 + 1 / Self.day)))
        for second in 2...3 {
            station.feed.clock.advance(bySeconds: 1)
            #expect(!station.believes(try later(7_000 + Double(second) / Self.day)))
        }
        station.feed.clock.advance(bySeconds: 1)
        #expect(!station.believes(try later(30 + 4 / Self.day)))
    }

    @Test("dates before GPS, or of before this program, are never believed", arguments: ["1970-01-01", "1979-12-01"])
    func impossible(_ day: String) throws {
        let start = try #require(UTCInstant(rfc3339: "\(day)T00:00:00Z"))
        let station = Station(system: UTCInstant(nanoseconds: 0))
        station.stand(days: 30, from: start)
        #expect(!station.believes(start.advanced(bySeconds: 30 * Self.day)))
        #expect(station.clock == nil)
    }
}
