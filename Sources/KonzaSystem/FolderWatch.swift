internal import Glibc

/// Hears from the kernel (inotify(7)) that something in folders has changed: a look at this costs one call, where a look at
/// the folders costs one for each file.
///
/// Of a folder that is not there the nearest one above it is watched, in which it may appear. Not heard are changes behind
/// symbolic links and on the other side of a network: whoever needs these looks now and then without being told.
public final class FolderWatch: Sendable {
    /// What tells that an entry has another content, another name or other rights, or that the folder itself is gone.
    private static let wanted =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)
        | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        | UInt32(IN_ONLYDIR)
    /// What tells that an entry has appeared, beside what is wanted of the folder already.
    private static let appearing =
        UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        | UInt32(IN_MASK_ADD)
    /// Folders that are watched at most, and how deep they may lie in those that were added.
    private static let mostFolders = 256
    private static let deepest = 3

    private let descriptor: Int32
    private let folders: [String]

    /// Begins to watch folders with all that are in them.
    ///
    /// - Returns: nil if the kernel refuses: it has no watches left.
    public init?(_ folders: [String]) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.folders = folders
        _ = watchAll()
    }

    deinit { close(descriptor) }

    /// Whether something may have changed since the last ``renew()``. Does not wait.
    public var hasChange: Bool {
        guard let events = try? waitForEvents(on: [(descriptor, .readable)], milliseconds: 0) else { return true }
        return !events[0].isEmpty
    }

    /// Forgets the changes so far, and watches folders that are new. Waits for the disk; whoever looks at the folders afterwards
    /// misses nothing.
    ///
    /// - Returns: whether each of the folders, or what it would appear in, is watched.
    public func renew() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 || count < 0 && errno == EINTR else { break }
        }
        return watchAll()
    }

    private func watchAll() -> Bool {
        var left = Self.mostFolders
        var isWhole = true
        for folder in folders where !watch(folder, depth: 0, &left) && !watchAbove(folder) { isWhole = false }
        return isWhole && left > 0
    }

    /// Once what is above is watched, the folder is looked for again: it may have appeared in between.
    private func watchAbove(_ folder: String) -> Bool {
        var above = folder
        while above != "/", above != "." {
            above = folderAndName(of: above).folder
            guard unsafe inotify_add_watch(descriptor, above, Self.appearing) >= 0 else { continue }
            var left = Self.mostFolders
            return unsafe access(folder, F_OK) != 0 || watch(folder, depth: 0, &left)
        }
        return false
    }

    private func watch(_ folder: String, depth: Int, _ left: inout Int) -> Bool {
        guard left > 0, unsafe inotify_add_watch(descriptor, folder, Self.wanted) >= 0 else { return false }
        left -= 1
        guard depth < Self.deepest, let entries = try? folderEntries(of: folder) else { return true }
        for entry in entries where entry.isFolder { _ = watch("\(folder)/\(entry.name)", depth: depth + 1, &left) }
        return true
    }
}
