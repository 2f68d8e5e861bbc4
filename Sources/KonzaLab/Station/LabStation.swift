internal import Foundation
internal import Synchronization

/// What a scenario holds in its hands: a konzad that is its own, and everything that can happen to it.
///
/// In the machine (``Scenario/Place/guest``) konzad is the installed service, run by systemd; on the build machine it
/// is the built program with its own folder and socket. It does not run yet when the scenario's body begins: the body
/// configures and starts it.
public final class LabStation: Sendable {
    let scenario: Scenario
    /// Where this scenario's log, journal and pictures are kept; in the machine a folder of the build machine's.
    public let folder: String
    let service: any StationService
    private let kept = Mutex<[String]>([])

    init(scenario: Scenario, folder: String) {
        self.scenario = scenario
        self.folder = folder
        service = Self.isGuest ? InstalledService() : StartedService(folder: "\(folder)/station")
    }

    /// Whether this is the lab's machine.
    public static var isGuest: Bool { ProcessInfo.processInfo.environment["KONZA_LAB_GUEST"] != nil }

    // MARK: The service

    /// The folder of postcards and their index.
    public var state: String { service.state }
    /// The Unix socket of the API.
    public var socket: String { service.socket }
    /// The file whose settings ``configure(_:)`` writes.
    public var settingsFile: String { service.settingsFile }

    /// Settings for the next ``start(within:)`` or `SIGHUP`, in place of those of the last call. What they do not name
    /// is as the package installs it in the machine, and the default elsewhere.
    ///
    /// - Parameter settings: sections and keys of konzad.conf.
    /// - Throws: if they cannot be written.
    public func configure(_ settings: String) throws { try service.configure(settings) }

    /// Starts konzad and waits until it answers.
    ///
    /// - Parameter seconds: the longest wait.
    /// - Throws: ``Complaint`` if it does not.
    public func start(within seconds: Double = 60) throws {
        try service.start()
        try until("konzad answers", within: seconds) { (try? self.get("/v1/status").status) == 200 }
    }

    /// Stops konzad as an operator does, and waits until it has ended.
    ///
    /// - Throws: ``Complaint`` if it does not end.
    public func stop() throws { try service.stop() }

    /// Sends konzad's process a signal.
    ///
    /// - Parameter number: `SIGKILL`, `SIGHUP`, `SIGSTOP`...
    /// - Throws: ``Complaint`` if it does not run.
    public func signal(_ number: Int32) throws {
        guard let id = try service.processID() else { throw Complaint("konzad does not run") }
        kill(id, number)
    }

    /// konzad's process, or nil if it does not run.
    ///
    /// - Throws: if the service manager does not answer.
    public func processID() throws -> Int32? { try service.processID() }

    /// What konzad has logged since the scenario began.
    ///
    /// - Throws: if the journal cannot be read.
    public func journal() throws -> String { try service.journal() }

    // MARK: Words and waits

    /// Waits until a condition holds. The seconds are those of a machine that has its processors for itself; on a
    /// busier one they are stretched as far as it is measured to be slower.
    ///
    /// - Parameters:
    ///   - what: completes "waited in vain until".
    ///   - seconds: the longest wait.
    ///   - interval: seconds between two looks.
    ///   - condition: looked at until it holds. What it throws counts as not yet.
    /// - Returns: how many of these seconds it took.
    /// - Throws: ``Complaint`` with the last error, if it does not hold in time.
    @discardableResult public func until(
        _ what: String, within seconds: Double, every interval: Double = 0.05, _ condition: () throws -> Bool
    ) throws -> Double {
        var time = PacedTime()
        var last: (any Error)?
        while true {
            do {
                let holds = try condition()
                time.advance()
                if holds { return time.elapsed }
                last = nil
            } catch {
                time.advance()
                last = error
            }
            guard time.elapsed < seconds else {
                throw Complaint("waited \(seconds) s in vain until \(what)\(last.map { ": \($0)" } ?? "")")
            }
            usleep(UInt32(interval * 1_000_000))
        }
    }

    /// Asserts.
    ///
    /// - Parameters:
    ///   - holds: what must hold.
    ///   - words: what does not hold, and what was found instead.
    /// - Throws: ``Complaint`` with these words.
    public func expect(_ holds: Bool, _ words: @autoclosure () -> String) throws {
        guard holds else { throw Complaint(words()) }
    }

    /// Keeps a measured figure for the report's line: "recovery 2.1 s".
    ///
    /// - Parameter figure: name, number and unit.
    public func note(_ figure: String) {
        say("figure: \(figure)")
        kept.withLock { $0.append(figure) }
    }

    var figures: [String] { kept.withLock { $0 } }

    // MARK: Before and after

    /// A clean state, the settings as installed, the cameras as after power-on.
    func prepare() throws { try service.prepare() }

    /// Journal, reply of the status, metrics: what explains a failure.
    func keepEvidence() {
        for (name, content) in [
            ("journal", { try self.journal() }),
            ("status.json", { String(decoding: try self.get("/v1/status").body, as: UTF8.self) }),
            ("camera.json", { String(decoding: try self.get("/v1/camera").body, as: UTF8.self) }),
            ("metrics", { String(decoding: try self.get("/metrics").body, as: UTF8.self) }),
        ] as [(String, () throws -> String)] {
            let text = (try? content()) ?? "cannot be had\n"
            try? text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
        }
    }

    func cleanUp() throws { try service.cleanUp() }
}
