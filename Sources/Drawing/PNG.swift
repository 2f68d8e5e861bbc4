public import KonzaModel

extension RGBImage {
    /// The picture as the bytes of a PNG file (ISO/IEC 15948).
    ///
    /// - Throws: `DrawingError` with `engine`.
    public func pngBytes() throws(DrawingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 255, count: width * height * 4)
        for index in 0..<width * height {
            bytes[index * 4] = pixels[index * 3 + 2]
            bytes[index * 4 + 1] = pixels[index * 3 + 1]
            bytes[index * 4 + 2] = pixels[index * 3]
        }
        return try PNG.bytes(width, height, bytes)
    }

    /// The picture with an overlay laid on it.
    ///
    /// - Throws: `DrawingError` with `size`, when the overlay is for another size.
    public func stamped(with overlay: Overlay) throws(DrawingError) -> RGBImage {
        guard overlay.width == width, overlay.height == height else {
            throw DrawingError(
                .size,
                "cannot lay an overlay for \(overlay.width)x\(overlay.height) on a picture of \(width)x\(height)")
        }
        var result = self
        for patch in overlay.patches {
            for row in 0..<patch.height {
                for column in 0..<patch.width {
                    let source = (row * patch.width + column) * 4
                    let target = ((patch.y + row) * width + patch.x + column) * 3
                    let rest = 255 - Int(patch.pixels[source + 3])
                    for channel in 0..<3 {
                        let under = Int(pixels[target + channel]) * rest
                        result.pixels[target + channel] = UInt8(
                            clamping: Int(patch.pixels[source + channel]) + (under + 127) / 255)
                    }
                }
            }
        }
        return result
    }
}

extension Overlay {
    /// The overlay on nothing, as the bytes of a PNG file with transparency.
    ///
    /// - Throws: `DrawingError` with `engine`.
    public func pngBytes() throws(DrawingError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: width * height * 4)
        for patch in patches {
            for row in 0..<patch.height {
                for column in 0..<patch.width {
                    let source = (row * patch.width + column) * 4
                    let target = ((patch.y + row) * width + patch.x + column) * 4
                    bytes[target] = patch.pixels[source + 2]
                    bytes[target + 1] = patch.pixels[source + 1]
                    bytes[target + 2] = patch.pixels[source]
                    bytes[target + 3] = patch.pixels[source + 3]
                }
            }
        }
        return try PNG.bytes(width, height, bytes)
    }
}

private enum PNG {
    static func bytes(_ width: Int, _ height: Int, _ premultipliedBGRA: [UInt8]) throws(DrawingError) -> [UInt8] {
        guard let picture = Bitmap(width: width, height: height, premultipliedBGRA: premultipliedBGRA) else {
            throw DrawingError(.engine, "cannot write the picture as PNG: no memory for \(width)x\(height) pixels")
        }
        return try picture.png()
    }
}
