internal import HTTPTransfer
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Systemd

/// `konza-courier` from its arguments to its exit status (sysexits(3)).
public enum CourierProgram {
    /// Runs until it is told to stop, and ends the process. The calling thread is the main one, and no other runs yet.
    public static func main(arguments: [String]) -> Never {
        ServiceProgram.main("konza-courier", arguments, as: CourierOptions.init) { options, signals in
            // No secret in a core, nor for a debugger of the same user (prctl(2)).
            ProcessSecrecy.begin()
            switch options.action {
            case .help: print(CourierOptions.help, terminator: "")
            case .version: print("konza-courier \(ProgramVersion.number)")
            case .run:
                let cancellation = TransferCancellation()
                Task { for await signal in signals.values where signal != .hangup { cancellation.cancel() } }
                Task { await ProgramPages.tend(SystemClock()) }
                // It waits for servers and for the disk, and does nothing else.
                return run(options, cancellation)
            }
            return .ok
        }
    }

    private static func run(_ options: CourierOptions, _ cancellation: TransferCancellation) -> ExitCode {
        let manager = ServiceManager()
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings = SettingsFile(path: options.configuration, log: log)
        guard settings.current != nil else { return .configuration }
        let state = options.state ?? ProgramEnvironment.value("STATE_DIRECTORY") ?? "."
        let folder =
            ProgramEnvironment.value("CACHE_DIRECTORY") ?? ProgramEnvironment.value("RUNTIME_DIRECTORY") ?? state
        do throws(SystemError) {
            try makeFolders(ProgramEnvironment.absolute(folder) ?? "/\(folder)")
        } catch {
            log(.error, "\(error)")
            return .cannotCreate
        }
        let credentials = CredentialFolder(
            path: options.credentials ?? ProgramEnvironment.value("CREDENTIALS_DIRECTORY"))
        manager.tellReady()
        defer {
            manager.tellStopping()
            manager.finish(withinSeconds: 1)
        }
        do {
            let surroundings: @Sendable () -> Courier.Surroundings = {
                Courier.Surroundings(settings: settings.latest(), credentials: credentials, state: state)
            }
            let socket = options.socket ?? settings.latest().general.socket
            let courier = try Courier(
                socket: socket, folder: folder, log: log, cancellation: cancellation, surroundings: surroundings)
            guard options.runsOnce else {
                // It waits for other servers, and for the portal in place of konzad.
                Task(executorPreference: BlockingThreads.shared) {
                    PortalWork(
                        stationSocket: socket, log: log, cancellation: cancellation, surroundings: surroundings
                    ).run()
                }
                courier.run()
                return .ok
            }
            PortalWork(stationSocket: socket, log: log, cancellation: cancellation, surroundings: surroundings).turn()
            let count = try courier.runOnce()
            log(.info, "\(counted(count, "errand")) done")
            return .ok
        } catch {
            log(.error, "\(error)")
            return .unavailable
        }
    }
}
