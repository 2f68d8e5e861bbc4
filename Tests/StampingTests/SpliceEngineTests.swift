import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

@Suite struct SpliceEngineTests {
    private func jpeg(
        _ restarts: JPEGCompressor.Restarts, coding: JPEGCompressor.Coding = .baseline, width: Int = 96,
        height: Int = 64
    ) throws -> FrameData {
        try JPEGCompressor(quality: 85, restarts: restarts, coding: coding).compress(
            samplePicture(width: width, height: height))
    }

    private func band(_ y: Int, _ height: Int, alpha: UInt8 = 255, width: Int = 96, of total: Int = 64) -> Overlay {
        Overlay(
            width: width, height: total,
            patches: [patch(x: 0, y: y, width: width, height: height, [alpha / 2, alpha / 3, alpha, alpha])])
    }

    /// Each kind of picture, and the way it goes.
    @Test(arguments: [
        (JPEGCompressor.Coding.baseline, JPEGCompressor.Restarts.rows(1), StampingWay.restartSplice),
        (.baseline, .units(5), .restartSplice),
        (.baseline, .none, .entropySplice),
        (.progressive, .none, .coefficients),
        (.arithmetic, .rows(1), .coefficients),
    ])
    func `the cheapest way is taken`(
        coding: JPEGCompressor.Coding, restarts: JPEGCompressor.Restarts, way: StampingWay
    ) throws {
        let picture = try jpeg(restarts, coding: coding)
        #expect(try StampingLadder().stamp(picture, with: band(40, 24, alpha: 90)).way == way)
    }

