internal import FoundationEssentials
internal import KonzaSystem

/// The kernel's own count of the most memory that something takes.
public enum PeakMemory {
    /// By how much resident memory grows at most while something runs, bytes (proc(5): clear_refs 5 resets VmHWM). All
    /// threads count: call it in a process that does nothing else.
    public static func growth<Failure: Error>(_ body: () throws(Failure) -> Void) throws -> Int {
        Heap.trim()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try highest()
        try body()
        return try highest() - before
    }

    private static func highest() throws -> Int {
        let status = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/status")), as: UTF8.self)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
            throw SystemError("read VmHWM")
        }
        return kilobytes * 1024
    }
}
