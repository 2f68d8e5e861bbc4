/// A V4L2 pixel format by its four-character code.
struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
    let code: UInt32

    init(code: UInt32) { self.code = code }

    private init(_ text: StaticString) {
        code = "\(text)".utf8.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32(8 * $1.offset) }
    }

    static let motionJPEG = PixelFormat("MJPG")
    static let jpeg = PixelFormat("JPEG")
    /// 4:2:2 packed: Y0 Cb Y1 Cr.
    static let yuyv = PixelFormat("YUYV")
    /// 4:2:2 packed: Cb Y0 Cr Y1.
    static let uyvy = PixelFormat("UYVY")
    /// 4:2:0: a plane of Y, then one of Cb Cr pairs.
    static let nv12 = PixelFormat("NV12")
    /// 4:2:0: planes of Y, Cb, Cr.
    static let yuv420 = PixelFormat("YU12")

    /// A JPEG stream. `JPEG` is what some drivers call Motion-JPEG.
    var isJPEG: Bool { self == .motionJPEG || self == .jpeg }

    /// The four characters, with a dot for what cannot be printed.
    var description: String {
        var text = ""
        for shift in stride(from: 0, to: 32, by: 8) {
            let byte = UInt8(truncatingIfNeeded: code >> UInt32(shift))
            text.unicodeScalars.append((0x20..<0x7F).contains(byte) ? Unicode.Scalar(byte) : ".")
        }
        return text
    }

    /// The bytes that a whole raw picture fills, or nil for a format not converted here or a size out of range.
    func byteCount(bytesPerLine: Int, height: Int) -> Int? {
        guard bytesPerLine > 0, height > 0, bytesPerLine <= 1 << 20, height <= 1 << 16 else { return nil }
        switch self {
        case .yuyv, .uyvy: return bytesPerLine * height
        case .nv12: return bytesPerLine * height + bytesPerLine * ((height + 1) / 2)
        case .yuv420: return bytesPerLine * height + 2 * ((bytesPerLine + 1) / 2) * ((height + 1) / 2)
        default: return nil
        }
    }

    /// The shortest row that holds `width` pixels.
    func minimumBytesPerLine(width: Int) -> Int {
        switch self {
        case .yuyv, .uyvy: (width + 1) / 2 * 4
        default: width
        }
    }
}
