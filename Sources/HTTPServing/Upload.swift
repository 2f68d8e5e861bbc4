internal import Glibc
public import KonzaModel
public import KonzaSystem

/// A body that was too large for memory, in a file without a name.
///
/// It is read, never mapped: a page of a mapping that the disk does not give back kills the process.
public final class Upload: Sendable {
    /// Bytes that are asked of the disk at once.
    private static let pieceBytes = 1 << 20

    /// Bytes of the body.
    public let count: Int
    private let descriptor: FileDescriptor
    /// What gives the disk space back.
    private let space: (any Sendable)?

    /// - Parameters:
    ///   - file: that holds the body from its first byte.
    ///   - count: bytes of the body.
    ///   - space: is kept as long as the body.
    /// - Throws: what the file's reader throws.
    public init(reading file: any UploadFile, count: Int, keeping space: (any Sendable)? = nil) throws {
        descriptor = try file.reader()
        self.count = count
        self.space = space
    }

    /// The whole body in memory. May wait for the disk.
    ///
    /// - Parameter memory: reserved for ``count`` bytes; it is given back when the last holder of the bytes lets go.
    /// - Returns: the bytes.
    /// - Throws: `SystemError` if the disk fails, or the file is shorter than it was.
    public func contents(in memory: MemoryReservation?) throws(SystemError) -> FrameData {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        let address = UInt(bitPattern: buffer.baseAddress)
        // From here on it frees the buffer.
        let data = unsafe FrameData(lending: UnsafeRawBufferPointer(buffer)) {
            unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
            memory?.release()
        }
        var filled = 0
        while filled < count {
            let most = min(Self.pieceBytes, count - filled)
            let got = unsafe pread(
                descriptor.number, buffer.baseAddress?.advanced(by: filled), most, off_t(filled))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemError("read the upload") }
            guard got > 0 else { throw SystemError(code: EIO, action: "read the upload to its end") }
            filled += got
        }
        return data
    }
}
