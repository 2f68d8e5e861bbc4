internal import FleetMessaging
internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Settings

/// `konza-fleet --enrol`: gets the station's first certificate, and keeps it where konza-fleet finds it.
enum Enrolling {
    private static let systemState = "/var/lib/konza-fleet"

    static func run(_ options: FleetOptions, code text: String) -> ExitCode {
        let log = Log(threshold: .notice, marksPriority: false)
        guard let code = EnrolmentCode(text) else {
            log(.error, "cannot enrol: the code is not as konza hub enrol printed it: 17 groups of 4 digits 0-9 a-f")
            return .data
        }
        guard let hub = options.hub else {
            log(.error, "cannot enrol: say where the hub is with --hub https://HOST:PORT")
            return .usage
        }
        guard let settings = SettingsFile(path: options.configuration, log: log).current else {
            return .configuration
        }
        let box = settings.fleet.box
        guard !box.isEmpty else {
            log(.error, "cannot enrol: the station has no name; set [Fleet] Box= in \(options.configuration)")
            return .configuration
        }
        let state =
            options.state.flatMap { ProgramEnvironment.absolute($0) } ?? ProgramEnvironment.value("STATE_DIRECTORY")
            ?? systemState
        do {
            try becomeOwner(of: state)
        } catch {
            log(.error, "cannot enrol: \(error)")
            return .permission
        }
        // The key is for nobody else.
        umask(0o077)
        do {
            let client = try EnrolmentClient(hub, identity: BoxIdentity(state: state))
            let until = try client.enrol(box, code)
            print("\(box) has its certificate until \(until.rfc3339); konza-fleet renews it. Now: konza fleet")
            return .ok
        } catch {
            log(.error, "cannot enrol: \(error)")
            return .unavailable
        }
    }

    /// Root goes on as the user whose folder it is: konza-fleet has to read what is written.
    private static func becomeOwner(of folder: String) throws(SystemError) {
        var facts = stat()
        guard unsafe stat(folder, &facts) == 0 else {
            throw SystemError("find \(folder), which systemctl start konza-fleet makes")
        }
        guard geteuid() == 0, facts.st_uid != 0 else { return }
        guard setgroups(0, nil) == 0, setgid(facts.st_gid) == 0, setuid(facts.st_uid) == 0 else {
            throw SystemError("go on as the owner of \(folder)")
        }
    }
}
