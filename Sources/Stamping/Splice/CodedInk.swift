/// The parts of an overlay that hide the picture wholly, coded once: only DC differences depend on what stands before.
struct CodedInk: Sendable {
    /// An opaque block.
    struct Block: Sendable {
        /// Of its AC bits in `bytes`: at most 63 codes and values of 16 and 10 bits, and stuffing.
        var offset: Int32 = 0
        var bits: UInt16 = 0
        var byteCount: UInt16 = 0
        /// DC.
        var level: Int16 = 0
        /// The place of the last coefficient that is not 0.
        var last: UInt8 = 0
    }

    /// Blocks by component and index of ink; those that are not opaque say nothing.
    private(set) var blocks: [[Block]] = []
    /// The AC bits of each block without its end, from a byte's edge on, stuffed.
    private(set) var bytes: [UInt8] = []
    /// Intervals between restart markers that are hidden from their first MCU to their last: the whole bytes.
    private(set) var intervals: [Int: [UInt8]] = [:]

    /// Neighbouring MCUs that are hidden, without the first and the last of them, by the place of the first: with what
    /// stands before them known, all their bits are.
    private(set) var runs: [Int: Run] = [:]

    struct Run: Sendable {
        /// How many MCUs.
        let count: Int
        /// Of their bits in `bytes`.
        let offset: Int
        /// Of whole ones, stuffing included.
        let byteCount: Int
        let bits: Int
        /// The DC values after them.
        let levels: Levels
    }

    /// - Throws: `missingCode` if a table has no code for a block.
    init(
        _ inks: [SplicePlan.Ink], _ touched: TouchedUnits, _ coding: ScanCoding, _ before: CodedInk?
    ) throws(SpliceFault) {
        // Offsets are of 32 bits; coded ink is far smaller than its pixels.
        guard var output = CodedOutput(capacity: 4096, limit: Int(Int32.max)) else { throw .outputLimit }
        for (component, ink) in inks.enumerated() {
            let inked = ink.component
            var coded = [Block](repeating: Block(), count: inked.blocks.count)
            guard let role = coding.roles.first(where: { $0.component == component }) else { continue }
            for index in coded.indices where inked.blocks[index].isOpaque {
                let origin = Int(inked.origins[index])
                if origin >= 0, let before {
                    coded[index] = output.copy(before.blocks[component][origin], of: before)
                    continue
                }
                var block = Coefficients(repeating: 0)
                let mask = ink.blend(&block, index)
                coded[index] = try output.code(block, mask, role)
            }
            blocks.append(coded)
        }
        guard !output.bits.isFull else { throw .outputLimit }
        bytes = output.bytes
        if coding.intervalCount > 1 { try codeIntervals(touched, coding) }
        try codeRuns(touched, coding)
    }

    private mutating func codeIntervals(_ touched: TouchedUnits, _ coding: ScanCoding) throws(SpliceFault) {
        var first = 0
        while first < touched.units.count {
            let interval = touched.units[first].index / coding.interval
            let units = coding.units(ofInterval: interval)
            let places = touched.places(of: units, from: first)
            if places.count == units.count, places.allSatisfy({ touched.units[$0].isOpaque }) {
                guard var output = CodedOutput(capacity: 4096, limit: .max / 4) else { throw .outputLimit }
                for place in places { try output.put(opaqueUnit: place, touched, coding, self) }
                output.bits.pad()
                guard !output.bits.isFull else { throw .outputLimit }
                intervals[interval] = output.bytes
            }
            first = places.upperBound
        }
    }

    private mutating func codeRuns(_ touched: TouchedUnits, _ coding: ScanCoding) throws(SpliceFault) {
        guard var output = CodedOutput(capacity: 4096, limit: Int(Int32.max)) else { throw .outputLimit }
        var found: [Int: Run] = [:]
        var first = 0
        while first < touched.units.count {
            let interval = touched.units[first].index / coding.interval
            let places = touched.places(of: coding.units(ofInterval: interval), from: first)
            first = places.upperBound
            if intervals[interval] != nil { continue }
            for run in touched.opaqueRuns(in: places) where run.count > 4 {
                try output.put(opaqueUnit: run.lowerBound, touched, coding, self)
                output.bits.pad()
                let (offset, start) = (output.bits.length, output.bits.bitLength)
                for place in run.dropFirst().dropLast() { try output.put(opaqueUnit: place, touched, coding, self) }
                output.bits.flush()
                found[run.lowerBound] = Run(
                    count: run.count - 2, offset: bytes.count + offset, byteCount: output.bits.length - offset,
                    bits: output.bits.bitLength - start, levels: output.levels)
                output.bits.pad()
            }
        }
        guard !output.bits.isFull else { throw .outputLimit }
        bytes += output.bytes
        runs = found
    }

    /// What is kept in memory, bytes.
    var byteCount: Int {
        blocks.reduce(bytes.count) { $0 + $1.count * MemoryLayout<Block>.stride }
            + intervals.values.reduce(0) { $0 + $1.count }
    }
}

/// Coded data in the making, with the DC values that a reader of it would have.
struct CodedOutput: ~Copyable {
    var bits: BitWriter
    var levels = Levels()

