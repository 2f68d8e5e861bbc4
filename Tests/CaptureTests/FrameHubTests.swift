import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct FrameHubTests {
    private let clock = ManualClock()

    private func frame(_ sequence: UInt64, at instant: MonotonicInstant) -> Frame {
        Frame(
            data: FrameData(Sample.jpeg), width: 64, height: 48, sequence: sequence, exposedAt: instant,
            timestampSource: .startOfExposure, source: .live)
    }

    private func publish(_ hub: FrameHub, _ sequence: UInt64, earliest: MonotonicInstant) {
        hub.publish(frame(sequence, at: earliest), earliest: earliest, arrival: clock.monotonic())
    }

    private func untilWaiting(_ hub: FrameHub, _ count: Int = 1) async {
        while hub.state.withLock({ $0.shots.count }) < count { await Task.yield() }
    }

    @Test func aShotIsTheFirstFrameThatWasExposedAtOrAfterTheTrigger() async throws {
        let hub = FrameHub(clock: clock)
        let trigger = clock.monotonic()
        publish(hub, 1, earliest: trigger.advanced(bySeconds: -0.001))
        async let shot = hub.shot(exposedNotBefore: trigger, timeoutSeconds: 5)
        await untilWaiting(hub)
        #expect(hub.isWanted(at: clock.monotonic()))
        publish(hub, 2, earliest: MonotonicInstant(nanoseconds: trigger.nanoseconds - 1))
        publish(hub, 3, earliest: trigger)
        publish(hub, 4, earliest: trigger.advanced(bySeconds: 1))
        #expect(try await shot.sequence == 3)
        #expect(hub.status().demand == 0)
    }

    @Test func aFrameThatIsThereAlreadyServesAtOnce() async throws {
        let hub = FrameHub(clock: clock)
        publish(hub, 9, earliest: clock.monotonic())
        clock.advance(bySeconds: 0.4)
        #expect(try await hub.frame(notOlderThanSeconds: 0.5, timeoutSeconds: 1).sequence == 9)
    }

    @Test func aShotWithoutAFrameEndsWithTheCamerasOwnReason() async throws {
        let hub = FrameHub(clock: clock)
        hub.update { $0.evidence.phase = .closed(CameraError(.disconnected, "the camera is gone")) }
        let trigger = clock.monotonic()
        let task = Task { try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 2) }
        await untilWaiting(hub)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(bySeconds: 2)
        await #expect(throws: CameraError(.disconnected, "cannot take a picture within 2.0 s: the camera is gone")) {
            try await task.value
        }
        #expect(hub.status().demand == 0)
    }

    @Test func theTimeOfAShotAheadCountsFromItsTrigger() async throws {
        let hub = FrameHub(clock: clock)
        let trigger = clock.monotonic().advanced(bySeconds: 3)
        let task = Task { try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 1) }
        await untilWaiting(hub)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(bySeconds: 3.5)
        publish(hub, 5, earliest: trigger)
        #expect(try await task.value.sequence == 5)
    }

    @Test func aCancelledShotLetsGo() async throws {
        let hub = FrameHub(clock: clock)
        let task = Task {
            try await hub.shot(exposedNotBefore: MonotonicInstant(nanoseconds: .max / 2), timeoutSeconds: 5)
        }
        await untilWaiting(hub)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(hub.state.withLock { $0.shots.isEmpty && $0.waiting == 0 })
    }

    @Test func theEndOfTheSourceEndsEveryWait() async throws {
        let hub = FrameHub(clock: clock)
        hub.attach(.live) {}
        let task = Task {
            try await hub.shot(exposedNotBefore: MonotonicInstant(nanoseconds: .max / 2), timeoutSeconds: 5)
        }
        let controls = Task { try await hub.setControls(["brightness": 1]) }
        await untilWaiting(hub)
        while hub.state.withLock({ $0.controlRequests.isEmpty }) { await Task.yield() }
        hub.detach()
        await #expect(throws: CameraError.self) { try await task.value }
        await #expect(throws: CameraError.self) { try await controls.value }
        await #expect(throws: CameraError.self) { try await hub.setControls([:]) }
    }

    @Test func whoWaitsGoesOnWaitingWhereAnotherSourceFollows() async throws {
        let hub = FrameHub(clock: clock)
        hub.attach(.live) {}
        let task = Task { try await hub.shot(exposedNotBefore: clock.monotonic(), timeoutSeconds: 5) }
        await untilWaiting(hub)
        hub.expectSuccessor()
        hub.detach()
        #expect(hub.status().health.kind == "starting")
        #expect(hub.isWanted(at: clock.monotonic()))
        hub.attach(.live) {}
        let now = clock.monotonic()
        publish(hub, 1, earliest: now)
        #expect(try await task.value.sequence == 1)
        // The second source has none.
        hub.detach()
        await #expect(throws: CameraError.self) {
            try await hub.shot(exposedNotBefore: now.advanced(bySeconds: 1), timeoutSeconds: 5)
        }
    }

    @Test func demandWakesTheSourceAndOutlastsItsEndByTheIdleTime() {
        let hub = FrameHub(clock: clock, idleSeconds: 10)
        let wakes = Mutex(0)
        hub.attach(.live) { wakes.withLock { $0 += 1 } }
        #expect(!hub.isWanted(at: clock.monotonic()))
        let first = hub.watch()
        let second = hub.subscribe { _ in }
        #expect(wakes.withLock { $0 } == 2)
        first.cancel()
        first.cancel()
        #expect(hub.status().demand == 1)
        second.cancel()
        #expect(hub.status().demand == 0)
        clock.advance(bySeconds: 9.9)
        #expect(hub.isWanted(at: clock.monotonic()))
        clock.advance(bySeconds: 0.2)
        #expect(!hub.isWanted(at: clock.monotonic()))
    }

    @Test func aWatcherHoldsTheNewestFrameOnlyAndADroppedOneIsNoDemand() {
        let hub = FrameHub(clock: clock)
        let arrivals = Mutex(0)
        var watcher: FrameWatcher? = hub.watch { arrivals.withLock { $0 += 1 } }
        for sequence in 1...5 { publish(hub, UInt64(sequence), earliest: clock.monotonic()) }
        #expect(watcher?.take()?.sequence == 5)
        #expect(watcher?.take() == nil)
        #expect(watcher?.missed == 4)
        #expect(arrivals.withLock { $0 } == 5)
        watcher = nil
        #expect(hub.status().demand == 0)
    }

    @Test func manyShotsAndWatchersAtOnceAllEnd() async throws {
        let hub = FrameHub(clock: clock)
        let trigger = clock.monotonic()
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<50 {
                group.addTask { try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 100).sequence }
            }
            await untilWaiting(hub, 50)
            publish(hub, 1, earliest: trigger)
            for try await sequence in group { #expect(sequence == 1) }
        }
        #expect(hub.status().demand == 0)
    }
}

