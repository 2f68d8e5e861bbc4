public import KonzaModel

/// Everything that has been counted since the daemon started.
public struct CameraCounters: Sendable, Equatable, Codable {
    /// Frames that the device handed over, good or bad.
    public var frames: UInt64 = 0
    /// Sound frames that were handed on.
    public var delivered: UInt64 = 0
    /// Marked corrupt by the driver (`V4L2_BUF_FLAG_ERROR`).
    public var errorFlagged: UInt64 = 0
    /// Empty, or below the least size of a picture.
    public var tooSmall: UInt64 = 0
    /// Ended before the picture did.
    public var truncated: UInt64 = 0
    /// Otherwise unsound, by the cause.
    public var malformed: [String: UInt64] = [:]
    /// First frames after a start of the stream, dropped because some cameras send garbage there.
    public var startFrames: UInt64 = 0
    /// Good frames that were left out because a newer one was already there.
    public var skipped: UInt64 = 0
    /// Jumps in the driver's frame counter, and the frames that are missing by it.
    public var sequenceGaps: UInt64 = 0
    public var lost: UInt64 = 0
    /// Waits of a second that brought no frame.
    public var timeouts: UInt64 = 0
    /// Streams stopped and started to wake a silent camera.
    public var streamRestarts: UInt64 = 0
    /// Devices opened, and attempts that failed.
    public var opens: UInt64 = 0
    public var openFailures: UInt64 = 0
    /// Times a device went away while open.
    public var disconnects: UInt64 = 0
    /// Streams stopped because nobody watched.
    public var idleStops: UInt64 = 0
    /// Frames without Huffman tables that got the standard ones.
    public var huffmanTablesAdded: UInt64 = 0
    /// Raw frames that were compressed here.
    public var compressed: UInt64 = 0
    /// Frames whose driver's timestamp could not be believed.
    public var badTimestamps: UInt64 = 0
    /// Frames handed on from the device's own memory, and those that had to be copied.
    public var lent: UInt64 = 0
    public var copied: UInt64 = 0

    public init() {}

    /// All frames that came and were not sound.
    public var bad: UInt64 { malformed.values.reduce(errorFlagged &+ tooSmall &+ truncated, &+) }
}

/// A control of the camera with its present value.
public struct CameraControl: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable {
        case integer, boolean, menu, bitmask, button
    }

    /// As `v4l2-ctl -l` prints it.
    public var name: String
    public var kind: Kind
    public var minimum: Int64
    public var maximum: Int64
    public var step: Int64
    public var defaultValue: Int64
    /// Nil where it cannot be read.
    public var value: Int64?
    public var isReadOnly: Bool
    /// Without effect at present, often because an automatic mode is on.
    public var isInactive: Bool
    /// The items of a menu by value.
    public var items: [Int64: String]

    public init(
        name: String, kind: Kind, minimum: Int64, maximum: Int64, step: Int64, defaultValue: Int64, value: Int64?,
        isReadOnly: Bool = false, isInactive: Bool = false, items: [Int64: String] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.defaultValue = defaultValue
        self.value = value
        self.isReadOnly = isReadOnly
        self.isInactive = isInactive
        self.items = items
    }
}

/// One format that the device offers.
public struct CameraFormat: Sendable, Equatable, Codable {
    /// The four-character code, such as `MJPG`.
    public var code: String
    public var description: String
    /// Sizes as the driver lists them: `1920x1080`, or `48x32 to 4096x2160`.
    public var sizes: [String]

    public init(code: String, description: String, sizes: [String]) {
        self.code = code
        self.description = description
        self.sizes = sizes
    }
}

/// The open device and how it is set.
public struct CameraDevice: Sendable, Equatable, Codable {
    public var path: String
    public var card: String
    public var driver: String
    public var bus: String
    /// The format in force, as a four-character code.
    public var format: String
    /// Pixels.
    public var width: Int
    public var height: Int
    /// Frames a second as the driver promises; nil where it does not say.
    public var frameRate: Double?
    /// Whether libv4lconvert stands between the device and konzad.
    public var isConverted: Bool
    public var formats: [CameraFormat]
    public var controls: [CameraControl]
    /// Controls of the settings that could not be set, with the reason.
    public var ignoredControls: [String: String] = [:]

    public init(
        path: String, card: String, driver: String, bus: String, format: String, width: Int, height: Int,
        frameRate: Double?, isConverted: Bool = false, formats: [CameraFormat] = [], controls: [CameraControl] = []
    ) {
        self.path = path
        self.card = card
        self.driver = driver
        self.bus = bus
        self.format = format
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.isConverted = isConverted
        self.formats = formats
        self.controls = controls
    }
}

/// What the camera part is doing, in whole.
public struct CameraStatus: Sendable, Equatable {
    /// Live, or recorded, or simulated.
    public var source: SourceKind
    /// Nil while no device is open.
    public var device: CameraDevice?
    public var isStreaming: Bool
    /// Subscriptions and waiting shots.
    public var demand: Int
    /// What the time of exposure of the last frame rests on.
    public var timestampSource: Frame.TimestampSource?
    public var counters: CameraCounters
    /// When the last sound frame arrived, and how long ago that is in seconds.
    public var lastFrameAt: MonotonicInstant?
    public var lastFrameAge: Double?
    public var health: PartHealth
}

/// What happened to the camera.
public enum CameraChange: Sendable, Equatable {
    /// The health has a new kind or reason; the same reason is sent once.
    case health(PartHealth)
    case opened(CameraDevice)
    case closed(CameraError)
    case streaming(Bool)
    case controls([CameraControl])
}
