import JPEGCoding
import KonzaModel

/// Small pictures for the tests.
enum Sample {
    static let jpeg: [UInt8] = make(seed: 1)
    /// With restart markers, as konzad compresses.
    static let other: [UInt8] = make(seed: 7)

    static func make(seed: Int, width: Int = 64, height: Int = 48) -> [UInt8] {
        var pixels: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                pixels += [
                    UInt8(truncatingIfNeeded: row * 5 + seed), UInt8(truncatingIfNeeded: column * 4),
                    UInt8(truncatingIfNeeded: (row ^ column) * seed),
                ]
            }
        }
        let image = RGBImage(width: width, height: height, pixels: pixels)
        return (try? JPEGCompressor(quality: 80).compress(image).array) ?? []
    }

    /// The picture as a Motion-JPEG camera sends it: without Huffman tables.
    static let withoutTables: [UInt8] = {
        var bytes = jpeg
        var place = 2
        while place + 4 <= bytes.count, bytes[place + 1] != 0xDA {
            let length = 2 + (Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
            if bytes[place + 1] == 0xC4 {
                bytes.removeSubrange(place..<(place + length))
            } else {
                place += length
            }
        }
        return bytes
    }()
}
