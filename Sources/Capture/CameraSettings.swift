public import KonzaModel

/// How the V4L2 camera is to be run. Settings never change while the camera runs; what it runs with is its status.
public struct CameraSettings: Sendable, Equatable {
    /// What the mains do to the picture (`V4L2_CID_POWER_LINE_FREQUENCY`).
    public enum PowerLineFrequency: Int64, Sendable, Codable {
        case disabled = 0
        case hertz50 = 1
        case hertz60 = 2
        case automatic = 3
    }

    /// The device's path; empty takes the first usable one, by its stable name under `/dev/v4l/by-id` if it has one.
    public var device = ""
    /// The wished size in pixels; the driver gives the nearest that it has.
    public var width = 1920
    public var height = 1080
    /// Frames a second.
    public var frameRate = 30.0
    /// The quality of the pictures that are compressed here, 1 to 100; a camera's own JPEG is never touched.
    public var jpegQuality = 90
    /// The clockwise turn that puts the pictures upright.
    public var rotation = PictureTurn.Rotation.none
    /// Nil leaves the camera's own choice.
    public var powerLineFrequency: PowerLineFrequency?
    /// Whether the camera may lower the frame rate in the dark, to 5 a second with many models
    /// (`V4L2_CID_EXPOSURE_AUTO_PRIORITY`, `exposure_dynamic_framerate`). Nil leaves the camera's own choice.
    public var dynamicFrameRate: Bool? = false
    /// Further controls by the name that `v4l2-ctl -l` prints.
    public var controls: [String: Int64] = [:]
    /// How long the stream goes on when nobody watches and no shot waits, seconds.
    public var idleSeconds = 30.0
    /// A JPEG with fewer bytes is no picture.
    public var minimumBytes = 512

    public init() {}
}
