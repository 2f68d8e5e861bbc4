/// Blends ink into quantised coefficients. All engines blend through here, so that they agree to the bit.
///
/// Blocks come and go in the order of coding.
struct BlockBlender {
    /// In natural order.
    private let steps: Block
    /// In the order of coding.
    private let inverseSteps: Block
    /// The same, for light as it is held.
    private let lightSteps: Block
    // Here too, since a value made of a literal is made each time.
    private let order = Zigzag.natural

    /// A component's quantisation table, 64 values in natural order, none 0.
    init(quantisation: [UInt16]) {
        var steps = InlineArray<64, Float>(repeating: 0)
        var inverseSteps = InlineArray<64, Float>(repeating: 0)
        for place in 0..<64 {
            let step = Float(quantisation[Int(order[place])])
            steps[Int(order[place])] = step
            inverseSteps[place] = 1 / step
        }
        self.steps = Block(steps)
        self.inverseSteps = Block(inverseSteps)
        lightSteps = self.inverseSteps.map { $0 * (1 / InkedComponent.lightScale) }
    }

    /// The coefficients of a block under ink. Samples are taken as the coefficients give them: those that a decoder
    /// would limit to its range are not limited before the ink is laid on them.
    ///
    /// - Parameters:
    ///   - coefficients: Quantised.
    ///   - light: What the ink adds, transformed (`InkedComponent.lightScale`).
    ///   - alpha: What it hides of each sample (`InkedComponent.alphaScale`), turned over the diagonal.
    /// - Returns: Quantised coefficients.
    @inline(never) func blended(
        _ coefficients: IntegerBlock, light: IntegerBlock, alpha: IntegerBlock
    ) -> IntegerBlock {
        var block: Block
        if coefficients.mask & ~1 == 0 {
            block = Block(level: Float(coefficients.rows.0[0]) * steps.rows.0[0])
        } else {
            block = coefficients.inNaturalOrder(order).floating.joined(steps) { $0 * $1 }
            block.inverselyTransform()
        }
        block = block.joined(alpha.floating) { $0 * (1 - $1 * (1 / InkedComponent.alphaScale)) }
        block.transform()
        block.reorder(order)
        let ink = light.floating.joined(lightSteps) { $0 * $1 }
        return quantised(block.joined(inverseSteps) { $0 * $1 }.joined(ink) { $0 + $1 })
    }

    /// The coefficients of a block under ink of the same alpha everywhere: they are dimmed as all samples are.
    @inline(__always) func blended(
        _ coefficients: IntegerBlock, light: IntegerBlock, flatAlpha: Int16
    ) -> IntegerBlock {
        let rest = Block.Row(repeating: 1 - Float(flatAlpha) * (1 / InkedComponent.alphaScale))
        let ink = light.floating.joined(lightSteps) { $0 * $1 }
        return quantised(coefficients.floating.joined(ink) { $0 * rest + $1 })
    }

    /// The coefficients of a block that opaque ink hides.
    func covered(light: IntegerBlock) -> IntegerBlock {
        quantised(light.floating.joined(lightSteps) { $0 * $1 })
    }

    @inline(__always) private func quantised(_ values: Block) -> IntegerBlock {
        // 8-bit Huffman coding has at most ten bits for a coefficient (T.81 F.1.2.2, table F.2); DC alone may be
        // -1024: black everywhere at a step of 1.
        let level = min(1023, max(-1024, values.rows.0[0]))
        var limited = values.map { $0.limited(-1023, 1023) }
        limited.rows.0[0] = level
        return limited.rounded
    }
}

extension Block.Row {
    /// As `clamped`, which goes through the lanes one by one.
    @inline(__always) fileprivate func limited(_ lowest: Float, _ highest: Float) -> Block.Row {
        let low = Block.Row(repeating: lowest)
        let high = Block.Row(repeating: highest)
        let raised = replacing(with: low, where: self .< low)
        return raised.replacing(with: high, where: raised .> high)
    }
}
