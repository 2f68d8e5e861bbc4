internal import CV4L2
internal import Glibc
internal import KonzaSystem

/// A V4L2 device behind a descriptor, through libv4l2. Every method is one ioctl.
final class KernelVideoDevice: VideoDevice {
    let path: String
    let descriptor: Int32
    private let captureType = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
    private var isOpen = true

    /// Opens a device, with conversion by libv4lconvert only where asked for: it takes a lock for each stream and
    /// may turn the picture of a camera it believes to be mounted upside down.
    init(path: String, converting: Bool) throws(SystemError) {
        konza_v4l2_be_quiet()
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        // A refusal leaves the descriptor as it was, and libv4l2's calls then pass through to the kernel.
        _ = v4l2_fd_open(descriptor, converting ? 0 : V4L2_DISABLE_CONVERSION)
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        v4l2_close(descriptor)
    }

    private func call<Argument>(
        _ request: UInt, _ argument: UnsafeMutablePointer<Argument>, _ action: @autoclosure () -> String
    ) throws(SystemError) {
        guard unsafe konza_v4l2_ioctl(descriptor, request, argument) != -1 else {
            throw SystemError("\(action()) of \(path)")
        }
    }

    func capability() throws(SystemError) -> VideoCapability {
        var answer = v4l2_capability()
        try unsafe call(KONZA_VIDIOC_QUERYCAP, &answer, "read the capabilities")
        let hasNodeFlags = answer.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let flags = hasNodeFlags ? answer.device_caps : answer.capabilities
        let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
        return VideoCapability(
            driver: text(of: answer.driver), card: text(of: answer.card), bus: text(of: answer.bus_info),
            canCapture: flags & needed == needed)
    }

    func formats() throws(SystemError) -> [OfferedFormat] {
        var formats: [OfferedFormat] = []
        while formats.count < 256 {
            var row = v4l2_fmtdesc()
            row.index = UInt32(formats.count)
            row.type = captureType
            guard unsafe konza_v4l2_ioctl(descriptor, KONZA_VIDIOC_ENUM_FMT, &row) != -1 else {
                if errno == EINVAL { break }
                throw SystemError("list the formats of \(path)")
            }
            formats.append(
                OfferedFormat(
                    pixelFormat: PixelFormat(code: row.pixelformat), description: text(of: row.description),
                    sizes: sizes(of: row.pixelformat)))
        }
        return formats
    }

