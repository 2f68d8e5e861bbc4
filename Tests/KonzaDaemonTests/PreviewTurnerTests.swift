import JPEGCoding
import KonzaAPI
import KonzaModel
import KonzaSystem
import Settings
import Synchronization
import Testing

@testable import Capture
@testable import KonzaDaemon

/// Turned frames of the preview, and what the API says of their size.
@Suite struct PreviewTurnerTests {
    private final class Viewer: Sendable {
        let seen = Mutex<[Frame]>([])
        var frames: [Frame] { seen.withLock { $0 } }
        var show: @Sendable (Frame) -> Void { { frame in self.seen.withLock { $0.append(frame) } } }
    }

    private func frame(_ turn: PictureTurn = .none, sequence: UInt64 = 1) throws -> Frame {
        let pixels = (0..<(64 * 48 * 3)).map { UInt8(truncatingIfNeeded: $0 / 3 % 64 * 3 + Int(sequence)) }
        let data = try JPEGCompressor().compress(RGBImage(width: 64, height: 48, pixels: pixels))
        return Frame(
            data: data, width: 64, height: 48, sequence: sequence, exposedAt: MonotonicInstant(nanoseconds: 7),
            timestampSource: .arrival, source: .live, turn: turn)
    }

    @Test func `a frame is turned once for all viewers, and is what the blocks' turn gives`() async throws {
        let turner = PreviewTurner(memory: .unbounded) { Issue.record("refused") }
        let viewers = (0..<4).map { _ in Viewer() }
        let original = try frame(PictureTurn(.quarter))
        for viewer in viewers {
            turner.submit(original, isMirrored: true, for: ObjectIdentifier(viewer), viewer.show)
        }
        try await settle("all viewers have it") { viewers.allSatisfy { !$0.frames.isEmpty } }
        let expected = try JPEGTurner().turn(original.data, by: PictureTurn(.quarter, isMirrored: true)).data.array
        for viewer in viewers {
            #expect(viewer.frames.count == 1)
            let shown = try #require(viewer.frames.first)
            #expect(shown.data.array == expected)
            #expect((shown.width, shown.height) == (48, 64))
            #expect(shown.turn == .none && shown.exposedAt == original.exposedAt)
        }
    }

    @Test func `frames come in order, the last one always`() async throws {
        let turner = PreviewTurner(memory: .unbounded) { Issue.record("refused") }
        let viewer = Viewer()
        for sequence in UInt64(1)...50 {
            turner.submit(
                try frame(sequence: sequence), isMirrored: true, for: ObjectIdentifier(viewer), viewer.show)
        }
        try await settle("the last frame is shown") { viewer.frames.last?.sequence == 50 }
        let order = viewer.frames.map(\.sequence)
        #expect(order == order.sorted() && Set(order).count == order.count)
    }

    @Test func `a frame that cannot be turned is reported and left out`() async throws {
        let refusals = Mutex(0)
        let turner = PreviewTurner(memory: .unbounded) { refusals.withLock { $0 += 1 } }
        let viewer = Viewer()
        let good = try frame()
        let bad = good.with(FrameData([UInt8](repeating: 1, count: 100)))
        turner.submit(bad, isMirrored: true, for: ObjectIdentifier(viewer), viewer.show)
        try await settle("it is refused") { refusals.withLock { $0 } == 1 }
        turner.submit(good, isMirrored: true, for: ObjectIdentifier(viewer), viewer.show)
        try await settle("the next one is shown") { viewer.frames.count == 1 }
    }

    @Test func `who pulls a frame that another has gets the same, and nothing of it stays`() throws {
        let frames = UprightFrames(memory: .unbounded)
        let (sideways, next) = (try frame(PictureTurn(.quarter)), try frame(PictureTurn(.quarter), sequence: 2))
        var first: Frame? = try frames.upright(sideways)
        var second: Frame? = try frames.upright(sideways)
        #expect(first?.data === second?.data)
        #expect(second?.width == 48 && second?.height == 64 && second?.turn == PictureTurn.none)
        #expect(try frames.upright(next).data.array == JPEGTurner().turn(next.data, by: next.turn).data.array)
        weak let kept = first?.data
        (first, second) = (nil, nil)
        #expect(kept == nil)
        let straight = try frame()
        #expect(try frames.upright(straight).data === straight.data)
    }

    @Test func `without memory a frame is left out, which is no fault of the camera`() async throws {
        let budget = MemoryBudget(bytes: 1000)
        let turner = PreviewTurner(memory: PictureMemory(budget, account: nil)) { Issue.record("refused") }
        let frame = try frame()
        let error = #expect(throws: JPEGCodingError.self) {
            try FrameTurner(memory: PictureMemory(budget, account: nil)).upright(frame, isMirrored: true)
        }
        #expect(error?.cause == .memoryLimit)
        let viewer = Viewer()
        turner.submit(frame, isMirrored: true, for: ObjectIdentifier(viewer), viewer.show)
        #expect(viewer.frames.isEmpty)
        #expect(budget.figures.total == 0)
    }

    @Test(arguments: [(StationSettings.Rotation.none, 1920, 1080), (.quarter, 1072, 1920), (.half, 1920, 1072)])
    func `the size that the API tells is that of the pictures`(
        rotate: StationSettings.Rotation, width: Int, height: Int
    ) throws {
        var settings = StationSettings().camera
        settings.rotate = rotate
        let clock = SystemClock()
        let hub = FrameHub(clock: clock)
        hub.update {
            $0.device = CameraDevice(
                path: "/dev/video0", card: "C", driver: "d", bus: "b", format: "MJPG", width: 1920, height: 1080,
                frameRate: 30)
        }
        let before = CameraReply(hub.status(), newest: nil, previewClients: 0, settings: settings)
        #expect(before.format?.width == (rotate == .quarter ? 1080 : 1920))
        #expect(before.rotate == Int(rotate.rawValue))
        #expect(before.previewMirrored == false)
        // 4:2:0 has 8 rows beyond whole MCUs.
        let turn = PictureTurn(PictureTurn.Rotation(rotate))
        let newest = Frame(
            data: FrameData([0]), width: 1920, height: 1080, sequence: 1, exposedAt: clock.monotonic(),
            timestampSource: .arrival, source: .live, turn: turn, uprightSize: (width, height))
        let reply = CameraReply(hub.status(), newest: newest, previewClients: 0, settings: settings)
        #expect(reply.format?.width == width && reply.format?.height == height)
    }
}
