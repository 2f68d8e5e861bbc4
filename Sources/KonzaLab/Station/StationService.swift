internal import Foundation
internal import KonzaTesting

/// The way konzad is run: by systemd where it is installed, or started here.
protocol StationService: Sendable {
    var state: String { get }
    var socket: String { get }
    var settingsFile: String { get }

    func prepare() throws
    func configure(_ settings: String) throws
    func start() throws
    func stop() throws
    func processID() throws -> Int32?
    func journal() throws -> String
    func cleanUp() throws
}

/// The installed service of the lab's machine.
struct InstalledService: StationService {
    let state = "/var/lib/konza"
    let socket = "/run/konza.sock"
    let settingsFile = "/etc/konza/konzad.conf.d/50-lab.conf"
    /// Where the journal stood when the scenario began.
    private static let cursor = "/run/konza-lab.cursor"

    func prepare() throws {
        try cleanUp()
        try? FileManager.default.removeItem(atPath: Self.cursor)
        _ = try Program("journalctl", "-n", "0", "--cursor-file", Self.cursor).run()
    }

    func configure(_ settings: String) throws {
        try (settings + "\n").write(toFile: settingsFile, atomically: true, encoding: .utf8)
    }

    func start() throws {
        try Program("systemctl", "start", "konzad.socket", "konzad.service").succeed(seconds: 100)
    }

    /// The socket too: a client's request would start the service again.
    func stop() throws { try Program("systemctl", "stop", "konzad.socket", "konzad.service").succeed() }

    func processID() throws -> Int32? {
        let text = try Program("systemctl", "show", "-P", "MainPID", "konzad.service").succeed().text
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)).flatMap { $0 > 0 ? $0 : nil }
    }

    func journal() throws -> String {
        let cursor = try String(contentsOfFile: Self.cursor, encoding: .utf8)
        return try Program(
            "journalctl", "--no-pager", "-o", "short-precise", "-u", "konzad.service", "-u", "konzad.socket",
            "-u", "konza-courier.service", "-u", "konza-fleet.service", "--after-cursor",
            cursor.trimmingCharacters(in: .whitespacesAndNewlines)
        ).run().text
    }

    /// Stops the service, forgets its state and what the scenario has configured.
    func cleanUp() throws {
        // A scenario may have purged it.
        guard FileManager.default.fileExists(atPath: "/lib/systemd/system/konzad.service") else { return }
        // A stopped process would keep systemd waiting.
        ScratchDisk.release()
        if let id = try processID() { kill(id, SIGCONT) }
        try stop()
        _ = try Program("systemctl", "reset-failed", "konzad.service", "konzad.socket").run()
        try? FileManager.default.removeItem(atPath: settingsFile)
        ScratchDisk.remove()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: state)) ?? [] {
            try FileManager.default.removeItem(atPath: "\(state)/\(name)")
        }
    }
}

/// The built program on the build machine, in a folder of its own.
final class StartedService: StationService {
    let folder: String
    let socket: String
    var state: String { "\(folder)/state" }
    var settingsFile: String { "\(folder)/konzad.conf" }
    private let process = LockedValue<Process?>(nil)
    private var log: String { "\(folder)/log" }

    init(folder: String) {
        self.folder = URL(fileURLWithPath: folder).path
        // A socket's path has 107 bytes at most, and the tree may lie deep.
        socket = "/tmp/konza-lab-\(getpid()).sock"
    }

    func prepare() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        try configure("")
    }

    func configure(_ settings: String) throws {
        try "[General]\nState=\(state)\nSocket=\(socket)\n\(settings)\n"
            .write(toFile: settingsFile, atomically: true, encoding: .utf8)
    }

    func start() throws {
        let new = Process()
        new.executableURL = URL(fileURLWithPath: try Program.built("konzad"))
        new.arguments = ["--config", settingsFile]
        guard let handle = FileHandle(forWritingAtPath: log) else { throw Complaint("cannot write \(log)") }
        try handle.seekToEnd()
        new.standardInput = FileHandle.nullDevice
        new.standardOutput = handle
        new.standardError = handle
        try new.run()
        process.set(new)
    }

    func stop() throws {
        guard let running = process.value, running.isRunning else { return }
        running.terminate()
        let limit = ContinuousClock.now + .seconds(15)
        while running.isRunning, ContinuousClock.now < limit { usleep(10_000) }
        guard running.isRunning else { return }
        kill(running.processIdentifier, SIGKILL)
        running.waitUntilExit()
        throw Complaint("konzad did not end within 15 s of SIGTERM")
    }

    func processID() -> Int32? { process.value.flatMap { $0.isRunning ? $0.processIdentifier : nil } }

    func journal() throws -> String { try String(contentsOfFile: log, encoding: .utf8) }

    func cleanUp() throws {
        if let id = processID() { kill(id, SIGCONT) }
        try stop()
        try? FileManager.default.removeItem(atPath: state)
        try? FileManager.default.removeItem(atPath: socket)
    }
}
