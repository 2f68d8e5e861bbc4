internal import Glibc
internal import KonzaModel
internal import KonzaSystem

/// The steps by which a file comes to rest on the disk, as errors and tests name them.
public enum FileStep: String, Sendable, CaseIterable {
    case makeFolder = "make the folder"
    case create = "create"
    case write = "write"
    case synchronize = "flush to the disk"
    case rename = "give its name to"
    case synchronizeFolder = "flush the folder"
    case remove = "remove"
    case open = "open"
    case list = "list the folder"
    case measure = "measure the free space of"
    case commit = "commit to the index in"
}

/// A step on a file that failed, with the system's reason.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
    public let step: FileStep
    public let path: String
    /// The value of `errno`.
    public let code: Int32

    public init(step: FileStep, path: String, code: Int32) {
        self.step = step
        self.path = path
        self.code = code
    }

    /// No space, or no quota, is left on the device.
    public var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }

    /// The folder cannot be written to, by its mount or by its permissions.
    public var isReadOnly: Bool { code == EROFS || code == EACCES || code == EPERM }

    /// Nothing is there by that name.
    public var isAbsent: Bool { code == ENOENT || code == ENOTDIR }

    /// The name is in use.
    package var isTaken: Bool { code == EEXIST }

    public var description: String { "cannot \(step.rawValue) \(path): \(SystemError.text(code))" }
}

/// The free and whole space of the file system that holds a folder.
package struct DiskSpace: Sendable, Equatable {
    /// Bytes that an ordinary user may still write.
    package var free: Int64
    /// Bytes of the whole file system.
    package var total: Int64
    /// Files that may still be made; nil where the file system has no such limit.
    package var freeFiles: Int64?

    package init(free: Int64, total: Int64, freeFiles: Int64? = nil) {
        self.free = free
        self.total = total
        self.freeFiles = freeFiles
    }
}

/// What the archive asks of the file system. Tests put their own in front of the real one to make any step fail, or
/// to stop everything after a step as a crash does.
package protocol FileOperations: Sendable {
    func makeFolder(_ path: String) throws(FileError)
    /// Creates a file that must not exist, for writing.
    func create(_ path: String) throws(FileError) -> Int32
    /// Writes all the bytes, in one call of writev(2) where the kernel takes them so.
    func write(_ content: FileContent, to descriptor: Int32, path: String) throws(FileError)
    /// Returns when the file's bytes are on the disk.
    func synchronize(_ descriptor: Int32, path: String) throws(FileError)
    func close(_ descriptor: Int32)
    /// Renames, never over an existing file.
    func renameNew(_ source: String, to target: String) throws(FileError)
    /// Renames over what is there.
    func renameReplacing(_ source: String, to target: String) throws(FileError)
    /// Returns when the folder's entries are on the disk.
    func synchronizeFolder(_ path: String) throws(FileError)
    /// Removes a file; one that is not there counts as removed.
    func remove(_ path: String) throws(FileError)
    /// Removes a folder if it is empty.
    func removeEmptyFolder(_ path: String)
    func space(ofFolder path: String) throws(FileError) -> DiskSpace
    /// Runs before each commit of the index.
    func willCommit(in folder: String) throws(FileError)
    /// Runs after each commit of the index.
    func didCommit(in folder: String) throws(FileError)
}

/// The file system itself.
package struct SystemFileOperations: FileOperations {
    package init() {}

    package func makeFolder(_ path: String) throws(FileError) {
        do throws(SystemError) {
            try KonzaSystem.makeFolders(path)
        } catch {
            throw FileError(step: .makeFolder, path: path, code: error.code)
        }
    }

    package func create(_ path: String) throws(FileError) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else { throw failure(.create, path) }
        return descriptor
    }

    package func write(_ content: FileContent, to descriptor: Int32, path: String) throws(FileError) {
        try unsafe content.withPieces { pieces throws(FileError) in
            try unsafe write(pieces, to: descriptor, path: path)
        }
    }

    private func write(_ pieces: [UnsafeRawBufferPointer], to descriptor: Int32, path: String) throws(FileError) {
        var vectors = unsafe pieces.filter { $0.count > 0 }.map { piece in
            unsafe iovec(iov_base: UnsafeMutableRawPointer(mutating: piece.baseAddress), iov_len: piece.count)
        }
        // writev(2) takes at most IOV_MAX (1024) pieces a call and may stop early.
        while unsafe !vectors.isEmpty {
            let written = unsafe vectors.withUnsafeBufferPointer { buffer in
                unsafe writev(descriptor, buffer.baseAddress, Int32(min(buffer.count, 1024)))
            }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw failure(.write, path, otherwise: EIO) }
            unsafe drop(written, from: &vectors)
        }
        beginWritingOut(descriptor)
    }

    private func drop(_ written: Int, from vectors: inout [iovec]) {
        var left = written
        var whole = 0
        while unsafe whole < vectors.count, unsafe vectors[whole].iov_len <= left {
            unsafe left -= vectors[whole].iov_len
            whole += 1
        }
        unsafe vectors.removeFirst(whole)
        if left > 0, let first = unsafe vectors.first {
            unsafe vectors[0] = unsafe iovec(iov_base: first.iov_base + left, iov_len: first.iov_len - left)
        }
    }

    package func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
        guard fsync(descriptor) == 0 else { throw failure(.synchronize, path) }
    }

    package func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    package func renameNew(_ source: String, to target: String) throws(FileError) {
        do {
            try renameWithoutReplacing(source, to: target)
        } catch {
            throw FileError(step: .rename, path: target, code: error.code)
        }
    }

    package func renameReplacing(_ source: String, to target: String) throws(FileError) {
        guard unsafe rename(source, target) == 0 else { throw failure(.rename, target) }
    }

    package func synchronizeFolder(_ path: String) throws(FileError) {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.synchronizeFolder, path) }
        defer { _ = Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(.synchronizeFolder, path) }
    }

    package func remove(_ path: String) throws(FileError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure(.remove, path) }
    }

    package func removeEmptyFolder(_ path: String) { unsafe rmdir(path) }

    package func space(ofFolder path: String) throws(FileError) -> DiskSpace {
        var values = statvfs()
        guard unsafe statvfs(path, &values) == 0 else { throw failure(.measure, path) }
        let block = Int64(clamping: values.f_frsize)
        return DiskSpace(
            free: Int64(clamping: values.f_bavail).multipliedClamped(by: block),
            total: Int64(clamping: values.f_blocks).multipliedClamped(by: block),
            freeFiles: values.f_files > 0 ? Int64(clamping: values.f_favail) : nil)
    }

    package func willCommit(in folder: String) throws(FileError) {}

    package func didCommit(in folder: String) throws(FileError) {}

    private func failure(_ step: FileStep, _ path: String, otherwise: Int32 = 0) -> FileError {
        let code = errno
        return FileError(step: step, path: path, code: code == 0 ? otherwise : code)
    }
}
