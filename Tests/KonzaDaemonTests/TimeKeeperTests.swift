import KonzaAPI
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture
@testable import KonzaDaemon
@testable import Postcards
@testable import Specimens
@testable import Storage

/// Clocks of a machine that is taken away between the reading of one and of the other, so many times.
private final class InterruptedClock: StationClock {
    let clock = ManualClock()
    private let left: Mutex<Int>

    init(_ times: Int) { left = Mutex(times) }

    func utc() -> UTCInstant {
        defer {
            let isAway = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isAway { clock.advance(bySeconds: 0.08) }
        }
        return clock.utc()
    }

    func monotonic() -> MonotonicInstant { clock.monotonic() }

    func sleep(until deadline: MonotonicInstant) async throws { try await clock.sleep(until: deadline) }
}

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

    @Test("an instant's time is right on a machine that is taken away while the clocks are read", arguments: 0...7)
    func interrupted(_ times: Int) {
        // The first look at the clock is for its year.
        let clock = InterruptedClock(times + 1)
        let (start, steady) = (clock.clock.utc(), clock.clock.monotonic())
        let keeper = TimeKeeper(clock: clock, receiverUTC: { _ in nil }, isSynchronized: { true })
        let reading = keeper.reading(at: steady.advanced(bySeconds: -0.25))
        #expect(reading.source == .system && abs(reading.instant.seconds(since: start) + 0.25) < 1e-6)
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

@Suite("A picture of a time when the clocks contradict each other")
struct PictureTimeTests {
    /// Lets the receiver, which is far ahead of the clock that the test moves, disagree with it for a minute.
    private func contradict(_ desks: Desks) {
        desks.reportFix()
        for _ in 0..<62 {
            _ = desks.parts.time.health
            desks.clock.advance(bySeconds: 1)
            desks.reportFix()
        }
        #expect(desks.parts.time.health.kind == "clock-contradiction")
    }

    @Test("keeps the receiver's beside its own if it is of a specimen, and only while they contradict each other")
    func photograph() async throws {
        let desks = try Desks(isSynchronized: { true })
        let specimens = desks.outbox.specimens
        let desk = PhotographDesk(specimens: specimens)
        let body = JSONValue.object(["rockType": .string("Gneiss"), "collector": .string("Doe, Jane")])
        let specimen = try await specimens.open(try SpecimenRequest(body), key: nil).specimen
        func take() async throws -> Photograph {
            let taking = Task { try await desk.take(specimen.id, PhotographRequest(nil)) }
            try await settle("the shot waits") { desks.parts.hub.hasShots }
            try desks.publishFrame()
            return try await taking.value
        }
        contradict(desks)
        let (exposed, receiver) = (desks.clock.utc(), desks.receiverNow)
        let photograph = try await take()
        #expect(photograph.takenAt.map { abs($0.seconds(since: exposed)) < 1e-6 } == true)
        #expect(photograph.receiverTime.map { abs($0.seconds(since: receiver)) < 1e-6 } == true)
        #expect(try desks.parts.specimens.specimen(specimen.id).photographs.first == photograph)
        // Set right, they agree, and there is one time.
        desks.clock.advance(bySeconds: 1)
        desks.clock.setUTC(desks.receiverNow)
        desks.reportFix()
        #expect(desks.parts.time.health.level == .ok)
        let agreed = try await take()
        #expect(agreed.receiverTime == nil && agreed.takenAt == desks.clock.utc())
    }

    @Test("keeps both times, with and without a position, and says which one is used", arguments: [true, false])
    func both(hasPosition: Bool) async throws {
        let desks = try Desks(isSynchronized: { true })
        let desk = PostcardDesk(parts: desks.parts)
        contradict(desks)
        // A fix is too old for a position after a minute, and its time is good for longer.
        if !hasPosition { desks.clock.advance(bySeconds: 120) }
        let exposed = desks.clock.utc()
        let receiver = desks.receiverNow
        let taking = Task { [desk] in try await desk.take(PostcardRequest(), key: nil, account: 1000) }
        try await settle("the shot waits") { desks.parts.hub.hasShots }
        try desks.publishFrame()
        let end = desks.clock.monotonic().advanced(bySeconds: 20)
        try await settle("the postcard is made") {
            if desks.clock.monotonic() < end, !desks.parts.hub.hasShots { desks.clock.advance(bySeconds: 0.01) }
            return desk.isIdle
        }
        guard case .kept(let record) = try await taking.value else { return #expect(Bool(false), "no postcard") }
        #expect((record.position != nil) == hasPosition)
        #expect(record.timeSource == .system && abs(record.exposedAt.seconds(since: exposed)) < 1e-6)
        let kept = try #require(record.receiverTime)
        #expect(abs(kept.seconds(since: receiver)) < 1e-6 && PostcardReply(record).receiverTime == kept)
        // The sidecar has both, so that the row can be made anew.
        let sidecar = try Sidecar(record).encoded()
        #expect(Sidecar(encoded: sidecar)?.record == record)
    }
}
