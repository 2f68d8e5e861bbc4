internal import Glibc

/// Reads the small files that secrets are in.
public enum SecretFile {
    /// - Parameters:
    ///   - path: of the file.
    ///   - limit: the most bytes.
    /// - Returns: nil for a file that cannot be read, is empty, or has more.
    public static func bytes(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return (1...limit).contains(count) ? Array(bytes.prefix(count)) : nil
    }
}
