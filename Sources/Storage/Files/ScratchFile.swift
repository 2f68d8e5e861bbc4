internal import Glibc
internal import KonzaModel
public import KonzaSystem
internal import Synchronization

/// A file without a name, on a store's disk, that vanishes with its last descriptor: for what is too large for
/// memory and is wanted once.
public final class ScratchFile: Sendable {
    /// The free space is looked at again after so many bytes.
    private static let stride: Int64 = 16 << 20

    private struct State {
        var written: Int64 = 0
        /// What may be written before the next look at the free space.
        var allowance: Int64 = 0
    }

    private let descriptor: FileDescriptor
    private let path: String
    private let limit: Int64
    private let store: Store
    private let state = Mutex(State())

    init(_ store: Store, folder: String, limit: Int64) throws(StorageError) {
        self.store = store
        self.limit = limit
        // Named as what is swept at start, should a crash come before it loses its name.
        let path = DurableFiles.temporaryPath(for: "scratch", in: "\(store.folder)/\(folder)")
        self.path = path
        let number = try storing { () throws(FileError) in
            try store.files.makeFolders(folder, below: store.folder)
            let number = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { throw FileError(step: .create, path: path, code: errno) }
            return number
        }
        descriptor = FileDescriptor(owning: number)
        guard unsafe unlink(path) == 0 else {
            throw .file(FileError(step: .remove, path: path, code: errno))
        }
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: `tooLarge` beyond the limit, `insufficientStorage` before the disk's reserve is touched.
    public func write(_ bytes: [UInt8]) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            let total = state.written + Int64(bytes.count)
            guard total <= limit else { throw .tooLarge(bytes: Int(clamping: total), limit: Int(clamping: limit)) }
            if state.allowance < Int64(bytes.count) {
                state.allowance = try store.roomForScratch(max(Self.stride, Int64(bytes.count)))
            }
            try put(bytes)
            state.allowance -= Int64(bytes.count)
            state.written = total
        }
    }

    private func put(_ bytes: [UInt8]) throws(StorageError) {
        do throws(SystemError) {
            try writeAll(bytes, to: descriptor.number)
        } catch {
            throw .file(FileError(step: .write, path: path, code: error.code))
        }
    }

    /// A descriptor for whoever reads it, with a life of its own.
    ///
    /// - Throws: `file` if konzad has too many files open.
    public func reader() throws(StorageError) -> FileDescriptor {
        let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { throw .file(FileError(step: .open, path: path, code: errno)) }
        return FileDescriptor(owning: number)
    }
}

extension Store {
    /// A file to write to and read from, gone when nobody has it open.
    ///
    /// - Parameters:
    ///   - folder: on whose disk it is, relative to the store's; made if it is not there, and swept by its kind.
    ///   - limit: bytes.
    /// - Returns: the file, empty.
    /// - Throws: what the disk refuses.
    public func makeScratch(in folder: String, limit: Int64) throws(StorageError) -> ScratchFile {
        try ScratchFile(self, folder: folder, limit: limit)
    }
}
