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

    @Test(
        "raw pictures are upright before they are compressed, JPEG ones are turned by whom they are for",
        arguments: [PixelFormat.yuyv, .uyvy, .nv12, .yuv420, .motionJPEG], PictureTurn.Rotation.allCases)
    func turned(_ format: PixelFormat, _ rotation: PictureTurn.Rotation) throws {
        var model = ScriptedModel()
        model.formats = [format]
        let count = format.byteCount(bytesPerLine: format.minimumBytesPerLine(width: 64), height: 48)
        // Nothing but the upper half is bright.
        var bytes = [UInt8](repeating: 0x80, count: count ?? 0)
        let luma = format == .nv12 || format == .yuv420 ? 64 : 128
        for index in 0..<min(bytes.count, 48 * luma) { bytes[index] = index < 24 * luma ? 0xC0 : 0x40 }
        if format == .yuyv { for index in stride(from: 1, to: bytes.count, by: 2) { bytes[index] = 0x80 } }
        if format == .uyvy { for index in stride(from: 0, to: bytes.count, by: 2) { bytes[index] = 0x80 } }
        let picture = ScriptedFrame(format == .motionJPEG ? Sample.jpeg : bytes)
        let system = ScriptedSystem([.frames([picture]), .frames([picture])], model: model)
        let hub = FrameHub(clock: system.clock)
        let watcher = hub.watch()
        var settings = CameraSettings()
        settings.rotation = rotation
        _ = try runCamera(system, hub, settings: settings)
        let frame = try #require(watcher.take())
        let isSideways = rotation == .quarter || rotation == .threeQuarters
        #expect((frame.uprightWidth, frame.uprightHeight) == (isSideways ? (48, 64) : (64, 48)))
        let structure = try JPEGStructure(parsing: frame.data)
        #expect((structure.width, structure.height) == (frame.width, frame.height))
        guard format != .motionJPEG else {
            #expect(frame.turn == PictureTurn(rotation))
            #expect(frame.data.array == Sample.jpeg)
            return
        }
        #expect(frame.turn == .none)
        #expect((frame.width, frame.height) == (frame.uprightWidth, frame.uprightHeight))
        #expect(structure.scans.first?.restartInterval == structure.unitCount.columns)
        let image = try JPEGDecoder().decode(frame.data).image
        let brightness = { (x: Int, y: Int) in Int(image.pixels[(y * image.width + x) * 3 + 1]) }
        let (middle, last) = ((image.width / 2, image.height / 2), (image.width - 2, image.height - 2))
        // Where the camera's upper edge is.
        let bright =
            switch rotation {
            case .none: brightness(middle.0, 1)
            case .quarter: brightness(last.0, middle.1)
            case .half: brightness(middle.0, last.1)
            case .threeQuarters: brightness(1, middle.1)
            }
        let dark =
            switch rotation {
            case .none: brightness(middle.0, last.1)
            case .quarter: brightness(1, middle.1)
            case .half: brightness(middle.0, 1)
            case .threeQuarters: brightness(last.0, middle.1)
            }
        #expect(bright > 180 && dark < 80, "\(bright) \(dark)")
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
