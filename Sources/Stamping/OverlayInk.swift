internal import KonzaModel

/// An overlay as the blocks of each component, for one geometry: what all engines stamp from.
struct OverlayInk: Sendable {
    let components: [InkedComponent]

    init(_ overlay: Overlay, geometry: OverlayGeometry) {
        var touched: [[TouchedBlock]] = []
        for (index, sampling) in geometry.components.enumerated() {
            // Cb and Cr nearly always share one sampling.
            if let twin = geometry.components[..<index].firstIndex(of: sampling) {
                touched.append(touched[twin])
            } else {
                touched.append(Self.touched(overlay, geometry, component: index))
            }
        }
        components = touched.indices.map { index in
            InkedComponent(overlay, geometry: geometry, component: index, blocks: touched[index])
        }
    }

    private static func touched(_ overlay: Overlay, _ geometry: OverlayGeometry, component: Int) -> [TouchedBlock] {
        let size = geometry.blocks(component: component)
        let columnRanges = (0..<size.columns).map { geometry.pixelColumns(component: component, column: $0) }
        var blocks: [TouchedBlock] = []
        for row in 0..<size.rows {
            let rows = geometry.pixelRows(component: component, row: row)
            let near = overlay.patches.filter { $0.rows.overlaps(rows) }
            guard !near.isEmpty else { continue }
            for column in 0..<size.columns {
                var inked = 0
                var opaque = 0
                for patch in near { patch.count(columnRanges[column], rows, inked: &inked, opaque: &opaque) }
                guard inked > 0 else { continue }
                let isOpaque = opaque == rows.count * columnRanges[column].count
                blocks.append(TouchedBlock(column: column, row: row, isOpaque: isOpaque))
            }
        }
        return blocks
    }
}

/// A block that the overlay touches.
struct TouchedBlock: Sendable, Equatable {
    let column: Int
    let row: Int
    /// The overlay hides the block wholly: the result does not depend on the picture.
    let isOpaque: Bool
}

/// The ink on one component: sample = sample * (1 - alpha) + light, and light can as well be added after the transform.
struct InkedComponent: Sendable {
    /// Transformed light is held in 16ths; a coefficient is within 1024 either way, as samples are within 128.
    static var lightScale: Float { 16 }
    /// Alpha is held in 16384ths.
    static var alphaScale: Float { 16_384 }

    /// In the order of rows, then columns.
    let blocks: [TouchedBlock]
    /// The blocks of a row lie from `rowStarts[row]` to `rowStarts[row + 1]`.
    private let rowStarts: [Int]
    /// 64 coefficients a block, in the order of coding: of premultiplied, centred light (mid-grey is 0).
    private var light: [Int16] = []
    /// 64 values a block, column by column.
    private var alpha: [Int16] = []
    /// Of each block, the alpha that all its samples share, or `varying`.
    private var flatAlpha: [Int16] = []
    private static var varying: Int16 { -1 }

    init(_ overlay: Overlay, geometry: OverlayGeometry, component: Int, blocks: [TouchedBlock]) {
        self.blocks = blocks
        var starts = [Int](repeating: 0, count: geometry.blocks(component: component).rows + 1)
        for block in blocks { starts[block.row + 1] += 1 }
        for row in 1..<starts.count { starts[row] += starts[row - 1] }
        rowStarts = starts
        light.reserveCapacity(blocks.count * 64)
        alpha.reserveCapacity(blocks.count * 64)
        var sampler = InkSampler(geometry: geometry, component: component)
        flatAlpha.reserveCapacity(blocks.count)
        for block in blocks {
            sampler.sample(overlay, block, light: &light, alpha: &alpha)
            let first = alpha[alpha.count - 64]
            flatAlpha.append(first > 0 && alpha.suffix(64).allSatisfy { $0 == first } ? first : Self.varying)
        }
    }

    /// The component's rows of blocks.
    var rowCount: Int { rowStarts.count - 1 }

    /// Indices of a row's blocks.
    func indices(inRow row: Int) -> Range<Int> { rowStarts[row]..<rowStarts[row + 1] }

    /// Whether a touched block is hidden wholly.
    func isOpaque(_ index: Int) -> Bool { blocks[index].isOpaque }

    /// The coefficients, in the order of coding, of a block of the picture under the ink of a touched block.
    func blended(_ coefficients: IntegerBlock, index: Int, by blender: BlockBlender) -> IntegerBlock {
        let ink = IntegerBlock(light.span, at: index * 64)
        if blocks[index].isOpaque { return blender.covered(light: ink) }
        let flat = flatAlpha[index]
        if flat != Self.varying { return blender.blended(coefficients, light: ink, flatAlpha: flat) }
        return blender.blended(coefficients, light: ink, alpha: IntegerBlock(alpha.span, at: index * 64))
    }
}

extension Overlay.Patch {
    var rows: Range<Int> { y..<(y + height) }
    var columns: Range<Int> { x..<(x + width) }

    /// Adds the pixels of a rectangle of the picture that are inked at all, and those that are opaque.
    func count(_ columns: Range<Int>, _ rows: Range<Int>, inked: inout Int, opaque: inout Int) {
        let columns = columns.clamped(to: self.columns)
        guard !columns.isEmpty else { return }
        let alphas = pixels.span
        for row in rows.clamped(to: self.rows) {
            var at = ((row - y) * width + columns.lowerBound - x) * 4 + 3
            for _ in 0..<columns.count {
                let alpha = alphas[at]
                inked += alpha == 0 ? 0 : 1
                opaque += alpha == 255 ? 1 : 0
                at += 4
            }
        }
    }
}
