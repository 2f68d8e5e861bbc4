internal import Glibc
internal import KonzaSystem

/// What the kernel says of a process (proc(5)).
struct ProcessFigures: Sendable, Equatable {
    /// Resident memory, bytes.
    let residentBytes: Int64
    /// The part of it that is the process's own, not a file's, bytes.
    let anonymousBytes: Int64
    let threads: Int
    /// User and system time since its start, seconds.
    let processorSeconds: Double

    /// - Throws: if the process is not there.
    init(of id: Int32) throws {
        self = try ProcessFigures(
            status: try Files.text("/proc/\(id)/status"), times: try Files.text("/proc/\(id)/stat"),
            ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    /// - Parameters:
    ///   - status: /proc/PID/status.
    ///   - times: /proc/PID/stat.
    ///   - ticksPerSecond: What its times are counted in.
    /// - Throws: if a figure is missing.
    init(status: String, times: String, ticksPerSecond: Double) throws {
        // The second field is the name in brackets, which may hold anything; utime and stime are the 14th and 15th.
        let fields = times.split(separator: ")").last?.split(separator: " ") ?? []
        guard let resident = Self.kilobytes("VmRSS", in: status),
            let anonymous = Self.kilobytes("RssAnon", in: status), fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { throw BenchError("cannot read what the kernel says of a process") }
        residentBytes = resident * 1024
        anonymousBytes = anonymous * 1024
        threads = Int(Self.kilobytes("Threads", in: status) ?? 0)
        processorSeconds = (user + system) / ticksPerSecond
    }

    /// The most resident memory that a process has had since it became its program, bytes; nil if it is not there.
    static func peakBytes(of id: Int32) -> Int64? {
        guard let status = try? Files.text("/proc/\(id)/status") else { return nil }
        return kilobytes("VmHWM", in: status).map { $0 * 1024 }
    }

    private static func kilobytes(_ name: String, in status: String) -> Int64? {
        for line in status.split(separator: "\n") where line.hasPrefix(name + ":") {
            return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int64($0) }
        }
        return nil
    }
}
