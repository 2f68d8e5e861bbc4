/// One Huffman table, ready for reading, skipping and writing (T.81 annex C and F.2.2.3).
struct HuffmanTable {
    /// Codes up to this length are looked up.
    static var lookupBits: Int { 10 }
    /// Symbols with their extra bits that lie within so many bits are skipped together.
    static var skipBits: Int { 12 }
    /// An entry of `skips` that says to take the symbols one by one.
    static var noSkip: UInt16 { 255 << 8 }
    /// What an entry of `skips` has added to its advance if the block ends: more than coefficients can be passed.
    static var blockEnd: UInt { 128 }

    /// Of 256 symbols: the code and below it its length in five bits; 0 if the table lacks the symbol.
    private(set) var codes = InlineArray<256, UInt32>(repeating: 0)
    /// By the next `lookupBits` bits: the code's length and below it the symbol; 0 if the code is longer.
    private(set) var lookups = InlineArray<1024, UInt16>(repeating: 0)
    /// By the next `skipBits` bits: how many coefficients they cover and below it, in eight bits, how many bits.
    private(set) var skips = InlineArray<4096, UInt16>(repeating: noSkip)
    /// By the next `lookupBits` bits, of a symbol that lies in them with its extra bits: the value that these say, then
    /// in four bits the run before it, then in four bits how many bits; 0 for others, and for those without a value.
    /// In a table for DC there is no run.
    private(set) var values = InlineArray<1024, Int16>(repeating: 0)
    /// Of each place in the order of coding, the place in the block, and the reverse. They are the same for all tables,
    /// and here since a constant would be copied to the stack wherever it is looked up.
    fileprivate let natural = Zigzag.natural
    fileprivate let coded = Zigzag.coded
    /// By length: the first code beyond those of this length, as the highest of 16 bits.
    private var bounds = InlineArray<17, Int>(repeating: 0)
    /// By length: what added to a code gives its place in `symbols`.
    private var shifts = InlineArray<17, Int>(repeating: 0)
    private var symbols = InlineArray<256, UInt8>(repeating: 0)

    /// Makes a table, or nil if the codes do not fit into their lengths, or a DC symbol is over 15 bits.
    ///
    /// - Parameters:
    ///   - specification: As DHT has it: 16 counts, then the symbols.
    ///   - isAC: Whether it codes runs and sizes, not DC differences.
    init?(_ specification: ArraySlice<UInt8>, isAC: Bool) {
        let counts = Array(specification.prefix(16))
        let listed = Array(specification.dropFirst(16))
        guard counts.count == 16, listed.count == counts.reduce(0, { $0 + Int($1) }), listed.count <= 256,
            isAC || listed.allSatisfy({ $0 < 16 })
        else { return nil }
        for (place, symbol) in listed.enumerated() { symbols[place] = symbol }
        var code = 0
        var place = 0
        for length in 1...16 {
            shifts[length] = place - code
            for _ in 0..<counts[length - 1] {
                guard code < 1 << length else { return nil }
                define(symbols[place], code, length)
                code += 1
                place += 1
            }
            bounds[length] = code << (16 - length)
            code <<= 1
        }
        fillValues(isAC: isAC)
        if isAC { fillSkips() }
    }

    /// Finds the values that lie with their symbol within the bits, for each value of the bits.
    private mutating func fillValues(isAC: Bool) {
        for bits in 0..<(1 << Self.lookupBits) {
            let known = Int(lookups[bits])
            let (symbol, length) = (known & 255, known >> 8)
            let size = symbol & 15
            let used = length + size
            // Seven bits and a sign have room.
            guard known != 0, used <= Self.lookupBits, size <= 7, size > 0 || !isAC else { continue }
            let extra = (bits >> (Self.lookupBits - used)) & ((1 << size) - 1)
            let isNegative = size > 0 && extra >> (size - 1) == 0
            let value = isNegative ? extra + 1 - (1 << size) : extra
            values[bits] = Int16(value << 8 | (isAC ? symbol & 0xF0 : 0) | used)
        }
    }

    private mutating func define(_ symbol: UInt8, _ code: Int, _ length: Int) {
        if codes[Int(symbol)] == 0 { codes[Int(symbol)] = UInt32(code << 5 | length) }
        guard length <= Self.lookupBits else { return }
        let free = Self.lookupBits - length
        for rest in 0..<(1 << free) { lookups[code << free | rest] = UInt16(length << 8 | Int(symbol)) }
    }

    /// The symbol at the highest of 16 bits and its length, whatever its length; nil if there is no such code.
    @inline(__always) borrowing func symbol(_ bits: Int) -> (symbol: Int, length: Int)? {
        for length in 1...16 where bits < bounds[length] {
            let place = (bits >> (16 - length)) + shifts[length]
            guard (0..<256).contains(place) else { return nil }
            return (Int(symbols[place]), length)
        }
        return nil
    }

