import Foundation
import HTTPTransfer
import KonzaTesting
import Testing

struct Complaint: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs a program to its end, or ends it after the limit.
func run(_ program: String, _ arguments: [String], input: Data = Data(), seconds: Double = 60) throws -> ProgramRun {
    try ProgramRun(program, arguments, input: input, seconds: seconds)
}

/// A `konzad` of its own: its own state folder, socket and configuration; ended when the test lets go of it.
final class Station {
    let folder: URL
    let socket: String
    private(set) var process: Process
    private let configuration: URL
    private let state: String
    private let environment: [String: String]

    /// Starts the daemon and waits until it answers.
    ///
    /// - Parameters:
    ///   - settings: lines added to the configuration; recorded sources are the default.
    ///   - state: the archive's folder, if it is not to be in the station's own.
    ///   - environment: variables that it gets beside this process's.
    /// - Throws: if it ends or does not answer.
    init(
        _ settings: String = Station.recorded, state: String? = nil, environment: [String: String] = [:]
    ) throws {
        self.environment = environment
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("konza-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        socket = folder.appendingPathComponent("konza.sock").path
        configuration = folder.appendingPathComponent("konzad.conf")
        self.state = state ?? "\(folder.path)/state"
        try """
        [General]
        State=\(self.state)
        Socket=\(socket)
        \(settings)
        """.write(to: configuration, atomically: true, encoding: .utf8)
        process = Process()
        try start()
    }

    /// Ten pictures a second: painting three times as many took a twelfth of all the tests' time.
    static let recorded = """
        [Position]
        Source=recorded
        [Camera]
        Source=recorded
        Width=640
        Height=480
        FrameRate=10
        """

    func start() throws {
        process = Process()
        process.executableURL = try Programs.path("konzad")
        process.arguments = ["--config", configuration.path]
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let log = folder.appendingPathComponent("log")
        if !FileManager.default.fileExists(atPath: log.path) {
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        }
        let handle = try FileHandle(forWritingTo: log)
        handle.seekToEndOfFile()
        process.standardError = handle
        process.standardOutput = handle
        try process.run()
        try waitUntil("konzad answers", seconds: 30) {
            guard process.isRunning else { throw Complaint("konzad ended at once: \(self.log)") }
            return (try? get("/v1/status").status) == 200
        }
    }

    var log: String { (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? "" }

    deinit {
        end(process)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends the daemon as a power cut would, as far as a process can see.
    func cutOff() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks the daemon to stop and returns its exit status.
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    func reload(_ settings: String) throws {
        try reconfigure(settings)
        kill(process.processIdentifier, SIGHUP)
    }

    /// Writes the configuration anew, for the next start.
    func reconfigure(_ settings: String) throws {
        try """
        [General]
        State=\(state)
        Socket=\(socket)
        \(settings)
        """.write(to: configuration, atomically: true, encoding: .utf8)
    }

    struct Reply {
        let status: Int
        let headers: [String: String]
        let body: Data

        func json() throws -> [String: Any] {
            guard let object = try JSONSerialization.jsonObject(with: body) as? [String: Any] else {
                throw Complaint("cannot read the reply: \(String(decoding: body.prefix(200), as: UTF8.self))")
            }
            return object
        }
    }

    /// One request on a connection of its own. By libcurl within this process: a program for each of some thousand requests
    /// took a tenth of all the tests' time. What is to be seen from outside is asked by curl(1).
    func request(_ method: String, _ path: String, body: String? = nil, headers: [String] = []) throws -> Reply {
        var request = HTTPRequest(method, url: "http://localhost\(path)", unixSocket: socket)
        request.totalSeconds = 60
        request.headers = try headers.map { try #require(Self.field($0), "no header: \($0)") }
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = Array(body.utf8)
        }
        let answer = try HTTPConnection().send(request)
        return Reply(
            status: answer.status, headers: Dictionary(answer.headers.map { ($0.name, $0.value) }) { $1 },
            body: Data(answer.body))
    }

    /// A line of a head.
    private static func field(_ line: some StringProtocol) -> (String, String)? {
        line.firstIndex(of: ":").map {
            (String(line[..<$0]), line[line.index(after: $0)...].trimmingCharacters(in: .whitespaces))
        }
    }

    /// Sends a file.
    func upload(_ path: String, _ file: String, type: String) throws -> Reply {
        let outcome = try run(
            "curl",
            [
                "-sS", "-m", "60", "-i", "--unix-socket", socket, "http://localhost\(path)", "-X", "POST", "-H",
                "Content-Type: \(type)", "--data-binary", "@\(file)",
            ])
        guard outcome.status == 0 else { throw Complaint("curl: \(outcome.errors)") }
        return try Self.parse(outcome.output)
    }

    /// Listens to events of some names, with commas between them, from now on.
    func listen(_ names: String, seconds: Int) throws -> Listener {
        try Listener("http://localhost/v1/events?types=\(names)", socket, folder, seconds)
    }

    /// A curl that reads events into a file.
    final class Listener {
        private let process = Process()
        private let file: URL

        fileprivate init(_ address: String, _ socket: String, _ folder: URL, _ seconds: Int) throws {
            file = folder.appendingPathComponent("events-\(UUID().uuidString.prefix(8))")
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "curl", "-sSN", "-m", String(seconds), "-D", file.path + ".head", "-o", file.path, "--unix-socket",
                socket, address,
            ]
            try process.run()
            try waitUntil("the stream has begun", seconds: 10) {
                // curl makes the file before it asks.
                (try? String(contentsOfFile: self.file.path + ".head", encoding: .utf8))?.hasSuffix("\r\n\r\n") == true
            }
        }

        /// What came so far.
        var text: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

        /// Ends the listening.
        ///
        /// - Returns: the data of each event.
        func stop() -> [[String: Any]] {
            // A child of this process may have blocked every gentler signal.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            return text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.dropFirst(6).utf8)) as? [String: Any]
            }
        }
    }

    func get(_ path: String, headers: [String] = []) throws -> Reply { try request("GET", path, headers: headers) }

    func post(_ path: String, _ body: String = "{}", headers: [String] = []) throws -> Reply {
        try request("POST", path, body: body, headers: headers)
    }

    private static func parse(_ bytes: Data) throws -> Reply {
        var rest = bytes
        while true {
            guard let end = rest.range(of: Data("\r\n\r\n".utf8)) else { throw Complaint("cannot parse the reply") }
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
            rest = rest[end.upperBound...]
            // An interim reply is followed by the real one.
            if status == 100 { continue }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                if let (name, value) = field(line) { headers[name.lowercased()] = value }
            }
            return Reply(status: status, headers: headers, body: Data(rest))
        }
    }
}

/// Ends a process that a test has started, by force if it does not end by itself.
func end(_ process: Process) {
    // Others than the product's own may never hear of it: they inherit the mask of a thread that has the signal blocked.
    let isOwn = process.executableURL?.lastPathComponent.hasPrefix("konza") == true
    let limit = Date().addingTimeInterval(isOwn ? 10 : 0.3)
    while process.isRunning, Date() < limit {
        kill(process.processIdentifier, SIGTERM)
        for _ in 0..<20 where process.isRunning { usleep(10_000) }
    }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
}

/// Waits until the condition holds, at most so long.
func waitUntil(_ what: String, seconds: Double, _ condition: () throws -> Bool) throws {
    let limit = Date().addingTimeInterval(seconds)
    // Many conditions start a program: what takes longer is asked for less often.
    var pause: UInt32 = 20_000
    while !(try condition()) {
        guard Date() < limit else { throw Complaint("waited \(seconds) s in vain until \(what)") }
        usleep(pause)
        pause = min(pause * 5 / 4, 100_000)
    }
}
