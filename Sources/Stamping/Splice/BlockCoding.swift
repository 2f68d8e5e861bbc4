extension BitReader {
    /// Takes a DC difference.
    @inline(__always) mutating func difference(_ table: HuffmanTableReference) throws(SpliceFault) -> Int {
        refillForCode()
        return extended(try symbol(table))
    }

    /// Takes a symbol; its bits must be ready.
    @inline(__always) private mutating func symbol(_ table: HuffmanTableReference) throws(SpliceFault) -> Int {
        let known = table.lookup(peek(HuffmanTable.lookupBits))
        guard known != 0 else { return try longSymbol(table) }
        consume(known >> 8)
        return known & 255
    }

    /// Takes a symbol and its code of any length; the bits must be ready.
    @inline(never) private mutating func longSymbol(_ table: HuffmanTableReference) throws(SpliceFault) -> Int {
        guard let found = table.symbol(peek(16)) else { throw .broken(offset: position) }
        consume(found.length)
        return found.symbol
    }

    /// Takes the AC part of a block and forgets it.
    @inline(__always) mutating func skipCoefficients(_ table: HuffmanTableReference) throws(SpliceFault) {
        var at = 1
        // Copies, that the loop keeps in registers.
        var (window, count) = (window, count)
        while true {
            if count < 32 { (window, count) = refilled(window, count) }
            let entry = table.skip(Int(truncatingIfNeeded: window &>> UInt64(64 - HuffmanTable.skipBits)))
            let next = at &+ entry &>> 5
            if next < 64 {
                window &<<= UInt64(truncatingIfNeeded: entry & 31)
                count &-= entry & 31
                at = next
                continue
            }
            (self.window, self.count) = (window, count)
            // The block ends here, or its last symbols must be told from those of the next block.
            let ends = entry &>> 5 >= HuffmanTable.blockEnd && next < 64 + HuffmanTable.blockEnd
            if entry & 31 != 0, ends || next == 64 {
                consume(entry & 31)
                return
            }
            at = try skipOne(at, table)
            if at == 64 { return }
            (window, count) = (self.window, self.count)
        }
    }

    /// `refill` on copies of the window.
    @inline(__always) private mutating func refilled(_ window: UInt64, _ count: Int) -> (UInt64, Int) {
        (self.window, self.count) = (window, count)
        refill()
        return (self.window, self.count)
    }

    /// Takes one symbol of AC with its extra bits.
    ///
    /// - Returns: The place of the next coefficient, 64 after the last.
    @inline(never) private mutating func skipOne(
        _ at: Int, _ table: HuffmanTableReference
    ) throws(SpliceFault) -> Int {
        let symbol = try symbol(table)
        if symbol == 0 { return 64 }
        let next = at + symbol >> 4 + 1
        guard next <= 64, symbol & 15 != 0 || symbol == 0xF0 else { throw .broken(offset: position) }
        consume(symbol & 15)
        return next
    }

    /// Takes the AC part of a block into a block of zeros, in natural order.
    @inline(__always) mutating func coefficients(
        _ table: HuffmanTableReference, into block: inout InlineArray<64, Int16>
    ) throws(SpliceFault) {
        var at = 1
        var (window, count) = (window, count)
        while at < 64 {
            if count < 32 { (window, count) = refilled(window, count) }
            let known = table.lookup(Int(truncatingIfNeeded: window &>> UInt64(64 - HuffmanTable.lookupBits)))
            let symbol: Int
            let length: Int
            if known != 0 {
                (symbol, length) = (known & 255, known &>> 8)
            } else {
                guard let found = table.symbol(Int(truncatingIfNeeded: window &>> 48)) else {
                    throw .broken(offset: position)
                }
                (symbol, length) = found
            }
            let size = symbol & 15
            if size == 0 {
                window &<<= UInt64(truncatingIfNeeded: length)
                count &-= length
                if symbol == 0 { break }
                at += 16
                guard symbol == 0xF0, at <= 64 else { throw .broken(offset: position) }
                continue
            }
            at += symbol &>> 4
            guard at < 64 else { throw .broken(offset: position) }
            // `extended`, with both shifts of the window at once.
            let rest = window &<< UInt64(truncatingIfNeeded: length)
            let isNegative = ~Int(truncatingIfNeeded: Int64(bitPattern: rest) &>> 63)
            let bits = Int(truncatingIfNeeded: rest &>> UInt64(truncatingIfNeeded: 64 &- size))
            block[table.natural(at)] = Int16(truncatingIfNeeded: bits &+ (isNegative & (1 &- (1 &<< size))))
            window &<<= UInt64(truncatingIfNeeded: length &+ size)
            count &-= length &+ size
            at += 1
        }
        (self.window, self.count) = (window, count)
    }
}

