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

@Suite("Countdowns") struct CountdownTests {
    private let desks: Desks
    private let desk: PostcardDesk

    init() throws {
        desks = try Desks()
        desk = PostcardDesk(parts: desks.parts)
    }

    @Test("keep nobody from a postcard, and one user's keep nobody from a countdown")
    func places() async throws {
        var started = 0
        var refusal: Problem?
        while refusal == nil, started < 100 {
            do throws(Problem) {
                _ = try await desk.take(PostcardRequest(countdownSeconds: 10), key: nil, account: 1000)
                started += 1
            } catch {
                refusal = error
            }
        }
        #expect(started == CountdownPlaces.limit / 2)
        #expect(refusal?.kind == .tooManyRequests)
        #expect(refusal?.detail.contains("without countdownSeconds") == true)
        for user in [1001, 1002, 1003] as [UInt32] {
            guard
                case .counting = try await desk.take(
                    PostcardRequest(countdownSeconds: 10), key: nil, account: Account(user: user))
            else { return #expect(Bool(false), "no countdown") }
        }
        desks.reportFix()
        desks.clock.advance(bySeconds: 0.1)
        let now = Task { [desk] in try await desk.take(PostcardRequest(), key: nil, account: 1000) }
        try await settle("the shot waits") { desks.parts.hub.hasShots }
        try desks.publishFrame()
        let end = desks.clock.monotonic().advanced(bySeconds: 5)
        try await settle("the wait for the fix after the frame ends") {
            if desks.clock.monotonic() < end { desks.clock.advance(bySeconds: 0.01) }
            return desk.underWay == started + 3
        }
        guard case .kept = try await now.value else { return #expect(Bool(false), "no postcard") }
        try await desks.close(desk)
        #expect(desks.leftovers(desk).isEmpty)
    }

    @Test("that end together are made one after another, all of them")
    func together() async throws {
        var ids: [PostcardID] = []
        for user in 0..<12 as Range<UInt32> {
            guard
                case .counting(let pending) = try await desk.take(
                    PostcardRequest(countdownSeconds: 1), key: nil, account: Account(user: user)),
                let id = PostcardID(pending.id)
            else { return #expect(Bool(false), "no countdown") }
            ids.append(id)
        }
        desks.reportFix()
        try await settle("all count") { desks.clock.sleeperCount == 12 }
        desks.clock.advance(bySeconds: 1)
        try await settle("the first ones wait for a frame") { desks.parts.hub.state.withLock { $0.shots.count } == 8 }
        try desks.publishFrame()
        let end = desks.clock.monotonic().advanced(bySeconds: 20)
        try await settle("all are made, after the wait for the fix that follows") {
            if desks.clock.monotonic() < end { desks.clock.advance(bySeconds: 0.01) }
            return desk.isIdle
        }
        for id in ids { #expect(throws: Never.self) { try desks.parts.archive.record(id) } }
    }

    @Test("are the same for the same key while they count and after, and end with the stop")
    func keys() async throws {
        let key = IdempotencyKey(key: "k", requestHash: "h")
        let request = PostcardRequest(countdownSeconds: 5)
        guard case .counting(let first) = try await desk.take(request, key: key, account: 1),
            case .counting(let second) = try await desk.take(request, key: key, account: 1)
        else { return #expect(Bool(false), "no countdown") }
        #expect(first.id == second.id)
        #expect(desk.underWay == 1)
        try await desks.close(desk)
        await #expect(throws: Problem.self) { try await desk.take(request, key: key, account: 1) }
        #expect(desks.leftovers(desk).isEmpty)
    }
}

@Suite("A service that is kept running") struct RestartTests {
    private struct Failure: Error, CustomStringConvertible { let description = "the cable is out" }

    private final class Failing: Service {
        let name = "failing"
        let clock: ManualClock
        let seconds: Double
        init(_ clock: ManualClock, _ seconds: Double) {
            self.clock = clock
            self.seconds = seconds
        }

        func run() async throws {
            try await clock.sleep(until: clock.monotonic().advanced(bySeconds: seconds))
            throw Failure()
        }
    }

    @Test("is tried again soon after it ran well, however often it had failed before")
    func pauses() async throws {
        let clock = ManualClock()
        let starts = Mutex<[MonotonicInstant]>([])
        let service = RestartableService("camera", clock, Log(threshold: .error, marksPriority: false)) {
            let count = starts.withLock { starts in
                starts.append(clock.monotonic())
                return starts.count
            }
            return Failing(clock, count == 8 ? 3600 : 0.5)
        }
        service.start()
        for number in 1...9 {
            for _ in 0..<100_000 where starts.withLock({ $0.count }) < number {
                try await settle("it sleeps") { clock.sleeperCount == 1 || starts.withLock { $0.count } >= number }
                if starts.withLock({ $0.count }) < number { clock.advance(bySeconds: 0.5) }
            }
        }
        service.stop()
        let pauses = starts.withLock { starts in
            zip(starts, starts.dropFirst()).map { $1.seconds(since: $0) }
        }
        // Half a second of life, then 1, 2, 4 ... 60 s; after an hour of life, 1 s again.
        #expect(pauses.prefix(7).map { ($0 - 0.5).rounded() } == [1, 2, 4, 8, 16, 32, 60])
        #expect(pauses.last.map { abs($0 - 3601) < 1 } == true)
        try await settle("it has ended") { clock.sleeperCount == 0 }
    }
}

@Suite("The painted camera") struct PrairieCameraTests {
    @Test("listens to the hub only as long as it is in use")
    func subscriptions() throws {
        let desks = try Desks()
        for _ in 0..<5 {
            let camera = PrairieCamera(width: 64, height: 64, time: desks.parts.time, clock: desks.clock)
            camera.restWhenUnwatched(desks.parts.hub)
            #expect(desks.parts.hub.changes.subscriberCount == 1)
            withExtendedLifetime(camera) {}
        }
        #expect(desks.parts.hub.changes.subscriberCount == 0)
    }
}
