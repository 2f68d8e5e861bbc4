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
    ///
    /// - Parameters:
    ///   - coefficients: Quantised, in natural order.
    ///   - light: What the ink adds to each sample (`InkedComponent.lightScale`).
    ///   - alpha: What it leaves of each sample (`InkedComponent.alphaScale`).
    /// - Returns: Quantised coefficients.
    func blended(_ coefficients: IntegerBlock, light: IntegerBlock, alpha: IntegerBlock) -> IntegerBlock {
        let samples = coefficients.floating.joined(steps) { $0 * $1 }.inverseTransformed()
        let dimmed = samples.joined(alpha.floating, Self.dimmed)
        return quantised(dimmed.joined(light.floating) { $0 + $1 * (1 / InkedComponent.lightScale) })
    }

    @inline(__always) private static func dimmed(_ sample: Block.Row, _ alpha: Block.Row) -> Block.Row {
        let rest = sample.limited(-128, 127) * (1 - alpha * (1 / InkedComponent.alphaScale))
        return sample.replacing(with: rest, where: alpha .> 0)
    }

    /// The coefficients of a block that opaque ink hides.
    func covered(light: IntegerBlock) -> IntegerBlock {
        quantised(light.floating.map { $0 * (1 / InkedComponent.lightScale) })
    }

    @inline(__always) private func quantised(_ samples: Block) -> IntegerBlock {
        let values = samples.forwardTransformed().joined(inverseSteps) { $0 * $1 }
        // 8-bit Huffman coding has at most ten bits for a coefficient (T.81 F.1.2.2, table F.2); DC alone may be
        // -1024: black everywhere at a step of 1.
        let level = min(1023, max(-1024, values.rows.0[0]))
        var limited = values.map { $0.limited(-1023, 1023) }
        limited.rows.0[0] = level
        return limited.rounded
    }
}

/// 64 integers of a block, eight rows of eight.
struct IntegerBlock {
    typealias Row = SIMD8<Int16>

    static let zero = IntegerBlock(rows: (.zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero))

    var rows: (Row, Row, Row, Row, Row, Row, Row, Row)

    /// Loads 64 values at an offset.
    init(_ values: Span<Int16>, at offset: Int) {
        precondition(offset >= 0 && offset <= values.count - 64, "a block lies inside its row")
        rows = unsafe values.withUnsafeBytes { bytes in
            // In bounds by the precondition; 64 values are the 128 bytes of `rows`.
            unsafe bytes.loadUnaligned(
                fromByteOffset: offset * 2, as: (Row, Row, Row, Row, Row, Row, Row, Row).self)
        }
    }

    init(rows: (Row, Row, Row, Row, Row, Row, Row, Row)) { self.rows = rows }

    /// Stores 64 values at an offset.
    func store(into values: inout MutableSpan<Int16>, at offset: Int) {
        precondition(offset >= 0 && offset <= values.count - 64, "a block lies inside its row")
        unsafe values.withUnsafeMutableBytes { bytes in
            // In bounds by the precondition.
            unsafe bytes.storeBytes(
                of: rows, toByteOffset: offset * 2, as: (Row, Row, Row, Row, Row, Row, Row, Row).self)
        }
    }

    @inline(__always) var floating: Block {
        let (a, b, c, d, e, f, g, h) = rows
        return Block(
            rows: (
                Self.float(a), Self.float(b), Self.float(c), Self.float(d), Self.float(e), Self.float(f), Self.float(g),
                Self.float(h)
            ))
    }

    /// 1.5 * 2^23: integers up to 2^22 added to it are its lowest bits, which converts lanes side by side.
    @inline(__always) fileprivate static var magic: Float { 12_582_912 }
    // Computed: a stored vector would be looked up behind a lock each time.
    @inline(__always) fileprivate static var magicBits: SIMD8<UInt32> { SIMD8(repeating: 0x4B40_0000) }

    @inline(__always) private static func float(_ row: Row) -> Block.Row {
        let bits = SIMD8<UInt32>(truncatingIfNeeded: SIMD8<Int32>(truncatingIfNeeded: row)) &+ magicBits
        return unsafe unsafeBitCast(bits, to: Block.Row.self) - magic
    }
}

extension Block {
    /// To the nearest integers, ties to even; magnitudes are below 2^15.
    @inline(__always) fileprivate var rounded: IntegerBlock {
        @inline(__always) func integer(_ row: Row) -> IntegerBlock.Row {
            let bits = unsafe unsafeBitCast(row + IntegerBlock.magic, to: SIMD8<UInt32>.self)
            return IntegerBlock.Row(truncatingIfNeeded: bits &- IntegerBlock.magicBits)
        }
        let (a, b, c, d, e, f, g, h) = rows
        return IntegerBlock(
            rows: (
                integer(a), integer(b), integer(c), integer(d), integer(e), integer(f), integer(g), integer(h)
            ))
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
