internal import HTTPTransfer
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Systemd

/// `konza-fleet` from its arguments to its exit status (sysexits(3)).
public enum FleetProgram {
    /// Runs until it is told to stop, and ends the process. The calling thread is the main one, and no other runs yet.
    public static func main(arguments: [String]) -> Never {
        ServiceProgram.main("konza-fleet", arguments, as: FleetOptions.init) { options, signals in
            // No key in a core, nor for a debugger of the same user (prctl(2)).
            ProcessSecrecy.begin()
            switch options.action {
            case .help: print(FleetOptions.help, terminator: "")
            case .version: print("konza-fleet \(ProgramVersion.number)")
            case .checkConfiguration:
                let path = options.configuration
                return ServiceProgram.judge(path, StationSettings.check(path: path), by: "konza-fleet")
            case .enrol(let code): return Enrolling.run(options, code: code)
            case .run:
                let cancellation = TransferCancellation()
                Task { for await signal in signals.values where signal != .hangup { cancellation.cancel() } }
                Task { await ProgramPages.tend(SystemClock()) }
                return run(options, cancellation)
            }
            return .ok
        }
    }

    private static func run(_ options: FleetOptions, _ cancellation: TransferCancellation) -> ExitCode {
        let manager = ServiceManager()
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings = SettingsFile(path: options.configuration, log: log)
        guard settings.current != nil else { return .configuration }
        let credentials = CredentialFolder(
            path: options.credentials ?? ProgramEnvironment.value("CREDENTIALS_DIRECTORY"))
        manager.tellReady()
        defer {
            manager.tellStopping()
            manager.finish(withinSeconds: 1)
        }
        do {
            let socket = options.socket ?? settings.latest().general.socket
            let recent = RecentSettings(settings)
            try FleetService(
                socket: socket, settings: { recent.current }, credentials: credentials, folder: try folder(options),
                log: log, cancellation: cancellation
            ).run()
            return .ok
        } catch {
            log(.error, "\(error)")
            return .unavailable
        }
    }

    /// Where commands that were carried out are remembered.
    private static func folder(_ options: FleetOptions) throws(SystemError) -> String {
        let path = options.state ?? ProgramEnvironment.value("STATE_DIRECTORY") ?? "."
        guard let path = ProgramEnvironment.absolute(path) else { throw SystemError("find the current folder") }
        return path
    }
}
