internal import KonzaModel

/// The chunks of a PNG file (ISO/IEC 15948 section 5) that its pixels are made of, found without inflating anything.
///
/// Text, colour profiles, EXIF and all other ancillary chunks but transparency are passed over: a decoder would inflate
/// them, megabytes from kilobytes, and nothing here reads them.
struct PNGChunks {
    /// More ancillary chunks than any real file has.
    static let mostAncillary = 256
    /// Image data comes in parts of 8 KiB and more, from real encoders.
    static let mostChunks = 65_536
    /// Deflate makes at most 1032 bytes of one (RFC 1951: a code of two bits for 258 bytes).
    private static let deflateRatio = 1032

    let header: PNGHeader
    /// What a decoder gets, in order; adjacent chunks are one range.
    private(set) var ranges: [Range<Int>] = []
    /// The contents of the chunks of image data, in order: one zlib stream.
    private(set) var imageData: [Range<Int>] = []

    /// Walks over the whole file.
    ///
    /// - Throws: `DrawingError` with `size` for what is no PNG file or claims what its bytes cannot hold, `engine` for one
    ///   that is cut or damaged.
    init(_ file: FrameData) throws(DrawingError) {
        self = try unsafe file.withBytes { (bytes) throws(DrawingError) in
            try unsafe PNGChunks(bytes.bindMemory(to: UInt8.self).span)
        }
    }

    private init(_ bytes: Span<UInt8>) throws(DrawingError) {
        header = try PNGHeader(bytes)
        var at = 8
        var (count, ancillary, data) = (0, 0, 0)
        var isEnded = false
        keep(0..<8)
        while at < bytes.count, !isEnded {
            guard at + 12 <= bytes.count else { throw Self.damaged }
            let length = (at..<at + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
            guard length <= bytes.count - at - 12 else { throw Self.damaged }
            let type = (at + 4..<at + 8).map { bytes[$0] }
            let isAncillary = type[0] & 0x20 != 0
            count += 1
            if isAncillary { ancillary += 1 }
            guard count <= Self.mostChunks, ancillary <= Self.mostAncillary else {
                throw DrawingError(
                    .size,
                    "cannot read the picture: its file has more than \(isAncillary ? Self.mostAncillary : Self.mostChunks) "
                        + "chunks\(isAncillary ? " of remarks" : ""); save it without them")
            }
            if type.elementsEqual("IDAT".utf8) {
                data += length
                if length > 0 { imageData.append(at + 8..<at + 8 + length) }
            }
            if !isAncillary || type.elementsEqual("tRNS".utf8) { keep(at..<at + 12 + length) }
            at += 12 + length
            isEnded = type.elementsEqual("IEND".utf8)
        }
        guard isEnded else { throw Self.damaged }
        guard header.pixelBytes / Self.deflateRatio <= data else {
            throw DrawingError(
                .engine,
                "cannot read the picture: its \(data) bytes cannot hold \(header.width)x\(header.height) pixels")
        }
    }

    private static let damaged = DrawingError(.engine, "cannot read the picture: the PNG file is cut or damaged")

    private mutating func keep(_ range: Range<Int>) {
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }
}

/// The size that a PNG file's first chunk states (ISO/IEC 15948, 11.2.2).
struct PNGHeader {
    let width: Int
    let height: Int
    /// Bytes of the pixels before compression, without the filters' own (at least so many).
    let pixelBytes: Int

    /// Pixels that a side has at the most, as Cairo's surfaces.
    private static let mostOfSide = 32_767

    /// - Throws: `DrawingError` with `size` if the bytes do not begin as a PNG file does, or a side is longer than any that is
    ///   drawn; `engine` for a size that no PNG file may state.
    init(_ bytes: Span<UInt8>) throws(DrawingError) {
        // The signature, and the first chunk: 13 bytes of IHDR.
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        guard bytes.count >= 33, start.indices.allSatisfy({ bytes[$0] == start[$0] }) else {
            throw DrawingError(.size, "cannot read the picture: it is not a PNG file")
        }
        func number(_ start: Int) -> Int { (start..<start + 4).reduce(0) { $0 << 8 | Int(bytes[$1]) } }
        width = number(16)
        height = number(20)
        let sides = 1...Int(Int32.max)
        guard sides.contains(width), sides.contains(height) else {
            throw DrawingError(
                .engine, "cannot read the picture: no PNG file has \(width)x\(height) pixels; it is damaged")
        }
        guard max(width, height) <= Self.mostOfSide else {
            throw DrawingError(
                .size,
                "cannot read the picture: \(width)x\(height) pixels are more than \(Self.mostOfSide) on a side; send a "
                    + "smaller one")
        }
        // By the type of colour: grey, RGB, palette, grey and alpha, RGBA.
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][bytes[25]] ?? 1
        pixelBytes = (width * channels * Int(min(bytes[24], 16)) + 7) / 8 * height
    }
}
