import CBlocks
import Foundation
import KonzaTesting
import Testing

@testable import Stamping

/// The arithmetic of a block under ink, against the formulas of the standard in double precision.
@Suite struct BlockBlenderTests {
    private struct Case {
        var quantisation: [UInt16]
        var block: Coefficients
        var alpha: [Int16]
        var light: [Int16]

        init(using random: inout SeededGenerator) {
            let step = UInt16.random(in: 1...60, using: &random)
            quantisation = (0..<64).map { step + UInt16($0 / 8 + $0 % 8) }
            var block = Coefficients(repeating: 0)
            let (least, most): (Int16, Int16) = (-1024 / Int16(step), 1023 / Int16(step))
            block[0] = Int16.random(in: least...most, using: &random)
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                block[Int.random(in: 1..<64, using: &random)] = Int16.random(in: -9...9, using: &random)
            }
            self.block = block
            alpha = (0..<64).map { _ in Int16.random(in: 0...16_384, using: &random) }
            light = (0..<64).map { _ in Int16.random(in: -800...800, using: &random) }
        }

        /// T.81 A.3.3 both ways, with the samples dimmed in between.
        var expected: [Double] {
            func wave(_ place: Int, _ frequency: Int) -> Double {
                cos(Double((2 * place + 1) * frequency) * .pi / 16) * (frequency == 0 ? 0.5.squareRoot() : 1) / 2
            }
            func transformed(_ values: [Double], _ factor: (_ place: Int, _ other: Int) -> Double) -> [Double] {
                (0..<64).map { place in
                    var sum = 0.0
                    for (other, value) in values.enumerated() {
                        sum += value * factor(place / 8, other / 8) * factor(place % 8, other % 8)
                    }
                    return sum
                }
            }
            let coefficients = (0..<64).map { Double(block[$0]) * Double(quantisation[$0]) }
            let samples = transformed(coefficients) { wave($0, $1) }
            let dimmed = samples.enumerated().map { place, sample in
                let share = Double(alpha[place % 8 * 8 + place / 8]) / 16_384
                return sample * (1 - share)
            }
            let result = transformed(dimmed) { wave($1, $0) }
            return (0..<64).map { (result[$0] + Double(light[$0]) / 16) / Double(quantisation[$0]) }
        }

        func blended() -> (block: Coefficients, mask: UInt64) {
            var block = block
            let mask = BlockBlender(quantisation: quantisation).blend(
                &block, light: (light.span, 0), alpha: (alpha.span, 0))
            return (block, mask)
        }
    }

    @Test(arguments: [0x5EED_0301 as UInt64, 0x5EED_0302])
    func `a block under ink is the nearest to what the standard's transforms give, within their own error`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let each = Case(using: &random)
            let (block, mask) = each.blended()
            let expected = each.expected
            for place in 0..<64 {
                let limited = min(max(expected[place], place == 0 ? -1024 : -1023), 1023)
                #expect(abs(Double(block[place]) - limited) < 0.502, "seed \(seed), round \(round), \(place)")
                #expect((mask >> UInt64(place) & 1 == 1) == (block[place] != 0))
            }
        }
    }

    @Test func `ink of one alpha everywhere is blended as ink whose alpha may vary`() {
        var random = SeededGenerator(seed: 0x5EED_0303)
        for round in 0..<60 {
            var each = Case(using: &random)
            let alpha = Int16.random(in: 0...16_384, using: &random)
            each.alpha = [Int16](repeating: alpha, count: 64)
            let expected = each.expected
            var block = each.block
            let mask = BlockBlender(quantisation: each.quantisation).blend(
                &block, light: (each.light.span, 0), flatAlpha: alpha)
            for place in 0..<64 {
                let limited = min(max(expected[place], place == 0 ? -1024 : -1023), 1023)
                #expect(abs(Double(block[place]) - limited) < 0.502, "round \(round), \(place)")
                #expect((mask >> UInt64(place) & 1 == 1) == (block[place] != 0))
            }
        }
    }

    @Test func `no coefficient of the result is beyond what Huffman coding has codes for`() {
        let light = [Int16](repeating: -32_768, count: 64)
        var block = Coefficients(repeating: 0)
        let blender = BlockBlender(quantisation: [UInt16](repeating: 1, count: 64))
        _ = blender.blend(&block, light: (light.span, 0), flatAlpha: 16_384)
        #expect(block[0] == -1024)
        #expect((1..<64).allSatisfy { block[$0] == -1023 })
        _ = blender.blend(&block, light: ([Int16](repeating: 32_767, count: 64).span, 0), flatAlpha: 16_384)
        #expect((0..<64).allSatisfy { block[$0] == 1023 })
    }

    @Test func `processors with and without AVX2 find the same, to the bit`() {
        var random = SeededGenerator(seed: 0x5EED_0304)
        for round in 0..<200 {
            let each = Case(using: &random)
            var narrow = (0..<64).map { each.block[$0] }
            var factors = [Float](repeating: 0, count: KONZA_BLEND_FACTORS)
            konza_blend_factors(&factors, each.quantisation)
            let mask = konza_blend_narrow(&narrow, each.alpha, each.light, factors)
            let found = each.blended()
            let isEqual = mask == found.mask && (0..<64).allSatisfy { narrow[$0] == found.block[$0] }
            #expect(isEqual, "round \(round)")
        }
    }
}
