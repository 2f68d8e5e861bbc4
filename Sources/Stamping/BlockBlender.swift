internal import CBlocks

/// The coefficients of a block in natural order: row by row (T.81 figure A.6 gives the order of coding).
typealias Coefficients = InlineArray<64, Int16>

/// Blends ink into quantised coefficients. All engines blend through here, so that they agree to the bit.
///
/// Samples are taken as the coefficients give them: those that a decoder would limit to its range are not limited before
/// the ink is laid on them.
struct BlockBlender {
    private let factors: [Float]

    /// A component's quantisation table, 64 values in natural order, none 0.
    init(quantisation: [UInt16]) {
        precondition(quantisation.count == 64)
        factors = unsafe [Float](unsafeUninitializedCapacity: KONZA_BLEND_FACTORS) { factors, count in
            // As many as the array has room for.
            unsafe konza_blend_factors(factors.baseAddress, quantisation)
            count = KONZA_BLEND_FACTORS
        }
    }

    /// Lays ink on a block whose samples it dims each by its own alpha.
    ///
    /// - Parameters:
    ///   - block: Quantised coefficients; replaced by those of the result.
    ///   - light: What the ink adds, transformed (`InkedComponent.lightScale`); 64 values from an offset on.
    ///   - alpha: What it hides of each sample (`InkedComponent.alphaScale`), column by column, likewise.
    /// - Returns: A bit for each coefficient of the result that is not 0.
    func blend(
        _ block: inout Coefficients, light: (values: Span<Int16>, offset: Int),
        alpha: (values: Span<Int16>, offset: Int)
    ) -> UInt64 {
        var coefficients = block.mutableSpan
        return unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
            unsafe light.values.extracting(light.offset..<(light.offset + 64)).withUnsafeBufferPointer { light in
                unsafe alpha.values.extracting(alpha.offset..<(alpha.offset + 64)).withUnsafeBufferPointer { alpha in
                    // Each has 64 values, the factors as many as `init` made.
                    unsafe factors.withUnsafeBufferPointer { factors in
                        unsafe konza_blend(
                            coefficients.baseAddress, alpha.baseAddress, light.baseAddress, factors.baseAddress)
                    }
                }
            }
        }
    }

    /// Lays ink of the same alpha everywhere on a block: its coefficients are dimmed as all samples are.
    func blend(
        _ block: inout Coefficients, light: (values: Span<Int16>, offset: Int), flatAlpha: Int16
    ) -> UInt64 {
        var coefficients = block.mutableSpan
        return unsafe coefficients.withUnsafeMutableBufferPointer { coefficients in
            unsafe light.values.extracting(light.offset..<(light.offset + 64)).withUnsafeBufferPointer { light in
                // As above.
                unsafe factors.withUnsafeBufferPointer { factors in
                    unsafe konza_blend_flat(
                        coefficients.baseAddress, flatAlpha, light.baseAddress, factors.baseAddress)
                }
            }
        }
    }
}
