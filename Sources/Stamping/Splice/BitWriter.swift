internal import Glibc
internal import KonzaModel

/// Writes bits and bytes of entropy-coded data into memory that grows, with a zero byte stuffed after FF.
@safe struct BitWriter: ~Copyable {
    /// A place to go back to.
    struct Mark {
        fileprivate let length: Int
        fileprivate let stuffed: Int
        fileprivate let window: UInt64
        fileprivate let pending: Int
    }

    // Owned: from malloc, freed by deinit or handed over by `finish`. Stores lie below `capacity` by `makeRoom`.
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private let limit: Int
    /// Bytes written.
    private(set) var length = 0
    /// Of them zeros after FF, and whatever came before the interval.
    private var stuffed = 0
    var window: UInt64 = 0
    /// The lowest bits of the window that are not written yet.
    var pending = 0
    /// Memory or the limit ran out: nothing is written any more.
    private(set) var isFull = false

    /// - Parameters:
    ///   - capacity: Bytes to begin with.
    ///   - limit: The most bytes.
    init?(capacity: Int, limit: Int) {
        let first = max(64, min(capacity, limit))
        guard let block = unsafe malloc(first) else { return nil }
        unsafe memory = block
        self.capacity = first
        self.limit = limit
    }

    deinit { if capacity > 0 { unsafe free(memory) } }

    /// The bits beyond the last whole byte, 0 to 7.
    var phase: Int { pending & 7 }
    /// Bits put since the interval began.
    var bitLength: Int { (length - stuffed) * 8 + pending }

    var mark: Mark { Mark(length: length, stuffed: stuffed, window: window, pending: pending) }

    /// Counts bits from here on; none may be pending.
    mutating func beginInterval() { stuffed = length }

    mutating func rewind(to mark: Mark) {
        length = mark.length
        stuffed = mark.stuffed
        window = mark.window
        pending = mark.pending
    }

    /// Appends up to 56 bits, the lowest of the value; those above must be 0.
    @inline(__always) mutating func put(_ value: UInt64, _ bits: Int) {
        if pending &+ bits > 64 { flush() }
        window = window &<< UInt64(truncatingIfNeeded: bits) | value
        pending &+= bits
    }

    /// Writes the whole bytes that are pending.
    mutating func flush() {
        guard makeRoom(24) else {
            pending = 0
            return
        }
        let bytes = pending >> 3
        guard bytes > 0 else { return }
        let word = window &<< UInt64(64 - pending)
        pending &= 7
        // Below the pending bits are zeros: they make no FF.
        guard word.holdsFF else {
            unsafe memory.storeBytes(of: word.bigEndian, toByteOffset: length, as: UInt64.self)
            length += bytes
            return
        }
        store(word, bytes: bytes)
    }

    /// Stores the highest bytes of a word; there must be room.
    @inline(never) private mutating func store(_ word: UInt64, bytes: Int) {
        for index in 0..<bytes { store(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index))) }
    }

    /// There must be room.
    private mutating func store(_ byte: UInt8) {
        unsafe memory.storeBytes(of: byte, toByteOffset: length, as: UInt8.self)
        length += 1
        guard byte == 0xFF else { return }
        unsafe memory.storeBytes(of: 0, toByteOffset: length, as: UInt8.self)
        length += 1
        stuffed += 1
    }

    /// Fills the last byte with bits of 1 (T.81 F.1.2.3).
    mutating func pad() {
        if pending & 7 > 0 { put((1 << UInt64(8 - phase)) - 1, 8 - phase) }
        flush()
        pending = 0
    }

    /// Completes the last byte with another's lower bits.
    mutating func complete(with byte: UInt8) {
        let missing = 8 - phase
        put(UInt64(byte) & ((1 << UInt64(missing)) - 1), missing)
        flush()
    }

    /// Appends bytes as they are; no bits may be pending.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, makeRoom(bytes.count) else { return }
        unsafe memcpy(memory + length, source, bytes.count)
        length += bytes.count
    }

    /// Appends bytes as they are; no bits may be pending.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends whole bytes of entropy-coded data, behind the bits that are pending.
    ///
    /// - Parameters:
    ///   - bytes: With zeros stuffed after FF.
    ///   - stuffing: How many such zeros there are.
    mutating func append(stuffed bytes: UnsafeRawBufferPointer, stuffing: Int) {
        flush()
        guard pending > 0 else {
            stuffed += stuffing
            return unsafe append(bytes)
        }
        var at = 0
        while at < bytes.count, makeRoom(2 * Self.shiftedBytes + 16) {
            unsafe shift(bytes, from: &at, to: min(bytes.count, at + Self.shiftedBytes))
        }
    }

    /// How many bytes are shifted without looking for room.
    private static var shiftedBytes: Int { 2048 }

    /// Appends bytes at another place within the byte; there must be room for twice as many, since all may be FF.
    private mutating func shift(_ bytes: UnsafeRawBufferPointer, from start: inout Int, to end: Int) {
        let shift = UInt64(truncatingIfNeeded: pending)
        var at = start
        defer { start = at }
        while at < end {
            if at <= bytes.count - 8 {
                let word = unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                if !word.holdsFF {
                    let shifted = window &<< (64 &- shift) | word &>> shift
                    window = word
                    at &+= 8
                    if shifted.holdsFF {
                        store(shifted, bytes: 8)
                    } else {
                        unsafe memory.storeBytes(of: shifted.bigEndian, toByteOffset: length, as: UInt64.self)
                        length &+= 8
                    }
                    continue
                }
            }
            let byte = unsafe bytes[at]
            at += byte == 0xFF ? 2 : 1
            store(UInt8(truncatingIfNeeded: window << (8 - shift) | UInt64(byte) >> shift))
            window = UInt64(byte)
        }
    }

    private mutating func makeRoom(_ bytes: Int) -> Bool {
        if length + bytes <= capacity { return true }
        return grow(bytes)
    }

    @inline(never) private mutating func grow(_ bytes: Int) -> Bool {
        guard !isFull, length + bytes <= limit else {
            isFull = true
            return false
        }
        let wanted = min(limit, max(length + bytes, capacity + capacity / 2))
        guard let grown = unsafe realloc(memory, wanted) else {
            isFull = true
            return false
        }
        unsafe memory = grown
        capacity = wanted
        return true
    }

    /// Lends what was written.
    borrowing func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        unsafe body(UnsafeRawBufferPointer(start: memory, count: length))
    }

    /// What was written, without another copy; the writer is done with.
    mutating func finish() -> FrameData {
        let block = unsafe UInt(bitPattern: memory)
        let owned = capacity > 0
        capacity = 0
        isFull = true
        return unsafe FrameData(lending: UnsafeRawBufferPointer(start: memory, count: owned ? length : 0)) {
            if owned { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
        }
    }
}
