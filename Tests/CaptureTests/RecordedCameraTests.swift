import Foundation
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct RecordedCameraTests {
    /// Gives the body a folder of its own and removes it afterwards.
    private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let path = NSTemporaryDirectory() + "konza-recording-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    /// Runs the camera, hands over the frames until the body has enough, and ends it.
    private func play(
        _ recording: Recording, rotation: PictureTurn.Rotation = .none, clock: ManualClock = ManualClock(),
        frames wanted: Int
    ) async throws -> (frames: [Frame], status: CameraStatus) {
        let hub = FrameHub(clock: clock, source: .recorded, idleSeconds: 0)
        let camera = RecordedCamera(recording: recording, frameRate: 10, rotation: rotation, hub: hub)
        let seen = Mutex<[Frame]>([])
        let subscription = hub.subscribe { frame in seen.withLock { $0.append(frame) } }
        let service = Task { try await camera.run() }
        for _ in 0..<2_000_000 where seen.withLock({ $0.count }) < wanted {
            if clock.sleeperCount > 0 { clock.advance(bySeconds: 0.1) }
            await Task.yield()
        }
        let status = hub.status()
        subscription.cancel()
        service.cancel()
        try await service.value
        return (seen.withLock { $0 }, status)
    }

    @Test func aFolderIsPlayedInTheOrderOfItsNamesAndLooped() async throws {
        try await withFolder { folder in
            let pictures = (1...3).map { Sample.make(seed: $0) }
            try write(pictures[1], folder + "/b.JPEG")
            try write(pictures[0], folder + "/a.jpg")
            try write(pictures[2], folder + "/c.jpg")
            try write([1, 2, 3], folder + "/notes.txt")
            let (frames, status) = try await play(.path(folder), frames: 7)
            #expect(frames.prefix(7).map(\.data.array) == [0, 1, 2, 0, 1, 2, 0].map { pictures[$0] })
            #expect(frames.allSatisfy { $0.source == .recorded })
            #expect(status.source == .recorded)
            #expect(status.health.kind == "ok")
            let steps = zip(frames, frames.dropFirst()).map { $1.exposedAt.nanoseconds - $0.exposedAt.nanoseconds }
            #expect(steps.allSatisfy { $0 >= 100_000_000 })
        }
    }

    @Test func `a recording says what puts it upright, and how large it is then`() async throws {
        try await withFolder { folder in
            // 4:2:2 with 4 columns and no row beyond whole MCUs.
            try write(Sample.make(seed: 3, width: 68, height: 48), folder + "/a.jpg")
            let expected: [(PictureTurn.Rotation, Int, Int)] = [
                (.none, 68, 48), (.quarter, 48, 68), (.half, 64, 48), (.threeQuarters, 48, 64),
            ]
            for (rotation, width, height) in expected {
                let (frames, _) = try await play(.path(folder), rotation: rotation, frames: 1)
                let frame = try #require(frames.first)
                #expect(frame.turn == PictureTurn(rotation))
                #expect((frame.width, frame.height) == (68, 48))
                #expect((frame.uprightWidth, frame.uprightHeight) == (width, height), "\(rotation)")
            }
            // Nothing would be left of a picture that is smaller than an MCU where it is flipped.
            try write(Sample.make(seed: 3, width: 15, height: 48), folder + "/a.jpg")
            try write(Sample.jpeg, folder + "/b.jpg")
            let (_, status) = try await play(.path(folder), rotation: .half, frames: 2)
            #expect(status.counters.malformed["tooSmallToTurn", default: 0] > 0)
        }
    }

    @Test func badPicturesOfARecordingAreCountedAndNamed() async throws {
        try await withFolder { folder in
            try write(Sample.jpeg + [0, 0, 0], folder + "/a.jpg")
            try write(Array(Sample.jpeg.dropLast(9)), folder + "/b.jpg")
            try write(Sample.withoutTables, folder + "/c.jpg")
            let (frames, status) = try await play(.path(folder), frames: 5)
            #expect(frames.first?.data.array == Sample.jpeg)
            #expect(status.counters.truncated >= 1)
            #expect(status.counters.huffmanTablesAdded >= 1)
        }
    }

    @Test func aMotionJPEGFileIsPlayedPictureByPicture() async throws {
        try await withFolder { folder in
            let path = folder + "/film.mjpeg"
            let cut = Array(Sample.jpeg.dropLast(300))
            try write([0, 9, 0xFF] + Sample.jpeg + [0, 0] + Sample.other + cut + Sample.jpeg, path)
            let (frames, status) = try await play(.path(path), frames: 6)
            #expect(
                frames.prefix(6).map(\.data.array)
                    == [Sample.jpeg, Sample.other, Sample.jpeg, Sample.jpeg, Sample.other, Sample.jpeg])
            #expect(status.counters.bad >= 1)
        }
    }

    @Test func whatFFmpegWritesCanBePlayed() async throws {
        try await withFolder { folder in
            let path = folder + "/film.mjpeg"
            let made = try ProgramRun(
                "/usr/bin/ffmpeg",
                [
                    "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=10:duration=1",
                    "-f", "mjpeg", path,
                ])
            #expect(made.status == 0, "\(made.errors)")
            let reader = try RecordingReader(.path(path))
            #expect(reader.count == 10)
            let (frames, status) = try await play(.path(path), frames: 12)
            #expect(frames.allSatisfy { $0.width == 160 && $0.height == 120 })
            #expect(status.counters.bad == 0)
        }
    }

    @Test func aPictureAcrossTheReadingWindowsIsFoundWhole() async throws {
        try await withFolder { folder in
            let path = folder + "/long.mjpeg"
            let gap = [UInt8](repeating: 0x41, count: MotionJPEGIndex.windowSize - 100)
            try write(gap + Sample.jpeg + gap + Sample.other, path)
            var index = MotionJPEGIndex(try RecordingFile(path))
            let parts = try index.pictures()
            #expect(parts.map(\.count) == [Sample.jpeg.count, Sample.other.count])
            #expect(parts.first?.lowerBound == gap.count)
        }
    }

    @Test func aSceneIsPaintedForItsInstantAndCalledSimulated() async throws {
        let instants = Mutex<[MonotonicInstant]>([])
        let (frames, status) = try await play(
            .generator { instant in
                instants.withLock { $0.append(instant) }
                return FrameData(Sample.jpeg)
            }, frames: 3)
        #expect(frames.prefix(3).map(\.exposedAt) == Array(instants.withLock { $0 }.prefix(3)))
        #expect(frames.allSatisfy { $0.source == .simulated })
        #expect(status.source == .simulated)
    }

    @Test func picturesAreReadAndPaintedOnAThreadOfTheCamera() async throws {
        let names = Mutex<Set<String>>([])
        _ = try await play(
            .generator { _ in
                let name = try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                names.withLock { _ = $0.insert(name) }
                return FrameData(Sample.jpeg)
            }, frames: 5)
        #expect(names.withLock { $0 } == ["recorded camera\n"])
    }

    @Test func withoutDemandNothingIsPaintedAndAShotWakesIt() async throws {
        let clock = ManualClock()
        let hub = FrameHub(clock: clock, idleSeconds: 0)
        let painted = Mutex(0)
        let camera = RecordedCamera(
            recording: .generator { _ in
                painted.withLock { $0 += 1 }
                return FrameData(Sample.jpeg)
            }, frameRate: 10, hub: hub)
        let service = Task { try await camera.run() }
        while hub.status().health.kind != "idle" { await Task.yield() }
        for _ in 0..<50 { await Task.yield() }
        #expect(painted.withLock { $0 } == 0)
        let trigger = clock.monotonic()
        let frame = try await hub.shot(exposedNotBefore: trigger, timeoutSeconds: 5)
        #expect(frame.exposedAt >= trigger)
        // The next one is painted before it is due, while anybody still wants it.
        #expect((1...2).contains(painted.withLock { $0 }))
        await #expect(throws: CameraError(.unknownControl, "cannot set a control: a recorded camera has none")) {
            // The player sleeps until its next picture is due, and answers then.
            async let answer = hub.setControls(["brightness": 1])
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(bySeconds: 1)
            return try await answer
        }
        service.cancel()
        try await service.value
    }

    @Test(arguments: ["/konza/none", "/dev/null", "EMPTY", "NOJPEG"])
    func aRecordingThatCannotBeReadIsAStateThatNamesIt(_ name: String) async throws {
        try await withFolder { folder in
            var path = name
            if name == "EMPTY" { path = folder }
            if name == "NOJPEG" {
                path = folder + "/text.mjpeg"
                try write(Array("nothing like a picture".utf8), path)
            }
            let clock = ManualClock()
            let hub = FrameHub(clock: clock)
            let service = Task { try await RecordedCamera(recording: .path(path), hub: hub).run() }
            while hub.status().health.kind != "camera-recording" { await Task.yield() }
            let reason = hub.status().health.reason
            #expect(reason.contains(path))
            #expect(reason.contains("; "))
            service.cancel()
            try await service.value
        }
    }

    /// Random bytes never break the search for pictures, and the pieces lie in order inside the file.
    @Test func theIndexOfAnyFileIsOrderedAndInside() async throws {
        let seed: UInt64 = 99
        var random = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes += Sample.jpeg.prefix(Int.random(in: 0...Sample.jpeg.count, using: &random))
                case 1: bytes += [0xFF, 0xD8, 0xFF, UInt8.random(in: 0...255, using: &random)]
                case 2: bytes += [0xFF, 0xD9]
                default: bytes += (0..<50).map { _ in UInt8.random(in: 0...255, using: &random) }
                }
            }
            let content = bytes
            try await withFolder { folder in
                try write(content, folder + "/x")
                var index = MotionJPEGIndex(try RecordingFile(folder + "/x"))
                var last = 0
                for part in try index.pictures() {
                    #expect(part.lowerBound >= last && part.upperBound <= content.count, "seed \(seed)")
                    #expect(part.count >= 2, "seed \(seed)")
                    last = part.upperBound
                }
            }
        }
    }
}
