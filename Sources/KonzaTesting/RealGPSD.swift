internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// A real gpsd on a loopback port, with a receiver that is a pseudo terminal fed with NMEA. Everything can happen to
/// it that happens in the field: it is killed, stopped, started again; the receiver is unplugged and comes back.
///
/// The process and its files are gone when the owner is.
public final class RealGPSD: Sendable {
    private struct State: ~Copyable {
        var process: ChildProcess?
        var cable: Cable?
        var feeder: Task<Void, Never>?
        var second: Cable?
        var secondFeeder: Task<Void, Never>?
    }

    /// One plugged-in receiver's line. The feeder holds this and never the owner, whose end must not wait for it.
    private final class Cable: Sendable {
        let path: String
        private let terminal: Mutex<PseudoTerminal?>

        init() throws(SetUpError) {
            let terminal = try PseudoTerminal()
            path = terminal.path
            self.terminal = Mutex(consume terminal)
        }

        func say(_ text: String) {
            terminal.withLock { terminal in
                terminal?.drain()
                terminal?.send(Array(text.utf8))
            }
        }

        /// The line hangs up, whoever still holds the cable.
        func pull() { terminal.withLock { $0 = nil } }
    }

    private static let program = "/usr/sbin/gpsd"

    /// Whether Debian's gpsd is installed.
    public static var isInstalled: Bool { unsafe access(program, X_OK) == 0 }

    /// The port on 127.0.0.1, the same after a restart.
    public let port: UInt16
    private let folder: TemporaryFolder
    private let state: Mutex<State>

    /// Chooses a port; nothing runs yet.
    ///
    /// - Throws: ``SetUpError``.
    public init() throws {
        port = try LoopbackSocket.freePort()
        folder = try TemporaryFolder()
        state = Mutex(State())
    }

    deinit {
        state.withLock { state in
            state.feeder?.cancel()
            state.cable?.pull()
            state.secondFeeder?.cancel()
            state.second?.pull()
            state.process = nil
        }
    }

    private var control: String { "\(folder.path)/control" }

    /// Starts gpsd with the receiver that is plugged in, if one is, and waits until it accepts connections.
    ///
    /// - Throws: ``SetUpError`` if it does not within ten seconds.
    public func start() async throws {
        try state.withLock { state throws(SetUpError) in
            var arguments = ["-N", "-n", "-S", "\(port)", "-F", control]
            if let path = state.cable?.path { arguments.append(path) }
            state.process = nil
            state.process = try ChildProcess(Self.program, arguments)
        }
        guard await eventually(within: 10, { LoopbackSocket.accepts(port: port) }) else {
            throw SetUpError(message: "cannot start gpsd: it accepts no connection on port \(port)")
        }
    }

    /// Ends gpsd at once, as a crash does.
    public func crash() { state.withLock { $0.process = nil } }

    /// Stops gpsd without ending it: it stays connected and says nothing.
    public func freeze() { state.withLock { $0.process?.signal(SIGSTOP) } }

    public func thaw() { state.withLock { $0.process?.signal(SIGCONT) } }

    /// Plugs a receiver in that says one epoch's sentences after another, and the last one again and again.
    ///
    /// - Parameters:
    ///   - epochs: the sentences of each epoch, with checksums, without line ends.
    ///   - interval: seconds between two epochs.
    /// - Throws: ``SetUpError``.
    public func plugIn(_ epochs: [[String]], every interval: Double = 1) throws {
        let cable = try Cable()
        let path = cable.path
        let feeder = Self.feeder(cable, epochs, every: interval)
        let isRunning = state.withLock { state in
            state.feeder?.cancel()
            state.cable?.pull()
            state.feeder = feeder
            state.cable = cable
            return state.process != nil
        }
        if isRunning {
            // A device removed without notice to gpsd left the name behind, and a known name is not opened again.
            try tellGPSD("-\(path)")
            try tellGPSD("+\(path)")
        }
    }

    /// Plugs a second receiver into a gpsd that runs; it stays until the owner's end.
    ///
    /// - Parameters:
    ///   - epochs: as for ``plugIn(_:every:)``.
    ///   - interval: seconds between two epochs.
    /// - Throws: ``SetUpError``.
    public func plugInSecond(_ epochs: [[String]], every interval: Double = 1) throws {
        let cable = try Cable()
        let feeder = Self.feeder(cable, epochs, every: interval)
        state.withLock { state in
            state.secondFeeder?.cancel()
            state.second?.pull()
            state.second = cable
            state.secondFeeder = feeder
        }
        try tellGPSD("+\(cable.path)")
    }

    private static func feeder(_ cable: Cable, _ epochs: [[String]], every interval: Double) -> Task<Void, Never> {
        Task.detached {
            var index = 0
            let start = ContinuousClock.now
            while !Task.isCancelled, !epochs.isEmpty {
                let sentences = epochs[min(index, epochs.count - 1)]
                cable.say(sentences.map { $0 + "\r\n" }.joined())
                index += 1
                // By the clock and not by the gap, so that the sentences' times stay true.
                try? await Task.sleep(until: start + .seconds(interval) * index, clock: .continuous)
            }
        }
    }

    /// Pulls the cable: the line hangs up.
    ///
    /// - Parameter tellingGPSD: whether gpsd is told, as udev tells it of a USB receiver.
    /// - Throws: ``SetUpError``.
    public func unplug(tellingGPSD: Bool = true) throws {
        let path = state.withLock { state in
            let path = state.cable?.path
            state.feeder?.cancel()
            state.feeder = nil
            state.cable?.pull()
            state.cable = nil
            return path
        }
        if let path, tellingGPSD { try tellGPSD("-\(path)") }
    }

    /// The receiver stays plugged in and says nothing more.
    public func silenceReceiver() {
        state.withLock { state in
            state.feeder?.cancel()
            state.feeder = nil
        }
    }

    /// Says a line on gpsd's control socket, as gpsdctl does (gpsd(8)).
    private func tellGPSD(_ line: String) throws(SetUpError) {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw SetUpError("create a socket") }
        let descriptor = FileDescriptor(owning: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(control.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { throw SetUpError("connect to gpsd's control socket") }
        let bytes = Array((line + "\r\n").utf8)
        _ = unsafe bytes.withUnsafeBytes {
            unsafe send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        // The answer is waited for, three seconds at most: gpsd reads the line before it closes the connection.
        var buffer = [UInt8](repeating: 0, count: 64)
        _ = try? waitForEvents(on: [(descriptor.number, .readable)], milliseconds: 3000)
        _ = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
        }
    }
}
