import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

/// Raw pictures that are turned while they are compressed, beside ones that a plain loop has turned before.
@Suite struct TurnedCompressionTests {
    private static let turns = PictureTurn.Rotation.allCases.flatMap {
        [PictureTurn($0), PictureTurn($0, isMirrored: true)]
    }

    /// Samples in rows.
    private struct Plane {
        var width: Int
        var height: Int
        var samples: [UInt8]

        init(_ width: Int, _ height: Int, _ sample: (Int, Int) -> UInt8) {
            self.width = width
            self.height = height
            samples = (0..<(width * height)).map { sample($0 % width, $0 / width) }
        }

        /// The first columns and rows.
        func first(_ columns: Int, _ rows: Int) -> Plane { Plane(columns, rows) { samples[$1 * width + $0] } }

        func turned(_ turn: PictureTurn) -> Plane {
            Plane(turn.transposes ? height : width, turn.transposes ? width : height) { x, y in
                let across = turn.flipsColumns ? (turn.transposes ? height : width) - 1 - x : x
                let down = turn.flipsRows ? (turn.transposes ? width : height) - 1 - y : y
                return turn.transposes ? samples[across * width + down] : samples[down * width + across]
            }
        }
    }

    /// Rows that are longer than the picture.
    private func bytes(_ layout: JPEGCompressor.Layout, _ planes: [Plane], stride: Int) -> [UInt8] {
        let (luma, cb, cr) = (planes[0], planes[1], planes[2])
        switch layout {
        case .yuyv, .uyvy:
            return (0..<luma.height).flatMap { y -> [UInt8] in
                let line = (0..<cb.width).flatMap { x -> [UInt8] in
                    let first = luma.samples[y * luma.width + 2 * x]
                    let second = luma.samples[y * luma.width + min(2 * x + 1, luma.width - 1)]
                    let (blue, red) = (cb.samples[y * cb.width + x], cr.samples[y * cr.width + x])
                    return layout == .yuyv ? [first, blue, second, red] : [blue, first, red, second]
                }
                return line + [UInt8](repeating: 9, count: stride - line.count)
            }
        default:
            func rows(_ plane: Plane, _ stride: Int) -> [UInt8] {
                let rest = [UInt8](repeating: 9, count: stride - plane.width)
                return (0..<plane.height).flatMap { y -> [UInt8] in
                    Array(plane.samples[(y * plane.width)..<((y + 1) * plane.width)]) + rest
                }
            }
            if layout == .i420 { return rows(luma, stride) + rows(cb, stride / 2) + rows(cr, stride / 2) }
            let pairs = Plane(2 * cb.width, cb.height) { x, y in (x % 2 == 0 ? cb : cr).samples[y * cb.width + x / 2] }
            return rows(luma, stride) + rows(pairs, stride)
        }
    }

    @Test(arguments: [JPEGCompressor.Layout.yuyv, .uyvy, .nv12, .i420])
    func `raw pictures are turned as a plain loop does it`(layout: JPEGCompressor.Layout) throws {
        for (width, height) in [(64, 48), (50, 38), (33, 17), (35, 50), (1, 1), (2, 3)] {
            let seed = UInt64(width * 1000 + height)
            var random = SeededGenerator(seed: seed)
            // Smooth, so that what decoding adds stays small.
            let slopes = (0..<3).map { _ in
                (Int.random(in: 1...3, using: &random), Int.random(in: 1...4, using: &random))
            }
            let isQuartered = layout == .nv12 || layout == .i420
            let planes = slopes.indices.map { index in
                let isChroma = index > 0
                return Plane(
                    isChroma ? (width + 1) / 2 : width, isChroma && isQuartered ? (height + 1) / 2 : height
                ) { UInt8(20 + ($0 * slopes[index].0 + $1 * slopes[index].1) % 220) }
            }
            let stride = (width + 1) / 2 * 4 + 12
            let raw = bytes(layout, planes, stride: stride)
            let compressor = JPEGCompressor(quality: 95)
            for turn in Self.turns {
                let words = "\(layout) \(width)x\(height) \(turn)"
                let jpeg = try compressor.compress(
                    raw.span, layout: layout, width: width, height: height, bytesPerLine: stride, range: .full,
                    turn: turn)
                let structure = try JPEGStructure(parsing: jpeg)
                #expect(structure.scans.first?.restartInterval == structure.unitCount.columns, "\(words)")
                try structure.requireSoundRestarts()
                // A column or row whose chroma would no longer lie over two pixels is left out.
                let flipsAcross = turn.transposes ? turn.flipsRows : turn.flipsColumns
                let flipsDown = turn.transposes ? turn.flipsColumns : turn.flipsRows
                let across = flipsAcross && width > 1 ? width - width % 2 : width
                let down = flipsDown && isQuartered && height > 1 ? height - height % 2 : height
                #expect(structure.width == (turn.transposes ? down : across), "\(words)")
                #expect(structure.height == (turn.transposes ? across : down), "\(words)")
                let wide = turn.transposes ? (isQuartered ? 2 : 1) : 2
                let high = turn.transposes ? 2 : (isQuartered ? 2 : 1)
                #expect(structure.maximumSampling == (wide, high), "\(words)")
                let turned = planes.enumerated().map { index, plane in
                    let isChroma = index > 0
                    return plane.first(
                        isChroma ? (across + 1) / 2 : across, isChroma && isQuartered ? (down + 1) / 2 : down
                    ).turned(turn)
                }
                let expected = try reference(layout, turned, turn, compressor)
                let (ours, other) = (
                    try JPEGDecoder().decode(jpeg).image, try JPEGDecoder().decode(expected).image
                )
                #expect((ours.width, ours.height) == (other.width, other.height), "\(words)")
                if wide == 2, (high == 2) == isQuartered { #expect(jpeg.array == expected.array, "\(words)") }
                #expect(meanDifference(ours, other) < 1.5, "\(words) \(meanDifference(ours, other))")
            }
        }
    }

    /// The turned planes as a raw picture again; 4:4:0, which no layout has, by way of 4:2:2 and the blocks' turn.
    private func reference(
        _ layout: JPEGCompressor.Layout, _ planes: [Plane], _ turn: PictureTurn, _ compressor: JPEGCompressor
    ) throws -> FrameData {
        let isPacked = layout == .yuyv || layout == .uyvy
        let sideways = isPacked && turn.transposes
        let transposition = PictureTurn(.quarter, isMirrored: true)
        let laid = sideways ? planes.map { $0.turned(transposition) } : planes
        let stride = (laid[0].width + 1) / 2 * 4
        let jpeg = try compressor.compress(
            bytes(layout, laid, stride: stride).span, layout: layout, width: laid[0].width, height: laid[0].height,
            bytesPerLine: stride, range: .full)
        return sideways ? try JPEGTurner().turn(jpeg, by: transposition).data : jpeg
    }

    @Test func `pictures that are not YCbCr are not turned here`() {
        for layout in [JPEGCompressor.Layout.rgb, .grey] {
            #expect(throws: JPEGCodingError.self) {
                try JPEGCompressor().compress(
                    [UInt8](repeating: 0, count: 300).span, layout: layout, width: 10, height: 10,
                    turn: PictureTurn(.half))
            }
        }
    }
}
