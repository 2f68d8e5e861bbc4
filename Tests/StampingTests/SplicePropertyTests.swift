import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Stamping
import Testing

/// Random baseline pictures and overlays.
@Suite struct SplicePropertyTests {
    private static let cases = RandomTest.cases(60)

    @Test(arguments: [0x5EED_0101 as UInt64, 0x5EED_0102, 0x5EED_0103, 0x5EED_0104])
    func `a splice has the coefficients of the coefficient path, and decodes without a warning`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ways: [StampingWay: Int] = [:]
        var reasons: [String] = []
        for round in 0..<Self.cases {
            let (jpeg, width, height) = try baselinePicture(using: &random)
            let overlay = PreparedOverlay(spliceOverlay(width: width, height: height, using: &random))
            let words = "seed \(seed), round \(round), \(width)x\(height)"
            let stamped = try StampingLadder().stamp(jpeg, with: overlay)
            ways[stamped.way, default: 0] += 1
            guard stamped.way != .coefficients else {
                reasons.append("round \(round): \(try reason(jpeg, overlay))")
                continue
            }
            try check(stamped, of: jpeg, overlay, words)
            let again = try StampingLadder().stamp(jpeg, with: overlay)
            #expect(again.data.array == stamped.data.array, "\(words): cached")
        }
        // Tables made for one picture may lack codes for an overlay, and the room for more; all others are spliced.
        print("seed \(seed): \(ways)", reasons.joined(separator: "\n"), separator: "\n")
        #expect(ways[.fullDecode] == nil)
        #expect(ways[.coefficients, default: 0] * 20 < Self.cases)
    }

    @Test(arguments: [0x5EED_0201 as UInt64, 0x5EED_0202])
    func `an overlay after another is stamped as if there had been none before`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<Self.cases {
            let (jpeg, width, height) = try baselinePicture(using: &random)
            let first = PreparedOverlay(spliceOverlay(width: width, height: height, using: &random))
            _ = try StampingLadder().stamp(jpeg, with: first)
            let others = spliceOverlay(width: width, height: height, using: &random)
            // Some patches stay, some change a little, some go, and others come.
            var patches = first.overlay.patches.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            for index in patches.indices where Bool.random(using: &random) {
                let patch = patches[index]
                var pixels = patch.pixels
                let place = Int.random(in: 0..<(pixels.count / 4), using: &random) * 4
                pixels.replaceSubrange(place..<(place + 4), with: [1, 2, 3, 200])
                patches[index] = .init(
                    x: patch.x, y: patch.y, width: patch.width, height: patch.height, pixels: pixels)
            }
            for patch in others.patches where !patches.contains(where: { overlaps($0, patch) }) {
                patches.append(patch)
            }
            let second = Overlay(width: width, height: height, patches: patches)
            let found = try StampingLadder().stamp(jpeg, with: PreparedOverlay(second, after: first))
            let expected = try StampingLadder().stamp(jpeg, with: second)
            let isEqual = found.data.array == expected.data.array
            #expect(isEqual, "seed \(seed), round \(round), \(width)x\(height)")
        }
    }

    private func overlaps(_ one: Overlay.Patch, _ two: Overlay.Patch) -> Bool {
        one.x < two.x + two.width && two.x < one.x + one.width && one.y < two.y + two.height
            && two.y < one.y + one.height
    }

    /// Why a picture was not spliced.
    private func reason(_ jpeg: FrameData, _ overlay: PreparedOverlay) throws -> String {
        let hasRestarts = try JPEGStructure(parsing: jpeg).scans[0].restartInterval > 0
        let engine: any StampingEngine = hasRestarts ? RestartSpliceEngine() : EntropySpliceEngine()
        do throws(StampingError) {
            _ = try engine.stamp(jpeg, with: overlay)
            return "no reason"
        } catch {
            return error.description
        }
    }

    private func check(
        _ stamped: StampedPicture, of jpeg: FrameData, _ overlay: PreparedOverlay, _ words: String
    ) throws {
        let before = try JPEGStructure(parsing: jpeg)
        let after = try JPEGStructure(parsing: stamped.data)
        #expect(stamped.way == (before.scans[0].restartInterval > 0 ? .restartSplice : .entropySplice), "\(words)")
        try after.requireSoundRestarts()
        #expect(after.trailingByteCount == 0, "\(words)")
        #expect(headerSegments(of: jpeg, before) == headerSegments(of: stamped.data, after), "\(words)")
        let expected = try CoefficientEngine().stamp(jpeg, with: overlay)
        let reference = try JPEGCoefficients(reading: expected.data)
        let result = try JPEGCoefficients(reading: stamped.data)
        #expect(result.warningCount == 0, "\(words)")
        #expect(try JPEGDecoder().decode(stamped.data, scale: .eighth).warningCount == 0, "\(words)")
        #expect(result.components == reference.components, "\(words)")
        try checkUntouched(result, of: jpeg, touchedBlocks(overlay.overlay, before), words)
        for index in reference.components.indices {
            for row in 0..<reference.components[index].rows {
                let same = try result.row(component: index, row: row) == reference.row(component: index, row: row)
                guard !same else { continue }
                Issue.record("\(words): component \(index) differs in row \(row)")
                return
            }
        }
    }

    /// Of the blocks without an inked pixel, against the picture itself.
    private func checkUntouched(
        _ result: borrowing JPEGCoefficients, of jpeg: FrameData, _ touched: [Set<Int>], _ words: String
    ) throws {
        let source = try JPEGCoefficients(reading: jpeg)
        for (index, component) in source.components.enumerated() {
            for row in 0..<component.rows {
                let (old, new) = (
                    try source.row(component: index, row: row), try result.row(component: index, row: row)
                )
                for column in 0..<component.columns where !touched[index].contains(row * component.columns + column) {
                    let values = (column * 64)..<(column * 64 + 64)
                    guard old[values] != new[values] else { continue }
                    Issue.record("\(words): component \(index) changed in row \(row), column \(column)")
                    return
                }
            }
        }
    }

    private func headerSegments(of jpeg: FrameData, _ structure: JPEGStructure) -> [[UInt8]] {
        let bytes = jpeg.array
        let end = structure.scans[0].header.offset
        return structure.segments.filter {
            $0.offset < end && ($0.marker == .comment || $0.marker.applicationNumber != nil)
        }.map { Array(bytes[$0.range]) }
    }

    @Test(arguments: [0x5EED_0111 as UInt64, 0x5EED_0112])
    func `what the overlay leaves alone keeps its bytes where restart markers are`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for round in 0..<30 {
            let (width, height) = (Int.random(in: 1...200, using: &random), Int.random(in: 20...90, using: &random))
            let jpeg = try JPEGCompressor(restarts: .rows(1)).compress(
                samplePicture(width: width, height: height, seed: random.next()))
            let top = Int.random(in: 0..<height, using: &random)
            let tall = Int.random(in: 1...(height - top), using: &random)
            let overlay = Overlay(
                width: width, height: height,
                patches: [patch(x: 0, y: top, width: width, height: tall, [9, 8, 7, round % 2 == 0 ? 255 : 128])])
            let stamped = try StampingLadder().stamp(jpeg, with: overlay)
            let (before, after) = (try intervals(of: jpeg), try intervals(of: stamped.data))
            #expect(before.count == after.count)
            for row in before.indices where row < top / 8 || row > (top + tall - 1) / 8 {
                #expect(before[row] == after[row], "seed \(seed), round \(round), row \(row)")
            }
        }
    }

    /// The bytes of each restart interval.
    private func intervals(of jpeg: FrameData) throws -> [[UInt8]] {
        let scan = try JPEGStructure(parsing: jpeg).scans[0]
        let bytes = jpeg.array
        var found: [[UInt8]] = [[]]
        var at = scan.entropy.lowerBound
        while at < scan.entropy.upperBound {
            if bytes[at] == 0xFF, bytes[at + 1] != 0 {
                found.append([])
                at += 2
            } else {
                found[found.count - 1].append(bytes[at])
                at += 1
            }
        }
        return found
    }
}
