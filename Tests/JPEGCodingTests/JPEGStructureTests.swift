import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@Suite struct JPEGStructureTests {
    @Test(arguments: JPEGCompressor.Coding.allCases, JPEGCompressor.Subsampling.allCases)
    func `every kind of picture is described as it was made`(
        coding: JPEGCompressor.Coding, subsampling: JPEGCompressor.Subsampling
    ) throws {
        let compressor = JPEGCompressor(subsampling: subsampling, restarts: .rows(1), coding: coding)
        let data = try compressor.compress(samplePicture(width: 131, height: 77))
        let structure = try JPEGStructure(parsing: data)
        try structure.requireSoundRestarts()
        #expect(structure.width == 131 && structure.height == 77)
        #expect(structure.components.count == 3 && structure.precision == 8)
        #expect(structure.hasJFIF && !structure.hasAVI1)
        #expect(structure.missingHuffmanTables.isEmpty)
        #expect(structure.endOffset + 2 == data.count)
        #expect(structure.scans.allSatisfy { $0.restartInterval > 0 && $0.restartCount == $0.expectedRestartCount })
        let sampling = structure.maximumSampling
        switch subsampling {
        case .none: #expect(sampling == (1, 1))
        case .halfWidth: #expect(sampling == (2, 1))
        case .halfWidthAndHeight: #expect(sampling == (2, 2))
        case .quarterWidth: #expect(sampling == (4, 1))
        case .halfHeight: #expect(sampling == (1, 2))
        }
    }

    @Test func `each way to break a picture has its own cause`() throws {
        let sound = try JPEGCompressor().compress(samplePicture(width: 64, height: 64)).array
        let structure = try JPEGStructure(parsing: sound.span)
        let frame = try #require(structure.segments.first { $0.marker.isStartOfFrame })
        let scan = try #require(structure.scans.first)
        let quantisation = try #require(structure.segment(.quantisationTables))
        let restart = try #require(
            scan.entropy.first { sound[$0] == 0xFF && JPEGMarker(rawValue: sound[$0 + 1]).isRestart })

        func cause(_ change: (inout [UInt8]) -> Void) -> JPEGStructureError.Cause? {
            var bytes = sound
            change(&bytes)
            do {
                try JPEGStructure(parsing: bytes.span).requireSoundRestarts()
                return nil
            } catch { return error.cause }
        }
        #expect(cause { _ in } == nil)
        #expect(cause { $0 = [] } == .empty)
        #expect(cause { $0[0] = 0 } == .noStart)
        #expect(cause { $0.removeLast(2) } == .truncated)
        #expect(cause { $0.removeLast($0.count / 2) } == .truncated)
        #expect(cause { $0[frame.offset] = 0x33 } == .garbage)
        #expect(cause { $0.insert(7, at: frame.offset) } == .garbage)
        #expect(
            cause { ($0[frame.payload.lowerBound + 1], $0[frame.payload.lowerBound + 2]) = (0, 0) } == .zeroDimension)
        #expect(cause { $0[frame.payload.lowerBound + 7] = 0x50 } == .badComponents)
        #expect(cause { $0.removeSubrange(frame.range) } == .noFrame)
        #expect(cause { $0.insert(contentsOf: sound[frame.range], at: frame.offset) } == .secondFrame)
        #expect(cause { $0[quantisation.payload.lowerBound + 9] = 0 } == .zeroQuantisation)
        #expect(cause { $0[quantisation.payload.lowerBound] = 3 } == .noQuantisationTable)
        #expect(cause { $0[restart + 1] ^= 1 } == .restartOrder)
        #expect(cause { $0.removeSubrange(restart..<(restart + 2)) } == .restartOrder)
        #expect(cause { $0.insert(contentsOf: [0xFF, 0xD7], at: scan.entropy.upperBound) } == .restartCount)
    }

    @Test func `padding after the end is counted and fill bytes before a marker are skipped`() throws {
        var bytes = try JPEGCompressor().compress(samplePicture(width: 30, height: 20)).array
        let frame = try #require(try JPEGStructure(parsing: bytes.span).segments.first { $0.marker.isStartOfFrame })
        bytes.insert(contentsOf: [0xFF, 0xFF, 0xFF], at: frame.offset)
        bytes += [UInt8](repeating: 0, count: 1000)
        let structure = try JPEGStructure(parsing: bytes.span)
        #expect(structure.trailingByteCount == 1000)
        #expect(structure.width == 30)
    }

    @Test func `a picture without Huffman tables decodes once the standard ones are inserted`() throws {
        let whole = try JPEGCompressor().compress(samplePicture(width: 90, height: 50))
        let bare = try removing(.huffmanTables, from: whole)
        let structure = try JPEGStructure(parsing: bare)
        #expect(structure.missingHuffmanTables.count == 4)
        let repaired = try structure.withStandardHuffmanTables(bare)
        #expect(try JPEGStructure(parsing: repaired).missingHuffmanTables.isEmpty)
        let expected = try JPEGDecoder().decode(whole)
        let decoded = try JPEGDecoder().decode(repaired)
        #expect(decoded.warningCount == 0)
        #expect(decoded.image == expected.image)
    }

    @Test func `the standard Huffman tables are those that libjpeg writes`() throws {
        let whole = try JPEGCompressor().compress(samplePicture(width: 16, height: 16))
        let tables = try JPEGStructure(parsing: whole).segments.filter { $0.marker == .huffmanTables }
        let bare = try removing(.huffmanTables, from: whole)
        let inserted = try #require(try JPEGStructure(parsing: bare).standardHuffmanSegment())
        // libjpeg writes DC 0, AC 0, DC 1, AC 1, a segment each.
        let bodies = tables.map { Array(whole.array[$0.payload]) }.sorted { $0[0] < $1[0] }
        #expect(Array(inserted.dropFirst(4)) == Array(bodies.joined()))
    }

    @Test func `mutated pictures never trap`() throws {
        let seed: UInt64 = 0x5EED_0001
        var random = SeededGenerator(seed: seed)
        let sources = try JPEGCompressor.Coding.allCases.map {
            try JPEGCompressor(restarts: .rows(1), coding: $0).compress(samplePicture(width: 40, height: 24)).array
        }
        let decoder = JPEGDecoder(limits: JPEGLimits(pixels: 1 << 16, scans: 30, outputBytes: 1 << 20))
        for _ in 0..<1500 {
            var bytes = sources[Int.random(in: 0..<sources.count, using: &random)]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0..<40, using: &random)))
                default: bytes.insert(0xFF, at: at)
                }
            }
            _ = try? JPEGStructure(parsing: bytes.span)
            _ = try? decoder.decode(bytes.span)
        }
    }
}
