import Glibc
import KonzaModel
import KonzaSystem
import KonzaTesting
import Synchronization

@testable import Capture

/// A frame that a scripted device delivers.
struct ScriptedFrame: Sendable {
    var bytes: [UInt8]
    /// What the driver says it is, if not the truth.
    var bytesUsed: Int?
    var flags: BufferFlags = [.monotonic, .startOfExposure]
    /// Nanoseconds before the present; nil is 1 ms.
    var age: Int64 = 1_000_000
    /// Nil counts on.
    var sequence: UInt32?

    init(
        _ bytes: [UInt8], bytesUsed: Int? = nil, flags: BufferFlags = [.monotonic, .startOfExposure],
        age: Int64 = 1_000_000, sequence: UInt32? = nil
    ) {
        self.bytes = bytes
        self.bytesUsed = bytesUsed
        self.flags = flags
        self.age = age
        self.sequence = sequence
    }
}

/// What happens at one wait of the camera's thread.
enum Moment: Sendable {
    /// These frames are ready, a 30th of a second later.
    case frames([ScriptedFrame])
    /// A second passes without one.
    case silence
    /// POLLERR or POLLHUP, and this errno from the next call (0: none).
    case broken(Int32)
    /// DQBUF fails although the descriptor is readable.
    case dequeueFails(Int32)
    /// The test's own doing, such as a new demand.
    case action(@Sendable () -> Void)
    /// The device disappears with a udev event while nobody polls it.
    case removed
    /// A device appears.
    case added
    /// Time passes until the wait's own limit.
    case pass
}

/// A machine with one camera that follows a script. The clock moves only by it.
final class ScriptedSystem: VideoSystem {
    struct State {
        var moments: [Moment]
        var openErrors: [Int32] = []
        var isPresent = true
        var opened: [(path: String, converting: Bool)] = []
        var closed = 0
        var streamOns = 0
        var streamOffs = 0
        var mapped = 0
        var unmapped = 0
        var violations: [String] = []
        var set: [(name: String, value: Int64)] = []
        var waits: [Int32] = []
        var nextSequence: UInt32 = 0
    }

    let clock: ManualClock
    let state: Mutex<State>
    let onEnd = Mutex<(@Sendable () -> Void)?>(nil)
    // Set before the camera runs, read by its thread only.
    let model: ScriptedModel

    init(_ moments: [Moment], clock: ManualClock = ManualClock(), model: ScriptedModel = ScriptedModel()) {
        self.clock = clock
        self.model = model
        state = Mutex(State(moments: moments))
    }

    func candidates() -> [String] { state.withLock { $0.isPresent } ? model.paths : [] }

    func node(of path: String) -> String { path }

    func open(_ path: String, converting: Bool) throws(SystemError) -> any VideoDevice {
        let code = state.withLock { state -> Int32 in
            state.opened.append((path, converting))
            if !state.openErrors.isEmpty { return state.openErrors.removeFirst() }
            return state.isPresent ? 0 : ENOENT
        }
        guard code == 0 else { throw SystemError(code: code, action: "open \(path)") }
        return ScriptedDevice(path: path, system: self, converting: converting)
    }

    func waitForChange(milliseconds: Int32, wakeup: Wakeup) -> DeviceChange {
        state.withLock { $0.waits.append(milliseconds) }
        switch next() {
        case .action(let body):
            body()
            return .woken
        case .removed:
            state.withLock { $0.isPresent = false }
            return .removed(path: model.paths.first ?? "")
        case .added:
            state.withLock { $0.isPresent = true }
            return .added
        case .pass, .silence:
            clock.advance(bySeconds: Double(milliseconds) / 1000)
            return .timedOut
        case .frames, .broken, .dequeueFails:
            state.withLock { $0.violations.append("the script has a frame where the camera waits for a device") }
            return .woken
        case nil:
            return .woken
        }
    }

    /// The next moment; at the end of the script the camera is stopped.
    func next() -> Moment? {
        let moment = state.withLock { $0.moments.isEmpty ? nil : $0.moments.removeFirst() }
        if moment == nil { onEnd.withLock { $0 }?() }
        return moment
    }
}

/// What the scripted camera is like.
struct ScriptedModel: Sendable {
    var paths = ["/dev/video7"]
    var capability = VideoCapability(driver: "scripted", card: "Scripted Camera", bus: "usb-1", canCapture: true)
    var formats: [PixelFormat] = [.motionJPEG]
    /// Formats that S_FMT gives although another was asked for.
    var granted: [PixelFormat: PixelFormat] = [:]
    var width = 64
    var height = 48
    var frameRate: Double? = 30
    var bufferCount = 4
    var bufferSize = 1 << 16
    var controls: [ControlDescription] = []
    /// Controls that S_EXT_CTRLS refuses the first time.
    var refusedOnce: Set<String> = []
    var failing: [String: Int32] = [:]
}

final class ScriptedDevice: VideoDevice {
    let path: String
    private let system: ScriptedSystem
    private let converting: Bool
    private var memory: [UnsafeMutableRawBufferPointer] = []
    private var queued: Set<Int> = []
    private var ready: [DequeuedBuffer] = []
    private var failure: Int32 = 0
    private var isStreaming = false
    private var refused: Set<String> = []
    private var values: [UInt32: Int64] = [:]

    init(path: String, system: ScriptedSystem, converting: Bool) {
        self.path = path
        self.system = system
        self.converting = converting
    }

    private func check(_ call: String) throws(SystemError) {
        if let code = system.model.failing[call] { throw SystemError(code: code, action: "\(call) \(path)") }
        if !system.state.withLock({ $0.isPresent }) { throw SystemError(code: ENODEV, action: "\(call) \(path)") }
    }

