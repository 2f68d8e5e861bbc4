internal import KonzaSystem

/// What a device says of itself (`VIDIOC_QUERYCAP`).
struct VideoCapability: Sendable, Equatable {
    var driver: String
    var card: String
    var bus: String
    /// A single-planar capture node that streams; metadata and output nodes of the same camera are not.
    var canCapture: Bool
}

/// A format that a device offers (`VIDIOC_ENUM_FMT`) with the sizes it lists for it.
struct OfferedFormat: Sendable, Equatable {
    var pixelFormat: PixelFormat
    var description: String
    var sizes: [OfferedSize]
}

/// One row of `VIDIOC_ENUM_FRAMESIZES`: a single size, or a range in steps.
struct OfferedSize: Sendable, Equatable {
    var minimumWidth: Int
    var minimumHeight: Int
    var maximumWidth: Int
    var maximumHeight: Int
}

/// The format in force after `VIDIOC_S_FMT`; the driver may have changed every member of the wish.
struct VideoFormat: Sendable, Equatable {
    var pixelFormat: PixelFormat
    var width: Int
    var height: Int
    /// Bytes from one row to the next; 0 for compressed formats.
    var bytesPerLine: Int
    /// The largest frame in bytes.
    var imageSize: Int
    /// Luma and chroma span 0 to 255, not the narrower range of video.
    var isFullRange = false
}

/// The flags of a dequeued buffer that matter here.
struct BufferFlags: OptionSet, Sendable {
    let rawValue: UInt32

    /// The data is corrupt although the call succeeded (`V4L2_BUF_FLAG_ERROR`).
    static let error = BufferFlags(rawValue: 1 << 0)
    /// The timestamp is a reading of `CLOCK_MONOTONIC`.
    static let monotonic = BufferFlags(rawValue: 1 << 1)
    /// The timestamp was taken when the exposure began; otherwise when the frame ended.
    static let startOfExposure = BufferFlags(rawValue: 1 << 2)
}

/// What `VIDIOC_DQBUF` gives.
struct DequeuedBuffer: Sendable, Equatable {
    var index: Int
    /// How much of the buffer this frame fills; what lies beyond is of an older frame.
    var bytesUsed: Int
    var flags: BufferFlags
    /// Nanoseconds; what they count from depends on the flags.
    var timestamp: Int64
    var sequence: UInt32
}

/// A control as the driver describes it (`VIDIOC_QUERY_EXT_CTRL`).
struct ControlDescription: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case integer, wideInteger, boolean, menu, integerMenu, bitmask, button
        /// Strings, arrays and compounds: listed by the driver, not handled here.
        case other
    }

    var id: UInt32
    var name: String
    var kind: Kind
    var minimum: Int64
    var maximum: Int64
    var step: Int64
    var defaultValue: Int64
    var isReadOnly: Bool
    /// Without effect at present, often because an automatic mode is on.
    var isInactive: Bool
    var isWriteOnly: Bool
    /// The items of a menu by value.
    var items: [Int64: String]
}

/// What a wait for the next frame ended with.
enum DeviceReadiness: Sendable, Equatable {
    case ready
    case timedOut
    /// Somebody signalled; no frame yet.
    case woken
    /// POLLERR or POLLHUP: not streaming, nothing queued, a broken queue, or the device is gone.
    case broken
}

/// An open capture device: exactly the calls of V4L2 that a capture needs, one method each. All of them throw the
/// call's errno. Used from one thread.
protocol VideoDevice: AnyObject {
    var path: String { get }
    func capability() throws(SystemError) -> VideoCapability
    func formats() throws(SystemError) -> [OfferedFormat]
    func setFormat(_ pixelFormat: PixelFormat, width: Int, height: Int) throws(SystemError) -> VideoFormat
    /// Asks for a frame rate and returns the one in force, or nil where the driver has none.
    func setFrameRate(_ framesPerSecond: Double) throws(SystemError) -> Double?
    func requestBuffers(_ count: Int) throws(SystemError) -> Int
    func mapBuffer(_ index: Int) throws(SystemError) -> MappedBuffer
    func queueBuffer(_ index: Int) throws(SystemError)
    /// - Returns: nil if no frame is ready.
    func dequeueBuffer() throws(SystemError) -> DequeuedBuffer?
    func streamOn() throws(SystemError)
    func streamOff() throws(SystemError)
    func controls() throws(SystemError) -> [ControlDescription]
    func value(of control: ControlDescription) throws(SystemError) -> Int64
    func setValue(_ value: Int64, of control: ControlDescription) throws(SystemError)
    func wait(milliseconds: Int32, wakeup: Wakeup) throws(SystemError) -> DeviceReadiness
    /// Closes the descriptor. Mapped memory stays valid until its owner lets go.
    func close()
}

/// What a wait for a change of the machine's video devices ended with.
enum DeviceChange: Sendable, Equatable {
    case timedOut
    case woken
    /// A video device appeared.
    case added
    /// A video device with this node is gone.
    case removed(path: String)
}

/// The machine's video devices. Used from one thread.
protocol VideoSystem: AnyObject, Sendable {
    /// The paths worth trying in the order of preference: stable names first.
    func candidates() -> [String]
    /// The device node behind a path that may be a symbolic link.
    func node(of path: String) -> String
    /// - Parameters:
    ///   - path: the device's path.
    ///   - converting: lets libv4lconvert offer formats that the device lacks.
    /// - Returns: the open device.
    /// - Throws: the errno of the open.
    func open(_ path: String, converting: Bool) throws(SystemError) -> any VideoDevice
    func waitForChange(milliseconds: Int32, wakeup: Wakeup) -> DeviceChange
}
