import JPEGCoding
import KonzaModel

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