    /// Finds the symbols of AC that lie wholly within the bits, for each value of the bits.
    ///
    /// What some bits cover is their first symbol, and what the bits after it cover, which were fewer: tables for 0, 1,
    /// 2 ... bits lie one after another, each made of those before it.
    private mutating func fillSkips() {
        var known = [UInt16](repeating: 0, count: 2 << Self.skipBits)
        var entries = known.mutableSpan
        for width in 1...Self.skipBits {
            for symbol in 0..<256 {
                let used = Int(codes[symbol] & 31) + symbol & 15
                guard codes[symbol] != 0, used <= width else { continue }
                // An end of bands is none of a sequential picture.
                guard symbol & 15 != 0 || symbol == 0xF0 || symbol == 0 else { continue }
                fill(&entries, width, symbol, used)
            }
        }
        for bits in skips.indices {
            let entry = entries[1 << Self.skipBits + bits]
            if entry != 0 { skips[bits] = entry }
        }
    }

    /// Fills in the entries of so many bits that begin with a symbol; those of `width` bits begin at 2^`width`.
    private func fill(_ entries: inout MutableSpan<UInt16>, _ width: Int, _ symbol: Int, _ used: Int) {
        let isEnd = symbol == 0
        let own = UInt16((isEnd ? Int(Self.blockEnd) : symbol >> 4 + 1) << 8 | used)
        let rest = width - used
        let first = 1 << width + Int(codes[symbol] >> 5) << (width - Int(codes[symbol] & 31))
        for place in 0..<(1 << (width - Int(codes[symbol] & 31))) {
            let sum = own &+ entries[1 << rest + place & ((1 << rest) - 1)]
            // More than any sound block has are taken with as many lookups as there are symbols.
            entries[first + place] = isEnd || sum >> 8 & 127 >= 63 ? own : sum
        }
    }
}

/// Owns Huffman tables at one place in memory, so that coding a block counts no references.
@safe final class HuffmanTables: @unchecked Sendable {
    // Sendable: nothing is written after init.
    private let memory: UnsafeMutablePointer<HuffmanTable>
    private let count: Int

    init(_ tables: [HuffmanTable]) {
        count = tables.count
        unsafe memory = .allocate(capacity: tables.count)
        for (index, table) in tables.enumerated() { unsafe (memory + index).initialize(to: table) }
    }

    deinit {
        unsafe memory.deinitialize(count: count)
        unsafe memory.deallocate()
    }

    /// A table; it must not outlive the owner.
    subscript(index: Int) -> HuffmanTableReference {
        precondition(index >= 0 && index < count, "the table is one of these")
        return unsafe HuffmanTableReference(UnsafePointer(memory + index))
    }
}

/// A table within `HuffmanTables`.
@safe struct HuffmanTableReference: @unchecked Sendable {
    // Sendable, and safe: the tables are never written again, and whoever has a reference has their owner
    // (`ScanCoding`).
    private let table: UnsafePointer<HuffmanTable>

    fileprivate init(_ table: UnsafePointer<HuffmanTable>) { unsafe self.table = table }

    @inline(__always) func lookup(_ bits: Int) -> Int { unsafe Int(table.pointee.lookups[bits]) }
    /// The entry of `skips` for the highest bits of a window.
    @inline(__always) func skip(_ window: UInt64) -> UInt {
        // So many bits cannot be out of bounds.
        unsafe UInt(
            table.pointee.skips[unchecked: Int(truncatingIfNeeded: window &>> UInt64(64 - HuffmanTable.skipBits))])
    }
    /// The entry of `values` for the highest bits of a window.
    @inline(__always) func value(_ window: UInt64) -> Int {
        unsafe Int(
            table.pointee.values[unchecked: Int(truncatingIfNeeded: window &>> UInt64(64 - HuffmanTable.lookupBits))])
    }
    @inline(__always) func code(_ symbol: Int) -> UInt32 { unsafe table.pointee.codes[symbol] }
    /// The place in the block of the coefficient at a place in the order of coding.
    @inline(__always) func natural(_ place: Int) -> Int { unsafe Int(table.pointee.natural[unchecked: place & 63]) }
    /// A bit for each place in the order of coding, of bits for places in the block: few, as a rule.
    @inline(__always) func coded(_ mask: UInt64) -> UInt64 {
        var (rest, coded) = (mask, 0 as UInt64)
        while rest != 0 {
            coded |= 1 &<< UInt64(unsafe table.pointee.coded[unchecked: rest.trailingZeroBitCount & 63])
            rest &= rest &- 1
        }
        return coded
    }
    @inline(never) func symbol(_ bits: Int) -> (symbol: Int, length: Int)? { unsafe table.pointee.symbol(bits) }
}
