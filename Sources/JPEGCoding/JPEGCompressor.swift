internal import CKonza
public import KonzaModel

/// Compresses pixels to JPEG. What konzad compresses itself carries a restart marker at the end of every row of
/// MCUs (T.81 B.2.4.4), so that a stamp can be spliced in without touching other rows.
public struct JPEGCompressor: Sendable {
    /// How pixels lie in memory; the names are V4L2's.
    public enum Layout: Sendable, CaseIterable {
        /// R, G, B, one byte each.
        case rgb
        /// Y0 Cb Y1 Cr, packed 4:2:2.
        case yuyv
        /// Cb Y0 Cr Y1, packed 4:2:2.
        case uyvy
        /// A plane of Y, then one of Cb and Cr in turn at half the width and height.
        case nv12
        /// A plane of Y, then Cb, then Cr at half the width and height.
        case i420
        /// One byte of luma.
        case grey
    }

    /// What the values of a YCbCr layout span.
    public enum Range: Sendable {
        /// Luma 16 to 235, chroma 16 to 240, as V4L2's default for YCbCr is; stretched to JFIF's full range.
        case limited
        /// 0 to 255.
        case full
    }

    /// How coarse chroma is. Used for RGB input; YCbCr layouts keep their own.
    public enum Subsampling: Sendable, CaseIterable {
        case none
        /// 4:2:2.
        case halfWidth
        /// 4:2:0.
        case halfWidthAndHeight
        /// 4:1:1.
        case quarterWidth
        /// 4:4:0.
        case halfHeight

        /// The luma sampling factors, with chroma at 1x1.
        var factors: (horizontal: Int32, vertical: Int32) {
            switch self {
            case .none: (1, 1)
            case .halfWidth: (2, 1)
            case .halfWidthAndHeight: (2, 2)
            case .quarterWidth: (4, 1)
            case .halfHeight: (1, 2)
            }
        }
    }

    /// Where restart markers stand.
    public enum Restarts: Sendable, Equatable {
        case none
        /// After so many rows of MCUs.
        case rows(Int)
        /// After so many MCUs, up to 65 535.
        case units(Int)
    }

    public enum Coding: Sendable, CaseIterable {
        /// Sequential with the standard Huffman tables.
        case baseline
        /// Sequential with Huffman tables made for the picture.
        case optimised
        case progressive
        case arithmetic
    }

    /// 1 to 100, on the scale of the Independent JPEG Group.
    public var quality: Int
    public var subsampling: Subsampling
    public var restarts: Restarts
    public var coding: Coding
    /// The largest output, bytes.
    public var largestOutput: Int

    public init(
        quality: Int = 90, subsampling: Subsampling = .halfWidth, restarts: Restarts = .rows(1),
        coding: Coding = .baseline, largestOutput: Int = 64 << 20
    ) {
        self.quality = quality
        self.subsampling = subsampling
        self.restarts = restarts
        self.coding = coding
        self.largestOutput = largestOutput
    }

    /// Compresses an RGB image.
    ///
    /// - Throws: `JPEGCodingError`, as when a side is 0 or over 65 500.
    public func compress(_ image: RGBImage) throws(JPEGCodingError) -> FrameData {
        try compress(image.pixels.span, layout: .rgb, width: image.width, height: image.height)
    }