    init?(capacity: Int, limit: Int) {
        guard let bits = BitWriter(capacity: capacity, limit: limit) else { return nil }
        self.bits = bits
    }

    var bytes: [UInt8] {
        var copy: [UInt8] = []
        unsafe bits.withBytes { unsafe copy.append(contentsOf: $0) }
        return copy
    }

    /// Writes a DC value.
    @inline(__always) mutating func put(
        level: Int, _ role: ScanCoding.Role
    ) throws(SpliceFault) {
        try bits.put(difference: level - levels[role.component], role.dc)
        levels[role.component] = level
    }

    /// Writes a block.
    ///
    /// - Parameters:
    ///   - block: Its coefficients.
    ///   - mask: A bit for each that is not 0.
    ///   - zeroRuns: To be added before its end.
    ///   - role: How it is coded.
    /// - Returns: The place of its last coefficient that is not 0.
    /// - Throws: `missingCode`.
    mutating func put(
        _ block: Coefficients, _ mask: UInt64, zeroRuns: Int, _ role: ScanCoding.Role
    ) throws(SpliceFault) -> Int {
        try put(level: Int(block[0]), role)
        let last = try bits.put(coefficients: block, mask, role.ac)
        try bits.put(endAfter: last, zeroRuns: zeroRuns, role.ac)
        return last
    }

    /// Writes a block that only fills up its MCU: as flat as the one before it, which encoders do and no one sees.
    mutating func putFilling(zeroRuns: Int, _ role: ScanCoding.Role) throws(SpliceFault) {
        try put(level: levels[role.component], role)
        try bits.put(endAfter: 0, zeroRuns: zeroRuns, role.ac)
    }

    /// Writes a block that was coded before.
    ///
    /// - Returns: The place of its last coefficient that is not 0.
    @inline(__always) @discardableResult mutating func put(
        opaque block: CodedInk.Block, zeroRuns: Int, _ ink: borrowing CodedInk, _ role: ScanCoding.Role
    ) throws(SpliceFault) -> Int {
        try put(level: Int(block.level), role)
        if block.bits > 0 {
            unsafe ink.bytes.withUnsafeBytes { bytes in
                guard var reader = unsafe BitReader(bytes, from: Int(block.offset)) else { return }
                reader.copy(Int(block.bits), to: &bits)
            }
        }
        try bits.put(endAfter: Int(block.last), zeroRuns: zeroRuns, role.ac)
        return Int(block.last)
    }

    /// Writes a whole MCU that the ink hides.
    mutating func put(
        opaqueUnit place: Int, _ touched: TouchedUnits, _ coding: ScanCoding, _ ink: CodedInk
    ) throws(SpliceFault) {
        // Borrowed here once: each way through the plan counts references.
        let (listed, indices, coded) = (coding.roles, touched.blocks, ink.blocks)
        let (roles, places, blocks) = (listed.span, indices.span, coded.span)
        for number in roles.indices {
            let role = roles[number]
            let index = Int(places[place * roles.count + number])
            if index < 0 {
                try putFilling(zeroRuns: 0, role)
            } else {
                try put(opaque: blocks[role.component][index], zeroRuns: 0, ink, role)
            }
        }
    }

    /// Writes hidden MCUs, one after another in the picture.
    mutating func put(
        opaqueUnits places: Range<Int>, _ touched: TouchedUnits, _ coding: ScanCoding, _ ink: CodedInk
    ) throws(SpliceFault) {
        var place = places.lowerBound
        while place < places.upperBound {
            try put(opaqueUnit: place, touched, coding, ink)
            if let run = ink.runs[place], place + run.count < places.upperBound {
                unsafe ink.bytes.withUnsafeBytes { bytes in
                    let end = run.offset + run.byteCount
                    unsafe bits.append(
                        stuffed: UnsafeRawBufferPointer(rebasing: bytes[run.offset..<end]),
                        stuffing: run.byteCount - run.bits / 8)
                    guard var rest = unsafe BitReader(bytes, from: end) else { return }
                    rest.copy(run.bits & 7, to: &bits)
                }
                levels = run.levels
                place += run.count
            }
            place += 1
        }
    }

    /// Codes the AC part of a block on its own.
    fileprivate mutating func code(
        _ block: Coefficients, _ mask: UInt64, _ role: ScanCoding.Role
    ) throws(SpliceFault) -> CodedInk.Block {
        let offset = bits.length
        let start = bits.bitLength
        let last = try bits.put(coefficients: block, mask, role.ac)
        let length = bits.bitLength - start
        bits.pad()
        return CodedInk.Block(
            offset: Int32(clamping: offset), bits: UInt16(clamping: length),
            byteCount: UInt16(clamping: bits.length - offset), level: block[0], last: UInt8(clamping: last))
    }

    /// Takes the AC part of a block from other coded ink.
    fileprivate mutating func copy(_ block: CodedInk.Block, of ink: CodedInk) -> CodedInk.Block {
        var block = block
        let start = Int(block.offset)
        block.offset = Int32(clamping: bits.length)
        bits.append(ink.bytes.span.extracting(start..<(start + Int(block.byteCount))))
        return block
    }
}
