internal import CLinux
internal import Glibc

/// Writes all the bytes (write(2)), in as many calls as it takes.
///
/// - Parameters:
///   - bytes: what is written.
///   - descriptor: of a file, a pipe or a socket that blocks.
/// - Throws: the first failure that is no interruption; some of the bytes may be written then.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var offset = 0
    while offset < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
        }
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw SystemError("write to descriptor \(descriptor)") }
        // No system writes nothing without a reason; to ask again for ever would be no answer to one that does.
        guard count > 0 else { throw SystemError(code: EIO, action: "write to descriptor \(descriptor)") }
        offset += count
    }
}

/// Has the disk begin to take what was written to a file. Whether it got there is for fsync(2) to tell.
///
/// - Parameter descriptor: of the file.
public func beginWritingOut(_ descriptor: Int32) { konza_begin_writing_out(descriptor) }
