internal import CKonza
public import KonzaModel
public import KonzaSystem

/// Decodes a JPEG to RGB, whole or at a fraction of its size.
public struct JPEGDecoder: Sendable {
    /// libjpeg decodes at these sizes for a fraction of the work.
    public enum Scale: Int, Sendable, CaseIterable {
        case full = 1
        case half = 2
        case quarter = 4
        case eighth = 8
    }

    /// What was decoded, and how sound it was.
    public struct Decoded: Sendable {
        public let image: RGBImage
        /// How often libjpeg had to make something up; 0 for a sound picture.
        public let warningCount: Int
        /// Whether pixels were lost or made up: some warnings are harmless, as of a few bytes before a marker.
        public let isDamaged: Bool
        /// The first of the warnings, in libjpeg's words.
        public let firstWarning: String?
        /// What was reserved for the pixels, until this is gone; nil where nobody was asked.
        public let memory: MemoryReservation?
    }

    public var limits: JPEGLimits
    /// Whom to ask for memory.
    public var memory: PictureMemory

    public init(limits: JPEGLimits = JPEGLimits(), memory: PictureMemory = .unbounded) {
        self.limits = limits
        self.memory = memory
    }

    /// Decodes a picture.
    ///
    /// - Throws: `JPEGCodingError`. A damaged picture that still gives pixels does not throw; its warnings are
    ///   counted.
    public func decode(_ jpeg: Span<UInt8>, scale: Scale = .full) throws(JPEGCodingError) -> Decoded {
        var report = konza_jpeg_report()
        var pixels: UnsafeMutablePointer<UInt8>?
        var width: UInt32 = 0
        var height: UInt32 = 0
        let reservation = unsafe withLimits(limits, memory) { limits in
            unsafe jpeg.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return }
                _ = unsafe konza_jpeg_decode(
                    start, bytes.count, &limits, Int32(scale.rawValue), &pixels, &width, &height, &report)
            }
        }
        try report.check("decode the picture")
        guard let pixels = unsafe pixels else {
            throw JPEGCodingError(.refused, "cannot decode the picture: it is empty")
        }
        let count = Int(width) * Int(height) * 3
        defer {
            unsafe konza_jpeg_free(pixels)
            reservation?.shrink(to: count)
        }
        let image = unsafe RGBImage(
            width: Int(width), height: Int(height),
            pixels: Array(UnsafeBufferPointer(start: pixels, count: count)))
        return Decoded(
            image: image, warningCount: Int(report.warnings), isDamaged: report.damages > 0,
            firstWarning: report.firstWarning, memory: reservation)
    }

    /// Decodes a picture.
    public func decode(_ jpeg: FrameData, scale: Scale = .full) throws(JPEGCodingError) -> Decoded {
        try jpeg.withSpan { bytes throws(JPEGCodingError) in try decode(bytes, scale: scale) }
    }
}

extension FrameData {
    /// Lends the bytes to the body as a span.
    public func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withBytes { bytes throws(Failure) in
            try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
        }
    }
}
