internal import KonzaModel

/// Which blocks of each component an overlay touches, for one geometry.
struct OverlayCoverage: Sendable {
    struct TouchedBlock: Sendable, Equatable {
        let column: Int
        let row: Int
        /// The overlay hides the block wholly: the result does not depend on the picture.
        let isOpaque: Bool
    }

    struct Component: Sendable {
        /// In the order of rows, then columns.
        let blocks: [TouchedBlock]
        /// The blocks of a row lie from `rowStarts[row]` to `rowStarts[row + 1]`.
        let rowStarts: [Int]

        func blocks(inRow row: Int) -> ArraySlice<TouchedBlock> { blocks[rowStarts[row]..<rowStarts[row + 1]] }
    }

    let components: [Component]

    init(_ overlay: Overlay, geometry: OverlayGeometry) {
        var found: [Component] = []
        for (index, sampling) in geometry.components.enumerated() {
            // Cb and Cr nearly always share one sampling.
            if let twin = geometry.components[..<index].firstIndex(of: sampling) {
                found.append(found[twin])
            } else {
                found.append(Self.touched(overlay, geometry, component: index))
            }
        }
        components = found
    }

    private static func touched(_ overlay: Overlay, _ geometry: OverlayGeometry, component: Int) -> Component {
        let size = geometry.blocks(component: component)
        let columnRanges = (0..<size.columns).map { geometry.pixelColumns(component: component, column: $0) }
        var blocks: [TouchedBlock] = []
        var rowStarts: [Int] = [0]
        for row in 0..<size.rows {
            let rows = geometry.pixelRows(component: component, row: row)
            let near = overlay.patches.filter { $0.rows.overlaps(rows) }
            if !near.isEmpty {
                for column in 0..<size.columns {
                    var inked = 0
                    var opaque = 0
                    for patch in near { patch.count(columnRanges[column], rows, inked: &inked, opaque: &opaque) }
                    if inked > 0 {
                        let isOpaque = opaque == rows.count * columnRanges[column].count
                        blocks.append(TouchedBlock(column: column, row: row, isOpaque: isOpaque))
                    }
                }
            }
            rowStarts.append(blocks.count)
        }
        return Component(blocks: blocks, rowStarts: rowStarts)
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
                if alpha != 0 {
                    inked += 1
                    if alpha == 255 { opaque += 1 }
                }
                at += 4
            }
        }
    }
}

/// What the overlay adds to a block's samples: sample = sample * (1 - alpha) + light.
struct BlockInk {
    /// 0 to 1.
    var alpha = Block.zero
    /// Premultiplied, centred: mid-grey is 0.
    var light = Block.zero
}

/// Samples an overlay at the resolution of a component, by the mean over each sample's box.
struct InkSampler {
    let overlay: Overlay
    let geometry: OverlayGeometry
    let component: Int
    private let factors: SIMD4<Float>
    private var light = [Float](repeating: 0, count: 64)
    private var alpha = [Float](repeating: 0, count: 64)

    init(_ overlay: Overlay, geometry: OverlayGeometry, component: Int) {
        self.overlay = overlay
        self.geometry = geometry
        self.component = component
        factors = geometry.model.factors(component: component)
    }

    /// The ink of one block. Samples beyond the picture's edge repeat the last ones, as encoders do.
    mutating func ink(column: Int, row: Int) -> BlockInk {
        let columns = geometry.pixelColumns(component: component, column: column)
        let rows = geometry.pixelRows(component: component, row: row)
        for index in 0..<64 {
            light[index] = 0
            alpha[index] = 0
        }
        for patch in overlay.patches where patch.rows.overlaps(rows) && patch.columns.overlaps(columns) {
            add(patch, columns.clamped(to: patch.columns), rows.clamped(to: patch.rows))
        }
        return averaged(columns, rows)
    }

    private mutating func add(_ patch: Overlay.Patch, _ columns: Range<Int>, _ rows: Range<Int>) {
        let sampling = geometry.components[component]
        let maximum = geometry.maximum
        let (red, green, blue, opacity) = (factors.x, factors.y, factors.z, factors.w)
        let bytes = patch.pixels.span
        for y in rows {
            let line = (y * sampling.vertical / maximum.vertical & 7) * 8
            var at = ((y - patch.y) * patch.width + columns.lowerBound - patch.x) * 4
            for x in columns {
                let cover = bytes[at + 3]
                if cover != 0 {
                    let sample = line + (x * sampling.horizontal / maximum.horizontal & 7)
                    let colour = red * Float(bytes[at]) + green * Float(bytes[at + 1]) + blue * Float(bytes[at + 2])
                    light[sample] += colour + opacity * Float(cover)
                    alpha[sample] += Float(cover)
                }
                at += 4
            }
        }
    }

    private func averaged(_ columns: Range<Int>, _ rows: Range<Int>) -> BlockInk {
        let sampling = geometry.components[component]
        let across = Self.counts(columns, sampling.horizontal, geometry.maximum.horizontal)
        let down = Self.counts(rows, sampling.vertical, geometry.maximum.vertical)
        let lastColumn = across.lastIndex { $0 > 0 } ?? 0
        let lastRow = down.lastIndex { $0 > 0 } ?? 0
        var ink = BlockInk()
        for row in 0..<8 {
            let from = min(row, lastRow)
            var alphas = Block.Row.zero
            var lights = Block.Row.zero
            for column in 0..<8 {
                let source = min(column, lastColumn)
                let pixels = Float(max(1, down[from] * across[source]))
                alphas[column] = alpha[from * 8 + source] / (pixels * 255)
                lights[column] = light[from * 8 + source] / pixels
            }
            ink.alpha[row] = alphas
            ink.light[row] = lights
        }
        return ink
    }

    /// How many of the picture's columns (or rows) each of a block's eight samples stands for.
    private static func counts(_ pixels: Range<Int>, _ sampling: Int, _ maximum: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: 8)
        for pixel in pixels { counts[pixel * sampling / maximum & 7] += 1 }
        return counts
    }
}
