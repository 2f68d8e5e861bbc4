internal import Glibc
internal import KonzaSystem

/// Finds a device and a format on it that konzad can use.
enum Negotiation {
    struct Outcome {
        let device: any VideoDevice
        let capability: VideoCapability
        let format: VideoFormat
        let offered: [OfferedFormat]
        let frameRate: Double?
        let isConverted: Bool

        /// libv4l2 takes the memory of a converted picture back when the device is closed, and v4l2loopback lets its
        /// writer go on into a buffer that a reader has taken.
        var holdsStill: Bool { !isConverted && capability.driver != "v4l2 loopback" }
    }

    /// The formats that are used as they come, the best for this size first: JPEG above 640x480, where raw video
    /// fills the bus, else raw, which is compressed here with restart markers.
    static func preference(width: Int, height: Int) -> [PixelFormat] {
        let jpeg: [PixelFormat] = [.motionJPEG, .jpeg]
        let raw: [PixelFormat] = [.yuyv, .uyvy, .nv12, .yuv420]
        return width > 640 || height > 480 ? jpeg + raw : raw + jpeg
    }

    /// Opens one path and sets it up.
    ///
    /// - Returns: nil if it is no capture node at all.
    static func setUp(
        _ path: String, in system: any VideoSystem, _ settings: CameraSettings
    ) throws(CameraError) -> Outcome? {
        do {
            let device = try system.open(path, converting: false)
            if let outcome = try setUp(device, settings, isConverted: false) { return outcome }
            guard try device.capability().canCapture else {
                device.close()
                return nil
            }
            let offered = try device.formats()
            device.close()
            guard !offered.isEmpty else { return nil }
            let converting = try system.open(path, converting: true)
            if let outcome = try setUp(converting, settings, isConverted: true) { return outcome }
            converting.close()
            let names = offered.map(\.pixelFormat.description).joined(separator: ", ")
            throw CameraError(
                .formatRefused, "cannot use \(path): none of its formats (\(names)) can be read; use another camera")
        } catch let error as CameraError {
            throw error
        } catch let error as SystemError {
            throw CameraError(opening: path, error)
        } catch {
            throw CameraError(.failed, "cannot open \(path): \(error)")
        }
    }

    private static func setUp(
        _ device: any VideoDevice, _ settings: CameraSettings, isConverted: Bool
    ) throws -> Outcome? {
        let capability = try device.capability()
        guard capability.canCapture else { return nil }
        let offered = try device.formats()
        let wishes = isConverted ? [.yuv420] : preference(width: settings.width, height: settings.height)
        for wish in wishes where isConverted || offered.contains(where: { $0.pixelFormat == wish }) {
            guard let format = try granted(wish, by: device, settings) else { continue }
            return Outcome(
                device: device, capability: capability, format: format, offered: offered,
                frameRate: try? device.setFrameRate(settings.frameRate), isConverted: isConverted)
        }
        return nil
    }

    private static func granted(
        _ wish: PixelFormat, by device: any VideoDevice, _ settings: CameraSettings
    ) throws(SystemError) -> VideoFormat? {
        do throws(SystemError) {
            let format = try device.setFormat(wish, width: settings.width, height: settings.height)
            guard format.pixelFormat == wish, (1...65_500).contains(format.width), (1...65_500).contains(format.height)
            else { return nil }
            return wish.isJPEG || RawCompressor(format: format, quality: settings.jpegQuality) != nil ? format : nil
        } catch {
            if error.code == EINVAL { return nil }
            throw error
        }
    }
}
