internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A PostgreSQL of its own, on a Unix socket alone, with its files in a folder of its own. Where this is root, it runs as
/// the user postgres, since it refuses to be root.
public final class RealDatabase: Sendable {
    private static let programs = "/usr/lib/postgresql/15/bin"

    public let folder: TemporaryFolder
    private let options: [String]
    private let process = Mutex<ChildProcess?>(nil)

    /// The files of a server that has a template with PostGIS, `mould`, and does not run: making them takes seconds, so that all
    /// servers of a process have copies. They go when the process ends.
    private static let model = Mutex<TemporaryFolder?>(nil)

    /// Starts it and waits until it takes connections.
    ///
    /// - Parameter isDurable: whether what it commits survives the machine; tests that end the server alone do without.
    /// - Throws: ``SetUpError``.
    public init(isDurable: Bool = false) throws {
        let model = try Self.modelFolder()
        folder = try Self.makeFolder()
        options = isDurable ? [] : Self.careless
        // With their owner, which has to be whom it runs as.
        let copy = try ChildProcess("/bin/cp", ["-a", "\(model)/data", folder.path])
        guard copy.waitForEnd() == 0 else { throw SetUpError(message: "cannot copy \(model)/data") }
        try start()
    }

    /// Makes the files of ``model``.
    private init(asModel: Void) throws {
        folder = try Self.makeFolder()
        options = Self.careless
        let data = "\(folder.path)/data"
        let words = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        let maker = try Self.child(["\(Self.programs)/initdb"] + words)
        guard maker.waitForEnd() == 0 else { throw SetUpError(message: "initdb failed; install postgresql-15") }
        try start()
        try run("CREATE DATABASE mould")
        try run("CREATE EXTENSION postgis", in: "mould")
        process.withLock { process in
            // It ends in order, so that a copy has nothing to recover.
            process?.signal(SIGINT)
            process?.waitForEnd()
            process = nil
        }
    }

    private static let careless = ["-c", "fsync=off", "-c", "full_page_writes=off"]

    private static func modelFolder() throws -> String {
        try model.withLock { model in
            if let model { return model.path }
            let folder = try RealDatabase(asModel: ()).folder
            model = folder
            _ = atexit { RealDatabase.model.withLock { $0 = nil } }
            return folder.path
        }
    }

    /// A folder for data and socket that belongs to whom it runs as.
    private static func makeFolder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        guard unsafe chmod(folder.path, 0o711) == 0 else { throw SetUpError("open the database's folder") }
        for name in ["data", "socket"] {
            let path = "\(folder.path)/\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            guard let user = Self.user else { continue }
            guard unsafe chown(path, user.id, user.group) == 0 else { throw SetUpError("give the folder to postgres") }
        }
        return folder
    }

    /// Runs a program as whom the server runs as.
    private static func child(_ words: [String]) throws -> ChildProcess {
        guard user != nil else { return try ChildProcess(words[0], Array(words.dropFirst())) }
        return try ChildProcess(
            "/usr/bin/setpriv", ["--reuid=postgres", "--regid=postgres", "--init-groups"] + words)
    }

    deinit { stop() }

    /// The address of one of its databases, as libpq reads it.
    public func address(_ name: String) -> String { "host=\(folder.path)/socket user=postgres dbname=\(name)" }

    /// Starts it; after ``stop()`` it recovers what was committed.
    ///
    /// - Throws: ``SetUpError``.
    public func start() throws {
        let data = "\(folder.path)/data"
        let words =
            ["\(Self.programs)/postgres", "-D", data, "-k", "\(folder.path)/socket", "-c", "listen_addresses="]
            + ["-c", "shared_buffers=32MB", "-c", "max_connections=40", "-c", "autovacuum=off"] + options
        // It ends at once while something of the one before is still there.
        for _ in 0..<100 {
            // Of one that was killed; the number of its process may be another's by now.
            for file in ["data/postmaster.pid", "socket/.s.PGSQL.5432.lock"] {
                try? FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
            }
            let child = try Self.child(words)
            process.withLock { $0 = child }
            for _ in 0..<12_000 where !child.hasExited {
                // The eighth line is the server's state.
                let text = FileManager.default.contents(atPath: "\(data)/postmaster.pid") ?? Data()
                let lines = String(decoding: text, as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false)
                if lines.count > 7, lines[7].hasPrefix("ready") { return }
                usleep(10_000)
            }
            guard child.hasExited else { break }
            usleep(200_000)
        }
        throw SetUpError(message: "PostgreSQL did not start; install postgresql-15")
    }

    /// Ends it at once, without a checkpoint, as a crash does.
    public func stop() {
        process.withLock { process in
            // Its backends end with it.
            process?.signal(SIGCONT)
            process?.signal(SIGQUIT)
            process?.waitForEnd()
            process = nil
        }
    }

    /// The server's first process; nil while it does not run.
    public var id: Int32? { process.withLock { $0?.id } }

    /// Ends all its processes at once, as a power cut does.
    public func kill() {
        process.withLock { process in
            guard let first = process else { return }
            // It could start others while they are looked for.
            first.signal(SIGSTOP)
            let others = ProcessTree.children(of: first.id)
            for other in others { _ = Glibc.kill(other, SIGKILL) }
            first.signal(SIGKILL)
            first.waitForEnd()
            // Who has the shared memory still keeps the next from starting.
            for other in others { for _ in 0..<1000 where Glibc.kill(other, 0) == 0 { usleep(5000) } }
            process = nil
        }
    }

    /// Stops all its processes, and lets them go on.
    public func freeze(_ isFrozen: Bool) {
        process.withLock { process in
            guard let first = process else { return }
            if isFrozen { first.signal(SIGSTOP) }
            for other in ProcessTree.children(of: first.id) { _ = Glibc.kill(other, isFrozen ? SIGSTOP : SIGCONT) }
            if !isFrozen { first.signal(SIGCONT) }
        }
    }

    /// Runs a script in one of its databases by psql.
    ///
    /// - Throws: ``SetUpError`` if it fails.
    public func run(_ script: String, in name: String = "postgres") throws {
        let child = try ChildProcess(
            "\(Self.programs)/psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", address(name), "-c", script])
        guard child.waitForEnd() == 0 else { throw SetUpError(message: "psql failed: \(script)") }
    }

    /// Makes a database with PostGIS in it.
    ///
    /// - Throws: ``SetUpError``.
    public func make(_ name: String) throws { try run("CREATE DATABASE \(name) TEMPLATE mould") }

    /// Whom it runs as; nil for this user.
    private static let user: (id: uid_t, group: gid_t)? = {
        guard geteuid() == 0 else { return nil }
        guard let entry = unsafe getpwnam("postgres") else { return nil }
        return unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }()
}
