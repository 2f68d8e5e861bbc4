internal import Glibc
internal import KonzaSystem

/// The folder with what the program brings along: `templates` and `recordings`.
enum DataFolder {
    /// Where the data is: `KONZA_DATA` if set, else beside the program as installed (`../share/konza`), else in the
    /// tree it was built in (`config` in a folder above), else `/usr/share/konza`.
    static func find() -> String {
        if let named = unsafe getenv("KONZA_DATA") { return unsafe String(cString: named) }
        return ProgramFiles.folder(
            installed: "share/konza", tree: "config", otherwise: "/usr/share/konza", mark: "templates")
    }

    /// Whether a folder is there and can be read.
    static func exists(_ folder: String) -> Bool { unsafe access(folder, R_OK | X_OK) == 0 }
}
