internal import Glibc

/// Makes a folder and those above it that are not there (mkdir(2)).
///
/// - Parameters:
///   - path: absolute.
///   - mode: of every folder that is made, before the umask.
/// - Throws: why the folder, or one above it, cannot be made.
public func makeFolders(_ path: String, mode: UInt32 = 0o750) throws(SystemError) {
    var made = ""
    for name in path.split(separator: "/") {
        made += "/\(name)"
        guard unsafe mkdir(made, mode) == 0 || errno == EEXIST || errno == EISDIR else {
            let failure = SystemError("make the folder \(made)")
            // A folder above may be unwritable and the wanted one be there all the same.
            var facts = stat()
            if unsafe stat(made, &facts) == 0 { continue }
            throw failure
        }
    }
}

/// A path as the folder that the file is in, `.` where the path names none, and the file's name there.
public func folderAndName(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    return (folder, String(path[path.index(after: slash)...]))
}
