internal import Glibc

/// Where this program is, and what came along with it.
public enum ProgramFiles {
    /// The path of the running program (proc(5), `/proc/self/exe`); empty if the kernel does not tell.
    public static var program: String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }

    /// Finds a folder of data: beside the program as installed, else in the tree that it was built in, at most five folders
    /// above the program's.
    ///
    /// - Parameters:
    ///   - installed: below the folder that holds the program's, such as `share/konza`.
    ///   - tree: below the top of the tree, such as `config`.
    ///   - otherwise: where it is when it is nowhere else.
    ///   - mark: what is in the right folder, such as `templates`, and can be read.
    /// - Returns: its path.
    public static func folder(installed: String, tree: String, otherwise: String, mark: String) -> String {
        func isIt(_ folder: String) -> Bool { unsafe access("\(folder)/\(mark)", R_OK) == 0 }
        var above = parent(of: program)
        let beside = "\(parent(of: above))/\(installed)"
        if isIt(beside) { return beside }
        for _ in 0..<5 {
            if isIt("\(above)/\(tree)") { return "\(above)/\(tree)" }
            above = parent(of: above)
        }
        return otherwise
    }

    /// The path of a program in the same folder as this one; nil if it is not there.
    public static func sibling(_ name: String) -> String? {
        let path = "\(parent(of: program))/\(name)"
        return unsafe access(path, X_OK) == 0 ? path : nil
    }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}
