import KonzaModel
import KonzaSystem
import Testing

@testable import Capture

/// What the compiler makes of the kernel's header against the ABI of 64-bit Linux, as `strace -X raw` shows it.
@Suite struct KernelABITests {
    static let requests: [(String, UInt)] = [
        ("VIDIOC_QUERYCAP", 0x8068_5600), ("VIDIOC_ENUM_FMT", 0xC040_5602), ("VIDIOC_S_FMT", 0xC0D0_5605),
        ("VIDIOC_REQBUFS", 0xC014_5608), ("VIDIOC_QUERYBUF", 0xC058_5609), ("VIDIOC_QBUF", 0xC058_560F),
        ("VIDIOC_DQBUF", 0xC058_5611), ("VIDIOC_STREAMON", 0x4004_5612), ("VIDIOC_STREAMOFF", 0x4004_5613),
        ("VIDIOC_G_PARM", 0xC0CC_5615), ("VIDIOC_S_PARM", 0xC0CC_5616), ("VIDIOC_QUERYMENU", 0xC02C_5625),
        ("VIDIOC_G_EXT_CTRLS", 0xC020_5647), ("VIDIOC_S_EXT_CTRLS", 0xC020_5648),
        ("VIDIOC_ENUM_FRAMESIZES", 0xC02C_564A), ("VIDIOC_QUERY_EXT_CTRL", 0xC0E8_5667),
    ]

    @Test(arguments: requests)
    func requestNumbersAreTheKernels(_ name: String, _ number: UInt) {
        #expect(KernelABI.requests[name] == number)
    }

    @Test func everyRequestIsListed() { #expect(KernelABI.requests.count == Self.requests.count) }

    /// Bits 16 to 29 of a request number are the size of its argument (ioctl(2)).
    @Test(arguments: [
        ("v4l2_capability", "VIDIOC_QUERYCAP"), ("v4l2_fmtdesc", "VIDIOC_ENUM_FMT"), ("v4l2_format", "VIDIOC_S_FMT"),
        ("v4l2_requestbuffers", "VIDIOC_REQBUFS"), ("v4l2_buffer", "VIDIOC_DQBUF"),
        ("v4l2_streamparm", "VIDIOC_S_PARM"), ("v4l2_frmsizeenum", "VIDIOC_ENUM_FRAMESIZES"),
        ("v4l2_query_ext_ctrl", "VIDIOC_QUERY_EXT_CTRL"),
    ])
    func structuresHaveTheSizeTheirRequestSays(_ structure: String, _ request: String) throws {
        let number = try #require(KernelABI.requests[request])
        #expect(KernelABI.sizes[structure] == Int(number >> 16 & 0x3FFF))
    }

    @Test func bufferFlagsAreTheKernels() {
        // V4L2_BUF_FLAG_ERROR 0x40, TIMESTAMP_MONOTONIC 0x2000 of mask 0xE000, TSTAMP_SRC_SOE 0x10000 of 0x70000.
        #expect(BufferFlags(driverFlags: 0x0001_2043) == [.error, .monotonic, .startOfExposure])
        #expect(BufferFlags(driverFlags: 0x0000_2000) == [.monotonic])
        #expect(BufferFlags(driverFlags: 0x0000_4000) == [])
        #expect(BufferFlags(driverFlags: 0x0003_0000) == [])
    }

    @Test(
        arguments: [
            (PixelFormat.motionJPEG, 0x4750_4A4D, "MJPG"), (.jpeg, 0x4745_504A, "JPEG"), (.yuyv, 0x5659_5559, "YUYV"),
            (.uyvy, 0x5956_5955, "UYVY"), (.nv12, 0x3231_564E, "NV12"), (.yuv420, 0x3231_5559, "YU12"),
        ] as [(PixelFormat, UInt32, String)])
    func pixelFormatsAreFourCharacters(_ format: PixelFormat, _ code: UInt32, _ text: String) {
        #expect(format.code == code)
        #expect(format.description == text)
        #expect(PixelFormat(code: code | 0xFF00_0000).description.hasSuffix("."))
    }

    @Test func aFileThatIsNoVideoDeviceIsRefusedByTheRealLayer() throws {
        let device = try KernelVideoSystem().open("/dev/null", converting: false)
        #expect(throws: SystemError.self) { try device.capability() }
        device.close()
        device.close()
        #expect(throws: SystemError.self) { try KernelVideoSystem().open("/dev/konza-none", converting: false) }
    }

    @Test func theRealSystemCanBeWaitedForAndWoken() throws {
        let system = KernelVideoSystem()
        let wakeup = try Wakeup()
        wakeup.signal()
        #expect(system.waitForChange(milliseconds: 5000, wakeup: wakeup) == .woken)
        #expect(system.waitForChange(milliseconds: 0, wakeup: wakeup) == .timedOut)
        #expect(system.node(of: "/proc/self/fd/../../self/exe").hasPrefix("/"))
    }
}
