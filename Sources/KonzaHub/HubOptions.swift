internal import KonzaSystem

/// What `konza-hub` was asked to do.
struct HubOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case run
        case help
        case version
        /// Say what is wrong with the configuration, and end.
        case checkConfiguration
        /// Make the tables, and end.
        case migrate
    }

    var action = Action.run
    var configuration = "/etc/konza/konza-hub.conf"
    /// The folder of the credentials; nil for the one that systemd passes.
    var credentials: String?
    /// The folder of the fleet's own authority; nil for the one that systemd passes.
    var state: String?
    var isVerbose = false

    static let help = """
        konza-hub: takes the messages of a fleet's boxes from the broker into PostgreSQL

        usage: konza-hub [--config FILE] [--credentials DIR] [--state DIR] [--migrate] [--verbose]
               konza-hub --check-config [--config FILE]

          --config FILE      the configuration (default /etc/konza/konza-hub.conf)
          --credentials DIR  the folder with broker-user, broker-password and database-password
                             (default: what systemd passes)
          --state DIR        where the fleet's own authority is kept, for [Hub] Enrolment=
                             (default: systemd's StateDirectory=)
          --check-config     read the configuration, say what is wrong with it, and end
          --migrate          make or complete the tables, and end
          --verbose          say more
          --version          print the version and end
          --help             print this and end

        """

    typealias UsageError = ProgramArguments.UsageError

    /// Reads the arguments, without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var arguments = ProgramArguments(arguments)
        while let name = arguments.next() {
            switch name {
            case "--config": configuration = try arguments.value(of: name)
            case "--credentials": credentials = try arguments.value(of: name)
            case "--state": state = try arguments.value(of: name)
            case "--check-config": action = .checkConfiguration
            case "--migrate": action = .migrate
            case "--verbose", "-v": isVerbose = true
            case "--version": action = .version
            case "--help", "-h": action = .help
            default:
                throw UsageError(description: "cannot take the argument \(arguments.written); see konza-hub --help")
            }
        }
    }
}
