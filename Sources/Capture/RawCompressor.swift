internal import JPEGCoding
internal import KonzaModel

/// Turns the raw pictures of one negotiated format into JPEG, with a restart marker after each row of MCUs so that a
/// stamp can be spliced in later.
struct RawCompressor: Sendable {
    private let layout: JPEGCompressor.Layout
    private let compressor: JPEGCompressor
    private let format: VideoFormat
    /// The bytes of a whole picture.
    let byteCount: Int

    /// - Returns: nil for a format that is not compressed here, or one whose rows are shorter than its width.
    init?(format: VideoFormat, quality: Int) {
        switch format.pixelFormat {
        case .yuyv: layout = .yuyv
        case .uyvy: layout = .uyvy
        case .nv12: layout = .nv12
        case .yuv420: layout = .i420
        default: return nil
        }
        guard format.width > 0, format.bytesPerLine >= format.pixelFormat.minimumBytesPerLine(width: format.width),
            let byteCount = format.pixelFormat.byteCount(bytesPerLine: format.bytesPerLine, height: format.height)
        else { return nil }
        self.format = format
        self.byteCount = byteCount
        compressor = JPEGCompressor(quality: min(max(quality, 1), 100), restarts: .rows(1))
    }

    func compress(_ pixels: UnsafeRawBufferPointer) throws(FrameFault) -> FrameData {
        do {
            return try unsafe compressor.compress(
                pixels.assumingMemoryBound(to: UInt8.self).span, layout: layout, width: format.width,
                height: format.height, bytesPerLine: format.bytesPerLine,
                range: format.isFullRange ? .full : .limited)
        } catch {
            throw .malformed("compression")
        }
    }
}
