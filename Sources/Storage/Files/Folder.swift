internal import Glibc
package import KonzaModel
package import KonzaSystem

/// Reads folders and small files; nothing here writes.
package enum Folder {
    /// What is in a folder, in no order, without `.` and `..`. A folder that is not there is empty.
    package static func entries(_ path: String) throws(FileError) -> [FolderEntry] {
        do throws(SystemError) {
            return try folderEntries(of: path)
        } catch {
            if error.code == ENOENT { return [] }
            throw FileError(step: .list, path: path, code: error.code)
        }
    }

    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Whether a path is there, and leads to where it says: no symbolic link is in it below a folder. That folder itself can be one.
    ///
    /// - Parameters:
    ///   - below: from the folder, with slashes between.
    ///   - folder: that nothing leads out of.
    /// - Returns: false for what is not there.
    package static func isInside(_ below: String, of folder: String) -> Bool {
        var path = folder
        for part in below.split(separator: "/") {
            path += "/\(part)"
            guard part != "..", let status = status(path), !status.isLink else { return false }
        }
        return true
    }

    /// Whether a name is of what nobody means to be read: hidden, or as editors and packages leave it beside a file
    /// (the endings of systemd's `hidden_or_backup_file`, and Emacs' `#x#`).
    package static func isBackup(_ name: String) -> Bool {
        name.hasPrefix(".") || (name.hasPrefix("#") && name.hasSuffix("#")) || name.hasSuffix("~")
            || name == "lost+found" || backupEndings.contains(where: name.hasSuffix)
    }

    private static let backupEndings = [
        ".rpmnew", ".rpmsave", ".rpmorig", ".dpkg-old", ".dpkg-new", ".dpkg-tmp", ".dpkg-dist", ".dpkg-bak",
        ".dpkg-backup", ".dpkg-remove", ".ucf-new", ".ucf-old", ".ucf-dist", ".swp", ".swo", ".bak", ".old", ".new",
        ".orig",
    ]

    package struct Status {
        package let byteCount: Int64
        package let modified: UTCInstant
        package let isFolder: Bool
        package let isRegular: Bool
        package let isLink: Bool
    }

    package static func status(_ path: String) -> Status? {
        var values = stat()
        guard unsafe lstat(path, &values) == 0 else { return nil }
        return Status(values)
    }

    /// The status of an open file.
    package static func status(of descriptor: Int32, path: String) throws(FileError) -> Status {
        var values = stat()
        guard unsafe fstat(descriptor, &values) == 0 else { throw FileError(step: .open, path: path, code: errno) }
        return Status(values)
    }

    /// Opens a regular file for reading. What somebody else put in its place, such as a FIFO, is not waited for.
    package static func open(_ path: String) throws(FileError) -> FileDescriptor {
        var status: Status?
        return try open(path, &status)
    }

    // Gives the status as well, which it has to ask for anyway.
    private static func open(_ path: String, _ found: inout Status?) throws(FileError) -> FileDescriptor {
        let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { throw FileError(step: .open, path: path, code: errno) }
        let file = FileDescriptor(owning: number)
        let status = try status(of: file.number, path: path)
        guard status.isRegular else { throw FileError(step: .open, path: path, code: EINVAL) }
        found = status
        return file
    }

    /// The bytes of a small file.
    ///
    /// - Returns: nil if it is larger than the limit.
    package static func contents(_ path: String, limit: Int) throws(FileError) -> [UInt8]? {
        var status: Status?
        let file = try open(path, &status)
        guard let size = status?.byteCount, size <= limit else { return nil }
        return try read(file.number, at: 0, count: Int(size), path: path)
    }

    /// Reads a range; fewer bytes come back only where the file ends.
    package static func read(
        _ descriptor: Int32, at offset: Int, count: Int, path: String
    ) throws(FileError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = 0
            while filled < count, let base = buffer.baseAddress {
                let got = unsafe pread(descriptor, base + filled, count - filled, off_t(offset + filled))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { return }
                filled += got
            }
        }
        guard failure == 0 else { throw FileError(step: .open, path: path, code: failure) }
        return bytes
    }
}

extension Folder.Status {
    fileprivate init(_ values: stat) {
        self.init(
            byteCount: Int64(values.st_size),
            modified: UTCInstant(
                nanoseconds: Int64(values.st_mtim.tv_sec)
                    .multipliedClamped(by: 1_000_000_000).addingClamped(Int64(values.st_mtim.tv_nsec))),
            isFolder: values.st_mode & S_IFMT == S_IFDIR, isRegular: values.st_mode & S_IFMT == S_IFREG,
            isLink: values.st_mode & S_IFMT == S_IFLNK)
    }
}
