internal import Glibc
internal import KonzaSystem

/// Whole files, and where programs are.
enum Files {
    static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw SystemError("write \(path)") }
        let owner = FileDescriptor(owning: number)
        try writeAll(bytes, to: owner.number)
    }

    static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("read \(path)") }
        let owner = FileDescriptor(owning: number)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(owner.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read \(path)") }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    static func text(_ path: String) throws(SystemError) -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    static func size(_ path: String) throws(SystemError) -> Int {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError("read the size of \(path)") }
        return Int(status.st_size)
    }

    static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return unsafe access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes the folder of a file, and those above it.
    static func makeParent(of path: String) throws(SystemError) {
        var at = path.startIndex
        while let slash = path[at...].firstIndex(of: "/") {
            let folder = String(path[..<slash])
            if !folder.isEmpty, unsafe mkdir(folder, 0o755) != 0, errno != EEXIST {
                throw SystemError("create the folder \(folder)")
            }
            at = path.index(after: slash)
        }
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// Looks for programs in the folders where Debian puts them and then in PATH: the first name that is found.
    static func program(_ names: [String]) -> String? {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
        let folders = ["/usr/bin", "/usr/sbin", "/bin"] + path.split(separator: ":").map(String.init)
        for name in names {
            if let folder = folders.first(where: { isProgram("\($0)/\(name)") }) { return "\(folder)/\(name)" }
        }
        return nil
    }

    /// The path of this program.
    static func ownPath() -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
    }

    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The folder with the templates and recordings: `KONZA_DATA` if set, else as installed (`../share/konza`), else
    /// in the tree that the program was built in.
    static func dataFolder() throws -> String {
        if let named = environment("KONZA_DATA") { return named }
        var folder = parent(of: ownPath())
        let installed = "\(parent(of: folder))/share/konza"
        if isFolder("\(installed)/templates") { return installed }
        for _ in 0..<5 {
            if isFolder("\(folder)/config/templates") { return "\(folder)/config" }
            folder = parent(of: folder)
        }
        throw BenchError("cannot find the templates: there are none beside \(ownPath()); set KONZA_DATA")
    }
}

/// A new folder that goes away, with what is in it, when its owner lets go of it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter base: The folder to make it in: on a disk, if writing to one is to be measured.
    /// - Throws: What mkdtemp(3) says.
    init(in base: String) throws(SystemError) {
        var template = Array("\(base)/konza-bench-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("create a folder in \(base)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        Leftovers.add(folder: path)
    }

    deinit {
        Self.remove(path)
        Leftovers.forget(folder: path)
    }

    /// Removes a folder with all that is in it.
    static func remove(_ folder: String) {
        for entry in (try? folderEntries(of: folder)) ?? [] {
            let path = "\(folder)/\(entry.name)"
            if unsafe unlink(path) != 0 { remove(path) }
        }
        unsafe rmdir(folder)
    }
}