@Suite struct CameraEvidenceTests {
    private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    private func evidence(good: Double?, any: Double?, bad: Int = 0) -> CameraEvidence {
        var evidence = CameraEvidence()
        evidence.phase = .streaming(since: start)
        evidence.lastGood = good.map { start.advanced(bySeconds: $0) }
        evidence.lastAny = any.map { start.advanced(bySeconds: $0) }
        evidence.lastFault = "truncated"
        for number in 0..<20 { evidence.recent.record(isGood: number >= bad) }
        return evidence
    }

    @Test(arguments: [
        // Just started: not yet well, not yet failed.
        (nil, nil, 0, 1.0, PartHealth.Level.degraded, "starting"),
        // Frames arrive.
        (8.0, 8.0, 0, 9.0, .ok, "ok"),
        // It was well before it rested: waking up is no illness.
        (-5.0, -5.0, 0, 1.0, .ok, "ok"),
        (-5.0, -5.0, 0, 4.0, .failed, "camera-silent"),
        // Nothing for longer than the patience.
        (8.0, 8.0, 0, 11.5, .failed, "camera-silent"),
        // Only bad ones for as long.
        (8.0, 11.4, 0, 11.5, .failed, "camera-corrupt"),
        // Good ones among many bad.
        (8.0, 8.0, 15, 8.1, .degraded, "camera-corrupt"),
    ])
    func healthComesFromTheAgeOfTheLastGoodFrame(
        _ good: Double?, _ any: Double?, _ bad: Int, _ now: Double, _ level: PartHealth.Level, _ kind: String
    ) {
        let health = evidence(good: good, any: any, bad: bad).health(at: start.advanced(bySeconds: now))
        #expect(health.level == level)
        #expect(health.kind == kind)
    }
}
