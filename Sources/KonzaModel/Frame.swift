/// The bytes of one picture, shared without copying. The memory goes back to its owner (a camera's buffer, the
/// allocator) when the last holder lets go.
@safe public final class FrameData: @unchecked Sendable {
    // Sendable: the memory is never written after init, and `release` is called once, from deinit.
    private let bytes: UnsafeRawBufferPointer
    private let release: @Sendable () -> Void

    /// Takes memory that stays valid and unchanged until `release` is called.
    public init(lending bytes: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        unsafe self.bytes = unsafe bytes
        self.release = release
    }

    /// Copies the bytes.
    public convenience init(copying source: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        unsafe copy.copyMemory(from: source)
        let address = UInt(bitPattern: copy.baseAddress)
        unsafe self.init(lending: UnsafeRawBufferPointer(copy)) {
            unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    /// Copies the bytes.
    public convenience init(_ source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        unsafe copy.copyBytes(from: source)
        let address = UInt(bitPattern: copy.baseAddress)
        unsafe self.init(lending: UnsafeRawBufferPointer(copy)) {
            unsafe UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    deinit { release() }

    /// The number of bytes.
    public var count: Int { unsafe bytes.count }

    /// Lends the bytes to the body; they must not escape it.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(bytes)
    }

    /// A copy of the bytes.
    public var array: [UInt8] { unsafe Array(bytes) }
}

/// One whole, structurally sound JPEG picture from a camera.
public struct Frame: Sendable {
    /// What the time of exposure rests on.
    public enum TimestampSource: String, Sendable, Codable {
        /// The driver's monotonic timestamp, taken at the start of exposure.
        case startOfExposure
        /// The driver's monotonic timestamp, taken at the end of the frame.
        case endOfFrame
        /// The driver gives none: the instant the frame was received.
        case arrival
    }

    public let data: FrameData
    /// Of the bytes as they are, in pixels.
    public let width: Int
    public let height: Int
    /// What is still to be done to the bytes for an upright picture: a camera's JPEG is turned where it is used.
    public let turn: PictureTurn
    /// Of the picture once it is turned, in pixels.
    public let uprightWidth: Int
    public let uprightHeight: Int
    /// The device's frame counter, widened so that it never wraps.
    public let sequence: UInt64
    public let exposedAt: MonotonicInstant
    public let timestampSource: TimestampSource
    public let source: SourceKind

    public init(
        data: FrameData, width: Int, height: Int, sequence: UInt64, exposedAt: MonotonicInstant,
        timestampSource: TimestampSource, source: SourceKind, turn: PictureTurn = .none,
        uprightSize: (width: Int, height: Int)? = nil
    ) {
        self.data = data
        self.width = width
        self.height = height
        self.turn = turn
        uprightWidth = uprightSize?.width ?? (turn.transposes ? height : width)
        uprightHeight = uprightSize?.height ?? (turn.transposes ? width : height)
        self.sequence = sequence
        self.exposedAt = exposedAt
        self.timestampSource = timestampSource
        self.source = source
    }
    /// The frame with its picture in other bytes.
    public func with(_ data: FrameData) -> Frame {
        Frame(
            data: data, width: width, height: height, sequence: sequence, exposedAt: exposedAt,
            timestampSource: timestampSource, source: source, turn: turn, uprightSize: (uprightWidth, uprightHeight))
    }

    /// The frame with its picture turned, so that nothing is left to be done.
    public func turned(_ data: FrameData, width: Int, height: Int) -> Frame {
        Frame(
            data: data, width: width, height: height, sequence: sequence, exposedAt: exposedAt,
            timestampSource: timestampSource, source: source)
    }
}
