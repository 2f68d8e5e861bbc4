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
    private let words: [String]
    private let namesPort: String
    private let names: ChildProcess
    private let process = Mutex<ChildProcess?>(nil)

    /// Starts it and waits until it takes messages, some seconds.
    ///
    /// - Parameter certificates: a folder with fleet-ca.pem, broker.pem and broker-key.pem, for TLS at both ports.
    /// - Throws: ``SetUpError``.
    public init(certificates: String? = nil) throws {
        folder = try TemporaryFolder()
        let numbers = try LoopbackSocket.fourFreePorts()
        (port, portForMQTT) = (Int(numbers[0]), Int(numbers[1]))
        namesPort = "\(numbers[3])"
        words = [folder.path] + numbers.map { "\($0)" } + (certificates.map { [$0] } ?? [])
        names = try ChildProcess("/usr/bin/epmd", ["-address", "127.0.0.1", "-port", namesPort])
        try start()
    }

    /// Starts it again after ``kill()``, with what was in its durable queues.
    public func start() throws {
        // A name that is still registered by the one that was killed is refused.
        for _ in 0..<50 {
            let child = try ChildProcess(Self.top + "/Tests/Fleet/rabbitmq", words)
            // It computes for a while before it listens, which a machine with other tests has little time for.
            for _ in 0..<6000 {
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

    private static let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path()

    /// Runs rabbitmqctl.
    ///
    /// - Throws: ``SetUpError`` if it fails.
    public func control(_ arguments: [String]) throws {
        let child = try ChildProcess("/usr/bin/env", control + arguments)
        guard child.waitForEnd() == 0 else {
            throw SetUpError(message: "rabbitmqctl failed: \(arguments.joined(separator: " "))")
        }
    }

    private var control: [String] {
        [
            // What it leaves when it is killed would else be in the folder that tests run in, the checkout.
            "ERL_CRASH_DUMP=\(folder.path)/control_crash.dump", "HOME=\(folder.path)", "ERL_EPMD_PORT=\(namesPort)",
            "/usr/lib/rabbitmq/bin/rabbitmqctl", "-n",
            "konza\(port)@localhost",
        ]
    }

    /// Gives users the rights that are shipped (`config/fleet/rabbitmq-rights`).
    ///
    /// - Throws: ``SetUpError`` if it fails.
    public func rights(_ arguments: [String]) throws {
        let program = "\(folder.path)/control"
        let text = "#!/bin/sh\nexec env \(control.joined(separator: " ")) \"$@\"\n"
        try Data(text.utf8).write(to: URL(filePath: program))
        guard unsafe chmod(program, 0o755) == 0 else { throw SetUpError("make \(program) a program") }
        let child = try ChildProcess(
            "/usr/bin/env",
            ["RABBITMQCTL=\(program)", "/bin/sh", Self.top + "/config/fleet/rabbitmq-rights"] + arguments)
        guard child.waitForEnd() == 0 else {
            throw SetUpError(message: "rabbitmq-rights failed: \(arguments.joined(separator: " "))")
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
