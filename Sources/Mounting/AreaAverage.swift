public import KonzaModel

extension RGBImage {
    /// A part of the picture at another size: each new pixel is the mean over the area that it covers, with the exact shares
    /// of the pixels at its edges, rounded to the nearest value once.
    ///
    /// - Parameters:
    ///   - part: inside the picture.
    ///   - newWidth: pixels, at least 1.
    ///   - newHeight: pixels, at least 1.
    /// - Returns: the part.
    public func averaged(_ part: PixelArea, width newWidth: Int, height newHeight: Int) -> RGBImage {
        precondition(part.x >= 0 && part.y >= 0 && part.width > 0 && part.height > 0, "a part has an area")
        precondition(part.x + part.width <= width && part.y + part.height <= height, "a part lies inside the picture")
        precondition(newWidth > 0 && newHeight > 0, "a picture has a size")
        let across = Self.spans(part.width, newWidth)
        let down = Self.spans(part.height, newHeight)
        let total = UInt64(part.width) * UInt64(part.height)
        var result = [UInt8](repeating: 0, count: newWidth * newHeight * 3)
        var target = result.mutableSpan
        let source = pixels.span
        // The sums of columns fit: 255 times a height of at most 65 500.
        var columns = [UInt32](repeating: 0, count: part.width * 3)
        var sums = columns.mutableSpan
        for row in 0..<newHeight {
            for index in sums.indices { sums[index] = 0 }
            for step in 0..<down[row].count {
                let weight = UInt32(down[row].weight(step, part.height, newHeight, row))
                let start = ((part.y + down[row].first + step) * width + part.x) * 3
                for index in sums.indices { sums[index] &+= weight &* UInt32(source[start + index]) }
            }
            for column in 0..<newWidth {
                var (red, green, blue) = (total / 2, total / 2, total / 2)
                for step in 0..<across[column].count {
                    let weight = UInt64(across[column].weight(step, part.width, newWidth, column))
                    let at = (across[column].first + step) * 3
                    red &+= weight &* UInt64(sums[at])
                    green &+= weight &* UInt64(sums[at + 1])
                    blue &+= weight &* UInt64(sums[at + 2])
                }
                let at = (row * newWidth + column) * 3
                target[at] = UInt8(truncatingIfNeeded: red / total)
                target[at + 1] = UInt8(truncatingIfNeeded: green / total)
                target[at + 2] = UInt8(truncatingIfNeeded: blue / total)
            }
        }
        return RGBImage(width: newWidth, height: newHeight, pixels: result)
    }

    /// The pixels that a new one covers.
    private struct CoveredSpan {
        let first: Int
        let count: Int

        /// How much of one of them it covers, in parts of which a new pixel has as many as the old length.
        func weight(_ step: Int, _ length: Int, _ newLength: Int, _ index: Int) -> Int {
            let pixel = first + step
            return min((pixel + 1) * newLength, (index + 1) * length) - max(pixel * newLength, index * length)
        }
    }

    private static func spans(_ length: Int, _ newLength: Int) -> [CoveredSpan] {
        (0..<newLength).map { index in
            let first = index * length / newLength
            let end = ((index + 1) * length + newLength - 1) / newLength
            return CoveredSpan(first: first, count: end - first)
        }
    }
}
