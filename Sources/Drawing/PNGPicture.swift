public import KonzaModel

/// A PNG file (ISO/IEC 15948) that somebody else made. Its chunks are read once, and nothing is inflated before
/// ``preview(longestEdge:)``.
public struct PNGPicture: Sendable {
    private let file: FrameData
    private let chunks: PNGChunks

    /// Reads the chunks.
    ///
    /// - Throws: `DrawingError` with `size` for what is no PNG file, has more than 32767 pixels a side or more chunks than
    ///   any real file, `engine` for one that is cut or damaged or claims what its bytes cannot hold.
    public init(_ file: FrameData) throws(DrawingError) {
        self.file = file
        chunks = try PNGChunks(file)
    }

    /// What ``preview(longestEdge:)`` takes of memory at most beside the file, bytes: four for each pixel, and a little.
    public var memory: Int { chunks.header.width * chunks.header.height * 4 + chunks.header.width * 16 + 4 << 20 }

    /// Where the image data lies, in order: the pieces of one zlib stream. A decoder inflates all that is there, also what
    /// comes after the last row: 50 MB of it are 50 GB. See ``mostInflated``.
    public var imageData: [Range<Int>] { chunks.imageData }

    /// The most bytes that the rows and their filters take inflated, interlaced or not, with 64 KiB to spare.
    public var mostInflated: Int {
        // Adam7 (ISO/IEC 15948 section 8.2) makes fewer than two rows of each, and each has a filter's byte and perhaps a
        // part of another.
        chunks.header.pixelBytes + 4 * (chunks.header.height + 8) + 65_536
    }

    /// Decodes the whole file, however its bytes came about.
    ///
    /// - Parameter longestEdge: of the small copy, pixels.
    /// - Returns: the picture's size, and a small copy of it on white.
    /// - Throws: `DrawingError` with `size` for more than 16 million pixels, `engine` for a damaged file.
    public func preview(
        longestEdge: Int
    ) throws(DrawingError) -> (width: Int, height: Int, small: RGBImage) {
        let header = chunks.header
        guard header.width * header.height <= Bitmap.pixelLimit else {
            throw DrawingError(
                .size,
                "cannot read the picture: \(header.width)x\(header.height) pixels are more than 16 million; send a JPEG"
            )
        }
        guard let picture = Bitmap(file, chunks) else {
            throw DrawingError(.engine, "cannot read the picture: the PNG file is cut or damaged")
        }
        let longer = max(picture.width, picture.height)
        let scale = min(1, Double(max(1, longestEdge)) / Double(longer))
        let area = PixelRect(
            x: 0, y: 0, width: max(1, Int(Double(picture.width) * scale)),
            height: max(1, Int(Double(picture.height) * scale)))
        let canvas = try Canvas(area)
        canvas.draw(picture, in: area.box)
        let small = try canvas.withPixels { pixels, stride in
            var rgb: [UInt8] = []
            rgb.reserveCapacity(area.width * area.height * 3)
            for row in 0..<area.height {
                for column in 0..<area.width {
                    let at = row * stride + column * 4
                    let white = 255 - Int(pixels[at + 3])
                    for channel in [2, 1, 0] { rgb.append(UInt8(clamping: Int(pixels[at + channel]) + white)) }
                }
            }
            return RGBImage(width: area.width, height: area.height, pixels: rgb)
        }
        return (picture.width, picture.height, small)
    }
}
