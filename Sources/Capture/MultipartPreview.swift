public import KonzaModel

/// The framing of a Motion-JPEG preview over HTTP (`multipart/x-mixed-replace`, RFC 2046 5.1): a value that turns
/// frames into the bytes to send. It knows neither sockets nor time.
///
/// Two habits of browsers are served (both found by ustreamer). Blink shows a picture only when the next part begins,
/// so each frame is followed at once by the next boundary and the first header line, and the length is sent with the
/// frame it belongs to. WebKit and Blink hold the last picture back when frames stop, so it is sent a second time.
public struct MultipartPreview: Sendable {
    /// Bytes to send in order: a head, a picture, a tail.
    public struct Part: Sendable {
        public let head: [UInt8]
        public let picture: FrameData
        public let tail: [UInt8]

        /// The number of bytes in all.
        public var count: Int { head.count + picture.count + tail.count }

        /// Copies bytes of this part into a caller's buffer.
        ///
        /// - Parameters:
        ///   - offset: the first byte wanted, counted from the start of the head.
        ///   - buffer: is filled as far as the part goes.
        /// - Returns: how many bytes were copied; 0 at the end.
        public func copy(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            var copied = 0
            var skip = max(0, offset)
            func take(_ bytes: UnsafeRawBufferPointer) {
                let begin = min(skip, bytes.count)
                skip -= begin
                let count = min(bytes.count - begin, buffer.count - copied)
                guard count > 0 else { return }
                let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[begin..<(begin + count)])
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[copied..<(copied + count)])
                    .copyMemory(from: source)
                copied += count
            }
            unsafe head.withUnsafeBytes { unsafe take($0) }
            unsafe picture.withBytes { unsafe take($0) }
            unsafe tail.withUnsafeBytes { unsafe take($0) }
            return copied
        }
    }

    /// Separates the parts; it contains nothing that a JPEG segment could be taken for.
    public let boundary: String
    private var hasBegun = false
    private var last: (picture: FrameData, timestamp: String)?
    private var owesRepeat = false

    public init(boundary: String = "konza-frame") { self.boundary = boundary }

    /// The value of the reply's `Content-Type`.
    public var contentType: String { "multipart/x-mixed-replace;boundary=\(boundary)" }

    /// The part for a new frame.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - exposedAt: its exposure in UTC, for the `X-Timestamp` header: seconds since 1970 with six decimals, as
    ///     ustreamer and mjpg-streamer send it.
    /// - Returns: the bytes to send.
    public mutating func part(for frame: Frame, exposedAt: UTCInstant) -> Part {
        let timestamp = Self.timestamp(exposedAt)
        last = (frame.data, timestamp)
        owesRepeat = true
        return part(frame.data, timestamp)
    }

    /// The last frame once more, when no new one came for a while; nil if it was already sent twice.
    public mutating func partAfterSilence() -> Part? {
        guard owesRepeat, let last else { return nil }
        owesRepeat = false
        // A viewer of few frames does not hold one while it waits for the next.
        self.last = nil
        return part(last.picture, last.timestamp)
    }

    private mutating func part(_ picture: FrameData, _ timestamp: String) -> Part {
        let opening = hasBegun ? "" : nextPart
        hasBegun = true
        let head = "\(opening)Content-Length: \(picture.count)\r\nX-Timestamp: \(timestamp)\r\n\r\n"
        return Part(head: Array(head.utf8), picture: picture, tail: Array("\r\n\(nextPart)".utf8))
    }

    /// The boundary and what of the next header is already known.
    private var nextPart: String { "--\(boundary)\r\nContent-Type: image/jpeg\r\n" }

    private static func timestamp(_ instant: UTCInstant) -> String {
        let microseconds = max(0, instant.nanoseconds / 1000)
        let fraction = "\(microseconds % 1_000_000)"
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)"
    }
}
