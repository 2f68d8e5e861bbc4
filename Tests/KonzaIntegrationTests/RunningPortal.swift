import Foundation
import KonzaTesting

/// A `konza-portal` in front of a station, ended when the test lets go of it.
final class RunningPortal {
    let address: String
    /// The folder of what it keeps, with its socket.
    let state: String
    private(set) var process = Process()
    private let executable: URL
    private let arguments: [String]
    private let environment: [String: String]

    /// Starts it and waits until it answers.
    ///
    /// - Parameters:
    ///   - station: what it stands in front of.
    ///   - pages: the folder of its pages; nil for those of the tree.
    ///   - isActivated: whether the socket is passed to it as a service manager does.
    ///   - environment: beside this process's.
    ///   - isMeasured: whether hashes of passphrases cost what they do on this board.
    /// - Throws: if it does not answer.
    init(
        _ station: Station, pages: String? = nil, isActivated: Bool = false, environment: [String: String] = [:],
        isMeasured: Bool = false
    ) throws {
        let port = try freeLoopbackPort()
        address = "http://127.0.0.1:\(port)"
        state = "\(station.folder.path)/portal"
        self.environment = environment
        let program = try Programs.path("konza-portal")
        let common = ["--config", "\(station.folder.path)/konzad.conf", "--state", state]
        executable = isActivated ? URL(fileURLWithPath: "/usr/bin/python3") : program
        arguments =
            isActivated
            ? ["-c", Self.activation, "\(port)", program.path] + common
            : common + ["--port", "\(port)"] + (pages.map { ["--pages", $0] } ?? [])
        try start()
        if !isMeasured { try makeHashesCheap() }
    }

    /// A board makes its hashes of passphrases as dear as half a second allows, once it needs the first one. Here they cost what is kept
    /// for the slowest board: what tests are about is the same, and they make thousands.
    private func makeHashesCheap() throws {
        let outcome = try run(
            "sqlite3",
            [
                "\(state)/portal.db", ".timeout 5000",
                "INSERT OR IGNORE INTO people_settings VALUES ('hash cost of this board, measured by six', '2 19922944')",
            ])
        guard outcome.status == 0 else { throw Complaint("sqlite3: \(outcome.text)") }
    }

    private func start() throws {
        process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try waitUntil("the portal answers", seconds: 30) {
            guard process.isRunning else { throw Complaint("konza-portal ended at once") }
            // The page's address comes first, the socket that konza(1) asks at a moment later.
            return try ask("/v1/session").status == 200
                && askOther("http://localhost/v1/session", ["--unix-socket", "\(state)/portal.sock"]).status == 200
        }
    }

    deinit { end(process) }

    /// Kills it without a word and starts it again.
    func killAndRestart() throws {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try start()
    }

    /// Listens on the port and becomes the program, as sd_listen_fds(3) describes. systemd-socket-activate(1) closes every
    /// descriptor, and `Process` would take it for ended.
    private static let activation = """
        import os, socket, sys
        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
        os.dup2(listener.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
        os.execv(sys.argv[2], sys.argv[2:])
        """

    struct Answer {
        let status: Int
        let head: String
        let body: Data

        func json() throws -> [String: Any] {
            guard let value = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw Complaint("no JSON object: \(String(decoding: body.prefix(200), as: UTF8.self))")
            }
            return value
        }

        /// The value of a field of the head.
        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name):") }?
                .split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Asks with curl; status 0 where nobody answers, and what curl says of it.
    func ask(_ path: String, _ arguments: [String] = [], seconds: Int = 20) throws -> Answer {
        try askOther("\(address)\(path)", arguments, seconds: seconds)
    }

    /// The same of another address.
    func askOther(_ url: String, _ arguments: [String], seconds: Int = 20) throws -> Answer {
        let outcome = try run("curl", ["-sS", "-i", "--path-as-is", "-m", "\(seconds)"] + arguments + [url])
        let separator = Data("\r\n\r\n".utf8)
        guard let end = outcome.output.range(of: separator) else {
            return Answer(status: 0, head: outcome.errors, body: Data())
        }
        let head = String(decoding: outcome.output[..<end.lowerBound], as: UTF8.self)
        return Answer(
            status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, head: head,
            body: outcome.output[end.upperBound...])
    }

    func post(_ path: String, _ json: String, _ arguments: [String] = []) throws -> Answer {
        try ask(path, ["-X", "POST", "-H", "Content-Type: application/json", "-d", json] + arguments)
    }
}
