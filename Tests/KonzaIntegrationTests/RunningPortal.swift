import Foundation
import KonzaTesting

/// A `konza-portal` in front of a station, ended when the test lets go of it.
final class RunningPortal {
    let address: String
    /// The folder of what it keeps, with its socket.
    let state: String
    private(set) var process = Process()
    private let arguments: [String]

    /// Starts it and waits until it answers.
    init(_ station: Station, pages: String? = nil) throws {
        let port = try freeLoopbackPort()
        address = "http://127.0.0.1:\(port)"
        state = "\(station.folder.path)/portal"
        arguments =
            [
                "--config", "\(station.folder.path)/konzad.conf", "--port", "\(port)", "--state", state,
            ]
            + (pages.map { ["--pages", $0] } ?? [])
        try start()
    }

    private func start() throws {
        process = Process()
        process.executableURL = try Programs.path("konza-portal")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try waitUntil("the portal answers", seconds: 30) {
            guard process.isRunning else { throw Complaint("konza-portal ended at once") }
            return try ask("/v1/session").status == 200
        }
    }

    deinit { end(process) }

    /// Kills it without a word and starts it again.
    func killAndRestart() throws {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try start()
    }

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

    /// Asks with curl; status 0 where nobody answers.
    func ask(_ path: String, _ arguments: [String] = [], seconds: Int = 20) throws -> Answer {
        try askOther("\(address)\(path)", arguments, seconds: seconds)
    }

    /// The same of another address.
    func askOther(_ url: String, _ arguments: [String], seconds: Int = 20) throws -> Answer {
        let outcome = try run("curl", ["-sS", "-i", "--path-as-is", "-m", "\(seconds)"] + arguments + [url])
        let separator = Data("\r\n\r\n".utf8)
        guard let end = outcome.output.range(of: separator) else { return Answer(status: 0, head: "", body: Data()) }
        let head = String(decoding: outcome.output[..<end.lowerBound], as: UTF8.self)
        return Answer(
            status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, head: head,
            body: outcome.output[end.upperBound...])
    }

    func post(_ path: String, _ json: String, _ arguments: [String] = []) throws -> Answer {
        try ask(path, ["-X", "POST", "-H", "Content-Type: application/json", "-d", json] + arguments)
    }
}
