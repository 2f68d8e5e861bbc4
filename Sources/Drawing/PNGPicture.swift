public import KonzaModel

/// A PNG file (ISO/IEC 15948) that somebody else made.
public enum PNGPicture {
    /// What ``preview(of:longestEdge:)`` takes of memory at most beside the file, bytes: four for each pixel, and a little.
    ///
    /// - Parameter file: only its header is read.
    /// - Returns: 0 for what is no PNG file.
    public static func memory(of file: FrameData) -> Int {
        unsafe file.withBytes { bytes in
            guard let header = unsafe PNGHeader(bytes.bindMemory(to: UInt8.self).span) else { return 0 }
            return header.width * header.height * 4 + header.width * 16 + 4 << 20
        }
    }

    /// Where the image data of a file lies, and what it comes to. A decoder inflates all that is there, also what comes
    /// after the last row: 50 MB of it are 50 GB.
    ///
    /// - Parameter file: its chunks are read, and nothing is inflated.
    /// - Returns: the pieces of one zlib stream, and the most bytes that the rows and their filters take inflated,
    ///   interlaced or not, with 64 KiB to spare.
    /// - Throws: as ``preview(of:longestEdge:)``.
    public static func imageData(
        of file: FrameData
    ) throws(DrawingError) -> (pieces: [Range<Int>], mostInflated: Int) {
        let chunks = try PNGChunks(file)
        // Adam7 (ISO/IEC 15948 section 8.2) makes fewer than two rows of each, and each has a filter's byte and perhaps a
        // part of another.
        return (chunks.imageData, chunks.header.pixelBytes + 4 * (chunks.header.height + 8) + 65_536)
    }

    /// Decodes a whole file, however its bytes came about.
    ///
    /// - Parameters:
    ///   - file: its bytes.
    ///   - longestEdge: of the small copy, pixels.
    /// - Returns: the picture's size, and a small copy of it on white.
    /// - Throws: `DrawingError` with `size` for what is no PNG or has more than 16 million pixels, `engine` for a
    ///   damaged one.
    public static func preview(
        of file: FrameData, longestEdge: Int
    ) throws(DrawingError) -> (width: Int, height: Int, small: RGBImage) {
        let chunks = try PNGChunks(file)
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
