import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

/// All eight ways, beside jpegtran's.
@Suite struct JPEGTurnTests {
    static let turns: [(turn: PictureTurn, jpegtran: [String])] = [
        (.init(.none), []),
        (.init(.quarter), ["-rotate", "90"]),
        (.init(.half), ["-rotate", "180"]),
        (.init(.threeQuarters), ["-rotate", "270"]),
        (.init(.none, isMirrored: true), ["-flip", "horizontal"]),
        (.init(.quarter, isMirrored: true), ["-transpose"]),
        (.init(.half, isMirrored: true), ["-flip", "vertical"]),
        (.init(.threeQuarters, isMirrored: true), ["-transverse"]),
    ]
    private static let cases = RandomTest.cases(12)

    /// Whole MCUs, partial ones, and an MCU that is partial for chroma alone; with cjpeg's options.
    static let pictures: [(width: Int, height: Int, options: [String])] = [
        (64, 32, []), (77, 59, []), (24, 40, ["-restart", "1"]), (77, 59, ["-restart", "3B"]),
        (77, 59, ["-progressive"]), (33, 50, ["-arithmetic"]), (50, 33, ["-optimize"]),
    ]

    @Test(arguments: ["1x1", "2x1", "2x2", "1x2", "4x1", "grey", "grey2x2"])
    func `every turn has jpegtran's coefficients and djpeg's pixels`(sampling: String) throws {
        for (width, height, options) in Self.pictures {
            let jpeg = try compressed(width, height, sampling, options)
            for (turn, arguments) in Self.turns {
                try compare(jpeg, turn, arguments, "\(sampling) \(width)x\(height) \(options) \(arguments)")
            }
        }
    }

    @Test(arguments: [0x7042_0001 as UInt64, 0x7042_0002])
    func `random pictures turn as with jpegtran`(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for round in 0..<Self.cases {
            let (jpeg, width, height) = try baselinePicture(using: &random)
            let (turn, arguments) = try #require(Self.turns.randomElement(using: &random))
            try compare(jpeg, turn, arguments, "seed \(seed), round \(round), \(width)x\(height) \(arguments)")
        }
    }

    @Test func `turns that add up to nothing give the picture back`() throws {
        let jpeg = try compressed(64, 48, "2x1", ["-restart", "1"])
        let turner = JPEGTurner()
        let pairs: [(PictureTurn, PictureTurn)] = [
            (.init(.quarter), .init(.threeQuarters)), (.init(.half), .init(.half)),
            (.init(.quarter, isMirrored: true), .init(.quarter, isMirrored: true)),
            (.init(.none, isMirrored: true), .init(.none, isMirrored: true)),
        ]
        for (first, second) in pairs {
            let there = try turner.turn(jpeg, by: first)
            let back = try turner.turn(there.data, by: second)
            #expect(try coefficients(back.data) == coefficients(jpeg), "\(first) \(second)")
            #expect((back.width, back.height) == (64, 48))
        }
    }

    @Test func `a turned picture can be spliced, whatever its coding was`() throws {
        for options in [["-progressive"], ["-optimize"], [], ["-arithmetic"]] {
            let jpeg = try compressed(128, 96, "2x1", options)
            let turned = try JPEGTurner().turn(jpeg, by: .init(.quarter))
            var random = SeededGenerator(seed: 7)
            let stamped = try StampingLadder().stamp(
                turned.data, with: spliceOverlay(width: 96, height: 128, using: &random))
            #expect(stamped.way == .restartSplice, "\(options)")
        }
    }

    @Test func `only what says how colours are made stays of the segments, its density turned`() throws {
        let plain = try compressed(64, 48, "2x1", ["-restart", "1"]).array
        // JFIF's version, units and density are bytes 11 to 17.
        var jfif = Array(plain[..<20])
        jfif.replaceSubrange(11..<18, with: [113, 1, 1, 0, 72, 0, 96])
        let exif: [UInt8] = [0xFF, 0xE1, 0, 34] + Array("Exif\0\0".utf8)
        // One entry: Orientation is 6.
        let orientation: [UInt8] =
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
        let adobe: [UInt8] = [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]
        let jpeg = FrameData(jfif + exif + orientation + adobe + plain[20...])
        #expect(try exiftool(jpeg.array)["IFD0:Orientation"] == "6")
        let turned = try JPEGTurner().turn(jpeg, by: .init(.threeQuarters))
        // No pixel hangs on a revision that nobody knows.
        #expect(!turned.isDamaged)
        #expect(Array(turned.data.array[11..<13]) == [1, 2])
        let read = try exiftool(turned.data.array)
        #expect(read["IFD0:Orientation"] == nil)
        #expect(read["JFIF:XResolution"] == "96")
        #expect(read["JFIF:YResolution"] == "72")
        #expect(read["Adobe:ColorTransform"] == "1")
        #expect(read["File:ImageWidth"] == "48")
        #expect(read["File:ImageHeight"] == "64")
    }

