internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A RabbitMQ of its own with its MQTT plugin, on loopback ports, with its files in a folder of its own. Its register of node names
/// (epmd) is its own too, and both end with their owner.
public final class RealRabbit: Sendable {
    private static let program = "/usr/lib/rabbitmq/bin/rabbitmq-server"

    /// Whether rabbitmq-server is installed.
    public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// For AMQP 0-9-1.
    public let port: Int
    /// For MQTT 3.1.1.
    public let portForMQTT: Int
    public let folder: TemporaryFolder
    private let ports: [String]
    private let names: ChildProcess
    private let process = Mutex<ChildProcess?>(nil)

    /// Starts it and waits until it takes messages, some seconds.
    ///
    /// - Throws: ``SetUpError``.
    public init() throws {
        folder = try TemporaryFolder()
        let numbers = try LoopbackSocket.fourFreePorts()
        (port, portForMQTT) = (Int(numbers[0]), Int(numbers[1]))
        ports = numbers.map { "\($0)" }
        names = try ChildProcess("/usr/bin/epmd", ["-address", "127.0.0.1", "-port", ports[3]])
        try start()
    }

    /// Starts it again after ``kill()``, with what was in its durable queues.
    public func start() throws {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // A name that is still registered by the one that was killed is refused.
        for _ in 0..<50 {
            let child = try ChildProcess(top.path() + "/Tests/Fleet/rabbitmq", [folder.path] + ports)
            for _ in 0..<1200 {
                if LoopbackSocket.accepts(port: UInt16(port)), LoopbackSocket.accepts(port: UInt16(portForMQTT)) {
                    return process.withLock { $0 = child }
                }
                if child.hasExited { break }
                usleep(100_000)
            }
            usleep(200_000)
        }
        throw SetUpError(message: "RabbitMQ did not listen; its log is in \(folder.path)/logs")
    }

    /// Runs rabbitmqctl.
    ///
    /// - Throws: ``SetUpError`` if it fails.
    public func control(_ arguments: [String]) throws {
        let child = try ChildProcess(
            "/usr/bin/env",
            [
                "HOME=\(folder.path)", "ERL_EPMD_PORT=\(ports[3])", "/usr/lib/rabbitmq/bin/rabbitmqctl", "-n",
                "konza\(port)@localhost",
            ] + arguments)
        guard child.waitForEnd() == 0 else {
            throw SetUpError(message: "rabbitmqctl failed: \(arguments.joined(separator: " "))")
        }
    }

    /// Ends it at once, as a power cut does.
    public func kill() {
        process.withLock { process in
            process?.signal(SIGKILL)
            process?.waitForEnd()
            process = nil
        }
    }

    /// Stops it, and lets it go on.
    public func freeze(_ isFrozen: Bool) { process.withLock { $0?.signal(isFrozen ? SIGSTOP : SIGCONT) } }
}
