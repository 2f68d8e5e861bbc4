internal import JPEGCoding
internal import KonzaModel

/// Makes upright JPEG pictures of the raw ones of one negotiated format, with a restart marker after each row of MCUs so that a
/// stamp can be spliced in later.
struct RawCompressor: Sendable {
    private let layout: JPEGCompressor.Layout
    private let compressor: JPEGCompressor
    private let format: VideoFormat
    private let turn: PictureTurn
    /// The bytes of a whole picture.
    let byteCount: Int

    /// - Returns: nil for a format that is not compressed here, or one whose rows are shorter than its width.
    init?(format: VideoFormat, quality: Int, rotation: PictureTurn.Rotation = .none) {
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
        turn = PictureTurn(rotation)
        self.byteCount = byteCount
        compressor = JPEGCompressor(quality: min(max(quality, 1), 100), restarts: .rows(1))
    }

    /// Of the upright picture, in pixels.
    var width: Int { turn.transposes ? rows : columns }
    var height: Int { turn.transposes ? columns : rows }

    /// The source's columns that are used: where chroma has one sample for two, an odd last one is left out if it would
    /// come first.
    private var columns: Int {
        format.width - ((turn.transposes ? turn.flipsRows : turn.flipsColumns) ? format.width % 2 : 0)
    }

    private var rows: Int {
        let isHalved = layout == .nv12 || layout == .i420
        let isFlipped = turn.transposes ? turn.flipsColumns : turn.flipsRows
        return format.height - (isHalved && isFlipped ? format.height % 2 : 0)
    }

    /// Compresses one picture, upright.
    func compress(_ pixels: UnsafeRawBufferPointer) throws(FrameFault) -> FrameData {
        do {
            return try unsafe compressor.compress(
                pixels.assumingMemoryBound(to: UInt8.self).span, layout: layout, width: format.width,
                height: format.height, bytesPerLine: format.bytesPerLine,
                range: format.isFullRange ? .full : .limited, turn: turn)
        } catch {
            throw .malformed("compression")
        }
    }
}
