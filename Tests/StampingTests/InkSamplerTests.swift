import Foundation
import JPEGCoding
import KonzaModel
import KonzaTesting
import Testing

@testable import Stamping

/// What an overlay comes to on a component, against plain sums over each sample's pixels and the standard's transform.
@Suite struct InkSamplerTests {
    /// The pixels of a block's samples, those beyond the picture's edge as the last ones before it.
    private struct PlainBlock {
        /// Red, green, blue and alpha of each sample, the means of 0 to 255.
        var samples: [[Double]] = []

        init?(
            _ canvas: [UInt8], _ geometry: OverlayGeometry, component: Int, column: Int, row: Int
        ) {
            let (across, down) = (
                geometry.maximum.horizontal / geometry.components[component].horizontal,
                geometry.maximum.vertical / geometry.components[component].vertical
            )
            let (columns, rows) = (
                (geometry.width + across - 1) / across, (geometry.height + down - 1) / down
            )
            for y in 0..<8 {
                for x in 0..<8 {
                    let (left, top) = (
                        min(column * 8 + x, columns - 1) * across, min(row * 8 + y, rows - 1) * down
                    )
                    var (sum, count) = ([Double](repeating: 0, count: 4), 0.0)
                    for pixelY in top..<min(top + down, geometry.height) {
                        for pixelX in left..<min(left + across, geometry.width) {
                            for channel in 0..<4 {
                                sum[channel] += Double(canvas[(pixelY * geometry.width + pixelX) * 4 + channel])
                            }
                            count += 1
                        }
                    }
                    samples.append(sum.map { $0 / count })
                }
            }
            if samples.allSatisfy({ $0[3] == 0 }) { return nil }
        }

        func light(_ factors: SIMD4<Float>) -> [Double] {
            func wave(_ place: Int, _ frequency: Int) -> Double {
                cos(Double((2 * place + 1) * frequency) * .pi / 16) * (frequency == 0 ? 0.5.squareRoot() : 1) / 2
            }
            let light = samples.map { sample in (0..<4).reduce(0) { $0 + sample[$1] * Double(factors[$1]) } }
            return (0..<64).map { place in
                (0..<64).reduce(0) { $0 + light[$1] * wave($1 / 8, place / 8) * wave($1 % 8, place % 8) } * 16
            }
        }
    }

    @Test(arguments: JPEGCompressor.Subsampling.allCases)
    func `light and alpha of a sample are the means over its pixels`(subsampling: JPEGCompressor.Subsampling) throws {
        var random = SeededGenerator(seed: 0x5EED_0401)
        for round in 0..<6 {
            let (width, height) = (Int.random(in: 17...50, using: &random), Int.random(in: 9...40, using: &random))
            let jpeg = try JPEGCompressor(quality: 80, subsampling: subsampling)
                .compress(samplePicture(width: width, height: height))
            let geometry = try OverlayGeometry(JPEGStructure(parsing: jpeg))
            let overlay = randomOverlay(width: width, height: height, using: &random)
            var canvas = [UInt8](repeating: 0, count: width * height * 4)
            for patch in overlay.patches {
                for y in 0..<patch.height {
                    let from = y * patch.width * 4
                    let to = ((patch.y + y) * width + patch.x) * 4
                    canvas.replaceSubrange(
                        to..<(to + patch.width * 4), with: patch.pixels[from..<(from + patch.width * 4)])
                }
            }
            for component in geometry.components.indices {
                var sampler = InkSampler(geometry: geometry, component: component)
                let size = geometry.blocks(component: component)
                let factors = geometry.model.factors(component: component)
                for row in 0..<size.rows {
                    for column in 0..<size.columns {
                        let words = "\(subsampling), round \(round), component \(component), \(column), \(row)"
                        let plain = PlainBlock(canvas, geometry, component: component, column: column, row: row)
                        let block = sampler.take(overlay.patches, column: column, row: row)
                        #expect((plain == nil) == (block == nil), "\(words)")
                        guard let plain, let block else { continue }
                        #expect(block.isOpaque == plain.samples.allSatisfy { $0[3] == 255 }, "\(words)")
                        let light = sampler.light([factors.x, factors.y, factors.z, factors.w])
                        let expected = plain.light(factors)
                        let worst = (0..<64).map { abs(Double(light[$0]) - expected[$0]) }.max() ?? 0
                        #expect(worst < 0.51, "\(words)")
                        var alpha = Coefficients(repeating: 0)
                        let common = sampler.alpha(into: &alpha)
                        // Rounded down, within what single precision may be off.
                        let isRight = (0..<64).allSatisfy {
                            let exact = plain.samples[$0][3] / 255 * 16_384
                            let found = Double(alpha[$0 % 8 * 8 + $0 / 8])
                            return found <= exact + 0.01 && found > exact - 1.01
                        }
                        #expect(isRight, "\(words)")
                        let isFlat = (0..<64).allSatisfy { alpha[$0] == alpha[0] }
                        #expect(common == (isFlat ? Int32(alpha[0]) : nil), "\(words)")
                    }
                }
            }
        }
    }
}
