internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import PostgresAccess
internal import Settings
internal import Systemd

/// `konza-hub` from its arguments to its exit status (sysexits(3)).
public enum HubProgram {
    /// Runs until it is told to stop, and ends the process. The calling thread is the main one, and no other runs yet.
    public static func main(arguments: [String]) -> Never {
        ServiceProgram.main("konza-hub", arguments, as: HubOptions.init) { options, signals in
            // No secret in a core, nor for a debugger of the same user (prctl(2)).
            ProcessSecrecy.begin()
            switch options.action {
            case .help: print(HubOptions.help, terminator: "")
            case .version: print("konza-hub \(ProgramVersion.number)")
            case .checkConfiguration: return check(options.configuration)
            case .run, .migrate: return await run(options, signals)
            }
            return .ok
        }
    }

    private static func run(_ options: HubOptions, _ signals: Signals) async -> ExitCode {
        let manager = ServiceManager()
        defer { manager.finish(withinSeconds: 1) }
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let credentials = HubCredentials(path: options.credentials ?? ProgramEnvironment.value("CREDENTIALS_DIRECTORY"))
        let settings: HubSettings
        let database: PostgresAddress
        do {
            settings = try HubSettings.load(path: options.configuration)
            database = try PostgresAddress(settings.database, password: credentials.databasePassword)
        } catch let errors as SettingsErrors {
            for line in errors.problems.map(\.description) { log(.error, line) }
            return .configuration
        } catch {
            log(.error, "\(options.configuration): [Hub] Database=: \(error)")
            return .configuration
        }
        if options.action == .migrate { return migrate(database, log) }
        guard let broker = settings.broker else {
            log(.notice, "[Hub] Broker= names none: there is nothing to do")
            manager.tellReady()
            for await signal in signals.values where signal != .hangup { break }
            return .ok
        }
        let state = options.state ?? ProgramEnvironment.value("STATE_DIRECTORY")
        guard settings.enrolment == nil || state != nil else {
            log(
                .error,
                "cannot give certificates: nothing says where the fleet's authority is kept; as a service systemd does, "
                    + "otherwise give --state DIR")
            return .unavailable
        }
        do {
            let hub = try Hub(
                settings, broker: broker, database: database, credentials: credentials, state: state ?? ".", log: log)
            try hub.start()
            manager.tellReady()
            log(.notice, "konza-hub \(ProgramVersion.number): \(broker.host):\(broker.port) into \(database)")
            let status = Task { await hub.tell(manager) }
            let keeping = Task { await hub.keep() }
            let steering = Task { await hub.steer() }
            let tending = Task { await ProgramPages.tend(SystemClock()) }
            for await signal in signals.values where signal != .hangup { break }
            manager.tellStopping()
            status.cancel()
            keeping.cancel()
            steering.cancel()
            tending.cancel()
            await hub.stop()
            return .ok
        } catch {
            log(.error, "\(error)")
            manager.tellStatus("\(error)")
            return .unavailable
        }
    }

    /// Says all that is wrong with a configuration; neither the broker nor the database is asked.
    private static func check(_ path: String) -> ExitCode {
        var problems: [String] = []
        do {
            let settings = try HubSettings.load(path: path)
            for file in settings.files where unsafe access(file.path, R_OK) != 0 {
                let reason = SystemError("read \(file.path)").description
                problems.append("\(path): [Hub] \(file.key)=: \(reason); put it there, readable by konza-hub's user")
            }
            _ = try PostgresAddress(settings.database)
        } catch let errors as SettingsErrors {
            problems = errors.problems.map(\.description)
        } catch {
            problems.append("\(path): [Hub] Database=: \(error)")
        }
        return ServiceProgram.judge(path, problems, by: "konza-hub")
    }

    private static func migrate(_ database: PostgresAddress, _ log: Log) -> ExitCode {
        do throws(PostgresError) {
            var connection = try PostgresConnection(database, program: "konza-hub")
            try HubMigrations.run(in: &connection)
            log(.notice, "the tables of \(database) are complete")
            return .ok
        } catch {
            log(.error, "\(error)")
            return .unavailable
        }
    }
}
