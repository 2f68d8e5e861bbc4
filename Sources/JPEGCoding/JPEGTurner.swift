public import KonzaModel

/// Turns JPEG pictures without a loss, by the coefficients of their blocks: these change places and signs, and
/// nothing is decoded.
///
/// A block cannot be flipped across the picture's edge, so that a side that comes to lie left or on top must be whole MCUs:
/// the few pixels of an incomplete one are cut off there, up to 15 with 4:2:0. Sides that stay right or below keep theirs.
public struct JPEGTurner: Sendable {
    public struct Turned: Sendable {
        public let data: FrameData
        public let width: Int
        public let height: Int
        /// Whether coefficients of the source were lost or made up, which the result no longer shows.
        public let isDamaged: Bool
    }

    private let limits: JPEGLimits
    private let memory: PictureMemory

    /// - Parameters:
    ///   - limits: Of what is turned.
    ///   - memory: Whom to ask for memory: two bytes for each sample of a picture.
    public init(limits: JPEGLimits = JPEGLimits(), memory: PictureMemory = .unbounded) {
        self.limits = limits
        self.memory = memory
    }

    /// Turns a picture.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG of any process that libjpeg knows, perhaps hostile.
    ///   - turn: How it is turned.
    /// - Returns: A sequential JPEG with the standard Huffman tables and a restart marker after each row of MCUs, so that a
    ///   stamp can be spliced in. Of the application segments it has those that say what its colours are: an EXIF
    ///   orientation or thumbnail would be wrong now.
    /// - Throws: `JPEGCodingError`.
    public func turn(_ jpeg: FrameData, by turn: PictureTurn) throws(JPEGCodingError) -> Turned {
        let structure: JPEGStructure
        do {
            structure = try JPEGStructure(parsing: jpeg)
            try structure.requirePlausibleSize()
            try structure.requirePlausibleWork()
        } catch {
            throw JPEGCodingError(.refused, "cannot turn the picture: \(error)")
        }
        guard let size = structure.size(turned: turn) else {
            throw JPEGCodingError(
                .refused,
                "cannot turn the picture: \(structure.width)x\(structure.height) pixels are less than an MCU; use a larger "
                    + "size")
        }
        var coefficients = try JPEGCoefficients(reading: jpeg, limits: limits, memory: memory)
        guard coefficients.components.count == structure.components.count else { throw JPEGCodingError.otherFrame }
        // The standard tables are at most so much worse than any that were made for the picture.
        let limit = min(limits.outputBytes, 4 * jpeg.count + 64 << 10)
        let data = try coefficients.write(
            turned: turn, width: size.width, height: size.height,
            markers: structure.colourSegments(of: jpeg, transposed: turn.transposes), limit: limit)
        return Turned(data: data, width: size.width, height: size.height, isDamaged: coefficients.isDamaged)
    }
}

extension JPEGStructure {
    /// The size that ``JPEGTurner`` gives the picture; nil if nothing would be left of it.
    public func size(turned turn: PictureTurn) -> (width: Int, height: Int)? {
        // A single component has MCUs of one block, whatever its factors (T.81 A.2.2).
        let sampling = components.count == 1 ? (1, 1) : maximumSampling
        let across = (pixels: width, unit: 8 * sampling.0)
        let down = (pixels: height, unit: 8 * sampling.1)
        let newAcross = turn.transposes ? down : across
        let newDown = turn.transposes ? across : down
        let newWidth = newAcross.pixels - (turn.flipsColumns ? newAcross.pixels % newAcross.unit : 0)
        let newHeight = newDown.pixels - (turn.flipsRows ? newDown.pixels % newDown.unit : 0)
        return newWidth > 0 && newHeight > 0 ? (newWidth, newHeight) : nil
    }

    /// JFIF without its thumbnail, the colour profile and Adobe's segment.
    fileprivate func colourSegments(of jpeg: FrameData, transposed: Bool) -> [UInt8] {
        let end = scans.first?.header.offset ?? 0
        return jpeg.withSpan { bytes in
            var kept: [UInt8] = []
            for segment in segments where segment.offset < end {
                switch segment.marker.applicationNumber {
                case 0 where kept.isEmpty && segment.begins(with: "JFIF\0", in: bytes) && segment.payload.count >= 14:
                    kept += Self.jfif(bytes.extracting(segment.payload), transposed: transposed)
                case 2 where segment.begins(with: "ICC_PROFILE\0", in: bytes),
                    14 where segment.begins(with: "Adobe", in: bytes):
                    for index in segment.range { kept.append(bytes[index]) }
                default: break
                }
            }
            return kept
        }
    }

    /// JFIF 1.02, whatever revision the source claims: units, density across and down.
    private static func jfif(_ payload: Span<UInt8>, transposed: Bool) -> [UInt8] {
        var segment: [UInt8] = [0xFF, 0xE0, 0, 16] + Array("JFIF\0".utf8) + [1, 2, payload[7]]
        for index in transposed ? [10, 11, 8, 9] : [8, 9, 10, 11] { segment.append(payload[index]) }
        return segment + [0, 0]
    }
}