extension BitWriter {
    /// Writes a DC difference.
    @inline(__always) mutating func put(
        difference: Int, _ table: HuffmanTableReference
    ) throws(SpliceFault) {
        let size = Int.bitWidth - difference.magnitude.leadingZeroBitCount
        // Up to 11 bits in a table for 8-bit pictures (T.81 table F.1).
        guard size < 16 else { throw .missingCode }
        try put(symbol: size, extra: difference, size: size, table)
    }

    /// Writes a code and its extra bits.
    @inline(__always) mutating func put(
        symbol: Int, extra: Int, size: Int, _ table: HuffmanTableReference
    ) throws(SpliceFault) {
        let code = UInt64(table.code(symbol))
        guard code != 0 else { throw .missingCode }
        let bits = UInt64(bitPattern: Int64(extra &+ extra &>> 63)) & ((1 &<< UInt64(size)) &- 1)
        put((code &>> 5) &<< UInt64(size) | bits, Int(code & 31) &+ size)
    }

    /// Writes the AC part of a block without its end.
    ///
    /// - Returns: The place of the last coefficient that is not 0.
    mutating func put(
        coefficients block: IntegerBlock, _ table: HuffmanTableReference
    ) throws(SpliceFault) -> Int {
        var rest = block.codedMask(table) & ~1
        guard rest != 0 else { return 0 }
        let stored = block.inlineValues
        let values = stored.span
        var last = 0
        while rest != 0 {
            let at = rest.trailingZeroBitCount
            rest &= rest &- 1
            var run = at &- last &- 1
            while run > 15 {
                try put(symbol: 0xF0, extra: 0, size: 0, table)
                run &-= 16
            }
            let value = Int(values[table.natural(at)])
            let size = Int.bitWidth &- value.magnitude.leadingZeroBitCount
            // Sixteen bits of an Int16's magnitude have no symbol.
            guard size < 16 else { throw .missingCode }
            try put(symbol: run &<< 4 | size, extra: value, size: size, table)
            last = at
        }
        return last
    }

    /// Writes runs of sixteen zeros, then the block's end, unless its last coefficient is the last of all.
    @inline(__always) mutating func put(
        endAfter last: Int, zeroRuns: Int, _ table: HuffmanTableReference
    ) throws(SpliceFault) {
        guard last < 63 else { return }
        for _ in 0..<zeroRuns { try put(symbol: 0xF0, extra: 0, size: 0, table) }
        try put(symbol: 0, extra: 0, size: 0, table)
    }
}

extension IntegerBlock {
    init(_ values: InlineArray<64, Int16>) {
        self.init(values.span, at: 0)
    }

    var inlineValues: InlineArray<64, Int16> {
        var values = InlineArray<64, Int16>(repeating: 0)
        var span = values.mutableSpan
        store(into: &span, at: 0)
        return values
    }

    /// A bit for each coefficient that is not 0, in the order of coding.
    @inline(__always) fileprivate func codedMask(_ table: HuffmanTableReference) -> UInt64 {
        let (a, b, c, d, e, f, g, h) = rows
        var natural =
            Self.bits(a, b) | Self.bits(c, d) &<< 16 | Self.bits(e, f) &<< 32 | Self.bits(g, h) &<< 48
        var mask: UInt64 = 0
        while natural != 0 {
            mask |= 1 &<< UInt64(table.coded(natural.trailingZeroBitCount))
            natural &= natural &- 1
        }
        return mask
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
}
