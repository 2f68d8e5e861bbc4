import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

/// Pictures that lie, each in one way, where the fuzzer's lie in all.
@Suite struct HostilePicturesTests {
    private let overlays = [(0, 16, 255), (24, 8, 120), (32, 16, 255), (40, 8, 90)].map { top, tall, alpha in
        PreparedOverlay(
            Overlay(
                width: 56, height: 48,
                patches: [patch(x: 0, y: top, width: 56, height: tall, [60, 40, 90, UInt8(alpha)])]))
    }

    private func picture(_ restarts: JPEGCompressor.Restarts, _ coding: JPEGCompressor.Coding = .baseline) throws
        -> [UInt8]
    {
        try JPEGCompressor(quality: 80, restarts: restarts, coding: coding).compress(
            samplePicture(width: 56, height: 48)
        ).array
    }

    /// Stamps with each overlay. What comes out can be read, and what is refused is refused with words.
    ///
    /// - Returns: How many were stamped.
    @discardableResult private func stamp(_ bytes: [UInt8], _ words: String) -> Int {
        var stamped = 0
        for overlay in overlays {
            do {
                let result = try StampingLadder().stamp(FrameData(bytes), with: overlay)
                #expect((try? JPEGDecoder().decode(result.data, scale: .eighth)) != nil, "\(words)")
                stamped += 1
            } catch StampingError.structure(let error) {
                #expect(error.description.contains("at byte \(error.offset)"), "\(words)")
                #expect((0...bytes.count).contains(error.offset), "\(words)")
            } catch {
                #expect(error.description.hasPrefix("cannot "), "\(words)")
            }
        }
        return stamped
    }

