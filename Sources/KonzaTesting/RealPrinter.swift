internal import FoundationEssentials
internal import Glibc

/// An `ippeveprinter` of its own on a loopback port. It prints with a shell script; the sheets that came out are lines of a
/// file. It needs a message bus, which is its own as well, although it announces itself to nobody.
public final class RealPrinter {
    /// How it prints.
    public enum Way: String, Sendable {
        case prints = #"cp "$1" "$FOLDER/picture.jpg"; echo "$IPP_JOB_NAME" >>"$FOLDER/printed""#
        /// Prints when there is a file `go`.
        case waits = #"""
            while [ ! -e "$FOLDER/go" ]; do sleep 0.05; done
            echo "$IPP_JOB_NAME" >>"$FOLDER/printed"
            """#
        case fails = "echo 'ERROR: the head does not move' >&2; exit 1"
        case crashes = "kill -SEGV $$"
        case isOutOfPaper = "echo 'STATE: media-empty' >&2; exec sleep 60"
        case isOutOfInk = "echo 'STATE: marker-supply-empty' >&2; exec sleep 60"
        case isOpen = "echo 'STATE: cover-open' >&2; exec sleep 60"
        case hangs = "exec sleep 60"
    }

    /// Where files of the printer's, and of the test's, may lie.
    public let folder: TemporaryFolder
    /// The printer's name in settings.
    public let uri: String
    private let bus: ChildProcess
    private let printer: ChildProcess

    /// Starts it and waits until it listens.
    ///
    /// - Parameter way: how it prints.
    /// - Throws: ``SetUpError``.
    public init(_ way: Way) throws {
        folder = try TemporaryFolder()
        let path = folder.path
        try FileManager.default.createDirectory(atPath: "\(path)/spool", withIntermediateDirectories: false)
        let policy = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
              "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>system</type><listen>unix:path=\(path)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
            """
        try Data(policy.utf8).write(to: URL(filePath: "\(path)/bus.conf"))
        try Self.write(way, in: path)
        bus = try ChildProcess("/usr/bin/dbus-daemon", ["--config-file=\(path)/bus.conf", "--nofork", "--nopidfile"])
        try Self.wait("the message bus did not listen; install dbus-daemon") {
            FileManager.default.fileExists(atPath: "\(path)/bus")
        }
        (uri, printer) = try Self.start(in: path)
    }

    /// One that ends at once is started again: the bus may not have taken its call yet, or another has taken its port.
    private static func start(in path: String) throws -> (uri: String, printer: ChildProcess) {
        for _ in 0..<5 {
            let port = try LoopbackSocket.freePort()
            let uri = "ipp://localhost:\(port)/ipp/print"
            // It listens on the addresses of the name alone.
            let printer = try ChildProcess(
                "/usr/sbin/ippeveprinter",
                [
                    "-r", "off", "-p", "\(port)", "-n", "localhost", "-d", "\(path)/spool", "-f", "image/jpeg", "-c",
                    "\(path)/print", "konza test",
                ], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/bus", "FOLDER": path])
            try wait("the printer did not listen") { printer.hasExited || LoopbackSocket.accepts(port: port) }
            if !printer.hasExited { return (uri, printer) }
        }
        throw SetUpError(message: "the printer ended before it listened; install cups-ipp-utils")
    }

    deinit { end() }

    /// From now on it prints so.
    public func set(_ way: Way) throws { try Self.write(way, in: folder.path) }

    private static func write(_ way: Way, in path: String) throws {
        let script = "#!/bin/sh\necho $$ >>\"$FOLDER/commands\"\n\(way.rawValue)\n"
        try Data(script.utf8).write(to: URL(filePath: "\(path)/print.new"))
        guard unsafe chmod("\(path)/print.new", 0o755) == 0, unsafe rename("\(path)/print.new", "\(path)/print") == 0
        else { throw SetUpError("write the printer's command") }
    }

    /// Waits until it has begun to print a job.
    ///
    /// - Throws: ``SetUpError`` after a minute.
    public func waitForCommand() throws {
        try Self.wait("the printer does not begin to print") { !lines("commands").isEmpty }
    }

    /// The names of the jobs whose sheets came out.
    public var printed: [String] { lines("printed") }

    /// The picture that was printed last.
    public var picture: [UInt8] {
        FileManager.default.contents(atPath: "\(folder.path)/picture.jpg").map(Array.init) ?? []
    }

    private func lines(_ name: String) -> [String] {
        let data = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends the commands that still sleep: a job that is cancelled waits for its command. A number in the file is its
    /// command's own while that sleeps.
    public func endCommands() {
        for command in lines("commands").compactMap({ pid_t($0) }) {
            let text = FileManager.default.contents(atPath: "/proc/\(command)/cmdline") ?? Data()
            if text.starts(with: Data("sleep\0".utf8)) { _ = kill(command, SIGKILL) }
        }
    }

    /// Switches it off.
    public func end() {
        printer.signal(SIGKILL)
        endCommands()
    }

    private static func wait(_ complaint: String, _ condition: () -> Bool) throws {
        for _ in 0..<6000 {
            if condition() { return }
            usleep(10_000)
        }
        throw SetUpError(message: complaint)
    }
}
