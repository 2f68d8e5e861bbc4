extension BitReader {
    /// Takes a DC difference.
    @inline(__always) mutating func difference(_ table: HuffmanTableReference) throws(SpliceFault) -> Int {
        refillForCode()
        let known = table.value(window)
        guard known == 0 else {
            consume(known & 15)
            return known >> 8
        }
        return extended(try symbol(table))
    }

    /// Takes a symbol; its bits must be ready.
    @inline(__always) mutating func symbol(_ table: HuffmanTableReference) throws(SpliceFault) -> Int {
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

    /// Takes the AC part of a block into a block of zeros.
    @inline(__always) mutating func coefficients(
        _ table: HuffmanTableReference, into block: inout Coefficients
    ) throws(SpliceFault) {
        var at = 1
        // A copy, that the loop keeps in registers.
        var reader = self
        while at < 64 {
            if reader.count < 32 { reader.refill() }
            let known = table.value(reader.window)
            if known != 0 {
                at &+= known &>> 4 & 15
                guard at < 64 else { throw .broken(offset: reader.position) }
                block[table.natural(at)] = Int16(truncatingIfNeeded: known &>> 8)
                reader.consume(known & 15)
                at &+= 1
                continue
            }
            let symbol = try reader.symbol(table)
            let size = symbol & 15
            if size == 0 {
                if symbol == 0 { break }
                at += 16
                guard symbol == 0xF0, at <= 64 else { throw .broken(offset: reader.position) }
                continue
            }
            at += symbol &>> 4
            guard at < 64 else { throw .broken(offset: reader.position) }
            block[table.natural(at)] = Int16(truncatingIfNeeded: reader.extended(size))
            at += 1
        }
        self = reader
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
    /// - Parameters:
    ///   - block: Its coefficients.
    ///   - mask: A bit for each that is not 0.
    ///   - table: Its codes.
    /// - Returns: The place of the last coefficient that is not 0.
    /// - Throws: `missingCode`.
    mutating func put(
        coefficients block: Coefficients, _ mask: UInt64, _ table: HuffmanTableReference
    ) throws(SpliceFault) -> Int {
        var rest = table.coded(mask & ~1)
        guard rest != 0 else { return 0 }
        // Not the array, which would be copied for each value.
        let values = block.span
        var last = 0
        // Copies, that the loop keeps in registers.
        var (window, pending) = (window, pending)
        while rest != 0 {
            let at = rest.trailingZeroBitCount
            rest &= rest &- 1
            var run = at &- last &- 1
            if run > 15 {
                (self.window, self.pending) = (window, pending)
                while run > 15 {
                    try put(symbol: 0xF0, extra: 0, size: 0, table)
                    run &-= 16
                }
                (window, pending) = (self.window, self.pending)
            }
            let value = Int(values[table.natural(at)])
            let size = Int.bitWidth &- value.magnitude.leadingZeroBitCount
            // Sixteen bits of an Int16's magnitude have no symbol.
            guard size < 16, case let code = UInt64(table.code(run &<< 4 | size)), code != 0 else {
                throw .missingCode
            }
            let extra = UInt64(bitPattern: Int64(value &+ value &>> 63)) & ((1 &<< UInt64(size)) &- 1)
            let bits = Int(code & 31) &+ size
            if pending &+ bits > 64 {
                (self.window, self.pending) = (window, pending)
                flush()
                (window, pending) = (self.window, self.pending)
            }
            window = window &<< UInt64(bits) | (code &>> 5) &<< UInt64(size) | extra
            pending &+= bits
            last = at
        }
        (self.window, self.pending) = (window, pending)
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
