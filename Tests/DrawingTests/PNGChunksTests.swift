import KonzaModel
import Testing

@testable import Drawing

@Suite("A PNG file from outside")
struct PNGChunksTests {
    private func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let length = data.count
        // Nothing here looks at the checksum of what is passed over.
        return [UInt8(length >> 24 & 255), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
            + Array(type.utf8) + data + [0, 0, 0, 0]
    }

    /// A picture with further chunks after its header.
    private func picture(with chunks: [UInt8], width: Int = 10, height: Int = 10) throws -> [UInt8] {
        var bytes = try RGBImage(
            width: width, height: height, pixels: [UInt8](repeating: 99, count: width * height * 3)
        ).pngBytes()
        bytes.insert(contentsOf: chunks, at: 33)
        return bytes
    }

    private func bombs(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += bomb }
        return bytes
    }

    /// Text of which deflate made next to nothing, as its first bytes say.
    private var bomb: [UInt8] {
        chunk("zTXt", Array("bomb".utf8) + [0, 0, 0x78, 0xDA] + [UInt8](repeating: 0xAA, count: 5000))
    }

    @Test("with a thousand compressed texts is refused, with a few is read without inflating one")
    func texts() throws {
        let many = try picture(with: bombs(1000))
        #expect { try PNGPicture(FrameData(many)).preview(longestEdge: 320) } throws: { error in
            (error as? DrawingError)?.message.contains("256 chunks") == true
        }
        let few = try picture(with: bombs(200))
        let chunks = try PNGChunks(FrameData(few))
        #expect(!chunks.ranges.contains { $0.overlaps(33..<33 + 200 * bomb.count) })
        let preview = try PNGPicture(FrameData(few)).preview(longestEdge: 320)
        #expect(preview.width == 10 && preview.small.pixels.allSatisfy { $0 == 99 })
    }

    @Test(
        "is read past every chunk that its pixels do not need",
        arguments: ["iCCP", "eXIf", "iTXt", "tEXt", "sPLT", "acTL", "fdAT", "abCd"])
    func ancillary(type: String) throws {
        let bytes = try picture(with: chunk(type, [UInt8](repeating: 0xFF, count: 3000)))
        #expect(try PNGPicture(FrameData(bytes)).preview(longestEdge: 320).small.pixels.allSatisfy { $0 == 99 })
    }

    @Test("with an unknown chunk that its pixels need is refused")
    func critical() throws {
        let bytes = try picture(with: chunk("QQQQ", []))
        #expect(throws: DrawingError.self) { try PNGPicture(FrameData(bytes)).preview(longestEdge: 320) }
    }

    @Test("is refused wherever it is cut, and with a chunk longer than the file")
    func cut() throws {
        let bytes = try picture(with: chunk("tEXt", [1, 2, 3]))
        for length in bytes.indices {
            #expect(throws: DrawingError.self) {
                try PNGPicture(FrameData(Array(bytes[..<length]))).preview(longestEdge: 320)
            }
        }
        var long = bytes
        for at in 33..<37 { long[at] = 0xFF }
        #expect(throws: DrawingError.self) { try PNGPicture(FrameData(long)).preview(longestEdge: 320) }
    }

    @Test("that claims more pixels than its bytes can hold is refused before it gets memory")
    func claims() throws {
        var bytes = try picture(with: [])
        // 4000 x 4000 are 16 million.
        bytes.replaceSubrange(16..<24, with: [0, 0, 0x0F, 0xA0, 0, 0, 0x0F, 0xA0])
        #expect { try PNGChunks(FrameData(bytes)) } throws: { error in
            (error as? DrawingError)?.message.contains("cannot hold") == true
        }
        bytes.insert(contentsOf: chunk("IDAT", [UInt8](repeating: 0, count: 100_000)), at: 33)
        #expect(try PNGPicture(FrameData(bytes)).memory > 64_000_000)
    }

    @Test(
        "is refused with the true reason",
        arguments: [
            (65_535, 100, "65535x100 pixels are more than 32767 on a side"),
            (100, 2_147_483_647, "100x2147483647 pixels are more than 32767 on a side"),
            (0, 100, "no PNG file has 0x100 pixels"), (100, 2_147_483_648, "no PNG file has 100x2147483648 pixels"),
        ])
    func sides(width: UInt32, height: UInt32, words: String) throws {
        var bytes = try picture(with: [])
        for (place, side) in [(16, width), (20, height)] {
            for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: side >> (24 - 8 * UInt32(byte))) }
        }
        #expect { try PNGPicture(FrameData(bytes)) } throws: { ($0 as? DrawingError)?.message.contains(words) == true }
        #expect { try PNGPicture(FrameData(Array("GIF89a".utf8))) } throws: { error in
            (error as? DrawingError)?.message.contains("not a PNG file") == true
        }
    }

    @Test("of one colour, as small as deflate makes it, is read")
    func flat() throws {
        let bytes = try picture(with: [], width: 2000, height: 1500)
        let preview = try PNGPicture(FrameData(bytes)).preview(longestEdge: 320)
        #expect(preview.small.width == 320 && preview.small.height == 240)
    }
}
