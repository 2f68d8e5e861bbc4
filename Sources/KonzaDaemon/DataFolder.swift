internal import Glibc

/// The folder with what the program brings along: `templates` and `recordings`.
enum DataFolder {
    /// Where the data is: `KONZA_DATA` if set, else beside the program as installed (`../share/konza`), else in the
    /// tree it was built in (`config` in a folder above), else `/usr/share/konza`.
    static func find() -> String {
        if let named = unsafe getenv("KONZA_DATA") { return unsafe String(cString: named) }
        var folder = parent(of: programPath())
        let installed = "\(parent(of: folder))/share/konza"
        if holdsTemplates(installed) { return installed }
        for _ in 0..<5 {
            if holdsTemplates("\(folder)/config") { return "\(folder)/config" }
            folder = parent(of: folder)
        }
        return "/usr/share/konza"
    }

    private static func holdsTemplates(_ folder: String) -> Bool { exists("\(folder)/templates") }

    /// Whether a folder is there and can be read.
    static func exists(_ folder: String) -> Bool { unsafe access(folder, R_OK | X_OK) == 0 }

    fileprivate static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[..<slash])
    }

    fileprivate static func programPath() -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }
}

extension DataFolder {
    /// The path of a program in the same folder as this one, if it is there.
    static func sibling(_ name: String) -> String? {
        let path = "\(parent(of: programPath()))/\(name)"
        return unsafe access(path, X_OK) == 0 ? path : nil
    }
}
