import Foundation
import Glibc
import JPEGCoding
import KonzaModel
import KonzaSystem
import Synchronization
import Testing

@testable import Capture

/// A camera of the kernel's own: the vivid driver in the field lab, which says where by KONZA_LAB_VIDEO.
private let labDevice = ProcessInfo.processInfo.environment["KONZA_LAB_VIDEO"]
/// A v4l2loopback node with exclusive_caps=1, and a Motion-JPEG file to feed it with.
private let loopback = ProcessInfo.processInfo.environment["KONZA_LAB_LOOPBACK"]
private let film = ProcessInfo.processInfo.environment["KONZA_LAB_FILM"]

@Suite(.enabled(if: labDevice != nil), .serialized) struct RealDeviceTests {
    /// Runs a real camera for as long as the body does.
    private func withCamera(
        _ settings: CameraSettings, idleSeconds: Double = 1, _ body: (FrameHub) async throws -> Void
    ) async throws {
        let hub = FrameHub(clock: SystemClock(), idleSeconds: idleSeconds)
        let camera = try V4L2Camera(settings: settings, hub: hub)
        let service = Task { try await camera.run() }
        defer { service.cancel() }
        try await body(hub)
        service.cancel()
        try await service.value
        print("counters:", hub.status().counters)
    }

    private func settings() throws -> CameraSettings {
        var settings = CameraSettings()
        settings.device = try #require(labDevice)
        (settings.width, settings.height) = (640, 360)
        return settings
    }

    private func until(_ seconds: Double = 30, _ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<Int(seconds * 50) {
            if condition() { return true }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        return condition()
    }

    /// Sets one of vivid's controls that is of no use to a camera's user, through the public way.
    private func press(_ name: String, _ value: Int64 = 1, _ hub: FrameHub) async throws {
        _ = try await hub.setControls([name: value])
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: [])
    }

    @Test func framesShotsControlsAndRest() async throws {
        var settings = try settings()
        // vivid's other source puts the end of a frame ahead of its arrival, which is not believed.
        settings.controls = ["timestamp_source": 1]
        try await withCamera(settings) { hub in
            let clock = SystemClock()
            #expect(try await until { hub.status().device != nil })
            #expect(hub.status().health.kind == "idle")
            #expect(!hub.status().isStreaming)
            for _ in 0..<3 {
                let trigger = clock.monotonic()
                let frame = try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 20)
                print("shot \(clock.monotonic().seconds(since: trigger)) s after the trigger")
                #expect(frame.exposedAt >= trigger)
                #expect(frame.exposedAt <= clock.monotonic())
                #expect(frame.timestampSource == .startOfExposure)
                #expect(frame.width == 640 && frame.height == 360)
                let structure = try JPEGStructure(parsing: frame.data)
                #expect(structure.scans.first?.restartCount == 44)
            }
            let status = hub.status()
            print(
                "device:", status.device.map { "\($0.card), \($0.driver), \($0.format), \($0.frameRate ?? 0)" } ?? "-")
            #expect(status.device?.driver == "vivid")
            #expect(status.device?.format == "YUYV")
            #expect((status.device?.formats.count ?? 0) > 40)
            #expect((status.device?.controls.count ?? 0) > 20)
            let controls = try await hub.setControls(["brightness": 77])
            #expect(controls.first { $0.name == "brightness" }?.value == 77)
            await #expect(throws: CameraError.self) { try await hub.setControls(["brightness": 99_999]) }
            #expect(try await until { !hub.status().isStreaming })
            #expect(hub.status().health.kind == "idle")
        }
    }

    @Test func whatTheDriverMarksCorruptIsDroppedAndASignalThatComesBackIsUsed() async throws {
        try await withCamera(settings()) { hub in
            let watcher = hub.watch()
            #expect(try await until { hub.status().counters.delivered > 2 })
            // The buffer error flag, on one frame for each press.
            for _ in 0..<3 { try await press("inject_v4l2_buf_flag_error", 1, hub) }
            #expect(try await until { hub.status().counters.errorFlagged > 0 })
            // Lost buffers show as gaps.
            try await press("percentage_of_dropped_buffers", 60, hub)
            #expect(try await until { hub.status().counters.lost > 3 })
            try await press("percentage_of_dropped_buffers", 0, hub)
            let delivered = hub.status().counters.delivered
            #expect(try await until { hub.status().counters.delivered > delivered + 3 })
            #expect(hub.status().health.kind == "ok")
            watcher.cancel()
        }
    }

    @Test(arguments: [
        "inject_vidioc_streamon_error", "inject_vidioc_reqbufs_error", "inject_vidioc_qbuf_error", "disconnect",
    ])
    func anInjectedFaultIsOvercome(_ fault: String) async throws {
        try await withCamera(settings()) { hub in
            #expect(try await until { hub.status().device != nil })
            try await press(fault, 1, hub)
            let watcher = hub.watch()
            #expect(try await until { hub.status().counters.delivered > 2 && hub.status().health.kind == "ok" })
            // Once more, into the running stream.
            try? await press(fault, 1, hub)
            let delivered = hub.status().counters.delivered
            #expect(try await until { hub.status().counters.delivered > delivered + 3 })
            #expect(try await until { hub.status().health.kind == "ok" })
            print(fault, hub.status().health)
            watcher.cancel()
        }
    }

    @Test func countersAndTimestampsThatWrapAreNoGaps() async throws {
        var settings = try settings()
        settings.controls = ["wrap_sequence_number": 1, "wrap_timestamp": 1, "timestamp_source": 1]
        try await withCamera(settings) { hub in
            let watcher = hub.watch()
            // The counter wraps 128 frames after the start.
            let isThrough = try await until { hub.status().counters.frames > 200 }
            #expect(isThrough)
            #expect(hub.status().counters.lost < 20)
            #expect(hub.status().counters.badTimestamps > 0)
            #expect(hub.status().device?.ignoredControls == [:])
            watcher.cancel()
        }
    }

    @Test func aQueueInFatalErrorIsRestarted() async throws {
        try await withCamera(settings()) { hub in
            let watcher = hub.watch()
            #expect(try await until { hub.status().counters.delivered > 2 })
            try await press("inject_fatal_streaming_error", 1, hub)
            #expect(try await until { hub.status().counters.streamRestarts > 0 })
            let delivered = hub.status().counters.delivered
            #expect(try await until { hub.status().counters.delivered > delivered + 3 })
            watcher.cancel()
        }
    }

    @Test func aCameraUnboundFromItsDriverComesBackByItself() async throws {
        try await withCamera(settings()) { hub in
            let watcher = hub.watch()
            #expect(try await until { hub.status().counters.delivered > 2 })
            let held = try #require(watcher.take())
            try write("vivid.0", to: "/sys/bus/platform/drivers/vivid/unbind")
            #expect(try await until { hub.status().health.level == .failed })
            print("gone:", hub.status().health)
            #expect(hub.status().health.kind == "camera-disconnected")
            #expect(held.data.array.count == held.data.count)
            try write("vivid.0", to: "/sys/bus/platform/drivers/vivid/bind")
            let delivered = hub.status().counters.delivered
            #expect(try await until { hub.status().counters.delivered > delivered + 3 })
            #expect(hub.status().health.kind == "ok")
            #expect(hub.status().counters.disconnects == 1)
            watcher.cancel()
        }
    }

    @Test(arguments: [(1280, 720), (1920, 1080)])
    func aLargerPictureOfTheSameCamera(_ width: Int, _ height: Int) async throws {
        var settings = try settings()
        (settings.width, settings.height) = (width, height)
        try await withCamera(settings) { hub in
            let frame = try await hub.shot(exposedNotBefore: SystemClock().monotonic(), timeoutSeconds: 60)
            #expect(frame.width == width && frame.height == height)
        }
    }

    /// Feeds the loopback device until it is ended.
    private func feed() throws -> Process {
        let producer = Process()
        producer.executableURL = URL(fileURLWithPath: "/usr/bin/ffmpeg")
        producer.arguments = [
            "-nostdin", "-loglevel", "error", "-re", "-stream_loop", "-1", "-f", "mjpeg", "-i", try #require(film),
            "-c", "copy", "-f", "v4l2", try #require(loopback),
        ]
        try producer.run()
        return producer
    }

    private func end(_ producer: Process) async throws {
        producer.terminate()
        let hasEnded = try await until(5) { !producer.isRunning }
        if !hasEnded { kill(producer.processIdentifier, SIGKILL) }
    }

    @Test(.enabled(if: loopback != nil)) func motionJPEGComesThroughUnchangedAndItsSilenceIsSeen() async throws {
        var settings = CameraSettings()
        settings.device = try #require(loopback)
        (settings.width, settings.height) = (1280, 720)
        let pictures = try RecordingReader(.path(#require(film)))
        try await withCamera(settings) { hub in
            // Without a producer the node is no capture device.
            #expect(try await until { hub.status().health.level == .failed })
            print("before:", hub.status().health)
            var producer = try feed()
            let watcher = hub.watch()
            #expect(try await until { hub.status().counters.delivered > 10 })
            #expect(hub.status().device?.format == "MJPG")
            #expect(hub.status().timestampSource == .arrival)
            #expect(hub.status().counters.copied > 5)
            #expect(hub.status().counters.bad == 0)
            let trigger = SystemClock().monotonic()
            let frame = try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 20)
            print("shot \(SystemClock().monotonic().seconds(since: trigger)) s after the trigger, arrival only")
            #expect(frame.width == 1280 && frame.height == 720)
            var reader = pictures
            let originals = try (0..<(reader.count ?? 0)).map { _ in
                try reader.next(at: MonotonicInstant(nanoseconds: 0)).data.array
            }
            #expect(originals.contains(frame.data.array))
            try await end(producer)
            #expect(try await until { hub.status().counters.timeouts > 0 && hub.status().counters.streamRestarts > 0 })
            #expect(try await until { hub.status().health.level == .failed })
            print("silent:", hub.status().health)
            producer = try feed()
            let delivered = hub.status().counters.delivered
            #expect(try await until(60) { hub.status().counters.delivered > delivered + 5 })
            #expect(hub.status().health.kind == "ok")
            try await end(producer)
            watcher.cancel()
        }
    }
}
