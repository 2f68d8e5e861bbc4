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
    if Int.random(in: 0..<5, using: &random) == 0 {
        let jpeg = try mixedPicture(width: width, height: height, using: &random)
        return (try adorned(jpeg, using: &random), width, height)
    }
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

/// A picture of three components whose sampling factors are any of 1 and 2, each for itself: made by putting the MCUs'
/// blocks together from the scan of a grey picture of as many blocks, which is coded with the same tables.
private func mixedPicture(width: Int, height: Int, using random: inout SeededGenerator) throws -> FrameData {
    var factors = (0..<3).map { _ in
        (horizontal: Int.random(in: 1...2, using: &random), vertical: Int.random(in: 1...2, using: &random))
    }
    // An MCU has ten blocks at most (T.81 B.2.3).
    if factors.allSatisfy({ $0.horizontal * $0.vertical == 4 }) { factors[2] = (1, 1) }
    let across = factors.map(\.horizontal).max() ?? 1
    let down = factors.map(\.vertical).max() ?? 1
    let units = ((width + 8 * across - 1) / (8 * across)) * ((height + 8 * down - 1) / (8 * down))
    let blocks = factors.reduce(0) { $0 + $1.horizontal * $1.vertical }
    // One block of the grey picture for one of ours, in the order of coding, each interval of a whole number of MCUs.
    let isRestarted = Bool.random(using: &random)
    let interval = isRestarted ? Int.random(in: 1...units, using: &random) : 0
    // DC differences go to three components that they were not made for: coarse ones stray less from what is allowed.
    let compressor = JPEGCompressor(quality: Int.random(in: 1...60, using: &random), restarts: .none)
    var scan: [UInt8] = []
    var source = FrameData([])
    for (number, first) in stride(from: 0, to: units, by: isRestarted ? interval : units).enumerated() {
        let count = isRestarted ? min(interval, units - first) : units
        let size = (width: count * 8, height: blocks * 8)
        let grey = surface(width: size.width, height: size.height, using: &random).pixels
        let luma = (0..<(size.width * size.height)).map { grey[$0 * 3 + 1] }
        source = try compressor.compress(luma.span, layout: .grey, width: size.width, height: size.height)
        if number > 0 { scan += [0xFF, 0xD0 + UInt8((number - 1) & 7)] }
        scan += source.array[try JPEGStructure(parsing: source).scans[0].entropy]
    }
    let structure = try JPEGStructure(parsing: source)
    let bytes = source.array
    var built: [UInt8] = []
    for segment in structure.segments where segment.offset <= structure.scans[0].header.offset {
        if segment.marker.isStartOfFrame {
            built += [0xFF, 0xC0, 0, 17, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8)]
            built += [UInt8(width & 255), 3]
            for (index, factor) in factors.enumerated() {
                built += [UInt8(index + 1), UInt8(factor.horizontal << 4 | factor.vertical), 0]
            }
        } else if segment.marker == .startOfScan {
            if interval > 0 { built += [0xFF, 0xDD, 0, 4, UInt8(interval >> 8), UInt8(interval & 255)] }
            built += [0xFF, 0xDA, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0]
        } else {
            built += bytes[segment.range]
        }
    }
    return FrameData(built + scan + [0xFF, 0xD9])
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
        == (structure.scans[0].components.allSatisfy { $0.acTable == 0 } ? 33 + 183 : 432)
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
