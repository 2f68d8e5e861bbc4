import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

@Suite struct CoefficientEngineTests {
    @Test(arguments: [0x5EED_0001 as UInt64, 0x5EED_0002, 0x5EED_0003])
    func `blocks outside the overlay keep their values bit for bit`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<120 {
            let (jpeg, width, height) = try randomPicture(using: &random)
            let overlay = randomOverlay(width: width, height: height, using: &random)
            let stamped = try CoefficientEngine().stamp(jpeg, with: overlay)
            #expect(stamped.way == .coefficients)
            let structure = try JPEGStructure(parsing: jpeg)
            let after = try JPEGStructure(parsing: stamped.data)
            #expect(after.components.map(\.horizontalSampling) == structure.components.map(\.horizontalSampling))
            #expect(after.components.map(\.verticalSampling) == structure.components.map(\.verticalSampling))
            #expect(after.scans.first?.restartInterval == structure.scans.last?.restartInterval)
            try after.requireSoundRestarts()
            let before = try coefficients(of: jpeg)
            let result = try coefficients(of: stamped.data)
            for (component, touched) in touchedBlocks(overlay, structure).enumerated() {
                for block in before[component].indices where !touched.contains(block) {
                    #expect(result[component][block] == before[component][block], "seed \(seed), round \(round)")
                }
            }
            #expect(try JPEGDecoder().decode(stamped.data).warningCount == 0, "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: JPEGCompressor.Subsampling.allCases, [255, 160] as [UInt8])
    func `the overlay has its own colour, blended`(subsampling: JPEGCompressor.Subsampling, alpha: UInt8) throws {
        let flat = RGBImage(
            width: 96, height: 64, pixels: Array(repeatElement([90, 140, 60], count: 96 * 64).joined()))
        let jpeg = try JPEGCompressor(quality: 95, subsampling: subsampling).compress(flat)
        let premultiplied = [200, 40, 120].map { (channel: Int) in UInt8(channel * Int(alpha) / 255) }
        let colour = premultiplied + [alpha]
        let overlay = Overlay(width: 96, height: 64, patches: [patch(x: 13, y: 21, width: 71, height: 30, colour)])
        let image = try JPEGDecoder().decode(try CoefficientEngine().stamp(jpeg, with: overlay).data).image
        var expected = flat
        for y in 21..<51 {
            for x in 13..<84 {
                for channel in 0..<3 {
                    let under = Int(flat.pixels[channel]) * (255 - Int(alpha)) / 255
                    expected.pixels[(y * 96 + x) * 3 + channel] = UInt8(under + Int(colour[channel]))
                }
            }
        }
        // Well inside and well outside the patch colours are exact to a few steps; its edges ring.
        for (x, y) in [(40, 36), (50, 30), (30, 40), (4, 4), (90, 60), (40, 5)] {
            for channel in 0..<3 {
                let at = (y * 96 + x) * 3 + channel
                #expect(abs(Int(image.pixels[at]) - Int(expected.pixels[at])) <= 4, "at \(x), \(y)")
            }
        }
    }

    @Test func `a clear overlay changes no coefficient, a whole opaque one leaves nothing of the picture`() throws {
        let jpeg = try JPEGCompressor(subsampling: .halfWidthAndHeight).compress(samplePicture(width: 37, height: 29))
        let clear = Overlay(width: 37, height: 29, patches: [patch(x: 0, y: 0, width: 37, height: 29, [0, 0, 0, 0])])
        let untouched = try CoefficientEngine().stamp(jpeg, with: clear)
        #expect(try coefficients(of: untouched.data) == coefficients(of: jpeg))
        let whole = Overlay(
            width: 37, height: 29, patches: [patch(x: 0, y: 0, width: 37, height: 29, [10, 20, 30, 255])])
        let covered = try coefficients(of: CoefficientEngine().stamp(jpeg, with: whole).data)
        for blocks in covered { for block in blocks { #expect(block == blocks[0]) } }
    }

    @Test func `a standard table stays standard, so that the size hardly grows`() throws {
        let jpeg = try JPEGCompressor().compress(samplePicture(width: 64, height: 64))
        let stamped = try CoefficientEngine().stamp(jpeg, with: Overlay(width: 64, height: 64, patches: []))
        #expect(stamped.data.array == jpeg.array)
    }

    @Test func `a picture without Huffman tables is stamped`() throws {
        let whole = try JPEGCompressor().compress(samplePicture(width: 48, height: 32))
        var bytes = whole.array
        for segment in try JPEGStructure(parsing: whole).segments.reversed() where segment.marker == .huffmanTables {
            bytes.removeSubrange(segment.range)
        }
        let overlay = Overlay(width: 48, height: 32, patches: [patch(x: 8, y: 8, width: 9, height: 9, [0, 0, 0, 255])])
        let expected = try CoefficientEngine().stamp(whole, with: overlay)
        #expect(try CoefficientEngine().stamp(FrameData(bytes), with: overlay).data.array == expected.data.array)
    }

    @Test func `an overlay of another size is an error that names both`() throws {
        let jpeg = try JPEGCompressor().compress(samplePicture(width: 48, height: 32))
        #expect(
            throws: StampingError.overlaySize(
                overlay: PixelSize(width: 32, height: 48), picture: PixelSize(width: 48, height: 32))
        ) { try CoefficientEngine().stamp(jpeg, with: Overlay(width: 32, height: 48, patches: [])) }
    }

    @Test func `a replaced quantisation table is left to the full decode, which says so`() throws {
        let (jpeg, overlay) = try pictureWithReplacedTable()
        #expect(throws: StampingError.self) { try CoefficientEngine().stamp(jpeg, with: overlay) }
        let stamped = try StampingLadder().stamp(jpeg, with: overlay)
        #expect(stamped.way == .fullDecode)
        let image = try JPEGDecoder().decode(stamped.data).image
        #expect(image.pixels[(20 * 48 + 20) * 3] > 240)
    }

    /// A picture of three scans, with table 0 replaced between the second and third.
    private func pictureWithReplacedTable() throws -> (FrameData, Overlay) {
        let grey = [UInt8](repeating: 100, count: 48 * 32)
        let single = try JPEGCompressor(restarts: .none).compress(grey.span, layout: .grey, width: 48, height: 32)
        let structure = try JPEGStructure(parsing: single)
        let bytes = single.array
        let scan = try #require(structure.scans.first)
        let frame = try #require(structure.segments.first { $0.marker.isStartOfFrame })
        let table = try #require(structure.segment(.quantisationTables))
        var built = Array(bytes[..<frame.offset])
        built += [0xFF, 0xC0, 0, 17, 8, 0, 32, 0, 48, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
        built += bytes[(frame.offset + frame.length)..<scan.header.offset]
        for component in UInt8(1)...3 {
            if component == 3 {
                var second = Array(bytes[table.range])
                second[30] += 1
                built += second
            }
            built += [0xFF, 0xDA, 0, 8, 1, component, 0, 0, 63, 0] + bytes[scan.entropy]
        }
        built += [0xFF, 0xD9]
        let overlay = Overlay(
            width: 48, height: 32, patches: [patch(x: 8, y: 8, width: 24, height: 20, [255, 255, 255, 255])])
        return (FrameData(built), overlay)
    }

    @Test func `mutated pictures never trap, and whatever is stamped is a sound picture`() throws {
        let seed: UInt64 = 0x5EED_0007
        var random = SeededGenerator(seed: seed)
        let engine = StampingLadder(limits: JPEGLimits(pixels: 1 << 16, scans: 40, outputBytes: 1 << 22))
        for round in 0..<600 {
            let (jpeg, width, height) = try randomPicture(using: &random)
            var bytes = jpeg.array
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0...255, using: &random)
            }
            let overlay = randomOverlay(width: width, height: height, using: &random)
            guard let stamped = try? engine.stamp(FrameData(bytes), with: overlay) else { continue }
            #expect(throws: Never.self, "seed \(seed), round \(round)") {
                try JPEGStructure(parsing: stamped.data).requireSoundRestarts()
            }
        }
    }
}
