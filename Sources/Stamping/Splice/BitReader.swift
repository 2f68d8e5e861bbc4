/// Reads the bits of entropy-coded data, without the zero bytes stuffed after FF (T.81 F.1.2.3), up to the next
/// marker; after it, bits of 0 for ever, which are counted.
@safe struct BitReader {
    // The memory is borrowed from the closure that lends the picture's bytes; no reader outlives it. Every load lies
    // in 0..<limit by the check before it.
    let memory: UnsafeRawPointer
    let limit: Int
    private let start: Int
    /// Of the next byte to be loaded.
    var position: Int
    /// Zero bytes left out so far.
    private var stuffed = 0
    /// Bytes of 0 made up after the end.
    private var missing = 0
    /// The next bits, from the highest one on. Below the `count` valid ones may be more of the same data.
    var window: UInt64 = 0
    var count = 0

    /// - Parameters:
    ///   - bytes: The whole picture.
    ///   - start: Of the data, on a byte's edge of the bit stream.
    init?(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        guard let base = bytes.baseAddress, start >= 0 else { return nil }
        unsafe memory = base
        limit = bytes.count
        self.start = start
        position = start
    }

    /// Bits taken since the start.
    var consumed: Int { (position - start - stuffed + missing) * 8 - count }

    /// Whether bits were taken that the data do not have.
    var isOverrun: Bool { missing * 8 > count }

    /// Makes at least 56 bits ready.
    @inline(__always) mutating func refill() {
        if position <= limit - 8 {
            let word = unsafe UInt64(bigEndian: memory.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            if !word.holdsFF {
                window |= word &>> UInt64(truncatingIfNeeded: count)
                let bytes = (63 &- count) &>> 3
                position &+= bytes
                count &+= bytes &<< 3
                return
            }
        }
        refillBytewise()
    }

    /// Makes at least 32 bits ready: a code and its extra bits have at most 31.
    @inline(__always) mutating func refillForCode() {
        if count < 32 { refill() }
    }

    @inline(never) mutating func refillBytewise() {
        while count <= 56 {
            var byte: UInt64 = 0
            if position < limit, case let next = unsafe memory.load(fromByteOffset: position, as: UInt8.self) {
                if next != 0xFF {
                    byte = UInt64(next)
                    position += 1
                } else if isStuffed(at: position) {
                    byte = 0xFF
                    position += 2
                    stuffed += 1
                } else {
                    missing += 1
                }
            } else {
                missing += 1
            }
            window |= byte &<< UInt64(56 - count)
            count += 8
        }
    }

    private func isStuffed(at offset: Int) -> Bool {
        unsafe offset + 1 < limit && memory.load(fromByteOffset: offset, as: UInt8.self) == 0xFF
            && memory.load(fromByteOffset: offset + 1, as: UInt8.self) == 0
    }

    /// The next bits, up to 32; they must be ready.
    @inline(__always) func peek(_ bits: Int) -> Int { Int(truncatingIfNeeded: window &>> UInt64(64 &- bits)) }

    /// Takes bits that are ready.
    @inline(__always) mutating func consume(_ bits: Int) {
        window &<<= UInt64(truncatingIfNeeded: bits)
        count &-= bits
    }

    /// Takes a value of so many bits as T.81 F.2.2.1 extends its sign; they must be ready.
    @inline(__always) mutating func extended(_ size: Int) -> Int {
        // Two shifts: a size of 0 gives 0.
        let bits = Int(truncatingIfNeeded: (window &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- size))
        let isNegative = ~Int(truncatingIfNeeded: Int64(bitPattern: window) &>> 63)
        consume(size)
        return bits &+ (isNegative & (1 &- (1 &<< size)))
    }

    /// Takes all bits up to where another reader of the same data stands, and writes them.
    mutating func copy(to end: BitReader, _ writer: inout BitWriter) {
        let bits = end.consumed - consumed
        guard bits >= 128, let last = end.partialByte else { return copy(bits, to: &writer) }
        copy(count & 7, to: &writer)
        guard let first = partialByte else { return copy(end.consumed - consumed, to: &writer) }
        // Of the borrowed memory: both lie in it, by `partialByte`.
        unsafe writer.append(
            stuffed: UnsafeRawBufferPointer(start: memory + first.offset, count: last.offset - first.offset),
            stuffing: end.stuffingBeforeByte - stuffingBeforeByte)
        let rest = -end.count & 7
        if rest > 0 { writer.put(UInt64(last.value) >> UInt64(8 - rest), rest) }
        self = end
    }

    /// Zero bytes stuffed before the byte that `partialByte` is about.
    private var stuffingBeforeByte: Int {
        guard let byte = partialByte else { return stuffed }
        return stuffed - (position - byte.offset - loadedBytes)
    }

    /// Bytes of the data that are loaded and not wholly taken; those made up come after them.
    private var loadedBytes: Int { (count + 7) / 8 - missing }

    /// Takes bits and writes them.
    mutating func copy(_ bits: Int, to writer: inout BitWriter) {
        var left = bits
        while left > 56 {
            refill()
            writer.put(window &>> 8, 56)
            consume(56)
            left -= 56
        }
        guard left > 0 else { return }
        refill()
        writer.put(window &>> UInt64(64 - left), left)
        consume(left)
    }

    /// Where the first byte lies that is not wholly taken, its value, and where the byte after it lies.
    var partialByte: (offset: Int, value: UInt8, next: Int)? {
        guard count >= missing * 8 else { return nil }
        var at = position
        // Only FF has a zero stuffed after it, and FF never stands alone in the data.
        for _ in 0..<loadedBytes { at -= at - 2 >= start && isStuffed(at: at - 2) ? 2 : 1 }
        guard at >= start, at < limit else { return nil }
        let value = unsafe memory.load(fromByteOffset: at, as: UInt8.self)
        return (at, value, at + (isStuffed(at: at) ? 2 : 1))
    }
}

extension UInt64 {
    /// Whether one of the eight bytes is FF.
    @inline(__always) var holdsFF: Bool {
        // A byte of ~self is 0: the classic test, exact for "any".
        let inverse = ~self
        return (inverse &- 0x0101_0101_0101_0101) & self & 0x8080_8080_8080_8080 != 0
    }
}
