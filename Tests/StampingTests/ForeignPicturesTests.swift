import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

/// Pictures that other programs made, of kinds our compressor does not make.
@Suite struct ForeignPicturesTests {
    /// cjpeg's options for a picture in colour.
    @Test(arguments: [
        ["-sample", "2x2,1x2,2x1"], ["-sample", "1x1,2x2,2x2"], ["-sample", "3x1,1x1,1x1"], ["-sample", "2x1,2x1,2x1"],
        ["-sample", "4x2,1x1,1x1"], ["-sample", "4x1,2x1,1x1"], ["-sample", "1x4", "-progressive"], ["-rgb"],
        ["-rgb", "-sample", "2x2"], ["-grayscale", "-restart", "1"], ["-restart", "7B", "-optimize"],
        ["-progressive", "-restart", "2"], ["-arithmetic"], ["-quality", "1"], ["-quality", "1", "-baseline"],
        ["-dct", "float", "-smooth", "20"],
    ])
    func `pictures by cjpeg keep what the overlay does not touch`(options: [String]) throws {
        let seed: UInt64 = 0x5EED_0011
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        for size in [(1, 1), (67, 43), (129, 31)] {
            let picture = samplePicture(width: size.0, height: size.1)
            let source = try folder.file("source.ppm", Array("P6 \(size.0) \(size.1) 255\n".utf8) + picture.pixels)
            let made = try folder.run("cjpeg", options + [source])
            #expect(made.status == 0, "\(made.errors)")
            try check(FrameData(Array(made.output)), size.0, size.1, &random, "seed \(seed)", folder)
        }
    }

    @Test func `CMYK and YCCK pictures are stamped on their inks`() throws {
        let seed: UInt64 = 0x5EED_0012
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        for transform in [nil, 0, 2] as [UInt8?] {
            let jpeg = try inkPicture(width: 40, height: 24, adobeTransform: transform)
            #expect(try JPEGDecoder().decode(jpeg).warningCount == 0)
            try check(jpeg, 40, 24, &random, "seed \(seed), transform \(String(describing: transform))", folder)
            let overlay = Overlay(
                width: 40, height: 24, patches: [patch(x: 0, y: 0, width: 40, height: 24, [200, 90, 30, 255])])
            let image = try JPEGDecoder().decode(CoefficientEngine().stamp(jpeg, with: overlay).data).image
            for (channel, value) in [200, 90, 30].enumerated() {
                #expect(abs(Int(image.pixels[channel]) - value) <= 4, "transform \(String(describing: transform))")
            }
        }
    }

    @Test func `an RGB picture has the overlay's colour`() throws {
        let folder = try TemporaryFolder()
        let source = try folder.file(
            "source.ppm", Array("P6 32 32 255\n".utf8) + samplePicture(width: 32, height: 32).pixels)
        let jpeg = FrameData(Array(try folder.run("cjpeg", ["-rgb", "-quality", "95", source]).output))
        let overlay = Overlay(
            width: 32, height: 32, patches: [patch(x: 0, y: 0, width: 32, height: 32, [200, 90, 30, 255])])
        let image = try JPEGDecoder().decode(CoefficientEngine().stamp(jpeg, with: overlay).data).image
        for (channel, value) in [200, 90, 30].enumerated() { #expect(abs(Int(image.pixels[channel]) - value) <= 2) }
    }

    @Test func `12-bit and lossless pictures are refused with the reason`() throws {
        var bytes = try JPEGCompressor().compress(samplePicture(width: 16, height: 16)).array
        let frame = try #require(try JPEGStructure(parsing: bytes.span).segments.first { $0.marker.isStartOfFrame })
        let overlay = Overlay(width: 16, height: 16, patches: [])
        bytes[frame.payload.lowerBound] = 12
        bytes[frame.offset + 1] = 0xC1
        #expect(throws: StampingError.unsupported("the picture has 12 bits a sample, at byte \(frame.offset)")) {
            try StampingLadder().stamp(FrameData(bytes), with: overlay)
        }
        bytes[frame.payload.lowerBound] = 8
        bytes[frame.offset + 1] = 0xC3
        #expect(
            throws: StampingError.unsupported("the picture is lossless or hierarchical (SOF3), at byte \(frame.offset)")
        ) {
            try StampingLadder().stamp(FrameData(bytes), with: overlay)
        }
    }

    /// Blocks outside the overlay are the same, and three programs decode the result without a word.
    private func check(
        _ jpeg: FrameData, _ width: Int, _ height: Int, _ random: inout SeededGenerator, _ words: String,
        _ folder: TemporaryFolder
    ) throws {
        let overlay = randomOverlay(width: width, height: height, using: &random)
        let stamped = try StampingLadder().stamp(jpeg, with: overlay)
        #expect(stamped.way != .fullDecode)
        let before = try coefficients(of: jpeg)
        let after = try coefficients(of: stamped.data)
        for (component, touched) in touchedBlocks(overlay, try JPEGStructure(parsing: jpeg)).enumerated() {
            for block in before[component].indices where !touched.contains(block) {
                #expect(after[component][block] == before[component][block], "\(words)")
            }
        }
        #expect(try JPEGCoefficients(reading: stamped.data).warningCount == 0)
        let path = try folder.file("stamped.jpg", stamped.data.array)
        let copied = try folder.run("jpegtran", ["-strict", "-copy", "all", "-outfile", "/dev/null", path])
        // Steps over 255 need 16 bits, which jpegtran remarks of any picture that has them.
        let remarks = copied.errors.split(separator: "\n").filter { !$0.hasPrefix("Caution: quantization tables") }
        #expect(copied.status == 0 && remarks.isEmpty, "\(remarks) \(words)")
    }

    /// A picture of four components, put together from grey scans.
    private func inkPicture(width: Int, height: Int, adobeTransform: UInt8?) throws -> FrameData {
        let grey = samplePicture(width: width, height: height).pixels.prefix(width * height)
        let single = try JPEGCompressor(quality: 95, restarts: .none).compress(
            Array(grey).span, layout: .grey, width: width, height: height)
        let structure = try JPEGStructure(parsing: single)
        let bytes = single.array
        let scan = try #require(structure.scans.first)
        var built: [UInt8] = [0xFF, 0xD8]
        if let adobeTransform {
            built += [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, adobeTransform]
        }
        for segment in structure.segments where segment.marker == .quantisationTables {
            built += bytes[segment.range]
        }
        built += [0xFF, 0xC0, 0, 20, 8, 0, UInt8(height), 0, UInt8(width), 4]
        for component in UInt8(1)...4 { built += [component, 0x11, 0] }
        for segment in structure.segments where segment.marker == .huffmanTables { built += bytes[segment.range] }
        for component in UInt8(1)...4 {
            built += [0xFF, 0xDA, 0, 8, 1, component, 0, 0, 63, 0] + bytes[scan.entropy]
        }
        return FrameData(built + [0xFF, 0xD9])
    }
}
