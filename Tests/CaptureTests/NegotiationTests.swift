import JPEGCoding
import KonzaModel
import KonzaTesting
import Synchronization
import Testing

@testable import Capture

@Suite struct NegotiationTests {
    private func run(
        _ model: ScriptedModel, _ moments: [Moment] = [.pass], _ settings: CameraSettings = CameraSettings()
    ) throws -> (CameraStatus, ScriptedSystem) {
        let system = ScriptedSystem(moments, model: model)
        return (try runCamera(system, FrameHub(clock: system.clock), settings: settings), system)
    }

    @Test(arguments: [
        // Above 640x480 raw video fills the bus.
        (1920, 1080, [PixelFormat.yuyv, .motionJPEG], "MJPG"), (641, 480, [.yuyv, .motionJPEG], "MJPG"),
        // Some drivers call it JPEG.
        (1280, 720, [.yuyv, .jpeg], "JPEG"),
        // Up to it raw is compressed here, with restart markers.
        (640, 480, [.motionJPEG, .yuyv], "YUYV"), (320, 240, [.motionJPEG, .nv12], "NV12"),
        (320, 240, [.motionJPEG], "MJPG"), (1920, 1080, [.uyvy, .yuv420], "UYVY"),
    ])
    func theFormatFitsTheSize(_ width: Int, _ height: Int, _ formats: [PixelFormat], _ chosen: String) throws {
        var model = ScriptedModel()
        model.formats = formats
        var settings = CameraSettings()
        (settings.width, settings.height) = (width, height)
        let (status, system) = try run(model, [.pass], settings)
        #expect(status.device?.format == chosen)
        #expect(system.state.withLock { $0.opened.map(\.converting) } == [false])
    }

    @Test func aFormatThatTheDriverExchangesIsNotTaken() throws {
        var model = ScriptedModel()
        model.formats = [.motionJPEG, .yuyv]
        model.granted = [.motionJPEG: .yuyv]
        #expect(try run(model).0.device?.format == "YUYV")
    }

    @Test func onlyWithoutAUsableFormatDoesTheLibraryConvert() throws {
        var model = ScriptedModel()
        model.formats = [PixelFormat(code: 0x3138_4142)]
        let (status, system) = try run(model)
        #expect(status.device?.isConverted == true)
        #expect(status.device?.format == "YU12")
        #expect(system.state.withLock { $0.opened.map(\.converting) } == [false, true])
        model.granted = [.yuv420: PixelFormat(code: 0x3138_4142)]
        let (refused, second) = try run(model)
        #expect(refused.health.kind == "camera-format-refused")
        #expect(refused.health.reason.contains("BA81"))
        #expect(second.state.withLock { $0.closed } == second.state.withLock { $0.opened.count })
    }

    @Test func theFirstUsableOfSeveralNodesIsTakenAndTheStablePathIsKept() throws {
        var model = ScriptedModel()
        model.paths = ["/dev/v4l/by-id/a", "/dev/video1"]
        let system = ScriptedSystem([.pass, .removed, .added, .pass], model: model)
        system.state.withLock { $0.openErrors = [16] }
        let status = try runCamera(system, FrameHub(clock: system.clock))
        #expect(status.device?.path == "/dev/v4l/by-id/a" || status.device?.path == "/dev/video1")
        // The first was busy; when the second came back it was tried first.
        #expect(system.state.withLock { $0.opened.map(\.path) }.prefix(2) == ["/dev/v4l/by-id/a", "/dev/video1"])
    }

    @Test func aNodeThatIsNoCaptureDeviceIsPassedOverOrNamed() throws {
        var model = ScriptedModel()
        model.capability.canCapture = false
        #expect(try run(model).0.health.kind == "camera-missing")
        var settings = CameraSettings()
        settings.device = "/dev/video7"
        let status = try run(model, [.pass], settings).0
        #expect(status.health.kind == "camera-format-refused")
        #expect(status.health.reason.contains("/dev/video7"))
    }

    @Test(arguments: [PixelFormat.yuyv, .uyvy, .nv12, .yuv420])
    func rawFramesAreCompressedWithARestartMarkerPerRow(_ format: PixelFormat) throws {
        var model = ScriptedModel()
        model.formats = [format]
        let count = try #require(
            format.byteCount(bytesPerLine: format.minimumBytesPerLine(width: 64), height: 48))
        let picture = ScriptedFrame([UInt8](repeating: 0x80, count: count))
        let short = ScriptedFrame([UInt8](repeating: 0x80, count: count - 1))
        let system = ScriptedSystem([.frames([picture]), .frames([picture]), .frames([short])], model: model)
        let hub = FrameHub(clock: system.clock)
        let watcher = hub.watch()
        let status = try runCamera(system, hub)
        #expect(status.counters.compressed == 1)
        #expect(status.counters.truncated == 1)
        let frame = try #require(watcher.take())
        let structure = try JPEGStructure(parsing: frame.data)
        #expect(structure.width == 64 && structure.height == 48)
        #expect(structure.restartFault == nil)
        // 8 rows to an MCU row in 4:2:2, 16 in 4:2:0.
        let rows = format == .yuyv || format == .uyvy ? 6 : 3
        #expect(structure.scans.first?.restartCount == rows - 1)
        #expect(try JPEGDecoder().decode(frame.data).image.pixels.allSatisfy { (120...140).contains($0) })
    }

    @Test func rowsShorterThanThePictureAreRefused() {
        var format = VideoFormat(pixelFormat: .yuyv, width: 64, height: 48, bytesPerLine: 127, imageSize: 9999)
        #expect(RawCompressor(format: format, quality: 80) == nil)
        format.bytesPerLine = 128
        #expect(RawCompressor(format: format, quality: 80)?.byteCount == 128 * 48)
        format.bytesPerLine = .max
        #expect(RawCompressor(format: format, quality: 80) == nil)
    }
}