    @Test func `damage is reported, and what is no picture is refused`() throws {
        let jpeg = try compressed(128, 96, "2x1", [])
        #expect(!(try JPEGTurner().turn(jpeg, by: .init(.half)).isDamaged))
        var bytes = jpeg.array
        // The second half of the scan is gone.
        bytes.removeSubrange((bytes.count * 3 / 4)..<(bytes.count - 2))
        #expect(try JPEGTurner().turn(FrameData(bytes), by: .init(.half)).isDamaged)
        #expect(throws: JPEGCodingError.self) {
            try JPEGTurner().turn(FrameData(Array("no picture".utf8)), by: .init(.half))
        }
        let small = try compressed(9, 40, "2x2", [])
        let error = #expect(throws: JPEGCodingError.self) { try JPEGTurner().turn(small, by: .init(.half)) }
        #expect(error?.description.contains("9x40 pixels are less than an MCU") == true)
    }

    /// A difference of 11 bits from nothing: no code is sure to be left for what such values differ by in another order.
    @Test func `coefficients that no picture of 8 bits has are refused`() throws {
        let grey = try compressed(24, 8, "grey", [])
        let header = try JPEGStructure(parsing: grey).scans[0].entropy.lowerBound
        // The standard tables (T.81 K.3): 11 bits of DC, their value, the end of the block.
        let block = "111111110" + "11111111111" + "1010"
        for (blocks, isRefused) in [([block, "001010", "001010"], true), (["001010", "001010", "001010"], false)] {
            let bits = Array(blocks.joined() + "1111111").map { $0 == "1" ? UInt8(1) : 0 }
            var bytes: [UInt8] = []
            for start in stride(from: 0, through: bits.count - 8, by: 8) {
                let byte = bits[start..<(start + 8)].reduce(0) { $0 << 1 | $1 }
                bytes += byte == 0xFF ? [0xFF, 0] : [byte]
            }
            let jpeg = FrameData(Array(grey.array[..<header]) + bytes + [0xFF, 0xD9])
            #expect(try coefficients(jpeg)[0].values[0][0] == (isRefused ? 2047 : 0))
            if isRefused {
                let error = #expect(throws: JPEGCodingError.self) { try JPEGTurner().turn(jpeg, by: .init(.quarter)) }
                #expect(error?.cause == .refused && error?.description.contains("out of range") == true)
            } else {
                #expect(!(try JPEGTurner().turn(jpeg, by: .init(.quarter)).isDamaged))
            }
        }
    }

    // MARK: Comparing

    private func compare(_ jpeg: FrameData, _ turn: PictureTurn, _ arguments: [String], _ words: String) throws {
        guard let size = try JPEGStructure(parsing: jpeg).size(turned: turn) else {
            #expect(throws: JPEGCodingError.self, "\(words)") { try JPEGTurner().turn(jpeg, by: turn) }
            return
        }
        let folder = try TemporaryFolder()
        let source = try folder.file("source.jpg", jpeg.array)
        let theirs = try folder.run("jpegtran", ["-copy", "none", "-trim"] + arguments + [source]).output
        let expected = FrameData(Array(theirs))
        let turned = try JPEGTurner().turn(jpeg, by: turn)
        #expect((turned.width, turned.height) == size, "\(words)")
        let structure = try JPEGStructure(parsing: turned.data)
        let reference = try JPEGStructure(parsing: expected)
        #expect((structure.width, structure.height) == size, "\(words)")
        #expect((reference.width, reference.height) == size, "\(words)")
        try structure.requireSoundRestarts()
        for scan in structure.scans where structure.scans.count == 1 {
            let columns = structure.components.count == 1 ? structure.blockCount.columns : structure.unitCount.columns
            #expect(scan.restartInterval == columns, "\(words)")
        }
        #expect(try coefficients(turned.data) == coefficients(expected), "\(words)")
        // The same coefficients are the same pixels; djpeg says so of the turns that are settings.
        guard !turn.isMirrored, turn != .none else { return }
        let ours = try folder.file("turned.jpg", turned.data.array)
        let other = try folder.file("expected.jpg", expected.array)
        let pixels = try folder.run("djpeg", [ours])
        #expect(pixels.errors.isEmpty, "\(words)")
        #expect(try pixels.output == folder.run("djpeg", [other]).output, "\(words)")
    }

    private struct Blocks: Equatable {
        let steps: [UInt16]
        let values: [[Int16]]
    }

    private func coefficients(_ jpeg: FrameData) throws -> [Blocks] {
        let picture = try JPEGCoefficients(reading: jpeg)
        var all: [Blocks] = []
        for index in picture.components.indices {
            var rows: [[Int16]] = []
            for row in 0..<picture.components[index].rows { rows.append(try picture.row(component: index, row: row)) }
            all.append(Blocks(steps: picture.components[index].quantisation, values: rows))
        }
        return all
    }

    /// A picture by cjpeg.
    private func compressed(_ width: Int, _ height: Int, _ sampling: String, _ options: [String]) throws -> FrameData {
        let picture = samplePicture(width: width, height: height, seed: UInt64(width * height))
        let folder = try TemporaryFolder()
        let path = try folder.file("p.ppm", Array("P6 \(width) \(height) 255\n".utf8) + picture.pixels)
        let grey = sampling.hasPrefix("grey")
        let factors = grey ? String(sampling.dropFirst(4)) : sampling
        let arguments =
            ["-quality", "80"] + (grey ? ["-grayscale"] : []) + (factors.isEmpty ? [] : ["-sample", factors])
        return FrameData(Array(try folder.run("cjpeg", arguments + options + [path]).output))
    }
}
