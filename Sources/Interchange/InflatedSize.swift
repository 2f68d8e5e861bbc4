internal import CZlib
public import KonzaModel

/// What a zlib stream (RFC 1950) inflates to, measured without keeping it.
public enum InflatedSize {
    private static let roomSize = 64 * 1024

    /// Whether a stream inflates to more than so many bytes. The work ends there, whatever the stream has besides.
    ///
    /// - Parameters:
    ///   - limit: bytes.
    ///   - file: the bytes that the stream is a part of.
    ///   - pieces: of the file, which make up the stream one after another.
    /// - Returns: false also for a stream that is cut or damaged before that: its reader finds out.
    public static func exceeds(_ limit: Int, in file: FrameData, _ pieces: [Range<Int>]) -> Bool {
        var stream = unsafe z_stream()
        guard unsafe konza_zlib_start_inflating(&stream) == Z_OK else { return true }
        defer { unsafe inflateEnd(&stream) }
        var room = [UInt8](repeating: 0, count: roomSize)
        return unsafe file.withBytes { bytes in
            for piece in pieces {
                let input = unsafe UnsafeRawBufferPointer(rebasing: bytes[piece]).bindMemory(to: UInt8.self)
                unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.avail_in = UInt32(clamping: input.count)
                // A call that leaves room in the output has taken all of the input.
                var isFull = true
                while unsafe isFull || stream.avail_in > 0 {
                    let code = unsafe room.withUnsafeMutableBufferPointer { room in
                        unsafe stream.next_out = room.baseAddress
                        unsafe stream.avail_out = UInt32(room.count)
                        return unsafe inflate(&stream, Z_NO_FLUSH)
                    }
                    if unsafe stream.total_out > UInt(limit) { return true }
                    guard code == Z_OK else {
                        // Z_BUF_ERROR says that there was nothing to do.
                        if code == Z_BUF_ERROR { break }
                        return false
                    }
                    isFull = unsafe stream.avail_out == 0
                }
            }
            return false
        }
    }
}