    private func violate(_ text: String) { system.state.withLock { $0.violations.append(text) } }

    func capability() throws(SystemError) -> VideoCapability {
        try check("capability")
        return system.model.capability
    }

    func formats() throws(SystemError) -> [OfferedFormat] {
        try check("formats")
        return system.model.formats.map { OfferedFormat(pixelFormat: $0, description: "scripted", sizes: []) }
    }

    func setFormat(_ pixelFormat: PixelFormat, width: Int, height: Int) throws(SystemError) -> VideoFormat {
        try check("setFormat")
        let granted = system.model.granted[pixelFormat] ?? pixelFormat
        let perLine = granted.isJPEG ? 0 : granted.minimumBytesPerLine(width: system.model.width)
        return VideoFormat(
            pixelFormat: granted, width: system.model.width, height: system.model.height, bytesPerLine: perLine,
            imageSize: system.model.bufferSize)
    }

    func setFrameRate(_ framesPerSecond: Double) throws(SystemError) -> Double? {
        try check("setFrameRate")
        return system.model.frameRate
    }

    func requestBuffers(_ count: Int) throws(SystemError) -> Int {
        try check("requestBuffers")
        return system.model.bufferCount
    }

    func mapBuffer(_ index: Int) throws(SystemError) -> MappedBuffer {
        try check("mapBuffer")
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: system.model.bufferSize, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0xAA)
        memory.append(bytes)
        system.state.withLock { $0.mapped += 1 }
        let address = UInt(bitPattern: bytes.baseAddress)
        return MappedBuffer(memory: UnsafeRawBufferPointer(bytes)) { [system] in
            system.state.withLock { $0.unmapped += 1 }
            UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
        }
    }

    func queueBuffer(_ index: Int) throws(SystemError) {
        try check("queueBuffer")
        if !queued.insert(index).inserted { violate("buffer \(index) was queued twice") }
    }

    func dequeueBuffer() throws(SystemError) -> DequeuedBuffer? {
        if failure != 0 {
            let code = failure
            failure = 0
            throw SystemError(code: code, action: "take a frame from \(path)")
        }
        try check("dequeueBuffer")
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    func streamOn() throws(SystemError) {
        try check("streamOn")
        if queued.count < 2 { violate("the stream was started with \(queued.count) buffers") }
        isStreaming = true
        system.state.withLock { $0.streamOns += 1 }
    }

    func streamOff() throws(SystemError) {
        try check("streamOff")
        isStreaming = false
        queued = []
        ready = []
        system.state.withLock { $0.streamOffs += 1 }
    }

    func controls() throws(SystemError) -> [ControlDescription] {
        try check("controls")
        return system.model.controls
    }

    func value(of control: ControlDescription) throws(SystemError) -> Int64 {
        try check("value")
        return values[control.id] ?? control.defaultValue
    }

    func setValue(_ value: Int64, of control: ControlDescription) throws(SystemError) {
        try check("setValue \(control.name)")
        if system.model.refusedOnce.contains(control.name), refused.insert(control.name).inserted {
            throw SystemError(code: EACCES, action: "set \(control.name)")
        }
        values[control.id] = value
        system.state.withLock { $0.set.append((control.name, value)) }
    }

    func wait(milliseconds: Int32, wakeup: Wakeup) throws(SystemError) -> DeviceReadiness {
        if !isStreaming { violate("polled without a stream") }
        if queued.isEmpty { violate("polled with no buffer queued") }
        switch system.next() {
        case .frames(let frames):
            system.clock.advance(bySeconds: 1.0 / 30)
            for frame in frames { fill(frame) }
            return .ready
        case .silence:
            system.clock.advance(bySeconds: Double(milliseconds) / 1000)
            return .timedOut
        case .broken(let code):
            failure = code
            if code == ENODEV { system.state.withLock { $0.isPresent = false } }
            return .broken
        case .dequeueFails(let code):
            failure = code
            return .ready
        case .action(let body):
            body()
            return .woken
        case .pass:
            system.clock.advance(bySeconds: Double(milliseconds) / 1000)
            return .woken
        case .removed, .added:
            violate("the script has a device event where the camera waits for a frame")
            return .woken
        case nil:
            return .woken
        }
    }

    private func fill(_ frame: ScriptedFrame) {
        let sequence = system.state.withLock { state in
            let sequence = frame.sequence ?? state.nextSequence
            state.nextSequence = sequence &+ 1
            return sequence
        }
        // A driver without a free buffer loses the frame.
        guard let index = queued.min() else { return }
        queued.remove(index)
        memory[index].copyBytes(from: frame.bytes.prefix(memory[index].count))
        ready.append(
            DequeuedBuffer(
                index: index, bytesUsed: frame.bytesUsed ?? frame.bytes.count, flags: frame.flags,
                timestamp: system.clock.monotonic().nanoseconds - frame.age, sequence: sequence))
    }

    func close() { system.state.withLock { $0.closed += 1 } }
}

/// Runs a camera over its whole script, on the calling thread.
@discardableResult
func runCamera(
    _ system: ScriptedSystem, _ hub: FrameHub, settings: CameraSettings = CameraSettings()
) throws -> CameraStatus {
    let camera = try V4L2Camera(settings: settings, hub: hub, system: system)
    let atEnd = Mutex<CameraStatus?>(nil)
    system.onEnd.withLock {
        $0 = {
            atEnd.withLock { $0 = hub.status() }
            camera.stop()
        }
    }
    camera.runOnThisThread()
    system.onEnd.withLock { $0 = nil }
    return atEnd.withLock { $0 } ?? hub.status()
}