    @Test func `tables that lack a code for the overlay get one, and the picture keeps its bits`() throws {
        // A flat picture: its optimised tables have next to no codes.
        let flat = RGBImage(width: 96, height: 64, pixels: [UInt8](repeating: 90, count: 96 * 64 * 3))
        let picture = try JPEGCompressor(restarts: .rows(1), coding: .optimised).compress(flat)
        let colours = (0..<(96 * 24)).flatMap { index -> [UInt8] in
            index % 5 < 2 ? [0, 0, 0, 255] : [250, 200, 90, 255]
        }
        let overlay = Overlay(
            width: 96, height: 64, patches: [Overlay.Patch(x: 0, y: 40, width: 96, height: 24, pixels: colours)])
        let stamped = try StampingLadder().stamp(picture, with: overlay)
        #expect(stamped.way == .restartSplice)
        let expected = try CoefficientEngine().stamp(picture, with: overlay)
        #expect(try coefficients(of: stamped.data) == coefficients(of: expected.data))
        #expect(try JPEGDecoder().decode(stamped.data).warningCount == 0)
        // The first five rows of MCUs are the same bytes, with a table more before them.
        let (before, after) = (try JPEGStructure(parsing: picture), try JPEGStructure(parsing: stamped.data))
        let kept = try #require(before.scans[0].restarts.nearest(4)).offset - before.scans[0].entropy.lowerBound
        #expect(kept > 0)
        #expect(
            picture.array[before.scans[0].entropy].prefix(kept)
                == stamped.data.array[after.scans[0].entropy].prefix(kept))
        #expect(after.segments.count == before.segments.count + 1)
    }

    @Test func `a picture of twelve bits is refused for what it is, by all ways`() throws {
        var bytes = try jpeg(.rows(1)).array
        let frame = try #require(
            try JPEGStructure(parsing: FrameData(bytes)).segments.first { $0.marker.isStartOfFrame })
        bytes[frame.offset + 1] = 0xC1
        bytes[frame.offset + 4] = 12
        #expect(throws: StampingError.unsupported("the picture has 12 bits a sample, at byte \(frame.offset)")) {
            try StampingLadder().stamp(FrameData(bytes), with: band(0, 16))
        }
    }

    @Test func `an empty overlay changes no byte`() throws {
        for restarts in [JPEGCompressor.Restarts.none, .rows(1)] {
            let picture = try jpeg(restarts)
            let stamped = try StampingLadder().stamp(picture, with: Overlay(width: 96, height: 64, patches: []))
            #expect(stamped.data.array == picture.array)
        }
    }

    @Test func `a band at the top leaves the bytes of the rest as they are, without restart markers too`() throws {
        let picture = try jpeg(.none, width: 320, height: 240)
        let overlay = band(0, 16, alpha: 100, width: 320, of: 240)
        let stamped = try EntropySpliceEngine().stamp(picture, with: overlay).data.array
        // The rest keeps its place within the bytes, so the last three quarters are the same to the byte.
        let tail = picture.array.suffix(picture.count * 3 / 4)
        #expect(stamped.suffix(tail.count) == tail)
    }

    @Test func `one overlay serves pictures of other tables, sampling and restarts in turn`() throws {
        let overlay = PreparedOverlay(band(20, 30))
        for quality in [90, 40, 90] {
            for subsampling in [JPEGCompressor.Subsampling.halfWidth, .none, .halfWidthAndHeight] {
                for restarts in [JPEGCompressor.Restarts.rows(1), .none, .units(4)] {
                    let picture = try JPEGCompressor(quality: quality, subsampling: subsampling, restarts: restarts)
                        .compress(samplePicture(width: 96, height: 64))
                    let stamped = try StampingLadder().stamp(picture, with: overlay)
                    #expect(stamped.way != .coefficients)
                    let expected = try CoefficientEngine().stamp(picture, with: overlay)
                    #expect(try coefficients(of: stamped.data) == coefficients(of: expected.data))
                }
            }
        }
    }

    @Test func `a cut last interval is kept where the overlay is elsewhere, and left to libjpeg where it is not`()
        throws
    {
        let whole = try jpeg(.rows(1))
        let structure = try JPEGStructure(parsing: whole)
        var bytes = whole.array
        // The last row of MCUs loses all but its first bytes; they hold no FF.
        let end = structure.scans[0].entropy.upperBound
        let last = try #require(structure.scans[0].restarts.offsets.last)
        bytes.removeSubrange((last + 10)..<end)
        try #require(!bytes[(last + 2)..<(last + 10)].contains(0xFF))
        let cut = FrameData(bytes)
        let stamped = try StampingLadder().stamp(cut, with: band(0, 16, alpha: 90))
        #expect(stamped.way == .restartSplice)
        #expect(stamped.data.array.suffix(12) == cut.array.suffix(12))
        let below = band(50, 14, alpha: 90)
        #expect(throws: StampingError.unsupported("the entropy-coded data are damaged near byte \(last + 10)")) {
            try RestartSpliceEngine().stamp(cut, with: below)
        }
        #expect(try StampingLadder().stamp(cut, with: below).way == .coefficients)
        // An overlay that hides the damage heals it.
        let healed = try StampingLadder().stamp(cut, with: band(56, 8))
        #expect(healed.way == .restartSplice)
        #expect(try JPEGDecoder().decode(healed.data).warningCount == 0)
    }

    @Test func `a few bytes that claim a huge picture are refused before memory is asked for`() throws {
        var bytes = try jpeg(.none, width: 16, height: 16).array
        let structure = try JPEGStructure(parsing: FrameData(bytes))
        let frame = try #require(structure.segments.first { $0.marker.isStartOfFrame })
        // 4096x4096 from some hundred bytes.
        bytes.replaceSubrange((frame.offset + 5)..<(frame.offset + 9), with: [0x10, 0, 0x10, 0])
        #expect {
            try StampingLadder().stamp(FrameData(bytes), with: Overlay(width: 4096, height: 4096, patches: []))
        } throws: { error in
            guard case .structure(let fault) = error as? StampingError else { return false }
            return fault.cause == .truncated
        }
    }

    @Test func `an output over its limit is an error, not a try of the next way`() throws {
        let picture = try jpeg(.rows(1))
        let limits = JPEGLimits(pixels: 1 << 16, scans: 10, outputBytes: 500)
        #expect(throws: StampingError.coding(.outputTooLarge)) {
            try StampingLadder(limits: limits).stamp(picture, with: band(0, 64))
        }
    }
}
