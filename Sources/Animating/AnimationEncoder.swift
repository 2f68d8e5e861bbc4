internal import CWebP
public import KonzaModel

/// Why an animation could not be made.
public enum AnimationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No pictures, pictures of different sizes, or times that do not rise.
    case badRequest(String)
    /// The file would have more bytes than allowed at every quality.
    case tooLarge(limit: Int)
    /// libwebp's own words.
    case refused(String)

    public var description: String {
        switch self {
        case .badRequest(let what): "cannot make the animation: \(what)"
        case .tooLarge(let limit): "cannot make the animation: it would be larger than \(limit) bytes; make it shorter"
        case .refused(let words):
            "cannot make the animation: libwebp reports \(words); try again when more memory is free"
        }
    }
}

/// Makes animated WebP files, which repeat for ever (libwebp's WebPAnimEncoder).
public struct AnimationEncoder: Sendable {
    /// The longest edge of a picture, and the most pictures.
    public static let longestEdge = 2048
    public static let mostPictures = 64

    /// A picture, and from when on it is shown, milliseconds after the first one.
    public struct Picture: Sendable {
        public let image: RGBImage
        public let milliseconds: Int

        public init(_ image: RGBImage, at milliseconds: Int) {
            self.image = image
            self.milliseconds = milliseconds
        }
    }

    /// The qualities that are tried until the file is small enough, 0 to 100.
    private static let qualities: [Float] = [75, 55, 35, 15]

    /// The largest file, bytes.
    public let limit: Int

    /// - Parameter limit: the largest file, bytes.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Encodes pictures of one size.
    ///
    /// - Parameters:
    ///   - pictures: at least one, in rising order of their times, the first at 0.
    ///   - end: when the last one ends, milliseconds.
    /// - Returns: the file.
    /// - Throws: `AnimationError`.
    public func encode(_ pictures: [Picture], end: Int) throws(AnimationError) -> [UInt8] {
        guard let first = pictures.first, pictures.count <= Self.mostPictures else {
            throw .badRequest("\(pictures.count) pictures are not 1 to \(Self.mostPictures)")
        }
        let (width, height) = (first.image.width, first.image.height)
        guard (1...Self.longestEdge).contains(width), (1...Self.longestEdge).contains(height) else {
            throw .badRequest("\(width)x\(height) is out of range; no edge is longer than \(Self.longestEdge)")
        }
        guard pictures.allSatisfy({ $0.image.width == width && $0.image.height == height }) else {
            throw .badRequest("its pictures have different sizes")
        }
        let times = pictures.map(\.milliseconds) + [end]
        guard first.milliseconds == 0, zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }), end < 1 << 24 else {
            throw .badRequest("its times do not rise from 0")
        }
        for quality in Self.qualities {
            let encoder = try Encoder(width: width, height: height)
            for picture in pictures { try encoder.add(picture, quality: quality) }
            if let file = try encoder.finish(at: end, limit: limit) { return file }
        }
        throw .tooLarge(limit: limit)
    }
}

/// libwebp's encoder of one file.
@safe private struct Encoder: ~Copyable {
    private let encoder: OpaquePointer

    init(width: Int, height: Int) throws(AnimationError) {
        guard let encoder = unsafe konza_animation_new(Int32(width), Int32(height)) else {
            throw .refused("no memory")
        }
        unsafe self.encoder = encoder
    }

    deinit { unsafe WebPAnimEncoderDelete(encoder) }

    func add(_ picture: AnimationEncoder.Picture, quality: Float) throws(AnimationError) {
        let image = picture.image
        let isAdded = unsafe image.pixels.withUnsafeBufferPointer { pixels in
            unsafe konza_animation_add(
                encoder, pixels.baseAddress, Int32(image.width), Int32(image.height), Int32(picture.milliseconds),
                quality)
        }
        guard isAdded != 0 else { throw .refused(words) }
    }

    /// - Returns: nil for a file beyond the limit.
    func finish(at end: Int, limit: Int) throws(AnimationError) -> [UInt8]? {
        var file = unsafe WebPData()
        let isMade = unsafe konza_animation_finish(encoder, Int32(end), &file)
        defer { unsafe konza_animation_clear(&file) }
        guard isMade != 0, let bytes = unsafe file.bytes else { throw .refused(words) }
        guard unsafe file.size <= limit else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: file.size))
    }

    private var words: String {
        unsafe WebPAnimEncoderGetError(encoder).map { unsafe String(cString: $0) } ?? "an unknown failure"
    }
}
