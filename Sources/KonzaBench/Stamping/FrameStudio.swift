internal import JPEGCoding
internal import KonzaModel
internal import Scenery
internal import Stamping

/// A kind of frame that cameras give.
struct FrameKind: Hashable, Sendable {
    let size: PixelSize
    let isHalfHeight: Bool
    let hasRestarts: Bool

    var subsampling: JPEGCompressor.Subsampling { isHalfHeight ? .halfWidthAndHeight : .halfWidth }
    var subsamplingName: String { isHalfHeight ? "4:2:0" : "4:2:2" }
    var restartName: String { hasRestarts ? "restart markers" : "no restart markers" }

    /// The size of an MCU, pixels.
    var unitWidth: Int { 16 }
    var unitHeight: Int { isHalfHeight ? 16 : 8 }
}

/// Makes the frames that are stamped. The same kind always gives the same frame.
struct FrameStudio: ~Copyable {
    /// The quality of all frames, and of all that is compressed again.
    static let quality = 90
    /// The standard deviation of the noise that a small sensor adds in daylight, levels of 255.
    private static let noise: Float = 2.2

    /// What the frames show.
    let subject: String
    private let photograph: Photograph?
    private var made: (size: PixelSize, image: RGBImage)?

    /// Frames of the painted prairie with noise.
    init() {
        self.init(subject: "the painted prairie, with noise", nil)
    }

    /// Frames of a photograph.
    ///
    /// - Parameter file: A JPEG; nil for the one from Debian, and the painted prairie where that is not installed.
    /// - Throws: if the file that was named cannot be read.
    init(photograph file: String?) throws {
        guard let path = file ?? (Files.isFile(Photograph.debian) ? Photograph.debian : nil) else {
            self.init()
            return
        }
        self.init(subject: "a photograph (\(path))", try Photograph(file: path))
    }

    private init(subject: String, _ photograph: Photograph?) {
        self.subject = subject
        self.photograph = photograph
    }

    mutating func frame(_ kind: FrameKind) throws -> FrameData {
        let image = try picture(kind.size)
        return try JPEGCompressor(
            quality: Self.quality, subsampling: kind.subsampling, restarts: kind.hasRestarts ? .rows(1) : .none
        ).compress(image)
    }

    private mutating func picture(_ size: PixelSize) throws -> RGBImage {
        if let made, made.size == size { return made.image }
        let image = try photograph?.reduced(to: size) ?? Self.painted(size)
        made = (size, image)
        return image
    }

    private static func painted(_ size: PixelSize) throws -> RGBImage {
        guard let scene = PrairieScene(width: size.width, height: size.height) else {
            throw BenchError("cannot paint a scene of \(size): use edges of 64 to 8192 pixels")
        }
        var image = scene.frame(index: 30, at: SceneMoment(hour: 18.5, dayOfYear: 240))
        addNoise(to: &image.pixels)
        return image
    }

    /// Adds noise of nearly normal distribution, mostly of brightness and a little of colour.
    private static func addNoise(to pixels: inout [UInt8]) {
        var state: UInt64 = 0x5EED
        var span = pixels.mutableSpan
        for pixel in 0..<span.count / 3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Four uniform values of 0 to 255: their sum has a standard deviation of 147.8.
            let sum = state >> 24 & 255 + state >> 32 & 255 + state >> 40 & 255 + state >> 48 & 255
            let light = (Float(sum) - 510) / 147.8 * noise
            for channel in 0..<3 {
                let colour = Float((state >> (56 + UInt64(channel))) & 15) / 15 - 0.5
                let value = Float(span[pixel * 3 + channel]) + light + colour * noise
                span[pixel * 3 + channel] = UInt8(min(max(value.rounded(), 0), 255))
            }
        }
    }
}
