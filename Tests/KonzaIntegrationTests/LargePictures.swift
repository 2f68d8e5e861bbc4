import Foundation

/// Small files of large pictures.
enum LargePictures {
    // MARK: PNG

    /// A black picture of three samples of 8 bits.
    static func png(edge: Int) -> Data {
        var file = Data([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
        append("IHDR", big(edge) + big(edge) + [8, 2, 0, 0, 0], to: &file)
        append("IDAT", zeros((3 * edge + 1) * edge), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// So many zeros in zlib's format (RFC 1950): one block of fixed codes (RFC 1951 section 3.2.6), one literal, then
    /// repetitions of it of 258 bytes each.
    private static func zeros(_ count: Int) -> [UInt8] {
        var bits = Bits()
        bits.append(0b011, 3)
        // The literal 0 is 00110000, and its first bit is sent first.
        bits.append(0b0000_1100, 8)
        let (repetitions, rest) = (count - 1).quotientAndRemainder(dividingBy: 258)
        for _ in 0..<repetitions {
            // The length 258 is the code 285, 11000101; the distance 1 is 00000.
            bits.append(0b1010_0011, 8)
            bits.append(0, 5)
        }
        for _ in 0..<rest { bits.append(0b0000_1100, 8) }
        bits.append(0, 7)
        // Adler-32 of zeros.
        return [0x78, 0x01] + bits.bytes + big((count % 65_521) << 16 | 1)
    }

    private struct Bits {
        var bytes: [UInt8] = []
        private var free = 0

        mutating func append(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                bytes[bytes.count - 1] |= UInt8((value >> bit) & 1) << (8 - free)
                free -= 1
            }
        }
    }

    private static func append(_ name: String, _ content: [UInt8], to file: inout Data) {
        let body = Array(name.utf8) + content
        var check: UInt32 = 0xffff_ffff
        for byte in body {
            check ^= UInt32(byte)
            for _ in 0..<8 { check = check & 1 == 1 ? 0xedb8_8320 ^ (check >> 1) : check >> 1 }
        }
        file += big(content.count) + body + big(Int(~check))
    }

    private static func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8((value >> $0) & 0xff) } }

    // MARK: JPEG

    /// A grey progressive picture of three components: its first scan, of the DC coefficients, which are all 0.
    static func jpeg(edge: Int) -> Data {
        var file = Data([0xff, 0xd8, 0xff, 0xdb, 0, 67, 0] + [UInt8](repeating: 1, count: 64))
        let size = [UInt8(edge >> 8), UInt8(edge & 0xff)]
        file += [0xff, 0xc2, 0, 17, 8] + size + size + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        // One code of one bit, for the difference 0.
        file += [0xff, 0xc4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 15) + [0]
        file += [0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0]
        let blocks = (edge + 7) / 8
        file += Data(count: min(blocks * blocks * 3 / 8, 2 << 20)) + [0xff, 0xd9]
        return file
    }
}
