import Foundation
import Glibc
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct V4L2CameraTests {
    private func frames(_ count: Int, _ bytes: [UInt8] = Sample.jpeg) -> [Moment] {
        (0..<count).map { _ in .frames([ScriptedFrame(bytes)]) }
    }

    private func watched(_ system: ScriptedSystem) -> (hub: FrameHub, watcher: FrameWatcher) {
        let hub = FrameHub(clock: system.clock)
        return (hub, hub.watch())
    }

    @Test func theFirstFrameAfterAStartIsDroppedAndTheOthersAreHandedOn() throws {
        let system = ScriptedSystem(frames(4))
        let (hub, watcher) = watched(system)
        let status = try runCamera(system, hub)
        #expect(status.counters.frames == 4)
        #expect(status.counters.startFrames == 1)
        #expect(status.counters.delivered == 3)
        #expect(status.health == .ok("frames arrive"))
        #expect(status.timestampSource == .startOfExposure)
        #expect(status.device?.card == "Scripted Camera")
        #expect(status.device?.format == "MJPG")
        #expect(watcher.missed == 2)
        let frame = try #require(watcher.take())
        #expect(frame.data.array == Sample.jpeg)
        #expect(frame.width == 64 && frame.height == 48)
        #expect(system.state.withLock { $0.violations } == [])
    }

    @Test(
        arguments: [
            // The driver says so, whatever the data looks like.
            (ScriptedFrame(Sample.jpeg, flags: [.error, .monotonic]), "errorFlagged"),
            // Nothing in it, and too little for any picture.
            (ScriptedFrame(Sample.jpeg, bytesUsed: 0), "tooSmall"),
            (ScriptedFrame(Sample.jpeg, bytesUsed: 100), "tooSmall"),
            // The rest of the buffer still holds an older frame, which must not be read.
            (ScriptedFrame(Sample.jpeg, bytesUsed: Sample.jpeg.count - 40), "truncated"),
            (ScriptedFrame(Array(Sample.jpeg.dropLast(2))), "truncated"),
            (ScriptedFrame([UInt8](repeating: 0, count: 4000)), "noStart"),
            (ScriptedFrame(Sample.jpeg, bytesUsed: 1 << 20), "longer than its buffer"),
        ])
    func aBadFrameIsDroppedAndCountedByItsCause(_ frame: ScriptedFrame, _ cause: String) throws {
        let system = ScriptedSystem(frames(2) + [.frames([frame])] + frames(1))
        let (hub, watcher) = watched(system)
        let counters = try runCamera(system, hub).counters
        let count =
            switch cause {
            case "errorFlagged": counters.errorFlagged
            case "tooSmall": counters.tooSmall
            case "truncated": counters.truncated
            default: counters.malformed[cause] ?? 0
            }
        #expect(count == 1, "\(counters)")
        #expect(counters.bad == 1)
        #expect(counters.delivered == 2)
        #expect(system.state.withLock { $0.violations } == [])
        watcher.cancel()
    }

    @Test func paddingBehindThePictureIsCutOff() throws {
        let system = ScriptedSystem(frames(2, Sample.jpeg + [UInt8](repeating: 0, count: 333)))
        let (hub, watcher) = watched(system)
        try runCamera(system, hub)
        #expect(watcher.take()?.data.array == Sample.jpeg)
    }

    @Test func missingHuffmanTablesAreInserted() throws {
        #expect(Sample.withoutTables.count < Sample.jpeg.count - 400)
        let system = ScriptedSystem(frames(3, Sample.withoutTables))
        var settings = CameraSettings()
        settings.minimumBytes = 64
        let (hub, watcher) = watched(system)
        let counters = try runCamera(system, hub, settings: settings).counters
        #expect(counters.huffmanTablesAdded == 2)
        let frame = try #require(watcher.take())
        let picture = try frame.data.withBytes { bytes throws(FrameFault) in try inspectPicture(bytes) }
        #expect(picture.repaired == nil)
    }

    @Test func sequenceGapsAreCountedAcrossTheWrap() throws {
        let numbers: [UInt32] = [.max - 1, .max, 0, 4, 4, 2]
        let system = ScriptedSystem(numbers.map { .frames([ScriptedFrame(Sample.jpeg, sequence: $0)]) })
        let (hub, watcher) = watched(system)
        let counters = try runCamera(system, hub).counters
        #expect(counters.sequenceGaps == 1)
        #expect(counters.lost == 3)
        watcher.cancel()
    }

    @Test func onlyTheNewestOfSeveralReadyFramesIsHandedOnForPreviews() throws {
        let three = [ScriptedFrame(Sample.jpeg), ScriptedFrame(Sample.jpeg), ScriptedFrame(Sample.other)]
        let system = ScriptedSystem(frames(1) + [.frames(three)])
        let (hub, watcher) = watched(system)
        let counters = try runCamera(system, hub).counters
        #expect(counters.skipped == 2)
        #expect(watcher.take()?.data.array == Sample.other)
    }

    @Test func aSilentStreamIsRestartedOnceAndReopenedAtTheTenthTimeout() throws {
        let system = ScriptedSystem(frames(2) + [Moment](repeating: .silence, count: 10) + [.pass] + frames(2))
        let (hub, watcher) = watched(system)
        let status = try runCamera(system, hub)
        let state = system.state.withLock { $0 }
        #expect(status.counters.timeouts == 10)
        #expect(status.counters.streamRestarts == 1)
        #expect(state.opened.count == 2)
        #expect(state.closed == 2)
        #expect(state.streamOns == 3)
        #expect(status.health == .ok("frames arrive"))
        #expect(state.violations == [])
        watcher.cancel()
    }

    @Test func anUnpluggedCameraIsClosedAwaitedAndUsedAgain() throws {
        let system = ScriptedSystem(
            frames(3) + [.broken(ENODEV), .pass, .pass, .added] + frames(2))
        let (hub, watcher) = watched(system)
        let seen = Mutex<[CameraChange]>([])
        let subscription = hub.changes.subscribe { change in seen.withLock { $0.append(change) } }
        let status = try runCamera(system, hub)
        #expect(status.counters.disconnects == 1)
        #expect(status.counters.opens == 2)
        #expect(status.health.kind == "ok")
        #expect(status.counters.delivered == 3)
        let kinds = seen.withLock { changes in
            changes.compactMap { if case .closed(let error) = $0 { error.kind } else { nil } }
        }
        #expect(kinds == [.disconnected])
        subscription.cancel()
        watcher.cancel()
    }

    @Test func aCameraUnpluggedAtRestIsNoticedWithoutDemand() throws {
        let hub = FrameHub(clock: ManualClock())
        let byEvent = ScriptedSystem([.pass, .removed, .pass])
        #expect(try runCamera(byEvent, hub).health.kind == "camera-disconnected")
        // No udev: the periodic question finds it.
        let quiet = ScriptedSystem([.pass, .action {}])
        quiet.state.withLock { state in
            state.moments = [.pass, .action { quiet.state.withLock { $0.isPresent = false } }, .pass, .pass]
        }
        #expect(try runCamera(quiet, FrameHub(clock: quiet.clock)).health.kind == "camera-disconnected")
        #expect(quiet.state.withLock { $0.streamOns } == 0)
    }

    @Test func aQueueInErrorIsRestartedOnceAndThenReopened() throws {
        let system = ScriptedSystem(frames(2) + [.broken(0), .dequeueFails(EIO), .pass] + frames(2))
        let (hub, watcher) = watched(system)
        let status = try runCamera(system, hub)
        #expect(status.counters.streamRestarts == 1)
        #expect(status.counters.opens == 2)
        #expect(status.health.kind == "ok")
        watcher.cancel()
    }

    @Test(
        arguments: [
            (ENOENT, "camera-missing"), (ENODEV, "camera-missing"), (EACCES, "camera-permission"),
            (EPERM, "camera-permission"), (EBUSY, "camera-busy"), (EIO, "camera-failed"), (ENOSPC, "camera-failed"),
            (EMFILE, "camera-failed"),
        ])
    func anOpenErrorIsAStateWithAReasonToldOnce(_ code: Int32, _ kind: String) throws {
        let system = ScriptedSystem([Moment](repeating: .pass, count: 6))
        system.state.withLock { $0.openErrors = [Int32](repeating: code, count: 7) }
        let hub = FrameHub(clock: system.clock)
        let told = Mutex(0)
        let subscription = hub.changes.subscribe { change in
            if case .closed = change { told.withLock { $0 += 1 } }
        }
        let status = try runCamera(system, hub)
        #expect(status.health.kind == kind)
        #expect(status.health.level == .failed)
        #expect(status.health.reason.contains("; "), "no remedy: \(status.health.reason)")
        #expect(told.withLock { $0 } == 1)
        #expect(status.counters.openFailures == 7)
        // The pauses grow to their limit.
        #expect(system.state.withLock { $0.waits.prefix(6) } == [251, 501, 1001, 2001, 5001, 5001])
        subscription.cancel()
    }

    @Test(arguments: [
        "capability", "formats", "setFormat", "requestBuffers", "mapBuffer", "queueBuffer", "streamOn",
    ])
    func everyFailingCallLeadsToACloseAndAnotherAttempt(_ call: String) throws {
        for code in [EIO, EBUSY, ENOMEM, ENODEV, ENOSPC] {
            var model = ScriptedModel()
            model.failing[call] = code
            let system = ScriptedSystem([.pass, .pass, .pass], model: model)
            let (hub, watcher) = watched(system)
            let status = try runCamera(system, hub)
            let state = system.state.withLock { $0 }
            #expect(status.health.level == .failed, "\(call) \(code)")
            #expect(state.opened.count == 4, "\(call) \(code)")
            #expect(state.mapped == state.unmapped)
            watcher.cancel()
        }
    }

    @Test func aFailingStreamOffAtRestClosesTheDevice() throws {
        var model = ScriptedModel()
        model.failing["streamOff"] = EIO
        let system = ScriptedSystem(frames(2), model: model)
        let hub = FrameHub(clock: system.clock, idleSeconds: 0)
        let watcher = hub.watch()
        system.state.withLock { $0.moments.append(.action { watcher.cancel() }) }
        let status = try runCamera(system, hub)
        #expect(status.health.kind == "camera-failed")
        #expect(!status.isStreaming)
        #expect(status.device == nil)
        #expect(system.state.withLock { $0.mapped == $0.unmapped })
    }

    @Test func nobodyWatchingStopsTheStreamAfterTheIdleTimeAndDemandWakesIt() throws {
        let system = ScriptedSystem([])
        let hub = FrameHub(clock: system.clock, idleSeconds: 0.1)
        let watcher = hub.watch()
        let second = Mutex<FrameWatcher?>(nil)
        system.state.withLock { state in
            state.moments =
                frames(3) + [.action { watcher.cancel() }] + frames(4) + [.pass, .pass]
                + [.action { second.withLock { $0 = hub.watch() } }] + frames(2)
        }
        let status = try runCamera(system, hub)
        let state = system.state.withLock { $0 }
        #expect(status.counters.idleStops == 1)
        #expect(state.streamOns == 2)
        #expect(state.opened.count == 1)
        #expect(status.isStreaming)
        #expect(state.violations == [])
        second.withLock { $0 = nil }
    }

    @Test func aRestingCameraIsHealthyAndSaysThatItRests() throws {
        let system = ScriptedSystem([.pass, .pass])
        let status = try runCamera(system, FrameHub(clock: system.clock))
        #expect(status.health.level == .ok)
        #expect(status.health.kind == "idle")
        #expect(!status.isStreaming)
    }

    @Test func onlyBrokenFramesAreCorruptionAndNoFramesAreSilence() throws {
        let bad = frames(120, Array(Sample.jpeg.dropLast(2)))
        let corrupt = ScriptedSystem(bad)
        let (hub, watcher) = watched(corrupt)
        let status = try runCamera(corrupt, hub)
        #expect(status.health.kind == "camera-corrupt")
        #expect(status.health.level == .failed)
        #expect(status.health.reason.contains("truncated"))
        watcher.cancel()
        let silent = ScriptedSystem(frames(2) + [.silence, .silence, .silence, .silence])
        let (other, second) = watched(silent)
        #expect(try runCamera(silent, other).health.kind == "camera-silent")
        second.cancel()
    }
}
