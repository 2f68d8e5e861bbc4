internal import Glibc
public import KonzaModel
internal import KonzaSystem

/// Pictures that take a camera's place.
public enum Recording: Sendable {
    /// A folder of JPEGs in the order of their names, or one Motion-JPEG file (JPEGs one after another, as
    /// `ffmpeg -f mjpeg` writes them).
    case path(String)
    /// Pictures made at the instant they are for, such as a painted scene.
    case generator(@Sendable (MonotonicInstant) throws -> FrameData)
}

/// A recording that is open, one picture after another, from the start again after the last.
struct RecordingReader: Sendable {
    private enum Content: Sendable {
        case files([String])
        /// The place of each picture in one file.
        case parts(path: String, [Range<Int>])
        case generator(@Sendable (MonotonicInstant) throws -> FrameData)
    }

    /// The largest picture that is read, bytes.
    static let largestPicture = 64 << 20

    private let content: Content
    private var position = 0

    init(_ recording: Recording) throws(CameraError) {
        switch recording {
        case .generator(let make): content = .generator(make)
        case .path(let path):
            var information = stat()
            guard unsafe stat(path, &information) == 0 else {
                throw Self.error(path, SystemError.text(errno), "set Recording= to a folder or file that is there")
            }
            content = try information.st_mode & S_IFMT == S_IFDIR ? Self.folder(path) : Self.file(path)
        }
    }

    /// How many pictures there are; nil for a generator.
    var count: Int? {
        switch content {
        case .files(let paths): paths.count
        case .parts(_, let parts): parts.count
        case .generator: nil
        }
    }

    /// The next picture's bytes, and the file they are from for messages.
    mutating func next(at instant: MonotonicInstant) throws(CameraError) -> (data: FrameData, origin: String) {
        switch content {
        case .files(let paths):
            let path = paths[position % paths.count]
            position = (position + 1) % paths.count
            return (try Self.read(path, nil), path)
        case .parts(let path, let parts):
            let number = position % parts.count
            position = (number + 1) % parts.count
            return (try Self.read(path, parts[number]), "picture \(number + 1) of \(path)")
        case .generator(let make):
            do {
                return (try make(instant), "the built-in scene")
            } catch {
                throw CameraError(.recording, "cannot draw the built-in scene: \(error)")
            }
        }
    }

    private static func error(_ path: String, _ cause: String, _ remedy: String) -> CameraError {
        CameraError(.recording, "cannot read the recording \(path): \(cause); \(remedy)")
    }

    private static func folder(_ path: String) throws(CameraError) -> Content {
        let names: [String]
        do throws(SystemError) {
            names = try folderEntries(of: path).map(\.name).filter { name in
                let lower = name.lowercased()
                return !name.hasPrefix(".") && (lower.hasSuffix(".jpg") || lower.hasSuffix(".jpeg"))
            }
        } catch {
            throw Self.error(path, SystemError.text(error.code), "make the folder readable for the daemon's user")
        }
        guard !names.isEmpty else { throw error(path, "it holds no .jpg file", "put JPEGs into it") }
        return .files(names.sorted().map { "\(path)/\($0)" })
    }

    private static func file(_ path: String) throws(CameraError) -> Content {
        do throws(SystemError) {
            var index = MotionJPEGIndex(try RecordingFile(path))
            let parts = try index.pictures()
            if !parts.isEmpty { return .parts(path: path, parts) }
        } catch {
            throw Self.error(path, SystemError.text(error.code), "restore the file")
        }
        throw error(path, "it holds no JPEG", "use Motion-JPEG (ffmpeg -f mjpeg)")
    }

    /// Reads a range of a file, or the whole file.
    private static func read(_ path: String, _ range: Range<Int>?) throws(CameraError) -> FrameData {
        do throws(SystemError) {
            let file = try RecordingFile(path)
            let range = range ?? 0..<file.size
            guard range.count <= largestPicture else { throw SystemError(code: EFBIG, action: "read \(path)") }
            return FrameData(try file.read(range))
        } catch {
            throw Self.error(path, SystemError.text(error.code), "replace or remove it")
        }
    }
}
