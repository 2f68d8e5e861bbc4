internal import Glibc

/// What this process uses now, from /proc/self.
public struct ProcessUsage: Sendable {
    public let id: Int
    /// Resident memory, bytes.
    public let residentBytes: Int64
    public let openDescriptors: Int
    /// User and system time since the start, seconds.
    public let cpuSeconds: Double

    /// Reads the figures; what cannot be read is 0.
    public static func current() -> ProcessUsage {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessUsage(
            id: Int(getpid()), residentBytes: residentPages() * Int64(sysconf(Int32(_SC_PAGESIZE))),
            openDescriptors: countEntries(of: "/proc/self/fd"),
            cpuSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }

    /// Processor time of the calling thread since its start, seconds (clock_gettime(2)).
    public static var threadSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func residentPages() -> Int64 {
        let descriptor = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return 0 }
        let fields = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
        return fields.count > 1 ? Int64(fields[1]) ?? 0 : 0
    }

    private static func countEntries(of folder: String) -> Int {
        // The descriptor that reads the folder does not count.
        max(0, ((try? folderEntries(of: folder)) ?? []).count - 1)
    }
}
