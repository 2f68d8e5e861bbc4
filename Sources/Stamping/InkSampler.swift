internal import KonzaModel

/// Samples an overlay at the resolution of a component, by the mean over each sample's box.
struct InkSampler {
    private let geometry: OverlayGeometry
    private let component: Int
    private let factors: SIMD4<Float>
    private let order = Zigzag.natural
    private var light = [Float](repeating: 0, count: 64)
    private var alpha = [Float](repeating: 0, count: 64)

    init(geometry: OverlayGeometry, component: Int) {
        self.geometry = geometry
        self.component = component
        factors = geometry.model.factors(component: component)
    }

    /// Appends the 64 values each of one block's light, transformed, and alpha. Samples beyond the picture's edge repeat the last
    /// ones, as encoders do.
    mutating func sample(
        _ overlay: Overlay, _ block: TouchedBlock, light lights: inout [Int16], alpha alphas: inout [Int16]
    ) {
        let columns = geometry.pixelColumns(component: component, column: block.column)
        let rows = geometry.pixelRows(component: component, row: block.row)
        for index in 0..<64 {
            light[index] = 0
            alpha[index] = 0
        }
        for patch in overlay.patches where patch.rows.overlaps(rows) && patch.columns.overlaps(columns) {
            add(patch, columns.clamped(to: patch.columns), rows.clamped(to: patch.rows))
        }
        append(columns, rows, &lights, &alphas)
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

    private func append(
        _ columns: Range<Int>, _ rows: Range<Int>, _ lights: inout [Int16], _ alphas: inout [Int16]
    ) {
        let sampling = geometry.components[component]
        let across = Self.counts(columns, sampling.horizontal, geometry.maximum.horizontal)
        let down = Self.counts(rows, sampling.vertical, geometry.maximum.vertical)
        let lastColumn = across.indices.last { across[$0] > 0 } ?? 0
        let lastRow = down.indices.last { down[$0] > 0 } ?? 0
        // Column by column: `Block.transform` wants samples turned over their diagonal.
        var samples = InlineArray<64, Float>(repeating: 0)
        for column in 0..<8 {
            let source = min(column, lastColumn)
            for row in 0..<8 {
                let from = min(row, lastRow)
                let pixels = Float(max(1, down[from] * across[source]))
                samples[column * 8 + row] = light[from * 8 + source] / pixels * InkedComponent.lightScale
                // Within 16384: bytes are at most 255, and so is their mean.
                alphas.append(Int16(alpha[from * 8 + source] / (pixels * 255) * InkedComponent.alphaScale))
            }
        }
        var block = Block(samples)
        block.transform()
        block.reorder(order)
        let coefficients = block.rounded.inlineValues
        for place in 0..<64 { lights.append(coefficients[place]) }
    }

    /// How many of the picture's columns (or rows) each of a block's eight samples stands for.
    private static func counts(_ pixels: Range<Int>, _ sampling: Int, _ maximum: Int) -> SIMD8<Int> {
        var counts = SIMD8<Int>()
        for pixel in pixels { counts[pixel * sampling / maximum & 7] += 1 }
        return counts
    }
}