    private func sizes(of pixelFormat: UInt32) -> [OfferedSize] {
        var sizes: [OfferedSize] = []
        while sizes.count < 256 {
            var row = v4l2_frmsizeenum()
            row.index = UInt32(sizes.count)
            row.pixel_format = pixelFormat
            guard unsafe konza_v4l2_ioctl(descriptor, KONZA_VIDIOC_ENUM_FRAMESIZES, &row) != -1 else { break }
            if row.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                let (width, height) = (Int(row.discrete.width), Int(row.discrete.height))
                sizes.append(
                    OfferedSize(
                        minimumWidth: width, minimumHeight: height, maximumWidth: width, maximumHeight: height))
            } else {
                let range = row.stepwise
                sizes.append(
                    OfferedSize(
                        minimumWidth: Int(range.min_width), minimumHeight: Int(range.min_height),
                        maximumWidth: Int(range.max_width), maximumHeight: Int(range.max_height)))
                break
            }
        }
        return sizes
    }

    func setFormat(_ pixelFormat: PixelFormat, width: Int, height: Int) throws(SystemError) -> VideoFormat {
        var wish = unsafe v4l2_format()
        unsafe wish.type = captureType
        unsafe wish.fmt.pix.width = UInt32(clamping: width)
        unsafe wish.fmt.pix.height = UInt32(clamping: height)
        unsafe wish.fmt.pix.pixelformat = pixelFormat.code
        unsafe wish.fmt.pix.field = V4L2_FIELD_ANY.rawValue
        try unsafe call(KONZA_VIDIOC_S_FMT, &wish, "set the format")
        let picture = unsafe wish.fmt.pix
        let granted = PixelFormat(code: picture.pixelformat)
        return VideoFormat(
            pixelFormat: granted, width: Int(picture.width), height: Int(picture.height),
            bytesPerLine: granted.isJPEG ? 0 : Int(picture.bytesperline), imageSize: Int(picture.sizeimage),
            isFullRange: isFullRange(picture))
    }

    /// V4L2_MAP_QUANTIZATION_DEFAULT for YCbCr: video's range unless the colour space is JPEG's.
    private func isFullRange(_ picture: v4l2_pix_format) -> Bool {
        picture.quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
            || picture.quantization == V4L2_QUANTIZATION_DEFAULT.rawValue
                && picture.colorspace == V4L2_COLORSPACE_JPEG.rawValue
    }

    func setFrameRate(_ framesPerSecond: Double) throws(SystemError) -> Double? {
        var parameters = v4l2_streamparm()
        parameters.type = captureType
        try unsafe call(KONZA_VIDIOC_G_PARM, &parameters, "read the frame rate")
        let capability = unsafe parameters.parm.capture.capability
        if capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0, framesPerSecond > 0, framesPerSecond <= 1000 {
            unsafe parameters.parm.capture.timeperframe = v4l2_fract(
                numerator: 1000, denominator: UInt32((framesPerSecond * 1000).rounded()))
            try unsafe call(KONZA_VIDIOC_S_PARM, &parameters, "set the frame rate")
        }
        let interval = unsafe parameters.parm.capture.timeperframe
        guard interval.numerator > 0, interval.denominator > 0 else { return nil }
        return Double(interval.denominator) / Double(interval.numerator)
    }

    func requestBuffers(_ count: Int) throws(SystemError) -> Int {
        var request = v4l2_requestbuffers()
        request.count = UInt32(clamping: count)
        request.type = captureType
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try unsafe call(KONZA_VIDIOC_REQBUFS, &request, "get capture buffers")
        return Int(request.count)
    }

    func mapBuffer(_ index: Int) throws(SystemError) -> MappedBuffer {
        var buffer = unsafe emptyBuffer(index)
        try unsafe call(KONZA_VIDIOC_QUERYBUF, &buffer, "find a capture buffer")
        let length = unsafe Int(buffer.length)
        let offset = unsafe buffer.m.offset
        guard length > 0, let address = unsafe konza_v4l2_map(descriptor, length, offset) else {
            throw SystemError("map a capture buffer of \(path)")
        }
        let place = UInt(bitPattern: address)
        return unsafe MappedBuffer(memory: UnsafeRawBufferPointer(start: address, count: length)) {
            unsafe _ = v4l2_munmap(UnsafeMutableRawPointer(bitPattern: place), length)
        }
    }

    func queueBuffer(_ index: Int) throws(SystemError) {
        var buffer = unsafe emptyBuffer(index)
        try unsafe call(KONZA_VIDIOC_QBUF, &buffer, "queue a capture buffer")
    }

    func dequeueBuffer() throws(SystemError) -> DequeuedBuffer? {
        var buffer = unsafe emptyBuffer(0)
        guard unsafe konza_v4l2_ioctl(descriptor, KONZA_VIDIOC_DQBUF, &buffer) != -1 else {
            if errno == EAGAIN { return nil }
            throw SystemError("take a frame from \(path)")
        }
        return unsafe DequeuedBuffer(
            index: Int(buffer.index), bytesUsed: Int(buffer.bytesused),
            flags: BufferFlags(driverFlags: buffer.flags),
            timestamp: Int64(buffer.timestamp.tv_sec) &* 1_000_000_000 &+ Int64(buffer.timestamp.tv_usec) &* 1000,
            sequence: buffer.sequence)
    }

    private func emptyBuffer(_ index: Int) -> v4l2_buffer {
        var buffer = unsafe v4l2_buffer()
        unsafe buffer.index = UInt32(clamping: index)
        unsafe buffer.type = captureType
        unsafe buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return unsafe buffer
    }

    func streamOn() throws(SystemError) {
        var type = captureType
        try unsafe call(KONZA_VIDIOC_STREAMON, &type, "start the stream")
    }

    func streamOff() throws(SystemError) {
        var type = captureType
        try unsafe call(KONZA_VIDIOC_STREAMOFF, &type, "stop the stream")
    }

    func wait(milliseconds: Int32, wakeup: Wakeup) throws(SystemError) -> DeviceReadiness {
        let events = try waitForEvents(
            on: [(descriptor, [.readable, .urgent]), (wakeup.descriptor, .readable)], milliseconds: milliseconds)
        if events[1].contains(.readable) { wakeup.clear() }
        if !events[0].isDisjoint(with: [.error, .hangup, .invalid]) { return .broken }
        if events[0].contains(.readable) { return .ready }
        return events.allSatisfy(\.isEmpty) ? .timedOut : .woken
    }
}

