internal import Glibc

/// What a folder has by one name.
public struct FolderEntry: Sendable, Equatable {
    /// What is no UTF-8 in it is U+FFFD.
    public let name: String
    /// A symbolic link to a folder is none.
    public let isFolder: Bool

    public init(name: String, isFolder: Bool) {
        self.name = name
        self.isFolder = isFolder
    }
}

/// What is in a folder (readdir(3)), in no order, without `.` and `..`.
///
/// - Throws: why the folder cannot be opened or read.
public func folderEntries(of path: String) throws(SystemError) -> [FolderEntry] {
    guard let stream = unsafe opendir(path) else { throw SystemError("list the folder \(path)") }
    defer { unsafe closedir(stream) }
    var entries: [FolderEntry] = []
    while true {
        errno = 0
        guard let entry = unsafe readdir(stream) else {
            guard errno == 0 else { throw SystemError("list the folder \(path)") }
            return entries
        }
        let name = unsafe name(of: entry)
        if name == "." || name == ".." { continue }
        let kind = unsafe Int32(entry.pointee.d_type)
        let isFolder = kind == Int32(DT_DIR) || (kind == Int32(DT_UNKNOWN) && isFolder("\(path)/\(name)"))
        entries.append(FolderEntry(name: name, isFolder: isFolder))
    }
}

/// The name, read in place: a record ends with its name, and may be shorter than `dirent`.
private func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 19
    return unsafe String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
}

/// Some file systems do not tell the kind of an entry.
private func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return unsafe lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
}
