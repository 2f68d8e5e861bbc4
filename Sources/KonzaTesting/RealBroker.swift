internal import FoundationEssentials
internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// A mosquitto of its own on a loopback port; its files are in a folder of its own.
public final class RealBroker: Sendable {
    public let port: Int
    public let folder: TemporaryFolder
    private let process = Mutex<ChildProcess?>(nil)

    /// Starts it and waits until it listens.
    ///
    /// - Parameter settings: lines of mosquitto.conf(5) beside the listener's own.
    /// - Throws: ``SetUpError``.
    public init(_ settings: [String] = ["allow_anonymous true"]) throws {
        folder = try TemporaryFolder()
        port = Int(try LoopbackSocket.freePort())
        // It gives root up where it has it, and then reads its files as nobody.
        let lines = ["user root", "listener \(port) 127.0.0.1", "persistence false", "log_dest none"] + settings
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: "\(folder.path)/broker.conf"))
        try start()
    }

    /// The process; nil while it does not run.
    public var id: Int32? { process.withLock { $0?.id } }

    /// Starts it again after ``kill()``.
    public func start() throws {
        let child = try ChildProcess("/usr/sbin/mosquitto", ["-c", "\(folder.path)/broker.conf"])
        process.withLock { $0 = child }
        for _ in 0..<1000 {
            if LoopbackSocket.accepts(port: UInt16(port)) { return }
            usleep(10_000)
        }
        throw SetUpError(message: "mosquitto did not listen; install mosquitto")
    }

    /// Ends it at once, as a power cut does.
    public func kill() {
        process.withLock { process in
            process?.signal(SIGKILL)
            process = nil
        }
    }

    /// Stops it, and lets it go on.
    public func freeze(_ isFrozen: Bool) { process.withLock { $0?.signal(isFrozen ? SIGSTOP : SIGCONT) } }
}
