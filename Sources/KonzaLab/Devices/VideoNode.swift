internal import Foundation

/// An open video node, for what a camera's user never does to it. The requests and layouts are those of
/// `linux/videodev2.h` on 64-bit machines.
final class VideoNode: Sendable {
    private static let setControl: UInt = 0xC008_561C  // VIDIOC_S_CTRL
    private static let setFormat: UInt = 0xC0D0_5605  // VIDIOC_S_FMT
    private static let streamOn: UInt = 0x4004_5612  // VIDIOC_STREAMON
    private let descriptor: Int32
    private let path: String

    /// Opens a node.
    init(_ path: String) throws {
        self.path = path
        descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw Complaint("cannot open \(path): error \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sets a control by its identifier.
    func set(control: UInt32, to value: Int32) throws {
        var request = (control, value)
        guard unsafe ioctl(descriptor, Self.setControl, &request) == 0 else {
            throw Complaint("cannot set control \(control) of \(path): error \(errno)")
        }
    }

    /// Says what will be written, and makes this a writer. v4l2loopback 0.12 takes one that only writes for a reader
    /// when it closes, and then offers neither side to anyone.
    func setOutput(fourcc: String, width: UInt32, height: UInt32, bytes: UInt32) throws {
        // struct v4l2_format: the type, and eight bytes on a struct v4l2_pix_format.
        var words = [UInt32](repeating: 0, count: 52)
        words[0] = 2  // V4L2_BUF_TYPE_VIDEO_OUTPUT
        let code = fourcc.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        words.replaceSubrange(2...9, with: [width, height, code, 1, 0, bytes, 8, 0])
        let status = unsafe words.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return Int32(-1) }
            return unsafe ioctl(descriptor, Self.setFormat, start)
        }
        guard status == 0 else { throw Complaint("cannot set the format of \(path): error \(errno)") }
        // A device that somebody has open keeps its format, and says so in the answer.
        guard words[4] == code else { throw Complaint("cannot set the format of \(path): it keeps its own") }
        try startOutput()
    }

    private func startOutput() throws {
        var type: Int32 = 2  // V4L2_BUF_TYPE_VIDEO_OUTPUT
        guard unsafe ioctl(descriptor, Self.streamOn, &type) == 0 else {
            throw Complaint("cannot start the output of \(path): error \(errno)")
        }
    }

    /// Writes one frame.
    func write(_ frame: [UInt8]) throws {
        let count = unsafe frame.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard count == frame.count else { throw Complaint("cannot write a frame into \(path): error \(errno)") }
    }
}
