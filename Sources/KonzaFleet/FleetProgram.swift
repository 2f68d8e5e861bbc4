internal import Glibc
internal import HTTPTransfer
internal import KonzaClient
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Systemd

/// `konza-fleet` from its arguments to its exit status (sysexits(3)).
public enum FleetProgram {
    private static let usage: Int32 = 64
    private static let unavailable: Int32 = 69
    private static let configuration: Int32 = 78

    /// Runs until it is told to stop, and ends the process. The calling thread is the main one, and no other runs yet.
    public static func main(arguments: [String]) -> Never {
        let signals = Signals()
        Heap.keepSmall()
        // No key in a core, nor for a debugger of the same user (prctl(2)).
        ProcessSecrecy.begin()
        do throws(FleetOptions.UsageError) {
            let options = try FleetOptions(arguments)
            switch options.action {
            case .help: print(FleetOptions.help, terminator: "")
            case .version: print("konza-fleet \(ProgramVersion.number)")
            case .checkConfiguration: exit(check(options.configuration))
            case .enrol(let code): exit(Enrolling.run(options, code: code))
            case .run:
                let cancellation = TransferCancellation()
                Task { for await signal in signals.values where signal != .hangup { cancellation.cancel() } }
                Task { await ProgramPages.tend(SystemClock()) }
                Task(executorPreference: BlockingThreads.shared) { exit(run(options, cancellation)) }
                signals.deliverForever()
            }
            exit(0)
        } catch {
            Log(threshold: .error, marksPriority: false)(.error, "konza-fleet: \(error.description)")
            exit(usage)
        }
    }

    private static func check(_ path: String) -> Int32 {
        let problems = StationSettings.check(path: path)
        let log = Log(threshold: .error, marksPriority: false)
        for problem in problems { log(.error, "konza-fleet: \(problem)") }
        guard problems.isEmpty else { return configuration }
        print("\(path): good")
        return 0
    }

    private static func run(_ options: FleetOptions, _ cancellation: TransferCancellation) -> Int32 {
        let manager = ServiceManager()
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings = SettingsFile(path: options.configuration, log: log)
        guard settings.current != nil else { return configuration }
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
            return 0
        } catch {
            log(.error, "\(error)")
            return unavailable
        }
    }

    /// Where commands that were carried out are remembered.
    private static func folder(_ options: FleetOptions) throws(SystemError) -> String {
        let path = options.state ?? ProgramEnvironment.value("STATE_DIRECTORY") ?? "."
        guard let path = ProgramEnvironment.absolute(path) else { throw SystemError("find the current folder") }
        return path
    }
}
