internal import Calendars
internal import KonzaModel
internal import KonzaSystem
internal import Settings
internal import StationPages
internal import Systemd

/// `konza-portal` from its arguments to its exit status (sysexits(3)).
public enum PortalProgram {
    /// Runs until it is told to stop, and ends the process. The calling thread is the main one, and no other runs yet.
    public static func main(arguments: [String]) -> Never {
        ServiceProgram.main("konza-portal", arguments, as: PortalOptions.init) { options, signals in
            switch options.action {
            case .help: print(PortalOptions.help, terminator: "")
            case .version: print("konza-portal \(ProgramVersion.number)")
            case .run, .printAddress, .printSocket, .checkContent: return await run(options, signals)
            }
            return .ok
        }
    }

    private static func run(_ options: PortalOptions, _ signals: Signals) async -> ExitCode {
        let manager = ServiceManager()
        // What systemd is told last is not lost with the process.
        defer { manager.finish(withinSeconds: 1) }
        let log = Log(threshold: options.isVerbose ? .debug : .info, marksPriority: manager.logsToJournal)
        let settings: StationSettings
        do throws(SettingsErrors) {
            settings = try options.configuration.map(StationSettings.load(path:)) ?? StationSettings()
        } catch {
            for line in error.problems.map(\.description) { log(.error, line) }
            return .configuration
        }
        // By it a muster knows which day it is.
        if !LocalTime.setZone(settings.general.timeZone) {
            log(.error, "[General] TimeZone=: there is no zone \(settings.general.timeZone); the system's is used")
            _ = LocalTime.setZone("")
        }
        let port = options.port ?? UInt16(settings.portal.port)
        if case .checkContent(let folder) = options.action {
            let check = PortalContent.check(
                folder ?? settings.portal.content, zone: ZoneLookup.station(settings.general.timeZone))
            for line in check.lines + check.warnings.map({ "warning: \($0)" }) + check.faults {
                print(TextRule.cleaned(line))
            }
            return check.faults.isEmpty ? .ok : .data
        }
        if options.action == .printAddress {
            guard port > 0 else {
                log(.error, "cannot tell the address of the kiosk's page: [Portal] Port= is 0, there is none")
                return .unavailable
            }
            print("http://localhost:\(port)/")
            return .ok
        }
        if options.action == .printSocket {
            print(options.state.map { "\($0)/portal.sock" } ?? settings.portal.socket)
            return .ok
        }
        guard port > 0 || !settings.portal.listen.isEmpty else {
            log(.notice, "[Portal] Port= is 0 and Listen= is empty: there is no page to serve")
            manager.tellReady()
            for await signal in signals.values where signal != .hangup { break }
            return .ok
        }
        do {
            let pages = try Pages(folder: options.pages ?? Pages.find())
            let portal = try Portal(
                settings, pages: pages, options: options, passed: try manager.passedListeners(), port: port, log: log)
            if portal.port > 0 {
                log(.notice, "konza-portal \(ProgramVersion.number) serves http://127.0.0.1:\(portal.port)/")
            }
            manager.tellReady()
            let watchdog = Task { await portal.feedWatchdog(manager) }
            let network = Task { await portal.tendNetwork() }
            let life = Task(executorPreference: BlockingThreads.shared) { await portal.tendStationLife() }
            let content = Task { await portal.tendContent() }
            let memory = Task { await ProgramPages.tend(SystemClock()) }
            for await signal in signals.values where signal != .hangup { break }
            manager.tellStopping()
            watchdog.cancel()
            network.cancel()
            life.cancel()
            content.cancel()
            memory.cancel()
            await portal.stop()
            return .ok
        } catch {
            log(.error, "\(error)")
            manager.tellStatus("\(error)")
            return .unavailable
        }
    }
}
