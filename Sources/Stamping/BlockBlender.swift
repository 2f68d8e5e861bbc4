/// Blends ink into quantised coefficients. All engines blend through here, so that they agree to the bit.
struct BlockBlender {
    private let steps: Block
    private let inverseSteps: Block

    /// A component's quantisation table, 64 values in natural order, none 0.
    init(quantisation: [UInt16]) {
        var steps = Block.zero
        for row in 0..<8 {
            for column in 0..<8 { steps[row][column] = Float(quantisation[row * 8 + column]) }
        }
        self.steps = steps
        inverseSteps = steps.map { 1 / $0 }
    }

    /// The coefficients of a block under ink. Where alpha is 0 samples stay as they are, even those out of range.
    func blend(_ ink: BlockInk, into coefficients: inout MutableSpan<Int16>, at offset: Int) {
        var block = Block.zero
        for row in 0..<8 {
            for column in 0..<8 { block[row][column] = Float(coefficients[offset + row * 8 + column]) }
        }
        let samples = block.joined(steps) { $0 * $1 }.inverseTransformed()
        let dimmed = samples.joined(ink.alpha) { sample, alpha in
            let shown = sample.clamped(lowerBound: Block.Row(repeating: -128), upperBound: Block.Row(repeating: 127))
            return sample.replacing(with: shown * (1 - alpha), where: alpha .> 0)
        }
        store(dimmed.joined(ink.light) { $0 + $1 }, into: &coefficients, at: offset)
    }

    /// The coefficients of a block that opaque ink hides.
    func cover(_ ink: BlockInk, into coefficients: inout MutableSpan<Int16>, at offset: Int) {
        store(ink.light, into: &coefficients, at: offset)
    }

    private func store(_ samples: Block, into coefficients: inout MutableSpan<Int16>, at offset: Int) {
        let quantised = samples.forwardTransformed().joined(inverseSteps) { $0 * $1 }
        for row in 0..<8 {
            // 8-bit Huffman coding has at most ten bits for a coefficient (T.81 F.1.2.2, table F.2).
            let values = quantised[row].rounded(.toNearestOrAwayFromZero)
                .clamped(lowerBound: Block.Row(repeating: -1023), upperBound: Block.Row(repeating: 1023))
            for column in 0..<8 { coefficients[offset + row * 8 + column] = Int16(values[column]) }
        }
        // The DC coefficient alone may be -1024: black everywhere at a step of 1.
        let level = quantised[0][0].rounded(.toNearestOrAwayFromZero)
        coefficients[offset] = Int16(min(1023, max(-1024, level)))
    }
}
