internal import Glibc

/// A request's body that is read while it is sent, so that its size costs no memory.
public struct UploadBody: Sendable {
    /// One piece of a body.
    public enum Part: Sendable {
        case bytes([UInt8])
        /// A file of exactly that many bytes: one that is shorter ends the transfer.
        case file(path: String, byteCount: Int)

        var byteCount: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let byteCount): byteCount
            }
        }
    }

    /// One after another.
    public let parts: [Part]
    /// What `Content-Length` says.
    public let byteCount: Int

    public init(_ parts: [Part]) {
        self.parts = parts
        byteCount = parts.reduce(0) { $0 + $1.byteCount }
    }

    func reader() -> UploadReader { UploadReader(parts) }
}

/// Goes through the parts of a body.
final class UploadReader {
    private let parts: [UploadBody.Part]
    private var index = 0
    private var offset = 0
    private var file: OpenedFile?

    init(_ parts: [UploadBody.Part]) { self.parts = parts }

    func rewind() {
        index = 0
        offset = 0
        file = nil
    }

    /// - Returns: at least one byte, none at the end of the last part, nil if a file cannot be read that far.
    func read(most: Int) -> [UInt8]? {
        while index < parts.count {
            let part = parts[index]
            let wanted = min(most, part.byteCount - offset)
            if wanted == 0 {
                index += 1
                offset = 0
                file = nil
                continue
            }
            guard let bytes = read(part, wanted), !bytes.isEmpty else { return nil }
            offset += bytes.count
            return bytes
        }
        return []
    }

    private func read(_ part: UploadBody.Part, _ wanted: Int) -> [UInt8]? {
        switch part {
        case .bytes(let bytes): return Array(bytes[offset..<offset + wanted])
        case .file(let path, _):
            if file == nil { file = OpenedFile(path) }
            return file?.read(most: wanted)
        }
    }
}

/// Owns a file that is open for reading.
private final class OpenedFile {
    private let descriptor: Int32

    init?(_ path: String) {
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(most: Int) -> [UInt8]? {
        let descriptor = self.descriptor
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
            count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, most))
        }
        return bytes.isEmpty ? nil : bytes
    }
}
