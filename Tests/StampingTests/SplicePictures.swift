import JPEGCoding
import KonzaModel
import KonzaTesting

/// A random baseline picture, plain or adorned with what a stream may carry.
func baselinePicture(
    using random: inout SeededGenerator
) throws -> (jpeg: FrameData, width: Int, height: Int) {
    let widths = [1, 7, 8, 9, 16, 17, 33, 63, 64, 100, 255]
    var width = Int.random(in: 0..<2, using: &random) == 0 ? widths.randomElement(using: &random) ?? 1 : 0
    if width == 0 { width = Int.random(in: 1...130, using: &random) }
    var height = Int.random(in: 1...63, using: &random)
    switch Int.random(in: 0..<40, using: &random) {
    case 0: width = 4097
    case 1: (width, height) = (height, width)
    default: break
    }
    let units = Int.random(in: 1...37, using: &random)
    let restarts: [JPEGCompressor.Restarts] = [.none, .none, .rows(1), .units(units), .rows(2)]
    let compressor = JPEGCompressor(
        quality: Int.random(in: 1...100, using: &random),
        subsampling: JPEGCompressor.Subsampling.allCases.randomElement(using: &random) ?? .none,
        restarts: restarts.randomElement(using: &random) ?? .none,
        coding: Int.random(in: 0..<4, using: &random) == 0 ? .optimised : .baseline)
    let picture = surface(width: width, height: height, using: &random)
    var jpeg: FrameData
    if Int.random(in: 0..<6, using: &random) == 0 {
        let grey = (0..<(width * height)).map { picture.pixels[$0 * 3 + 1] }
        jpeg = try compressor.compress(grey.span, layout: .grey, width: width, height: height)
    } else {
        jpeg = try compressor.compress(picture)
    }
    return (try adorned(jpeg, using: &random), width, height)
}

/// Flat, natural-looking or noisy.
private func surface(width: Int, height: Int, using random: inout SeededGenerator) -> RGBImage {
    var picture = samplePicture(width: width, height: height, seed: random.next())
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
        let level = UInt8.random(in: 0...255, using: &random)
        picture.pixels = [UInt8](repeating: level, count: picture.pixels.count)
    case 1:
        for index in picture.pixels.indices { picture.pixels[index] = UInt8.random(in: 0...255, using: &random) }
    default: break
    }
    return picture
}

/// Adds comments, fill bytes before markers and bytes after the end, or takes away the Huffman tables, by chance.
private func adorned(_ jpeg: FrameData, using random: inout SeededGenerator) throws -> FrameData {
    var bytes = jpeg.array
    let structure = try JPEGStructure(parsing: jpeg)
    let scan = structure.scans[0]
    func chance(_ random: inout SeededGenerator) -> Bool { Int.random(in: 0..<4, using: &random) == 0 }
    if chance(&random) { bytes += (0..<Int.random(in: 1...9, using: &random)).map { UInt8($0) } }
    if chance(&random) {
        // Before EOI, and before each RSTn.
        let fill = [UInt8](repeating: 0xFF, count: Int.random(in: 1...4, using: &random))
        bytes.insert(contentsOf: fill, at: structure.endOffset)
        for at in scan.entropy.reversed() where bytes[at] == 0xFF && bytes[at + 1] & 0xF8 == 0xD0 {
            bytes.insert(contentsOf: fill, at: at)
        }
    }
    if chance(&random) {
        bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF, 0xFE, 0, 7] + Array("konza".utf8), at: scan.header.offset)
    }
    let isStandard =
        structure.segments.filter { $0.marker == .huffmanTables }.reduce(0) { $0 + $1.length }
        == (structure.components.count == 1 ? 33 + 183 : 432)
    if isStandard, chance(&random) {
        for segment in structure.segments.reversed() where segment.marker == .huffmanTables {
            bytes.removeSubrange(segment.range)
        }
    }
    return FrameData(bytes)
}

/// An overlay as templates make them: bands, borders, lettering, scattered patches; opaque, clear or in between.
func spliceOverlay(width: Int, height: Int, using random: inout SeededGenerator) -> Overlay {
    func band(_ y: Int, _ tall: Int, _ alpha: UInt8, _ random: inout SeededGenerator) -> Overlay.Patch {
        inked(0, y, width, tall, alpha, &random)
    }
    let alpha: UInt8 = [255, 255, 128, 1].randomElement(using: &random) ?? 255
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
        let tall = Int.random(in: 1...height, using: &random)
        return Overlay(width: width, height: height, patches: [band(height - tall, tall, alpha, &random)])
    case 1:
        let tall = Int.random(in: 1...height, using: &random)
        return Overlay(width: width, height: height, patches: [band(0, tall, alpha, &random)])
    case 2 where width > 2 && height > 2:
        let edge = Int.random(in: 1...max(1, min(width, height) / 2 - 1), using: &random)
        return Overlay(
            width: width, height: height,
            patches: [
                band(0, edge, alpha, &random), band(height - edge, edge, 255, &random),
                inked(0, edge, edge, height - 2 * edge, alpha, &random),
                inked(width - edge, edge, edge, height - 2 * edge, 255, &random),
            ])
    case 3:
        let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
        return Overlay(
            width: width, height: height,
            patches: [inked(x, y, min(9, width - x), min(9, height - y), alpha, &random)])
    default:
        return randomOverlay(width: width, height: height, using: &random)
    }
}

/// A patch of flat colour with some lettering-like noise.
private func inked(
    _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ alpha: UInt8, _ random: inout SeededGenerator
) -> Overlay.Patch {
    let ink = UInt8.random(in: 0...alpha, using: &random)
    let isNoisy = Int.random(in: 0..<2, using: &random) == 0
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 4)
    for _ in 0..<(width * height) {
        let level = isNoisy && random.next() & 3 == 0 ? alpha : ink
        pixels += [level, level, ink, alpha]
    }
    return Overlay.Patch(x: x, y: y, width: width, height: height, pixels: pixels)
}