    /// Compresses pixels as a camera delivers them.
    ///
    /// - Parameters:
    ///   - pixels: One frame.
    ///   - layout: How the pixels lie in it.
    ///   - width: Pixels.
    ///   - height: Pixels.
    ///   - bytesPerLine: From one row to the next of the first plane; nil if rows are not padded. Chroma planes
    ///     of `i420` have half of it.
    ///   - range: What the values of a YCbCr layout span.
    ///   - turn: How the picture is turned before it is compressed; a YCbCr layout alone can be. A last column or row
    ///     that has a chroma sample for itself is left out where it would come first.
    /// - Returns: The JPEG.
    /// - Throws: `JPEGCodingError` with cause `badRequest` if the buffer is too short for the size.
    public func compress(
        _ pixels: Span<UInt8>, layout: Layout, width: Int, height: Int, bytesPerLine: Int? = nil,
        range: Range = .limited, turn: PictureTurn = .none
    ) throws(JPEGCodingError) -> FrameData {
        guard turn == .none || layout.hasRange else {
            throw JPEGCodingError(.badRequest, "cannot turn a picture that is not YCbCr while it is compressed")
        }
        guard (1...65_500).contains(width), (1...65_500).contains(height), (1...100).contains(quality) else {
            throw JPEGCodingError(
                .badRequest, "cannot compress a picture of \(width)x\(height) at quality \(quality): out of range")
        }
        let stride = bytesPerLine ?? layout.bytesPerLine(width: width)
        guard let needed = layout.byteCount(width: width, height: height, stride: stride), pixels.count >= needed
        else {
            throw JPEGCodingError(
                .badRequest,
                "cannot compress a picture of \(width)x\(height): \(pixels.count) bytes are too few for rows of "
                    + "\(stride)")
        }
        var style = self.style
        var report = konza_jpeg_report()
        var bytes: UnsafeMutablePointer<UInt8>?
        var length = 0
        unsafe pixels.withUnsafeBufferPointer { buffer in
            var picture = unsafe konza_picture(
                bytes: buffer.baseAddress, width: UInt32(width), height: UInt32(height), stride: stride,
                layout: layout.code, limited_range: range == .limited && layout.hasRange ? 1 : 0,
                transposes: turn.transposes ? 1 : 0, flips_columns: turn.flipsColumns ? 1 : 0,
                flips_rows: turn.flipsRows ? 1 : 0)
            _ = unsafe konza_jpeg_compress(&picture, &style, max(0, largestOutput), &bytes, &length, &report)
        }
        try report.check("compress a picture of \(width)x\(height)")
        guard let bytes = unsafe bytes else { throw JPEGCodingError(.outOfMemory, "cannot compress: no output") }
        return unsafe FrameData(adopting: bytes, count: length)
    }

    private var style: konza_jpeg_style {
        var rows = 0
        var units = 0
        switch restarts {
        case .none: break
        case .rows(let count): rows = max(0, count)
        case .units(let count): units = min(65_535, max(0, count))
        }
        return konza_jpeg_style(
            quality: Int32(quality), horizontal: subsampling.factors.horizontal,
            vertical: subsampling.factors.vertical, restart_rows: Int32(clamping: rows),
            restart_interval: Int32(units), progressive: coding == .progressive ? 1 : 0,
            optimised: coding == .optimised ? 1 : 0, arithmetic: coding == .arithmetic ? 1 : 0)
    }
}

extension JPEGCompressor.Layout {
    var code: Int32 {
        switch self {
        case .rgb: Int32(KONZA_RGB)
        case .yuyv: Int32(KONZA_YUYV)
        case .uyvy: Int32(KONZA_UYVY)
        case .nv12: Int32(KONZA_NV12)
        case .i420: Int32(KONZA_I420)
        case .grey: Int32(KONZA_GREY)
        }
    }

    /// Only YCbCr comes in limited range.
    var hasRange: Bool {
        switch self {
        case .rgb, .grey: false
        case .yuyv, .uyvy, .nv12, .i420: true
        }
    }

    func bytesPerLine(width: Int) -> Int {
        switch self {
        case .rgb: width * 3
        case .yuyv, .uyvy: (width + 1) / 2 * 4
        case .nv12, .i420: (width + 1) / 2 * 2
        case .grey: width
        }
    }

    /// The bytes that a picture of this size needs, or nil if the rows are too short or the sum overflows. The
    /// last row may lack its padding.
    func byteCount(width: Int, height: Int, stride: Int) -> Int? {
        let row = bytesPerLine(width: width)
        guard stride >= row, stride <= 1 << 24 else { return nil }
        let chromaRows = (height + 1) / 2
        switch self {
        case .rgb, .yuyv, .uyvy, .grey: return stride * (height - 1) + row
        case .nv12: return stride * (height + chromaRows - 1) + row
        case .i420:
            guard stride % 2 == 0 else { return nil }
            return stride * height + stride / 2 * (2 * chromaRows - 1) + row / 2
        }
    }
}
