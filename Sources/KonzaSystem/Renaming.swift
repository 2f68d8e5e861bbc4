internal import CLinux
internal import Glibc

/// Renames a file and fails with `EEXIST` rather than replace another. A file system that cannot promise it in one
/// step (`EINVAL`) gets a second name by link(2) and then loses the first.
public func renameWithoutReplacing(_ source: String, to target: String) throws(SystemError) {
    if unsafe konza_rename_new(source, target) == 0 { return }
    let error = SystemError("rename \(source) to \(target)")
    guard error.code == EINVAL || error.code == ENOSYS else { throw error }
    guard unsafe link(source, target) == 0 else { throw SystemError("rename \(source) to \(target)") }
    guard unsafe unlink(source) == 0 else { throw SystemError("remove the old name \(source)") }
}
