internal import Glibc

/// Holds a folder for one process: a second that wants it is refused. The kernel lets go when the process ends,
/// however it ends.
public final class FolderLock: Sendable {
    private let descriptor: FileDescriptor

    /// - Parameter folder: an existing folder.
    /// - Throws: `SystemError` with `EWOULDBLOCK` if another process holds it, else why it cannot be locked.
    public init(folder: String) throws(SystemError) {
        let path = "\(folder)/konza.lock"
        let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard number >= 0 else { throw SystemError("open \(path)") }
        descriptor = FileDescriptor(owning: number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("lock \(path)") }
    }

    /// Whether the error says that somebody else holds the folder.
    public static func isHeldByAnother(_ error: SystemError) -> Bool { error.code == EWOULDBLOCK }
}
