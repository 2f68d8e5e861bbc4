internal import Drawing
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

    /// The size of an MCU, pixels.
    var unitWidth: Int { 16 }
    var unitHeight: Int { isHalfHeight ? 16 : 8 }
}

/// Paints the pictures that are stamped. The same size always gives the same picture.
struct FrameStudio: ~Copyable {
    /// The quality of all frames, and of all that is compressed again.
    static let quality = 90
    /// The standard deviation of the noise that a small sensor adds in daylight, levels of 255.
    private static let noise: Float = 2.2

    private var painted: (size: PixelSize, image: RGBImage)?

    init() {}

    /// A scene with noise, compressed.
    mutating func frame(_ kind: FrameKind) throws -> FrameData {
        let image = try picture(kind.size)
        return try JPEGCompressor(
            quality: Self.quality, subsampling: kind.subsampling, restarts: kind.hasRestarts ? .rows(1) : .none
        ).compress(image)
    }

    private mutating func picture(_ size: PixelSize) throws -> RGBImage {
        if let painted, painted.size == size { return painted.image }
        guard let scene = PrairieScene(width: size.width, height: size.height) else {
            throw BenchError("cannot paint a scene of \(size): use edges of 64 to 8192 pixels")
        }
        var image = scene.frame(index: 30, at: SceneMoment(hour: 18.5, dayOfYear: 240))
        Self.addNoise(to: &image.pixels)
        painted = (size, image)
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

/// Draws the overlays that all contestants lay on the frames.
struct OverlayStudio {
    let templates: [Template]
    private let artist = PostcardArtist(cacheBytes: 0)

    /// - Parameter folder: With the templates.
    /// - Throws: What is wrong with a template, or that there is none.
    init(folder: String) throws {
        let library = TemplateLibrary(folders: ["\(folder)/templates"])
        if let problem = library.problems.first { throw problem }
        templates = library.templates
        guard !templates.isEmpty else {
            throw BenchError("cannot stamp: there are no templates in \(folder)/templates")
        }
    }

    /// Draws a template, each time anew.
    func draw(_ template: Template, _ size: PixelSize) throws -> Overlay {
        try artist.overlay(template: template, width: size.width, height: size.height, facts: Self.facts)
    }

    private static var facts: PostcardFacts {
        PostcardFacts(
            place: "Konza Prairie",
            time: CivilTime(year: 2026, month: 8, day: 28, hour: 18, minute: 30), zone: "CDT",
            coordinate: Coordinate(latitude: 39.1069, longitude: -96.6091), elevationMetres: 443,
            message: "The bluestem is taller than we are")
    }
}
