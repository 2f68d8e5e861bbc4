extension Span<UInt8> {
    /// The first FF at or after `from` that no zero byte follows: of a marker, or of fill bytes before one.
    ///
    /// In entropy-coded data one byte of some 256 is FF, nearly always with a zero stuffed after it, so a search for FF
    /// alone would stop all the time.
    ///
    /// - Parameter from: Where to begin.
    /// - Returns: nil if there is none, or only a last byte of FF.
    func offsetOfMarker(from: Int) -> Int? {
        var at = Swift.max(0, from)
        at = unsafe withUnsafeBytes { unsafe Self.firstLine(from: at, $0) }
        while at + 1 < count {
            if self[at] == 0xFF, self[at + 1] != 0 { return at }
            at += 1
        }
        return nil
    }

    /// Passes by 64 bytes at a time, up to those that hold a marker, or the last ones.
    private static func firstLine(from start: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        typealias Bytes = SIMD16<UInt8>
        let (full, zero) = (Bytes(repeating: 0xFF), Bytes.zero)
        var at = start
        // With vectors in all places: one with a number among its operands is taken apart by the compiler.
        @inline(__always) func marks(_ offset: Int) -> Bytes {
            // Ends at or before byte `at` + 64, which there is.
            let here = unsafe bytes.loadUnaligned(fromByteOffset: at &+ offset, as: Bytes.self)
            let next = unsafe bytes.loadUnaligned(fromByteOffset: at &+ offset &+ 1, as: Bytes.self)
            return zero.replacing(with: zero.replacing(with: full, where: next .!= zero), where: here .== full)
        }
        while at <= bytes.count - 65 {
            let found = (marks(0) | marks(16)) | (marks(32) | marks(48))
            let halves = unsafe unsafeBitCast(found, to: SIMD2<UInt64>.self)
            if halves[0] | halves[1] != 0 { break }
            at &+= 64
        }
        return at
    }
}
