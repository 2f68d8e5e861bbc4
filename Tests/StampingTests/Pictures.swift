import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping

/// A patch of one premultiplied colour.
func patch(x: Int, y: Int, width: Int, height: Int, _ colour: [UInt8]) -> Overlay.Patch {
    // By rows: a pixel at a time takes long without optimisation.
    let row = Array(repeatElement(colour, count: width).joined())
    var pixels: [UInt8] = []
    for _ in 0..<height { pixels += row }
    return Overlay.Patch(x: x, y: y, width: width, height: height, pixels: pixels)
}

/// Up to three patches, stacked without overlapping, some clear, some opaque, some in between.
func randomOverlay(width: Int, height: Int, using random: inout SeededGenerator) -> Overlay {
    var patches: [Overlay.Patch] = []
    var top = Int.random(in: 0...height / 2, using: &random)
    for _ in 0..<Int.random(in: 0...3, using: &random) where top < height {
        let tall = Int.random(in: 1...(height - top), using: &random)
        let x = Int.random(in: 0..<width, using: &random)
        let wide = Int.random(in: 1...(width - x), using: &random)
        let kind = Int.random(in: 0..<4, using: &random)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(wide * tall * 4)
        for index in 0..<(wide * tall) {
            let noise = random.next()
            let alpha: UInt8 =
                switch kind {
                case 0: 255
                case 1: index / wide % 7 == 3 ? 255 : 0
                case 2: UInt8(truncatingIfNeeded: noise >> 32)
                default: noise & 7 == 0 ? 128 : 0
                }
            for shift in [0, 8, 16] {
                pixels.append(UInt8(Int(UInt8(truncatingIfNeeded: noise >> UInt64(shift))) * Int(alpha) / 255))
            }
            pixels.append(alpha)
        }
        patches.append(Overlay.Patch(x: x, y: top, width: wide, height: tall, pixels: pixels))
        top += tall + Int.random(in: 0...4, using: &random)
    }
    return Overlay(width: width, height: height, patches: patches)
}

/// A random JPEG of any kind the compressor makes.
func randomPicture(using random: inout SeededGenerator) throws -> (jpeg: FrameData, width: Int, height: Int) {
    let width = Int.random(in: 1...70, using: &random)
    let height = Int.random(in: 1...50, using: &random)
    let restarts: [JPEGCompressor.Restarts] = [.none, .rows(1), .units(1), .units(3), .rows(2)]
    let compressor = JPEGCompressor(
        quality: Int.random(in: 20...100, using: &random),
        subsampling: JPEGCompressor.Subsampling.allCases.randomElement(using: &random) ?? .none,
        restarts: restarts.randomElement(using: &random) ?? .none,
        coding: JPEGCompressor.Coding.allCases.randomElement(using: &random) ?? .baseline)
    let picture = samplePicture(width: width, height: height, seed: random.next())
    guard Int.random(in: 0..<6, using: &random) == 0 else { return (try compressor.compress(picture), width, height) }
    let grey = (0..<(width * height)).map { picture.pixels[$0 * 3 + 2] }
    return (try compressor.compress(grey.span, layout: .grey, width: width, height: height), width, height)
}

/// All coefficients of a component, block after block.
func coefficients(of jpeg: FrameData) throws -> [[[Int16]]] {
    let source = try JPEGCoefficients(reading: jpeg)
    var all: [[[Int16]]] = []
    for index in source.components.indices {
        var blocks: [[Int16]] = []
        for row in 0..<source.components[index].rows {
            let values = try source.row(component: index, row: row)
            for column in 0..<source.components[index].columns {
                blocks.append(Array(values[(column * 64)..<(column * 64 + 64)]))
            }
        }
        all.append(blocks)
    }
    return all
}

/// The blocks of each component that an inked pixel belongs to, found pixel by pixel.
func touchedBlocks(_ overlay: Overlay, _ structure: JPEGStructure) -> [Set<Int>] {
    let maximum = structure.maximumSampling
    return structure.components.map { component in
        let columns =
            (structure.width * component.horizontalSampling + maximum.horizontal * 8 - 1)
            / (maximum.horizontal * 8)
        var touched: Set<Int> = []
        for patch in overlay.patches {
            for y in 0..<patch.height {
                for x in 0..<patch.width where patch.pixels[(y * patch.width + x) * 4 + 3] > 0 {
                    let column = (patch.x + x) * component.horizontalSampling / maximum.horizontal / 8
                    let row = (patch.y + y) * component.verticalSampling / maximum.vertical / 8
                    touched.insert(row * columns + column)
                }
            }
        }
        return touched
    }
}
