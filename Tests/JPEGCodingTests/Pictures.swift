import JPEGCoding
import KonzaModel
import KonzaTesting

/// A picture with smooth parts, edges and some noise.
func samplePicture(width: Int, height: Int, seed: UInt64 = 1) -> RGBImage {
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

/// The bytes without the segments of this marker.
func removing(_ marker: JPEGMarker, from data: FrameData) throws -> FrameData {
    var bytes = data.array
    for segment in try JPEGStructure(parsing: data).segments.reversed() where segment.marker == marker {
        bytes.removeSubrange(segment.range)
    }
    return FrameData(bytes)
}

func meanDifference(_ left: RGBImage, _ right: RGBImage) -> Double {
    guard left.pixels.count == right.pixels.count else { return .infinity }
    var sum = 0
    for index in left.pixels.indices { sum += abs(Int(left.pixels[index]) - Int(right.pixels[index])) }
    return Double(sum) / Double(max(1, left.pixels.count))
}
