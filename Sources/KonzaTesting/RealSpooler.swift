internal import FoundationEssentials
internal import Glibc

/// A `cupsd` of its own, on a Unix socket, with one queue, `card`, whose backend is a shell script. The sheets that came out are
/// lines of a file.
public final class RealSpooler {
    /// What the backend does with a job (backend(7)).
    public enum Way: String, Sendable {
        case prints = #"echo "$3" >>"$FOLDER/printed""#
        /// The queue is stopped, and the job kept.
        case stops = "echo 'ERROR: the ribbon is torn' >&2; exit 4"
    }

    public let folder: TemporaryFolder
    /// That of the spooler.
    public let socket: String
    private let server: ChildProcess

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - way: what the backend does.
    ///   - operators: who may resume the queue, as `cupsd.conf` says it; nil for everybody.
    /// - Throws: ``SetUpError``.
    public init(_ way: Way, operators: String? = nil) throws {
        folder = try TemporaryFolder()
        let path = folder.path
        socket = "\(path)/cups.sock"
        for name in ["root", "run", "cache", "spool", "tmp", "bin", "bin/backend"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: false)
        }
        // The backend runs as another user where this is root.
        guard unsafe chmod(path, 0o777) == 0 else { throw SetUpError("open the spooler's folder") }
        for name in ["cgi-bin", "daemon", "filter", "monitor", "notifier"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(path)/bin/\(name)", withDestinationPath: "/usr/lib/cups/\(name)")
        }
        try Self.write(way, in: path)
        try Self.write(
            "cups-files.conf",
            """
            ServerRoot \(path)/root
            ServerBin \(path)/bin
            StateDir \(path)/run
            CacheDir \(path)/cache
            RequestRoot \(path)/spool
            TempDir \(path)/tmp
            AccessLog \(path)/access_log
            ErrorLog \(path)/error_log
            PageLog \(path)/page_log
            SystemGroup root
            """, in: path)
        let limit = operators.map { "<Limit Resume-Printer>\n\($0)\nOrder deny,allow\n</Limit>" } ?? ""
        try Self.write(
            "cupsd.conf",
            """
            Listen \(socket)
            Browsing Off
            WebInterface No
            DefaultAuthType Basic
            <Location />
            Order allow,deny
            Allow all
            </Location>
            <Policy default>
            \(limit)
            <Limit All>
            Order deny,allow
            </Limit>
            </Policy>
            """, in: path)
        try Self.write(
            "root/printers.conf",
            """
            <Printer card>
            DeviceURI konza:/card
            State Idle
            Accepting Yes
            Shared No
            ErrorPolicy stop-printer
            </Printer>
            """, in: path)
        server = try ChildProcess(
            "/usr/sbin/cupsd", ["-f", "-c", "\(path)/cupsd.conf", "-s", "\(path)/cups-files.conf"])
        for _ in 0..<1000 where !FileManager.default.fileExists(atPath: socket) { usleep(10_000) }
        guard FileManager.default.fileExists(atPath: socket) else {
            throw SetUpError(message: "the spooler did not listen; install cups-daemon")
        }
    }

    deinit { server.signal(SIGKILL) }

    /// From now on the backend does this.
    public func set(_ way: Way) throws { try Self.write(way, in: folder.path) }

    /// The names of the jobs whose sheets came out.
    public var printed: [String] {
        let data = FileManager.default.contents(atPath: "\(folder.path)/printed") ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static func write(_ way: Way, in path: String) throws {
        // cupsd gives its backends a clean environment.
        try write(
            "bin/backend/new",
            "#!/bin/sh\nFOLDER=\(path)\n[ $# = 0 ] && exit 0\n\(way.rawValue)\n", in: path)
        guard unsafe chmod("\(path)/bin/backend/new", 0o755) == 0,
            unsafe rename("\(path)/bin/backend/new", "\(path)/bin/backend/konza") == 0
        else { throw SetUpError("write the backend") }
    }

    private static func write(_ name: String, _ text: String, in path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    }
}
