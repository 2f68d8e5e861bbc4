internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import Systemd

/// `konzad` from its arguments to its exit status (sysexits(3)).
public enum Daemon {
    private static let usage: Int32 = 64
    private static let unavailable: Int32 = 69
    private static let configuration: Int32 = 78

    /// Runs the daemon until it is told to stop, and ends the process. The calling thread is the main one, and no
    /// other runs yet.
    public static func main(arguments: [String]) -> Never {
        let signals = Signals()
        Heap.keepSmall()
        do throws(Options.UsageError) {
            let options = try Options(arguments)
            // The start, a reload and the stop wait for the disk.
            Task(executorPreference: BlockingThreads.shared) { exit(await run(options, signals)) }
        } catch {
            say(error.description)
            exit(usage)
        }
        signals.deliverForever()
    }

    private static func run(_ options: Options, _ signals: Signals) async -> Int32 {
        switch options.action {
        case .help:
            print(Options.help, terminator: "")
            return 0
        case .version:
            print("konzad \(ProgramVersion.number)")
            return 0
        case .checkConfiguration:
            return check(options.configuration ?? "")
        case .run:
            return await serve(options, signals)
        }
    }

    private static func check(_ path: String) -> Int32 {
        var problems = StationSettings.check(path: path).map(\.description)
        if let zone = try? StationSettings.load(path: path).general.timeZone, !LocalTime.setZone(zone) {
            problems.append("\(path): [General] TimeZone=: \(unknownZone(zone))")
        }
        guard problems.isEmpty else {
            for line in problems { say(line) }
            return configuration
        }
        print("\(path): good")
        return 0
    }

    private static func serve(_ options: Options, _ signals: Signals) async -> Int32 {
        let manager = ServiceManager()
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings: StationSettings
        do throws(SettingsErrors) {
            settings = try options.configuration.map(StationSettings.load(path:)) ?? Embedded.settings(options)
        } catch {
            for line in error.problems.map(\.description) { log(.error, line) }
            return configuration
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
            return unavailable
        }
    }

    private static func unknownZone(_ name: String) -> String {
        "cannot use the time zone \(name): the system's database has none such; give a name like America/Chicago"
    }

    private static func say(_ text: String) {
        Log(threshold: .error, marksPriority: false)(.error, "konzad: \(text)")
    }
}
