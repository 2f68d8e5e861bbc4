/// A kind of picture file, told by its first bytes: what others call it counts for nothing.
public enum PictureKind: String, Sendable, CaseIterable {
    /// ISO/IEC 10918-1 annex B.
    case jpeg
    /// W3C PNG section 5.2.
    case png
    /// RFC 9649 section 2.
    case webp

    /// Bytes that are enough to tell.
    public static let headBytes = 12

    /// Nil for any other kind.
    ///
    /// - Parameter bytes: of a file, its first ``headBytes`` at least, where it has so many.
    public init?(_ bytes: some Collection<UInt8>) {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }

    /// IANA's name of the type.
    public var mediaType: String { "image/\(rawValue)" }

    /// What names of such files end with, behind the dot.
    public var ending: String { self == .jpeg ? "jpg" : rawValue }
}