    @Test(arguments: [JPEGCompressor.Restarts.none, .rows(1), .units(3)])
    func `a picture that is cut anywhere is stamped or refused`(restarts: JPEGCompressor.Restarts) throws {
        let whole = try picture(restarts)
        let structure = try JPEGStructure(parsing: FrameData(whole))
        for length in 0..<whole.count { #expect(stamp(Array(whole[..<length]), "cut at \(length)") == 0) }
        // With its end put back, the structure is sound and the data are not.
        var stamped = 0
        for length in structure.scans[0].entropy {
            stamped += stamp(Array(whole[..<length]) + [0xFF, 0xD9], "ended at \(length)")
        }
        #expect(stamped > 0)
    }

    @Test(arguments: [JPEGCompressor.Restarts.rows(1), .units(3)])
    func `a restart interval that is not the picture's is no splice of the wrong places`(
        restarts: JPEGCompressor.Restarts
    ) throws {
        let bytes = try picture(restarts)
        let segment = try #require(
            try JPEGStructure(parsing: FrameData(bytes)).segments.first { $0.marker == .restartInterval })
        let declared = Int(bytes[segment.offset + 4]) << 8 | Int(bytes[segment.offset + 5])
        for interval in Array(0...30) + [255, 256, 65_534, 65_535] where interval != declared {
            var lie = bytes
            lie[segment.offset + 4] = UInt8(interval >> 8)
            lie[segment.offset + 5] = UInt8(interval & 255)
            stamp(lie, "interval \(interval)")
            for overlay in overlays {
                #expect(throws: StampingError.self, "interval \(interval)") {
                    try RestartSpliceEngine().stamp(FrameData(lie), with: overlay)
                }
            }
        }
    }

    @Test func `Huffman tables that make no sense are stamped or refused`() throws {
        let seed: UInt64 = 0x5EED_0131
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for coding in [JPEGCompressor.Coding.baseline, .optimised] {
            let bytes = try picture(.rows(1), coding)
            let tables = try JPEGStructure(parsing: FrameData(bytes)).segments.filter { $0.marker == .huffmanTables }
            for round in 0..<500 {
                var lie = bytes
                let table = try #require(tables.randomElement(using: &random))
                // The class, the counts or the symbols, not the segment's length.
                let place = Int.random(in: 4..<table.length, using: &random)
                lie[table.offset + place] = UInt8(truncatingIfNeeded: random.next())
                stamp(lie, "seed \(seed), round \(round)")
            }
        }
    }

    @Test func `a picture as wide as the format allows is spliced, one of that size both ways is refused`() throws {
        // Of flat blocks: a difference of 0 is 00, the end of a block 1010 (T.81 tables K.3 and K.5); 8192 blocks.
        let blocks = Array(repeatElement([0b0010_1000, 0b1010_0010, 0b1000_1010] as [UInt8], count: 2048).joined())
        let grey = try JPEGCompressor(restarts: .none).compress(
            [UInt8](repeating: 90, count: 64).span, layout: .grey, width: 8, height: 8)
        let structure = try JPEGStructure(parsing: grey)
        let frame = try #require(structure.segments.first { $0.marker.isStartOfFrame })
        func claiming(_ height: Int) -> FrameData {
            var bytes = Array(grey.array[..<structure.scans[0].entropy.lowerBound])
            bytes.replaceSubrange(
                (frame.offset + 5)..<(frame.offset + 9), with: [UInt8(height >> 8), UInt8(height & 255), 0xFF, 0xFF])
            return FrameData(bytes + blocks + [0xFF, 0xD9])
        }
        let wide = claiming(8)
        let ink = Overlay(
            width: 65_535, height: 8, patches: [patch(x: 60_000, y: 2, width: 5000, height: 5, [40, 40, 40, 200])])
        let stamped = try StampingLadder().stamp(wide, with: ink)
        #expect(stamped.way == .entropySplice)
        // 60 000 pixels before the ink are 7500 blocks of six bits: 5625 bytes.
        let start = structure.scans[0].entropy.lowerBound
        #expect(stamped.data.array.prefix(start + 5625) == wide.array.prefix(start + 5625))
        #expect(throws: StampingError.self) {
            try StampingLadder().stamp(claiming(65_535), with: Overlay(width: 65_535, height: 65_535, patches: []))
        }
    }

    @Test func `a hundred scans over a huge picture are refused, ten are not`() throws {
        let edge = 6000
        let picture = try JPEGCompressor(restarts: .none, coding: .progressive).compress(
            [UInt8](repeating: 90, count: edge * edge).span, layout: .grey, width: edge, height: edge)
        let structure = try JPEGStructure(parsing: picture)
        try structure.requirePlausibleWork()
        let last = try #require(structure.scans.last)
        let bytes = picture.array
        let again = Array(bytes[last.header.offset..<last.entropy.upperBound])
        let rest = repeatElement(again, count: 100 - structure.scans.count).joined()
        let bomb = FrameData(Array(bytes[..<last.entropy.upperBound]) + rest + [0xFF, 0xD9])
        #expect {
            try StampingLadder().stamp(bomb, with: Overlay(width: edge, height: edge, patches: []))
        } throws: { error in
            guard case .structure(let fault) = error as? StampingError else { return false }
            return fault.cause == .tooManySegments && (last.header.offset..<bomb.count).contains(fault.offset)
        }
    }

    @Test func `an arithmetic picture of few bytes cannot ask for much`() throws {
        let overlay = PreparedOverlay(
            Overlay(width: 56, height: 48, patches: [patch(x: 0, y: 0, width: 56, height: 16, [60, 40, 90, 255])]))
        var bytes = try picture(.none, .arithmetic)
        let structure = try JPEGStructure(parsing: FrameData(bytes))
        #expect(throws: Never.self) { try structure.requirePlausibleSize() }
        // T.81 B.2.2: two bytes of height and two of width, after marker, length and precision.
        let frame = try #require(bytes.indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC9 })
        for (offset, value) in [(5, UInt8(0x18)), (6, 0xB0), (7, 0x18), (8, 0xB0)] { bytes[frame + offset] = value }
        #expect(throws: StampingError.self) { try StampingLadder().stamp(FrameData(bytes), with: overlay) }
        #expect(throws: JPEGStructureError.self) {
            try JPEGStructure(parsing: FrameData(bytes)).requirePlausibleSize()
        }
    }
}
