internal import KonzaModel

extension Overlay {
    /// The overlay as bytes for another process of the bench: 32-bit words, the least significant byte first, of width,
    /// height and the number of patches; for each its edges and size and then its pixels.
    var fileBytes: [UInt8] {
        var bytes: [UInt8] = []
        func put(_ values: Int...) {
            for value in values {
                for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
            }
        }
        put(width, height, patches.count)
        for patch in patches {
            put(patch.x, patch.y, patch.width, patch.height)
            bytes += patch.pixels
        }
        return bytes
    }

    /// - Throws: if the bytes are not an overlay.
    init(fileBytes bytes: [UInt8]) throws {
        var at = 0
        func word() throws -> Int {
            guard at + 4 <= bytes.count else { throw BenchError("cannot read an overlay: it is cut") }
            defer { at += 4 }
            return (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        let (width, height, count) = (try word(), try word(), try word())
        var patches: [Patch] = []
        for _ in 0..<count {
            let (x, y, columns, rows) = (try word(), try word(), try word(), try word())
            let length = columns * rows * 4
            guard x + columns <= width, y + rows <= height, length <= bytes.count - at else {
                throw BenchError("cannot read an overlay: a patch lies outside")
            }
            patches.append(
                Patch(x: x, y: y, width: columns, height: rows, pixels: Array(bytes[at..<at + length])))
            at += length
        }
        self.init(width: width, height: height, patches: patches)
    }
}
