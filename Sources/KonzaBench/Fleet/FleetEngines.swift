internal import Glibc
internal import KonzaSystem
internal import KonzaTesting
internal import PostgresAccess

/// The engines of a fleet on loopback and Unix sockets: mosquitto, PostgreSQL with PostGIS, and `konza-hub`. They end with
/// their owner, and with the bench.
final class FleetEngines {
    /// Which of them.
    enum Engine: String, CaseIterable {
        case broker, database, hub
    }

    let broker: RealBroker
    private let database: RealDatabase
    private let folder: KonzaTesting.TemporaryFolder
    private let program: String
    private var hub: ChildProcess?
    /// The ids that the bench ends when it is interrupted.
    private var noted: [Engine: Int32] = [:]
    private var workers = 1

    /// Starts broker and database.
    ///
    /// - Parameter program: the path of konza-hub.
    /// - Throws: if one of them does not start.
    init(hub program: String) throws {
        self.program = program
        folder = try KonzaTesting.TemporaryFolder()
        broker = try RealBroker([
            "allow_anonymous true", "max_connections -1", "set_tcp_nodelay true", "max_queued_messages 10000",
            "max_packet_size 262144",
        ])
        database = try RealDatabase(isDurable: true)
        try database.make("fleet")
        note()
    }

    deinit {
        hub = nil
        database.stop()
        broker.kill()
        for id in noted.values { Leftovers.forget(program: id) }
    }

    private func note() {
        for (engine, id) in [(Engine.broker, broker.id), (.database, database.id)] {
            if let old = noted[engine] { Leftovers.forget(program: old) }
            noted[engine] = id
            if let id { Leftovers.add(program: id) }
        }
    }

    var address: PostgresAddress { get throws { try PostgresAddress(database.address("fleet")) } }

    /// The process of an engine; of the database the first one.
    func id(of engine: Engine) -> Int32? {
        switch engine {
        case .broker: broker.id
        case .database: database.id
        case .hub: hub?.id
        }
    }

    // MARK: - The hub

    /// Starts konza-hub, and does not wait for it.
    func startHub(workers count: Int) throws {
        workers = count
        let text = """
            [Hub]
            Broker=mqtt://127.0.0.1:\(broker.port)
            Database=\(database.address("fleet"))
            Workers=\(count)
            Socket=\(folder.path)/hub.sock
            """
        try Files.write(Array(text.utf8), to: "\(folder.path)/hub.conf")
        hub = try ChildProcess(program, ["--config", "\(folder.path)/hub.conf"], log: "\(folder.path)/hub.log")
    }

    /// Waits until all its workers take messages.
    func waitForHub() throws {
        let end = steadySeconds() + 30
        let request = UnixHTTPConnection.request("GET", "/v1/status")
        while steadySeconds() < end {
            if let connection = try? UnixHTTPConnection("\(folder.path)/hub.sock"),
                (try? connection.exchange(request)) != nil,
                String(decoding: connection.body, as: UTF8.self).contains("\"level\":\"ok\"")
            {
                return
            }
            usleep(20_000)
        }
        throw BenchError("cannot go on: konza-hub does not take messages: \(hubLog)")
    }

    /// Its last words.
    var hubLog: String {
        ((try? Files.text("\(folder.path)/hub.log")) ?? "").split(separator: "\n").suffix(3).joined(separator: "; ")
    }

    /// Ends konza-hub at once.
    func stopHub() { hub = nil }

    // MARK: - Faults

    /// Ends an engine as a power cut does (SIGKILL).
    func kill(_ engine: Engine) {
        switch engine {
        case .broker: broker.kill()
        case .database: database.kill()
        case .hub: stopHub()
        }
        note()
    }

    /// Starts it again after ``kill(_:)``.
    func start(_ engine: Engine) throws {
        switch engine {
        case .broker: try broker.start()
        case .database: try database.start()
        case .hub: try startHub(workers: workers)
        }
        note()
    }

    /// Stops an engine (SIGSTOP), and lets it go on.
    func freeze(_ engine: Engine, _ isFrozen: Bool) {
        switch engine {
        case .broker: broker.freeze(isFrozen)
        case .database: database.freeze(isFrozen)
        case .hub: if let id = hub?.id { _ = Glibc.kill(id, isFrozen ? SIGSTOP : SIGCONT) }
        }
    }

    // MARK: - Figures

    /// What an engine's processes use together.
    struct Use {
        var processorSeconds = 0.0
        /// What is not a file's, nor shared memory, bytes.
        var anonymousBytes: Int64 = 0
        var residentBytes: Int64 = 0
    }

    func use(of engine: Engine) -> Use {
        guard let first = id(of: engine) else { return Use() }
        var use = Use()
        for id in [first] + (engine == .database ? ProcessTree.children(of: first) : []) {
            guard let figures = try? ProcessFigures(of: id) else { continue }
            use.processorSeconds += figures.processorSeconds
            use.anonymousBytes += figures.anonymousBytes
            // Shared memory is counted once, by its greatest user.
            use.residentBytes = max(use.residentBytes, figures.residentBytes - figures.anonymousBytes)
        }
        use.residentBytes += use.anonymousBytes
        return use
    }
}

extension FleetEngines {
    /// Runs a statement in the fleet's database.
    func run(_ sql: String) throws {
        var connection = try PostgresConnection(address, program: "konza-bench")
        try connection.run(sql)
    }
}
