internal import Glibc
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem

/// One picture on its way from konzad to the store, in a file: no picture is held in memory, a transfer that has to begin anew
/// asks konzad for nothing, and a slow store does not keep one of konzad's connections open for hours, which konzad would end.
/// There is one file of a fixed name, so a crash leaves one at the most; nothing is flushed, since it is made anew when it is
/// lost.
struct PictureSpool {
    /// The largest picture that is taken, bytes. What konzad takes in is far below.
    static let mostBytes = 256 << 20

    let path: String

    /// - Parameter folder: where the file is.
    init(folder: String) { path = "\(folder)/picture.part" }

    struct Picture: Equatable {
        let byteCount: Int
        let sha256: String
    }

    /// Brings a picture here.
    ///
    /// - Parameters:
    ///   - target: in the local API.
    ///   - station: konzad.
    /// - Returns: what came; nil if it is too large.
    /// - Throws: ``ClientError``; `file` if it cannot be written.
    func fetch(_ target: String, from station: StationClient) throws(ClientError) -> Picture? {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .file("\(SystemError("write \(path)"))") }
        let file = FileDescriptor(owning: number)
        var hash = SHA256()
        var count = 0
        var failure: SystemError?
        _ = try station.fetch(target: target) { chunk in
            count += chunk.count
            guard count <= Self.mostBytes else { return false }
            hash.update(chunk)
            do throws(SystemError) { try writeAll(chunk, to: file.number) } catch { failure = error }
            return failure == nil
        }
        if let failure { throw .file("cannot keep a picture for the store in \(path): \(failure)") }
        return count > Self.mostBytes ? nil : Picture(byteCount: count, sha256: hash.hexadecimal())
    }

    /// Nothing is left of what was brought.
    func empty() { unsafe unlink(path) }
}