extension BufferFlags {
    /// The flags of a `v4l2_buffer`.
    init(driverFlags flags: UInt32) {
        self = []
        if flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0 { insert(.error) }
        if flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) {
            insert(.monotonic)
        }
        if flags & UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_MASK) == UInt32(V4L2_BUF_FLAG_TSTAMP_SRC_SOE) {
            insert(.startOfExposure)
        }
    }
}

/// The text in a fixed array of C characters, which need not be terminated.
func text<Characters>(of characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The request numbers and sizes as the compiler sees them, for the test that holds them against the kernel's ABI.
enum KernelABI {
    static let requests: [String: UInt] = [
        "VIDIOC_QUERYCAP": KONZA_VIDIOC_QUERYCAP, "VIDIOC_ENUM_FMT": KONZA_VIDIOC_ENUM_FMT,
        "VIDIOC_ENUM_FRAMESIZES": KONZA_VIDIOC_ENUM_FRAMESIZES, "VIDIOC_S_FMT": KONZA_VIDIOC_S_FMT,
        "VIDIOC_G_PARM": KONZA_VIDIOC_G_PARM, "VIDIOC_S_PARM": KONZA_VIDIOC_S_PARM,
        "VIDIOC_REQBUFS": KONZA_VIDIOC_REQBUFS, "VIDIOC_QUERYBUF": KONZA_VIDIOC_QUERYBUF,
        "VIDIOC_QBUF": KONZA_VIDIOC_QBUF, "VIDIOC_DQBUF": KONZA_VIDIOC_DQBUF,
        "VIDIOC_STREAMON": KONZA_VIDIOC_STREAMON, "VIDIOC_STREAMOFF": KONZA_VIDIOC_STREAMOFF,
        "VIDIOC_QUERY_EXT_CTRL": KONZA_VIDIOC_QUERY_EXT_CTRL, "VIDIOC_QUERYMENU": KONZA_VIDIOC_QUERYMENU,
        "VIDIOC_G_EXT_CTRLS": KONZA_VIDIOC_G_EXT_CTRLS, "VIDIOC_S_EXT_CTRLS": KONZA_VIDIOC_S_EXT_CTRLS,
    ]

    static let sizes: [String: Int] = unsafe [
        "v4l2_capability": MemoryLayout<v4l2_capability>.size, "v4l2_fmtdesc": MemoryLayout<v4l2_fmtdesc>.size,
        "v4l2_frmsizeenum": MemoryLayout<v4l2_frmsizeenum>.size, "v4l2_format": MemoryLayout<v4l2_format>.size,
        "v4l2_streamparm": MemoryLayout<v4l2_streamparm>.size,
        "v4l2_requestbuffers": MemoryLayout<v4l2_requestbuffers>.size,
        "v4l2_buffer": MemoryLayout<v4l2_buffer>.size,
        "v4l2_query_ext_ctrl": MemoryLayout<v4l2_query_ext_ctrl>.size,
    ]
}
