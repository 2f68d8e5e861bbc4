/// How much of each pixel a shape covers, 0 to 255, row after row.
struct Coverage: Equatable, Sendable {
    var bytes: [UInt8]
    var width: Int
    var height: Int

    /// Blurred as `BoxBlur` does.
    func blurred(radius: Double) -> Coverage {
        Coverage(
            bytes: BoxBlur.blurred(bytes, width: width, height: height, radius: radius), width: width, height: height)
    }

    /// Of twice the width and height: each new pixel is the mean of the four nearest ones, the nearest counted nine
    /// times, its neighbours three times, and the one across once (bilinear interpolation).
    var doubled: Coverage {
        guard width > 0, height > 0 else { return self }
        precondition(bytes.count == width * height)
        let doubled = unsafe [UInt8](unsafeUninitializedCapacity: 4 * bytes.count) { target, count in
            // A row between two rows of the source, with one value more at each end.
            var line = [UInt16](repeating: 0, count: width + 2)
            for row in 0..<(2 * height) {
                let near = row / 2
                let far = min(max(row & 1 == 0 ? near - 1 : near + 1, 0), height - 1)
                mix(near, far, into: &line)
                unsafe line.withUnsafeBufferPointer { line in
                    // In bounds: the line has two values more than the row, the target four times the bytes.
                    let start = row * 2 * width
                    for column in 0..<width {
                        let own = unsafe 3 &* line[column &+ 1] &+ 8
                        unsafe target[start &+ 2 &* column] = UInt8(truncatingIfNeeded: (own &+ line[column]) &>> 4)
                        unsafe target[start &+ 2 &* column &+ 1] = UInt8(
                            truncatingIfNeeded: (own &+ line[column &+ 2]) &>> 4)
                    }
                }
            }
            count = 4 * bytes.count
        }
        return Coverage(bytes: doubled, width: 2 * width, height: 2 * height)
    }

    /// Three times a row and once another, with the first and the last value repeated beyond the ends.
    private func mix(_ near: Int, _ far: Int, into line: inout [UInt16]) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe line.withUnsafeMutableBufferPointer { line in
                // In bounds: both are rows, and the line has two values more.
                for column in 0..<width {
                    unsafe line[column &+ 1] =
                        3 &* UInt16(bytes[near &* width &+ column]) &+ UInt16(bytes[far &* width &+ column])
                }
                unsafe line[0] = line[1]
                unsafe line[width + 1] = line[width]
            }
        }
    }
}
