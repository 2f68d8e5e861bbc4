internal import Foundation

/// The steps of a write, as the kernel reports them (inotify(7)): a file of the folder is made, written to, closed, or
/// gets its name.
final class WriteSteps: Sendable {
    private let descriptor: Int32

    /// Begins to watch.
    ///
    /// - Parameter folder: it is there already.
    /// - Throws: ``Complaint`` if the kernel refuses.
    init(in folder: String) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        let wanted = UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
        guard descriptor >= 0, unsafe inotify_add_watch(descriptor, folder, wanted) >= 0 else {
            throw Complaint("cannot watch \(folder): error \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// - Parameter milliseconds: how long the first one is waited for.
    /// - Returns: how many there were since the last look.
    func next(milliseconds: Int32) -> Int {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, milliseconds) > 0 else { return 0 }
        var count = 0
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let length = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard length > 0 else { return count }
            // Each has a head of 16 bytes, whose last four tell how long the name behind it is.
            var offset = 0
            while offset + 16 <= length {
                let name = (0..<4).reduce(0) { $0 | Int(buffer[offset + 12 + $1]) << (8 * $1) }
                offset += 16 + name
                count += 1
            }
        }
    }
}

/// Somebody who takes the room of a write while it is under way.
final class Filling: Sendable {
    private let isDone = LockedValue(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - steps: of the write.
    ///   - step: after so many the disk is filled.
    ///   - filler: the file that takes the room.
    ///   - bytes: what stays free.
    init(steps: WriteSteps, after step: Int, filler: String, leaving bytes: Int) {
        Thread.detachNewThread { [isDone, ended] in
            var seen = 0
            while !isDone.value, seen < step { seen += steps.next(milliseconds: 20) }
            if !isDone.value { Self.fill(filler, leaving: bytes) }
            ended.signal()
        }
    }

    func end() {
        isDone.set(true)
        ended.wait()
    }

    /// As quick as can be: one call measures, one allocates.
    private static func fill(_ path: String, leaving bytes: Int) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        var space = statvfs()
        guard descriptor >= 0, unsafe fstatvfs(descriptor, &space) == 0 else { return }
        let free = Int(space.f_bavail) * Int(space.f_frsize)
        if free > bytes { posix_fallocate(descriptor, 0, free - bytes) }
    }
}
