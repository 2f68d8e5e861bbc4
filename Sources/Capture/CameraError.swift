internal import Glibc
internal import KonzaSystem

/// Why the camera cannot do what was asked for.
public struct CameraError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Stable names, the same in the API, the placeholder picture and the service's status.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// No camera is there.
        case missing = "camera-missing"
        /// The device node may not be opened by this user.
        case permission = "camera-permission"
        /// Another program streams from it.
        case busy = "camera-busy"
        /// It offers no format that can be used.
        case formatRefused = "camera-format-refused"
        /// It was there and is gone.
        case disconnected = "camera-disconnected"
        /// It streams and sends nothing.
        case silent = "camera-silent"
        /// It sends frames, none of them sound.
        case corrupt = "camera-corrupt"
        /// Any other failure of the driver.
        case failed = "camera-failed"
        /// A recording cannot be read.
        case recording = "camera-recording"
        /// No frame in time.
        case timeout = "camera-timeout"
        /// There is no such control.
        case unknownControl = "camera-control-unknown"
        /// The control does not take this value, or no value at present.
        case controlRefused = "camera-control-refused"
        /// The daemon is ending.
        case stopped = "camera-stopped"
    }

    public let kind: Kind
    /// The whole sentence: what cannot be done, why, and the remedy.
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }

    /// Words an `errno` met while opening or setting up a device.
    init(opening path: String, _ error: SystemError) {
        let cause = SystemError.text(error.code)
        switch error.code {
        case ENOENT, ENXIO, ENODEV:
            self.init(.missing, "cannot open \(path): \(cause); connect the camera, or set Device= to another")
        case EACCES, EPERM:
            self.init(
                .permission, "cannot open \(path): \(cause); add the daemon's user to the group that owns the device")
        case EBUSY:
            self.init(.busy, "cannot use \(path): \(cause); end the other program that uses the camera")
        case ENOSPC:
            self.init(
                .failed,
                "cannot \(error.action): the USB bus has no bandwidth left; choose a smaller size or another port")
        case EINVAL:
            self.init(.formatRefused, "cannot set up \(path): the driver refuses to \(error.action); try another size")
        default:
            self.init(.failed, "\(error.description); unplug the camera and plug it in again")
        }
    }
}
