internal import Glibc

/// The machine code of the process: its own and that of its libraries.
public enum ProgramText {
    /// Lets go of resident pages of code. The kernel reads each back from the page cache when it is next run, a
    /// microsecond each.
    ///
    /// Starting a program touches most of its code once, and the kernel maps sixteen pages for each that is touched;
    /// a daemon that then waits for months keeps it all resident on a small board until memory runs short. Only
    /// mappings that are executable and not writable are let go: their pages never differ from the file's.
    public static func release() {
        for line in mappings() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let edges = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard edges.count == 2, edges[0] < edges[1] else { continue }
            unsafe madvise(
                UnsafeMutableRawPointer(bitPattern: edges[0]), Int(edges[1] - edges[0]), Int32(MADV_DONTNEED))
        }
    }

    private static func mappings() -> [Substring] {
        let descriptor = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0, bytes.count < 1 << 20 else { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
