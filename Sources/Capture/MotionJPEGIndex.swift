internal import Glibc
internal import KonzaSystem

/// A file that is read in pieces.
struct RecordingFile: ~Copyable {
    private let descriptor: KonzaSystem.FileDescriptor
    private let path: String
    /// Bytes, when it was opened.
    let size: Int

    init(_ path: String) throws(SystemError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open \(path)") }
        var information = stat()
        guard unsafe fstat(number, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            let error = SystemError(code: EINVAL, action: "use \(path), which is no regular file")
            Glibc.close(number)
            throw error
        }
        descriptor = KonzaSystem.FileDescriptor(owning: number)
        self.path = path
        size = Int(information.st_size)
    }

    /// Reads exactly this range.
    func read(_ range: Range<Int>) throws(SystemError) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw SystemError(code: ENODATA, action: "read \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: range.count)
        var filled = 0
        while filled < bytes.count {
            let (missing, offset) = (bytes.count - filled, range.lowerBound + filled)
            let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor.number, buffer.baseAddress.map { unsafe $0 + filled }, missing, offset)
            }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else {
                throw taken == 0 ? SystemError(code: ENODATA, action: "read \(path)") : SystemError("read \(path)")
            }
            filled += taken
        }
        return bytes
    }
}

/// Finds the pictures of a Motion-JPEG file: from each SOI to the EOI that ends it. A broken picture reaches to the
/// next SOI, so that the check that every frame goes through counts it. Memory is one window, whatever the file.
struct MotionJPEGIndex: ~Copyable {
    private let file: RecordingFile
    private var window: [UInt8] = []
    private var windowStart = 0

    static let windowSize = 1 << 20
    static let mostPictures = 1_000_000

    init(_ file: consuming RecordingFile) { self.file = file }

    mutating func pictures() throws(SystemError) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var offset = 0
        while found.count < Self.mostPictures, let begin = try nextStart(from: offset) {
            offset = try pictureEnd(from: begin)
            found.append(begin..<offset)
        }
        return found
    }

    private mutating func load(_ offset: Int) throws(SystemError) {
        windowStart = offset
        window = try file.read(offset..<min(file.size, offset + Self.windowSize))
    }

    private mutating func byte(at offset: Int) throws(SystemError) -> UInt8? {
        guard offset < file.size else { return nil }
        if offset < windowStart || offset >= windowStart + window.count { try load(offset) }
        return window[offset - windowStart]
    }

    /// The next FF at or behind an offset.
    private mutating func nextFF(from offset: Int) throws(SystemError) -> Int? {
        var place = offset
        while try byte(at: place) != nil {
            if let hit = window[(place - windowStart)...].firstIndex(of: 0xFF) { return windowStart + hit }
            place = windowStart + window.count
        }
        return nil
    }

    /// The next FF D8 FF: SOI and the FF of the marker that must follow it.
    private mutating func nextStart(from offset: Int) throws(SystemError) -> Int? {
        var place = offset
        while let hit = try nextFF(from: place) {
            if try byte(at: hit + 1) == 0xD8, try byte(at: hit + 2) == 0xFF { return hit }
            place = hit + 1
        }
        return nil
    }

    /// Behind the EOI of the picture that begins here. Segments are stepped over by their length, so that a
    /// thumbnail's EOI within one does not count.
    private mutating func pictureEnd(from begin: Int) throws(SystemError) -> Int {
        var place = begin + 2
        while let marker = try nextFF(from: place) {
            switch try byte(at: marker + 1) {
            case nil: return file.size
            case 0xD9: return marker + 2
            case 0xD8: return marker
            case 0xFF: place = marker + 1
            case 0x00, 0x01, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7: place = marker + 2
            default:
                guard let high = try byte(at: marker + 2), let low = try byte(at: marker + 3) else {
                    return file.size
                }
                place = marker + 2 + max(2, Int(high) << 8 | Int(low))
            }
        }
        return file.size
    }
}
