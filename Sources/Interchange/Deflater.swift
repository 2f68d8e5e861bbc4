internal import CZlib

/// Owns one run of zlib's deflate (RFC 1951).
@safe struct Deflater: ~Copyable {
    private static let pieceSize = 32 * 1024

    private let stream: UnsafeMutablePointer<z_stream>

    /// - Throws: ``InterchangeError/Reason/compression`` if there is no memory for it.
    init() throws(InterchangeError) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe konza_zlib_start(stream) == Z_OK else {
            unsafe stream.deallocate()
            throw InterchangeError(.compression, "cannot compress: out of memory")
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Compresses the next bytes; the last call says so and gives out all that is left.
    func compress(_ bytes: [UInt8], isLast: Bool, into sink: ByteSink) throws(InterchangeError) {
        var rest = bytes[...]
        while true {
            let (consumed, produced, isOver) = try step(rest, isLast)
            rest = rest.dropFirst(consumed)
            if !produced.isEmpty { try sink(produced) }
            if isOver || (rest.isEmpty && !isLast && produced.count < Self.pieceSize) { return }
        }
    }

    /// One call of deflate(): how many bytes it took, what it gave, and whether that was the end.
    private func step(_ bytes: ArraySlice<UInt8>, _ isLast: Bool) throws(InterchangeError) -> (Int, [UInt8], Bool) {
        var code = Z_OK
        var consumed = 0
        let produced = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            unsafe bytes.withUnsafeBufferPointer { input in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = buffer.baseAddress
                unsafe stream.pointee.avail_out = UInt32(Self.pieceSize)
                code = unsafe deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                consumed = unsafe input.count - Int(stream.pointee.avail_in)
                count = unsafe Self.pieceSize - Int(stream.pointee.avail_out)
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
            }
        }
        // Z_BUF_ERROR says that there was nothing to do.
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
            throw InterchangeError(.compression, "cannot compress: zlib says \(code)")
        }
        return (consumed, produced, code == Z_STREAM_END)
    }
}

/// The CRC-32 of zip (APPNOTE 4.4.7), carried on from piece to piece; that of nothing is 0.
func crc32(_ value: UInt32, _ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return value }
        return UInt32(truncatingIfNeeded: unsafe crc32_z(UInt(value), base, buffer.count))
    }
}
