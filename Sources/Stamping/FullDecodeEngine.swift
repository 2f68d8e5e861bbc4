public import JPEGCoding
public import KonzaModel
internal import KonzaSystem

/// The last resort: decodes the whole picture, blends, and compresses it again, with a loss everywhere.
public struct FullDecodeEngine: StampingEngine {
    private let limits: JPEGLimits
    private let quality: Int
    private let memory: PictureMemory

    /// - Parameters:
    ///   - limits: Of what is decoded.
    ///   - quality: Of the new picture, 1 to 100.
    ///   - memory: Whom to ask for memory.
    public init(
        limits: JPEGLimits = CoefficientEngine.defaultLimits, quality: Int = 92, memory: PictureMemory = .unbounded
    ) {
        self.limits = limits
        self.memory = memory
        self.quality = quality
    }

    public func stamp(
        _ jpeg: FrameData, with overlay: PreparedOverlay
    ) throws(StampingError) -> StampedPicture {
        let picture = try CheckedPicture(jpeg, overlay: overlay.overlay, limits: limits)
        do throws(JPEGCodingError) {
            let decoded = try JPEGDecoder(limits: limits, memory: memory).decode(jpeg)
            defer { withExtendedLifetime(decoded.memory) {} }
            var image = decoded.image
            guard image.width == overlay.overlay.width, image.height == overlay.overlay.height else {
                throw JPEGCodingError.otherFrame
            }
            for patch in overlay.overlay.patches { image.blend(patch) }
            let compressor = JPEGCompressor(
                quality: quality, subsampling: picture.structure.nearestSubsampling, largestOutput: limits.outputBytes)
            return StampedPicture(
                data: try compressor.compress(image).inserting(picture.structure.colourFreeSegments(of: jpeg)),
                way: .fullDecode)
        } catch {
            throw .coding(error)
        }
    }
}

extension RGBImage {
    /// Lays a premultiplied patch over the picture.
    mutating func blend(_ patch: Overlay.Patch) {
        let ink = patch.pixels.span
        for row in 0..<patch.height {
            var from = row * patch.width * 4
            var to = ((patch.y + row) * width + patch.x) * 3
            for _ in 0..<patch.width {
                let rest = 255 - Int(ink[from + 3])
                for channel in 0..<3 {
                    let value = Int(ink[from + channel]) + (Int(pixels[to + channel]) * rest + 127) / 255
                    pixels[to + channel] = UInt8(clamping: value)
                }
                from += 4
                to += 3
            }
        }
    }
}

extension JPEGStructure {
    /// The compressor's subsampling that loses no chroma.
    fileprivate var nearestSubsampling: JPEGCompressor.Subsampling {
        guard components.count == 3, components.dropFirst().allSatisfy({ $0.isUnsampled }) else { return .none }
        switch (maximumSampling.horizontal, maximumSampling.vertical) {
        case (2, 1): return .halfWidth
        case (2, 2): return .halfWidthAndHeight
        case (4, 1): return .quarterWidth
        case (1, 2): return .halfHeight
        default: return .none
        }
    }

    /// The header segments without those that say how the components make up colour: the new picture is JFIF. An
    /// ICC profile goes too where it was not for RGB.
    fileprivate func colourFreeSegments(of jpeg: FrameData) -> [UInt8] {
        let all = headerSegments(of: jpeg)
        var kept: [UInt8] = []
        var at = 0
        while at + 4 <= all.count {
            let length = 2 + Int(all[at + 2]) << 8 + Int(all[at + 3])
            let marker = JPEGMarker(rawValue: all[at + 1])
            let isProfile = marker == .application(2) && components.count != 3
            if marker != .application(0), marker != .application(14), !isProfile {
                kept += all[at..<min(all.count, at + length)]
            }
            at += length
        }
        return kept
    }
}

extension JPEGStructure.Component {
    fileprivate var isUnsampled: Bool { horizontalSampling == 1 && verticalSampling == 1 }
}

extension FrameData {
    /// The JPEG with segments put after its JFIF segment, which the compressor writes first.
    fileprivate func inserting(_ segments: [UInt8]) -> FrameData {
        guard !segments.isEmpty, count > 20 else { return self }
        return unsafe withBytes { bytes in
            // SOI and a JFIF segment of 16 bytes and its marker.
            unsafe FrameData(Array(bytes[..<20]) + segments + bytes[20...])
        }
    }
}
