extension BitReader {
    /// Takes whole MCUs and keeps nothing of them but their DC.
    ///
    /// - Parameters:
    ///   - units: How many.
    ///   - roles: The blocks of an MCU.
    ///   - levels: The DC values before and after.
    /// - Throws: `broken`, as when the data end.
    mutating func skip(
        units: Int, _ roles: Span<ScanCoding.Role>, _ levels: inout Levels
    ) throws(SpliceFault) {
        var reader = self
        var known = levels
        var cursor = Cursor(reader)
        for _ in 0..<units {
            for index in roles.indices {
                let role = roles[index]
                known[role.component] &+= try cursor.difference(role.dc, &reader)
                try cursor.skipCoefficients(role.ac, &reader)
            }
            cursor.store(&reader)
            if reader.isOverrun { throw .broken(offset: reader.position) }
        }
        self = reader
        levels = known
    }

    /// Takes the AC part of a block and forgets it.
    mutating func skipCoefficients(_ table: HuffmanTableReference) throws(SpliceFault) {
        refill()
        var cursor = Cursor(self)
        try cursor.skipCoefficients(table, &self)
        cursor.store(&self)
    }
}

/// What changes of a reader while it skips: few enough values to stay in registers. All that is rare is left to the
/// reader itself.
@safe private struct Cursor {
    // Borrowed as the reader's; loads lie at or before `lastWord`.
    private let memory: UnsafeRawPointer
    private let lastWord: Int
    private var position: Int
    private var window: UInt64
    private var count: Int

    init(_ reader: BitReader) {
        unsafe memory = reader.memory
        lastWord = reader.limit - 8
        position = reader.position
        window = reader.window
        count = reader.count
    }

    @inline(__always) func store(_ reader: inout BitReader) {
        reader.position = position
        reader.window = window
        reader.count = count
    }

    /// Makes at least 56 bits ready.
    @inline(__always) private mutating func refill(_ reader: inout BitReader) {
        if position <= lastWord {
            let word = unsafe UInt64(bigEndian: memory.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if !word.holdsFF {
                window |= word &>> UInt64(truncatingIfNeeded: count)
                position &+= (63 &- count) &>> 3
                count |= 56
                return
            }
        }
        store(&reader)
        reader.refillBytewise()
        self = Cursor(reader)
    }

    /// Takes a DC difference. Of at least 56 bits, no more than ten are taken, or as many are made ready again.
    @inline(__always) mutating func difference(
        _ table: HuffmanTableReference, _ reader: inout BitReader
    ) throws(SpliceFault) -> Int {
        refill(&reader)
        let known = table.value(window)
        if known != 0 {
            window &<<= UInt64(truncatingIfNeeded: known & 15)
            count &-= known & 15
            return known &>> 8
        }
        store(&reader)
        let difference = try reader.longDifference(table)
        self = Cursor(reader)
        return difference
    }

    /// Takes the AC part of a block.
    @inline(__always) mutating func skipCoefficients(
        _ table: HuffmanTableReference, _ reader: inout BitReader
    ) throws(SpliceFault) {
        // The place of the next coefficient, and in the lowest eight bits how many bits were taken since `count`.
        var state: UInt = 1 << 8
        if try skipSome(3, &state, table, &reader) { return }
        while true {
            refill(&reader)
            if try skipSome(4, &state, table, &reader) { return }
        }
    }

    /// Skips with a few lookups, for which the bits must be ready.
    ///
    /// - Returns: Whether the block has ended.
    @inline(__always) private mutating func skipSome(
        _ lookups: Int, _ state: inout UInt, _ table: HuffmanTableReference, _ reader: inout BitReader
    ) throws(SpliceFault) -> Bool {
        for _ in 0..<lookups {
            let entry = table.skip(window)
            let next = state &+ entry
            let rest = window &<< UInt64(entry & 255)
            if next < 64 << 8 {
                (state, window) = (next, rest)
                continue
            }
            // An end within the block, or its last coefficient; other entries describe symbols of the next block too.
            let isEnd = next &- (HuffmanTable.blockEnd + 1) << 8 < 63 << 8
            if isEnd || next &>> 8 == 64 {
                window = rest
                count &-= Int(next & 255)
                return true
            }
            count &-= Int(state & 255)
            store(&reader)
            let place = try reader.skipOne(Int(state &>> 8), table)
            self = Cursor(reader)
            state = UInt(place) &<< 8
            return place == 64
        }
        count &-= Int(state & 255)
        state &= ~255
        return false
    }
}

extension BitReader {
    /// Takes a DC difference of any length, and makes at least 56 bits ready again.
    @inline(never) fileprivate mutating func longDifference(
        _ table: HuffmanTableReference
    ) throws(SpliceFault) -> Int {
        let difference = extended(try symbol(table))
        refill()
        return difference
    }

    /// Takes one symbol of AC with its extra bits.
    ///
    /// - Returns: The place of the next coefficient, 64 after the last.
    @inline(never) fileprivate mutating func skipOne(
        _ at: Int, _ table: HuffmanTableReference
    ) throws(SpliceFault) -> Int {
        refillForCode()
        let symbol = try symbol(table)
        if symbol == 0 { return 64 }
        let next = at + symbol >> 4 + 1
        guard next <= 64, symbol & 15 != 0 || symbol == 0xF0 else { throw .broken(offset: position) }
        consume(symbol & 15)
        return next
    }
}
