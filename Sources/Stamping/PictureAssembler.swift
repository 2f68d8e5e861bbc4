internal import JPEGCoding
public import KonzaModel

/// A JPEG in pieces, to be written one after another (`writev`) without being copied together.
public struct JPEGPieces: Sendable {
    /// None is empty. Parts of a picture share its memory.
    public let pieces: [FrameData]

    /// All bytes.
    public var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

    /// The pieces copied together.
    public var array: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for piece in pieces { unsafe piece.withBytes { unsafe bytes.append(contentsOf: $0) } }
        return bytes
    }
}

/// Puts facts into JPEGs: SOI, EXIF, XMP, then the picture with what stays of its own header.
///
/// EXIF stands first, as its standard asks (4.5.4), and JFIF after it, as most cameras and tools have it; ICC
/// profiles (APP2), Adobe's colour transform (APP14) and comments stay. EXIF, XMP and any other application data of
/// the picture go: they would describe the camera's picture, not this one. Bytes after EOI go too.
public enum PictureAssembler {
    /// A picture with facts, and the standard Huffman tables where it has none. Nothing is decoded.
    ///
    /// - Parameters:
    ///   - jpeg: A whole JPEG, stamped or as it came from the camera.
    ///   - facts: Replace any that the picture has.
    /// - Returns: The pieces.
    /// - Throws: `MetadataError`.
    public static func assemble(_ jpeg: FrameData, with facts: PictureFacts) throws(MetadataError) -> JPEGPieces {
        let facts = try facts.checked()
        let structure: JPEGStructure
        let tables: [UInt8]?
        do {
            structure = try JPEGStructure(parsing: jpeg)
            tables = try structure.standardHuffmanSegment()
        } catch {
            throw .structure(error)
        }
        let exif = ExifSegment(
            facts: facts, width: structure.width, height: structure.height,
            isYCbCr: ColourModel(structure) == .yCbCr)
        var pieces = [FrameData([0xFF, 0xD8] + (try exif.bytes()) + (try XMPSegment(facts: facts).bytes()))]
        let scans = structure.scans.first?.header.offset ?? structure.endOffset
        for range in keptRanges(structure, jpeg, before: scans) { pieces.append(jpeg.slice(range)) }
        if let tables { pieces.append(FrameData(tables)) }
        pieces.append(jpeg.slice(scans..<(structure.endOffset + 2)))
        return JPEGPieces(pieces: pieces)
    }

    /// The header's segments that stay, neighbours joined.
    private static func keptRanges(_ structure: JPEGStructure, _ jpeg: FrameData, before end: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var hasJFIF = false
        jpeg.withSpan { bytes in
            for segment in structure.segments where segment.marker != .startOfImage && segment.offset < end {
                guard isKept(segment, bytes, hasJFIF: &hasJFIF) else { continue }
                if let last = ranges.last, last.upperBound == segment.offset {
                    ranges[ranges.count - 1] = last.lowerBound..<segment.range.upperBound
                } else {
                    ranges.append(segment.range)
                }
            }
        }
        return ranges
    }

    private static func isKept(
        _ segment: JPEGStructure.Segment, _ bytes: Span<UInt8>, hasJFIF: inout Bool
    ) -> Bool {
        switch segment.marker.applicationNumber {
        case nil: return true
        case 0:
            guard !hasJFIF, segment.payload.count >= 14, segment.begins(with: "JFIF\0", in: bytes) else { return false }
            hasJFIF = true
            return true
        case 2: return segment.begins(with: "ICC_PROFILE\0", in: bytes)
        case 14: return segment.begins(with: "Adobe", in: bytes)
        default: return false
        }
    }
}

extension FrameData {
    /// A part that shares the memory and keeps it alive.
    fileprivate func slice(_ range: Range<Int>) -> FrameData {
        unsafe withBytes { bytes in
            // The memory outlives the part: its release holds `self` until then.
            unsafe FrameData(lending: UnsafeRawBufferPointer(rebasing: bytes[range])) { withExtendedLifetime(self) {} }
        }
    }
}
