/// 64 integers of a block, eight rows of eight.
struct IntegerBlock {
    typealias Row = SIMD8<Int16>

    @inline(__always) static var zero: IntegerBlock {
        IntegerBlock(rows: (.zero, .zero, .zero, .zero, .zero, .zero, .zero, .zero))
    }

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

extension IntegerBlock {
    /// A bit for each value that is not 0.
    @inline(__always) var mask: UInt64 {
        let (a, b, c, d, e, f, g, h) = rows
        return Self.bits(a, b) | Self.bits(c, d) &<< 16 | Self.bits(e, f) &<< 32 | Self.bits(g, h) &<< 48
    }

    /// A bit for each lane of two rows that is not 0.
    @inline(__always) private static func bits(_ low: Row, _ high: Row) -> UInt64 {
        let lanes = Row(1, 2, 4, 8, 16, 32, 64, 128)
        let flags =
            Row.zero.replacing(with: lanes, where: low .!= Row.zero)
            | Row.zero.replacing(with: lanes &<< 8, where: high .!= Row.zero)
        let halves = unsafe unsafeBitCast(flags, to: SIMD2<UInt64>.self)
        var joined = halves[0] | halves[1]
        joined |= joined &>> 32
        joined |= joined &>> 16
        return joined & 0xFFFF
    }

    /// From the order of coding, in which most values are 0.
    ///
    /// - Parameter order: `Zigzag.natural`.
    /// - Returns: The block in natural order.
    @inline(never) func inNaturalOrder(_ order: InlineArray<64, UInt8>) -> IntegerBlock {
        var natural = IntegerBlock.zero
        var rest = mask
        unsafe withUnsafeBytes(of: rows) { source in
            unsafe withUnsafeMutableBytes(of: &natural.rows) { target in
                while rest != 0 {
                    // 64 values of two bytes each.
                    let place = rest.trailingZeroBitCount
                    rest &= rest &- 1
                    let value = unsafe source.load(fromByteOffset: place * 2, as: Int16.self)
                    unsafe target.storeBytes(of: value, toByteOffset: Int(order[place] & 63) * 2, as: Int16.self)
                }
            }
        }
        return natural
    }

    /// From natural order.
    ///
    /// - Parameter order: `Zigzag.natural`.
    /// - Returns: The block in the order of coding.
    func inOrderOfCoding(_ order: InlineArray<64, UInt8>) -> IntegerBlock {
        let stored = inlineValues
        let values = stored.span
        var coded = InlineArray<64, Int16>(repeating: 0)
        for place in 0..<64 { coded[place] = values[Int(order[place] & 63)] }
        return IntegerBlock(coded)
    }
}

extension Block {
    @inline(__always) init(_ values: InlineArray<64, Float>) {
        let span = values.span
        rows = unsafe span.withUnsafeBytes { bytes in
            // 64 values are the 256 bytes of `rows`.
            unsafe bytes.loadUnaligned(as: (Row, Row, Row, Row, Row, Row, Row, Row).self)
        }
    }

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
