/// 64 integers of a block, eight rows of eight.
struct IntegerBlock {
    typealias Row = SIMD8<Int16>

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

    @inline(__always) init(_ values: InlineArray<64, Int16>) {
        self.init(values.span, at: 0)
    }

    @inline(__always) var inlineValues: InlineArray<64, Int16> {
        var values = InlineArray<64, Int16>(repeating: 0)
        var span = values.mutableSpan
        store(into: &span, at: 0)
        return values
    }

    /// 1.5 * 2^23: integers up to 2^22 added to it are its lowest bits, which converts lanes side by side.
    @inline(__always) fileprivate static var magic: Float { 12_582_912 }
    // Computed: a stored vector would be looked up behind a lock each time.
    @inline(__always) fileprivate static var magicBits: SIMD8<UInt32> { SIMD8(repeating: 0x4B40_0000) }
}

extension Block {
    /// To the nearest integers, ties to even; magnitudes are below 2^15.
    @inline(__always) var rounded: IntegerBlock {
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
