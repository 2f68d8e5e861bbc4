internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Systemd

/// `konzad` from its arguments to its exit status (sysexits(3)).
public enum Daemon {
    /// Runs the daemon until it is told to stop, and ends the process. The calling thread is the main one, and no
    /// other runs yet.
    public static func main(arguments: [String]) -> Never {
        ServiceProgram.main("konzad", arguments, as: Options.init) { options, signals in
            switch options.action {
            case .help: print(Options.help, terminator: "")
            case .version: print("konzad \(ProgramVersion.number)")
            case .checkConfiguration: return check(options.configuration ?? "")
            case .run: return await run(options, signals)
            }
            return .ok
        }
    }

    private static func check(_ path: String) -> ExitCode {
        var problems = StationSettings.check(path: path).map(\.description)
        if let zone = try? StationSettings.load(path: path).general.timeZone, !LocalTime.setZone(zone) {
            problems.append("\(path): [General] TimeZone=: \(unknownZone(zone))")
        }
        return ServiceProgram.judge(path, problems, by: "konzad")
    }

    private static func run(_ options: Options, _ signals: Signals) async -> ExitCode {
        let manager = ServiceManager()
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings: StationSettings
        do throws(SettingsErrors) {
            settings = try options.configuration.map(StationSettings.load(path:)) ?? Embedded.settings(options)
        } catch {
            for line in error.problems.map(\.description) { log(.error, line) }
            return .configuration
        }
        if !LocalTime.setZone(settings.general.timeZone) {
            log(.error, "\(unknownZone(settings.general.timeZone)); the system's zone is used")
            _ = LocalTime.setZone("")
        }
        // What systemd is told last is not lost with the process.
        defer { manager.finish(withinSeconds: 1) }
        do {
            let station = try await Station(settings, options, manager: manager, log: log)
            return await station.run(signals)
        } catch {
            log(.error, "\(error)")
            manager.tellStatus("\(error)")
            return .unavailable
        }
    }

    private static func unknownZone(_ name: String) -> String {
        "cannot use the time zone \(name): the system's database has none such; give a name like America/Chicago"
    }
}
