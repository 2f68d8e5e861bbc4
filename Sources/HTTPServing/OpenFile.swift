internal import Glibc
public import KonzaModel
public import KonzaSystem

/// A regular file that is open for reading, as large as it was when it was opened.
public final class OpenFile: Sendable {
    let descriptor: FileDescriptor
    /// Bytes.
    public let size: Int
    public let modified: UTCInstant
    /// Made of the inode, the size and the time of modification: it changes whenever the file is replaced.
    public let entityTag: String

    /// Opens a file. A symbolic link as the last component is not followed.
    public convenience init(path: String) throws(SystemError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { throw SystemError("open \(path)") }
        try self.init(owning: FileDescriptor(owning: number), name: path)
    }

    /// Bytes of a file that are read ahead at the most.
    private static let mostAhead = 64 << 20

    /// Reads a part of the file, into the system's cache: to send it then waits for no disk.
    ///
    /// - Parameters:
    ///   - start: its first byte.
    ///   - count: its bytes; what lies behind the first 64 MiB of them is not read.
    func readAhead(from start: Int, count: Int) {
        let end = start + min(count, Self.mostAhead)
        var piece = [UInt8](repeating: 0, count: min(128 * 1024, max(0, end - start)))
        var offset = start
        while offset < end {
            let got = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor.number, buffer.baseAddress, min(buffer.count, end - offset), off_t(offset))
            }
            // What cannot be read fails again when it is sent, and is reported there.
            guard got > 0 else { return }
            offset += got
        }
    }

    /// Takes over a file that is open for reading.
    public init(owning descriptor: consuming FileDescriptor, name: String = "the file") throws(SystemError) {
        var facts = stat()
        guard unsafe fstat(descriptor.number, &facts) == 0 else { throw SystemError("examine \(name)") }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(code: EINVAL, action: "read \(name), which is not a regular file")
        }
        self.descriptor = descriptor
        size = Int(facts.st_size)
        let (whole, overflow) = Int64(facts.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let nanoseconds = overflow ? 0 : whole &+ Int64(facts.st_mtim.tv_nsec)
        modified = UTCInstant(nanoseconds: nanoseconds)
        entityTag = [UInt64(facts.st_ino), UInt64(facts.st_size), UInt64(bitPattern: nanoseconds)]
            .map { String($0, radix: 16) }.joined(separator: "-")
    }
}
