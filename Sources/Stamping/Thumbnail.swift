public import JPEGCoding
public import KonzaModel
internal import KonzaSystem

/// Small versions of pictures.
public enum Thumbnail {
    /// A JPEG whose longer side is at most `longestEdge` pixels (smaller pictures keep their size).
    ///
    /// - Parameters:
    ///   - jpeg: The picture.
    ///   - longestEdge: 320 for a list of pictures, 160 for EXIF.
    ///   - largestOutput: Quality is lowered until the result is no larger, bytes.
    ///   - limits: Of what is decoded.
    ///   - memory: Whom to ask for memory.
    /// - Returns: The JPEG.
    /// - Throws: `JPEGCodingError`; `outputLimit` if no quality is low enough.
    public static func make(
        of jpeg: FrameData, longestEdge: Int, largestOutput: Int = 60_000,
        limits: JPEGLimits = CoefficientEngine.defaultLimits, memory: PictureMemory = .unbounded
    ) throws(JPEGCodingError) -> FrameData {
        try inspecting(
            jpeg, longestEdge: longestEdge, largestOutput: largestOutput, limits: limits, memory: memory
        ).thumbnail
    }

    /// A thumbnail, and whether the picture was sound: its whole scan is read for it anyway.
    ///
    /// - Parameters:
    ///   - jpeg: The picture.
    ///   - longestEdge: As of `make(of:longestEdge:largestOutput:limits:memory:)`.
    ///   - largestOutput: As there.
    ///   - limits: As there.
    ///   - memory: As there.
    /// - Returns: The JPEG, and libjpeg's words if pixels were lost or made up.
    /// - Throws: As there.
    public static func inspecting(
        _ jpeg: FrameData, longestEdge: Int, largestOutput: Int = 60_000,
        limits: JPEGLimits = CoefficientEngine.defaultLimits, memory: PictureMemory = .unbounded
    ) throws(JPEGCodingError) -> (thumbnail: FrameData, damage: String?) {
        let edge = max(1, longestEdge)
        let structure = try? JPEGStructure(parsing: jpeg)
        let source = max(structure?.width ?? 0, structure?.height ?? 0)
        // The smallest of libjpeg's sizes that is still no smaller than wanted; the rest is averaged.
        let scale = [JPEGDecoder.Scale.eighth, .quarter, .half].first { source / $0.rawValue >= edge } ?? .full
        let decoded = try JPEGDecoder(limits: limits, memory: memory).decode(jpeg, scale: scale)
        defer { withExtendedLifetime(decoded.memory) {} }
        let small = try make(of: decoded.image, longestEdge: edge, largestOutput: largestOutput)
        return (small, decoded.isDamaged ? decoded.firstWarning : nil)
    }

    /// A JPEG of a decoded picture, its longer side at most `longestEdge` pixels.
    ///
    /// - Parameters:
    ///   - picture: The picture.
    ///   - longestEdge: Pixels.
    ///   - largestOutput: Quality is lowered until the result is no larger, bytes.
    /// - Returns: The JPEG.
    /// - Throws: `JPEGCodingError`; `outputLimit` if no quality is low enough.
    public static func make(
        of picture: RGBImage, longestEdge: Int, largestOutput: Int = 60_000
    ) throws(JPEGCodingError) -> FrameData {
        let image = picture.reduced(longestEdge: max(1, longestEdge))
        for quality in [82, 65, 45, 25] {
            // EXIF thumbnails have no restart markers (EXIF 2.32 section 4.5.5).
            let compressor = JPEGCompressor(
                quality: quality, subsampling: .halfWidthAndHeight, restarts: .none, largestOutput: largestOutput)
            do {
                return try compressor.compress(image)
            } catch  where error.cause == .outputLimit {
                continue
            }
        }
        throw JPEGCodingError.thumbnailTooLarge
    }

    /// A thumbnail as EXIF wants it, without application segments and comments, made smaller if it must be.
    ///
    /// - Returns: nil if it cannot be made to fit.
    static func stripped(_ thumbnail: FrameData, within room: Int) -> [UInt8]? {
        guard room > 0 else { return nil }
        if let bytes = try? stripped(thumbnail), bytes.count <= room { return bytes }
        guard let smaller = try? make(of: thumbnail, longestEdge: 160, largestOutput: room) else { return nil }
        return try? stripped(smaller)
    }

    private static func stripped(_ thumbnail: FrameData) throws(JPEGStructureError) -> [UInt8] {
        let structure = try JPEGStructure(parsing: thumbnail)
        let end = structure.endOffset + 2
        return unsafe thumbnail.withBytes { bytes in
            var kept: [UInt8] = []
            var from = 0
            for segment in structure.segments
            where segment.marker == .comment || segment.marker.applicationNumber != nil {
                unsafe kept.append(contentsOf: bytes[from..<segment.offset])
                from = segment.range.upperBound
            }
            unsafe kept.append(contentsOf: bytes[from..<end])
            return kept
        }
    }
}

extension RGBImage {
    /// The picture with its longer side at most so long, each pixel the mean over its box.
    func reduced(longestEdge: Int) -> RGBImage {
        let longer = max(width, height)
        guard longer > longestEdge else { return self }
        let newWidth = max(1, (width * longestEdge + longer / 2) / longer)
        let newHeight = max(1, (height * longestEdge + longer / 2) / longer)
        var result = [UInt8]()
        result.reserveCapacity(newWidth * newHeight * 3)
        let source = pixels.span
        for row in 0..<newHeight {
            let rows = (row * height / newHeight)..<max(row * height / newHeight + 1, (row + 1) * height / newHeight)
            for column in 0..<newWidth {
                let from = column * width / newWidth
                let to = max(from + 1, (column + 1) * width / newWidth)
                var (red, green, blue) = (0, 0, 0)
                for y in rows {
                    for x in from..<to {
                        let at = (y * width + x) * 3
                        red += Int(source[at])
                        green += Int(source[at + 1])
                        blue += Int(source[at + 2])
                    }
                }
                let count = rows.count * (to - from)
                result.append(UInt8((red + count / 2) / count))
                result.append(UInt8((green + count / 2) / count))
                result.append(UInt8((blue + count / 2) / count))
            }
        }
        return RGBImage(width: newWidth, height: newHeight, pixels: result)
    }
}
