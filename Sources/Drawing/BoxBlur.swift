/// Three box blurs, which together come near a Gaussian.
enum BoxBlur {
    static func blurred(_ bytes: [UInt8], width: Int, height: Int, radius: Double) -> [UInt8] {
        let reach = Int(radius.rounded())
        guard reach > 0, width > 0, height > 0 else { return bytes }
        precondition(bytes.count == width * height)
        var (result, other) = (bytes, bytes)
        for _ in 0..<3 {
            for row in 0..<height { blurRow(result, &other, row * width, width, reach) }
            blurColumns(other, &result, width, height, reach)
        }
        return result
    }

    /// Multiplying by it and taking the upper 32 bits divides by a window exactly: sums are below 256 times the window,
    /// and their product with it below 2^32 for windows up to 4000 pixels.
    private static func inverse(_ window: Int) -> UInt64 { ((1 << 32) + UInt64(window) - 1) / UInt64(window) }

    private static func blurRow(_ source: [UInt8], _ target: inout [UInt8], _ start: Int, _ count: Int, _ reach: Int) {
        let inverse = inverse(2 * reach + 1)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // In bounds: rows lie inside the picture, as `blurred` makes sure of.
                var sum: UInt64 = 0
                for index in 0..<min(reach, count) { unsafe sum &+= UInt64(source[start &+ index]) }
                for index in 0..<count {
                    if index &+ reach < count { unsafe sum &+= UInt64(source[start &+ index &+ reach]) }
                    if index > reach { unsafe sum &-= UInt64(source[start &+ index &- reach &- 1]) }
                    unsafe target[start &+ index] = UInt8(
                        truncatingIfNeeded: ((sum &+ UInt64(truncatingIfNeeded: reach)) &* inverse) &>> 32)
                }
            }
        }
    }

    /// All columns at once, row by row, as memory lies.
    private static func blurColumns(
        _ source: [UInt8], _ target: inout [UInt8], _ width: Int, _ height: Int, _ reach: Int
    ) {
        let inverse = inverse(2 * reach + 1)
        var sums = [UInt32](repeating: UInt32(truncatingIfNeeded: reach), count: width)
        unsafe source.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe sums.withUnsafeMutableBufferPointer { sums in
                    // In bounds: each row lies inside the picture, as `blurred` makes sure of.
                    for row in 0..<min(reach, height) {
                        for column in 0..<width { unsafe sums[column] &+= UInt32(source[row &* width &+ column]) }
                    }
                    for row in 0..<height {
                        if row &+ reach < height {
                            let next = (row &+ reach) &* width
                            for column in 0..<width { unsafe sums[column] &+= UInt32(source[next &+ column]) }
                        }
                        if row > reach {
                            let last = (row &- reach &- 1) &* width
                            for column in 0..<width { unsafe sums[column] &-= UInt32(source[last &+ column]) }
                        }
                        let start = row &* width
                        for column in 0..<width {
                            unsafe target[start &+ column] = UInt8(
                                truncatingIfNeeded: (UInt64(sums[column]) &* inverse) &>> 32)
                        }
                    }
                }
            }
        }
    }
}
