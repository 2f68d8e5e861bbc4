internal import Glibc

/// The files of a database on the disk: its own, and the log and the shared memory that SQLite puts beside it.
package enum DatabaseFiles {
    package static let suffixes = ["", "-wal", "-shm"]
    /// Like every other file of the archive; SQLite gives what it puts beside the file the file's own.
    private static let mode: mode_t = 0o640

    /// The first of them that is there and is not a regular file, which SQLite would wait for (a FIFO) or could make
    /// nothing of; nil if there is none.
    static func irregular(_ path: String) -> String? {
        suffixes.map { path + $0 }.first { name in
            guard let mode = fileMode(name) else { return false }
            return mode & S_IFMT != S_IFREG
        }
    }

    /// Makes the file if it is not there, and takes away what the mode of a file of an earlier version gives to others.
    /// What cannot be done here SQLite reports when it opens the file.
    static func prepare(_ path: String) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        if descriptor >= 0 { close(descriptor) }
        for name in suffixes.map({ path + $0 }) {
            guard let found = fileMode(name), found & 0o7777 & ~mode != 0 else { continue }
            _ = unsafe chmod(name, found & mode)
        }
    }

    private static func fileMode(_ path: String) -> mode_t? {
        var values = stat()
        return unsafe stat(path, &values) == 0 ? values.st_mode : nil
    }
}
