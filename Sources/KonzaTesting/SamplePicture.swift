public import KonzaModel

/// A picture with smooth parts, edges and some noise.
///
/// - Parameters:
///   - width: pixels.
///   - height: pixels.
///   - seed: of the noise.
/// - Returns: the picture.
public func samplePicture(width: Int, height: Int, seed: UInt64 = 1) -> RGBImage {
    var random = SeededGenerator(seed: seed)
    var pixels = [UInt8](repeating: 0, count: width * height * 3)
    for y in 0..<height {
        for x in 0..<width {
            let at = (y * width + x) * 3
            let noise = UInt8(truncatingIfNeeded: random.next()) & 15
            pixels[at] = UInt8((x * 255 / max(1, width)) / 2) + noise
            pixels[at + 1] = UInt8((y * 255 / max(1, height)) / 2) + noise
            pixels[at + 2] = (x / 16 + y / 16) % 2 == 0 ? 40 : 200
        }
    }
    return RGBImage(width: width, height: height, pixels: pixels)
}
