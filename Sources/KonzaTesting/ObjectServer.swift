internal import FoundationEssentials
internal import Glibc

/// The S3 server of `Tests/Fleet/s3_server.py` on a loopback port: it checks signatures and hashes, and has faults injected.
public final class ObjectServer: Sendable {
    public let port: Int
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts it and waits until it listens.
    ///
    /// - Parameter options: of the script, such as `["--token", "t"]`.
    /// - Throws: ``SetUpError``.
    public init(_ options: [String] = []) throws {
        folder = try TemporaryFolder()
        let file = "\(folder.path)/port"
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        process = try ChildProcess(
            "/usr/bin/python3", [top.path() + "/Tests/Fleet/s3_server.py", "--port-file", file] + options)
        for _ in 0..<3000 {
            if let text = try? String(contentsOfFile: file, encoding: .utf8), let port = Int(text) {
                self.port = port
                return
            }
            usleep(10_000)
        }
        throw SetUpError(message: "the S3 server of the tests did not listen")
    }

    /// The bucket's address.
    public var address: String { "http://127.0.0.1:\(port)/konza" }

    /// Ends it at once.
    public func kill() { process.signal(SIGKILL) }
}
