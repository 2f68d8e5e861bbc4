internal import Glibc
internal import KonzaSystem

/// Whole files, read with a limit.
enum Files {
    /// - Throws: `DrawingError` with `file`, which says why.
    static func read(_ path: String, limit: Int) throws(DrawingError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw DrawingError(.file, "cannot read \(path): it is not a regular file")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw DrawingError(.file, "cannot read \(path): it has more than \(limit) bytes")
            }
        }
    }

    /// The names in a folder, in order.
    static func names(in folder: String) throws(DrawingError) -> [String] {
        do throws(SystemError) {
            return try folderEntries(of: folder).map(\.name).filter { !$0.hasPrefix(".") }.sorted()
        } catch {
            throw failure(folder, error.code)
        }
    }

    private static func failure(_ path: String, _ code: Int32 = errno) -> DrawingError {
        DrawingError(.file, "cannot read \(path): \(SystemError.text(code))")
    }
}

/// The pictures that image layers name, each read once and again when asked to.
final class ImageStore {
    private var pictures: [String: Bitmap] = [:]

    /// The largest image file, bytes.
    static let fileLimit = 16 << 20

    func picture(_ file: String, folder: String?, _ path: String) throws(DrawingError) -> Bitmap {
        guard let folder else {
            throw DrawingError(.file, "cannot draw \(path): the template has no folder to look for \(file) in")
        }
        let full = "\(folder)/\(file)"
        if let picture = pictures[full] { return picture }
        let bytes = try Files.read(full, limit: Self.fileLimit)
        guard let picture = Bitmap(png: bytes) else {
            throw DrawingError(
                .file, "cannot draw \(path): \(full) is not a PNG picture of at most \(Bitmap.pixelLimit) pixels")
        }
        pictures[full] = picture
        return picture
    }

    func forget() { pictures = [:] }
}
