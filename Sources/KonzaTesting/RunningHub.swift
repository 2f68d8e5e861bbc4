internal import Foundation
internal import Glibc

/// A `konza-hub` for a broker and a database, killed when the test lets go of it.
public final class RunningHub {
    /// Where its configuration, its socket and what it tells are.
    public let folder: TemporaryFolder
    /// The path of its socket.
    public var socket: String { "\(folder.path)/hub.sock" }
    private let credentials: String?
    private var process: Process?

    /// - Parameters:
    ///   - port: of the broker on loopback.
    ///   - database: an address of libpq's.
    ///   - workers: how many.
    ///   - scheme: how the broker is spoken to.
    ///   - host: as whom.
    ///   - credentials: the folder of its secrets.
    ///   - more: further settings.
    /// - Throws: if it cannot be run.
    public init(
        port: Int, database: String, workers: Int = 1, scheme: String = "mqtt", host: String = "127.0.0.1",
        credentials: String? = nil, _ more: String = ""
    ) throws {
        self.credentials = credentials
        folder = try TemporaryFolder()
        let text = """
            [Hub]
            Broker=\(scheme)://\(host):\(port)
            Database=\(database)
            Workers=\(workers)
            Socket=\(folder.path)/hub.sock
            \(more)
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/hub.conf"))
        try start()
    }

    deinit { kill() }

    /// Starts it anew.
    ///
    /// - Throws: if it cannot be run.
    public func start() throws {
        let process = Process()
        process.executableURL = try Programs.path("konza-hub")
        process.arguments =
            ["--config", "\(folder.path)/hub.conf"] + (credentials.map { ["--credentials", $0] } ?? [])
        let log = "\(folder.path)/log"
        if !FileManager.default.fileExists(atPath: log) { try Data().write(to: URL(fileURLWithPath: log)) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try file.seekToEnd()
        process.standardError = file
        try process.run()
        self.process = process
    }

    /// Ends it as a power cut does.
    public func kill() { end(SIGKILL) }

    /// Asks it to end.
    ///
    /// - Returns: its exit status.
    @discardableResult
    public func stop() -> Int32 { end(SIGTERM) }

    @discardableResult
    private func end(_ signal: Int32) -> Int32 {
        guard let process else { return 0 }
        Glibc.kill(process.processIdentifier, signal)
        process.waitUntilExit()
        self.process = nil
        return process.terminationStatus
    }

    /// What it has told.
    public var log: String { (try? String(contentsOfFile: "\(folder.path)/log", encoding: .utf8)) ?? "" }
}
