import JPEGCoding
import KonzaModel
import Stamping

// A libFuzzer target over all ways of stamping.

/// Small pictures only: more inputs a second, and a leak or a bomb shows against the memory limit.
private let limits = JPEGLimits(pixels: 1 << 14, scans: 20, outputBytes: 1 << 20)

/// The last byte of an input chooses the overlay; the rest is the picture.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    guard let bytes, count > 1 else { return 0 }
    let picture = unsafe FrameData(copying: UnsafeRawBufferPointer(start: bytes, count: count - 1))
    guard let structure = try? JPEGStructure(parsing: picture), structure.width * structure.height <= limits.pixels
    else { return 0 }
    let overlay = PreparedOverlay(fuzzOverlay(structure, choice: unsafe bytes[count - 1]))
    let ladder = StampingLadder(limits: limits)
    guard let first = try? ladder.stamp(picture, with: overlay) else { return 0 }
    guard first.data.count <= 4 * count + 4 * structure.width * structure.height * 8 + 65_536 else {
        fail("the output is too large")
    }
    guard let again = try? ladder.stamp(picture, with: overlay), again.way == first.way,
        again.data.array == first.data.array
    else { fail("the same input gave another output") }
    if first.way == .restartSplice || first.way == .entropySplice {
        compare(first, picture, overlay, structure)
    }
    return 0
}

/// What was spliced has the coefficients of the coefficient path, wherever libjpeg reads the picture without a word.
private func compare(
    _ spliced: StampedPicture, _ picture: FrameData, _ overlay: PreparedOverlay, _ structure: JPEGStructure
) {
    guard let source = try? JPEGCoefficients(reading: picture, limits: limits), source.warningCount == 0,
        let expected = try? CoefficientEngine(limits: limits).stamp(picture, with: overlay),
        let reference = try? JPEGCoefficients(reading: expected.data, limits: limits), reference.warningCount == 0
    else { return }
    guard let result = try? JPEGCoefficients(reading: spliced.data, limits: limits),
        result.components == reference.components, isSound(result)
    else { fail("a spliced picture is not read without a warning") }
    for index in reference.components.indices {
        for row in 0..<reference.components[index].rows {
            guard (try? result.row(component: index, row: row)) == (try? reference.row(component: index, row: row))
            else { fail("a spliced picture differs from the coefficient path") }
        }
    }
}

/// Whether libjpeg has nothing to say about a picture but that there are bytes too many before a marker.
///
/// Those are the picture's own: garbage after the last MCU of an interval, which the splice copies as it is, since it
/// does not read that far. They are no fault of the result. The source's warnings are asked for first, but do not tell:
/// libjpeg remarks on such bytes only if it has not taken them into its own buffer of bits by then, up to eight of them,
/// and what it has taken depends on where the last code ended, which stamping moves. The tests, whose pictures carry
/// no such bytes, allow no warning at all.
private func isSound(_ picture: borrowing JPEGCoefficients) -> Bool {
    picture.firstWarning?.contains("extraneous bytes before marker") ?? true
}

/// A few overlays: opaque and translucent bands, a border, a spot, nothing.
private func fuzzOverlay(_ structure: JPEGStructure, choice: UInt8) -> Overlay {
    let (width, height) = (structure.width, structure.height)
    func patch(_ x: Int, _ y: Int, _ wide: Int, _ tall: Int, _ alpha: UInt8) -> Overlay.Patch {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(wide * tall * 4)
        for index in 0..<(wide * tall) {
            let ink = index % 7 == 0 ? alpha : alpha / 3
            pixels += [ink, ink / 2, alpha, alpha]
        }
        return Overlay.Patch(x: x, y: y, width: wide, height: tall, pixels: pixels)
    }
    let alpha: UInt8 = choice & 1 == 0 ? 255 : 120
    let part = max(1, height * (Int(choice >> 4) + 1) / 17)
    let patches: [Overlay.Patch]
    switch choice >> 1 & 7 {
    case 0: patches = []
    case 1: patches = [patch(0, 0, width, part, alpha)]
    case 2: patches = [patch(0, height - part, width, part, alpha)]
    case 3: patches = [patch(width / 2, height / 2, min(5, width - width / 2), min(5, height - height / 2), alpha)]
    case 4: patches = [patch(0, 0, max(1, width / 3), height, alpha)]
    case 5: patches = [patch(width - max(1, width / 3), 0, max(1, width / 3), height, alpha)]
    case 6 where width > 2 && height > 2:
        patches = [
            patch(0, 0, width, 1, 255), patch(0, height - 1, width, 1, alpha), patch(0, 1, 1, height - 2, alpha),
            patch(width - 1, 1, 1, height - 2, 255),
        ]
    default: patches = [patch(0, 0, width, height, alpha)]
    }
    return Overlay(width: width, height: height, patches: patches)
}
