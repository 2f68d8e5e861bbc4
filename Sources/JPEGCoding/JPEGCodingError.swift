/// Why a picture could not be compressed, decoded or read as coefficients.
public struct JPEGCodingError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Cause: Sendable, Equatable {
        /// The input breaks the standard, or asks for what libjpeg does not do.
        case refused
        case outOfMemory
        /// The output would exceed its limit.
        case outputLimit
        /// The picture has more pixels than allowed.
        case pixelLimit
        /// The picture has more scans than allowed.
        case scanLimit
        /// The colour space has no conversion to RGB.
        case colourSpace
        /// A quantisation table was replaced between the scans.
        case tablesChanged
        /// Decoding the picture takes more memory than any picture may.
        case memoryLimit
        /// The memory that the picture needs is not to be had now.
        case memoryBusy
        /// The caller's buffer or sizes do not fit together.
        case badRequest
    }

    public let cause: Cause
    /// "cannot X: why".
    public let description: String

    init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }
}

/// What a picture from outside may ask for.
public struct JPEGLimits: Sendable, Equatable {
    /// Width times height.
    public var pixels: Int
    /// Scans: a progressive picture normally has about ten, a bomb has thousands.
    public var scans: Int
    /// Bytes of a compressed output.
    public var outputBytes: Int
    /// Bytes of memory that decoding one picture may take, its pixels or coefficients included.
    public var memoryBytes: Int

    public init(
        pixels: Int = 100_000_000, scans: Int = 100, outputBytes: Int = 256 << 20, memoryBytes: Int = 1 << 30
    ) {
        self.pixels = pixels
        self.scans = scans
        self.outputBytes = outputBytes
        self.memoryBytes = memoryBytes
    }
}

extension JPEGCodingError {
    /// libjpeg reads another frame than the structure has.
    public static let otherFrame = JPEGCodingError(
        .refused, "cannot use the picture: its frame can be read in two ways")

    /// A result is larger than its limit.
    public static let outputTooLarge = JPEGCodingError(
        .outputLimit, "cannot write the picture: the output exceeds its limit")

    /// No quality makes a thumbnail small enough.
    public static let thumbnailTooLarge = JPEGCodingError(
        .outputLimit, "cannot make the thumbnail: no quality is low enough for its limit")
}
