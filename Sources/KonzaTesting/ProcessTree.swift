internal import FoundationEssentials
internal import Glibc

/// The processes that a process has started (proc(5)).
public enum ProcessTree {
    /// - Parameter id: of a process.
    /// - Returns: those whose parent it is now.
    public static func children(of id: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { parent(of: $0) == id }
    }

    private static func parent(of id: Int32) -> Int32? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return nil }
        // The second field is the name in brackets, which may hold anything; the parent is the fourth.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
