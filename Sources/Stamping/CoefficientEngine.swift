public import JPEGCoding
public import KonzaModel
internal import KonzaSystem

/// Stamps on the coefficients: blocks that the overlay does not touch keep their values bit for bit, whatever
/// kind of JPEG it is. The result is sequential.
public struct CoefficientEngine: StampingEngine {
    /// All coefficients are held in memory at once, up to six bytes a pixel.
    public static let defaultLimits = JPEGLimits(pixels: 40_000_000, scans: 100, outputBytes: 256 << 20)

    private let limits: JPEGLimits
    private let memory: PictureMemory

    public init(limits: JPEGLimits = CoefficientEngine.defaultLimits, memory: PictureMemory = .unbounded) {
        self.limits = limits
        self.memory = memory
    }

    public func stamp(
        _ jpeg: FrameData, with overlay: PreparedOverlay
    ) throws(StampingError) -> StampedPicture {
        let picture = try CheckedPicture(jpeg, overlay: overlay.overlay, limits: limits)
        let ink = overlay.ink(for: picture.geometry)
        do throws(JPEGCodingError) {
            var coefficients = try JPEGCoefficients(reading: jpeg, limits: limits, memory: memory)
            guard picture.geometry.fits(coefficients.components) else { throw JPEGCodingError.otherFrame }
            for index in coefficients.components.indices {
                try blend(ink.components[index], into: &coefficients, component: index)
            }
            let markers = picture.structure.headerSegments(of: jpeg)
            // Coded anew a picture is hardly larger, unless it is made to be.
            let ink = overlay.overlay.patches.reduce(0) { $0 + $1.pixels.count }
            let limit = min(limits.outputBytes, 4 * (jpeg.count + ink) + 64 << 10)
            return StampedPicture(data: try coefficients.write(markers: markers, limit: limit), way: .coefficients)
        } catch {
            throw .coding(error)
        }
    }

    private func blend(
        _ ink: InkedComponent, into coefficients: inout JPEGCoefficients, component: Int
    ) throws(JPEGCodingError) {
        let blender = BlockBlender(quantisation: coefficients.components[component].quantisation)
        for row in 0..<coefficients.components[component].rows {
            let touched = ink.indices(inRow: row)
            guard !touched.isEmpty else { continue }
            try coefficients.editRow(component: component, row: row) { values in
                for index in touched {
                    let offset = ink.blocks[index].column * 64
                    var block = Coefficients { values[offset + $0] }
                    _ = ink.blend(&block, index: index, by: blender)
                    for place in 0..<64 { values[offset + place] = block[place] }
                }
            }
        }
    }
}

/// A picture that was found fit to be stamped with an overlay.
struct CheckedPicture {
    let structure: JPEGStructure
    let geometry: OverlayGeometry

    init(_ jpeg: FrameData, overlay: Overlay, limits: JPEGLimits) throws(StampingError) {
        do {
            structure = try JPEGStructure(parsing: jpeg)
            try structure.requirePlausibleSize()
            try structure.requirePlausibleWork()
        } catch {
            throw .structure(error)
        }
        let size = PixelSize(width: structure.width, height: structure.height)
        guard size.width == overlay.width, size.height == overlay.height else {
            throw .overlaySize(overlay: PixelSize(width: overlay.width, height: overlay.height), picture: size)
        }
        guard size.width * size.height <= limits.pixels else {
            throw .unsupported(
                "the picture has \(size), over the limit of \(limits.pixels) pixels, \(structure.framePlace)")
        }
        guard structure.precision == 8 else {
            throw .unsupported("the picture has \(structure.precision) bits a sample, \(structure.framePlace)")
        }
        if case .other(let marker) = structure.process {
            throw .unsupported("the picture is lossless or hierarchical (SOF\(marker & 15)), \(structure.framePlace)")
        }
        geometry = try OverlayGeometry(structure)
    }
}

extension JPEGStructure {
    /// Where the picture says what it is, for messages.
    var framePlace: String { "at byte \(segments.first { $0.marker.isStartOfFrame }?.offset ?? 0)" }

    /// The application segments and comments before the first scan, one after another.
    func headerSegments(of jpeg: FrameData) -> [UInt8] {
        let end = scans.first?.header.offset ?? 0
        return unsafe jpeg.withBytes { bytes in
            var kept: [UInt8] = []
            for segment in segments where segment.offset < end {
                guard segment.marker == .comment || segment.marker.applicationNumber != nil else { continue }
                unsafe kept.append(contentsOf: bytes[segment.range])
            }
            return kept
        }
    }
}
