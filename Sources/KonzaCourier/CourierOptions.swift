internal import KonzaSystem

/// What `konza-courier` was asked to do.
struct CourierOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case run
        case help
        case version
    }

    var action = Action.run
    var configuration = "/etc/konza/konzad.conf"
    /// konzad's socket; nil for the configuration's.
    var socket: String?
    /// The folder of the credentials; nil for the one that systemd passes.
    var credentials: String?
    /// The folder of what is kept between two runs; nil for the one that systemd passes.
    var state: String?
    /// Do what is due, and end.
    var runsOnce = false
    var isVerbose = false

    static let help = """
        konza-courier: takes the station's specimens to MetPetDB and SESAR, and fetches what is asked about there

        usage: konza-courier [--config FILE] [--socket PATH] [--credentials DIR] [--state DIR] [--once] [--verbose]

          --config FILE      konzad's configuration (default /etc/konza/konzad.conf)
          --socket PATH      konzad's socket (default: the configuration's)
          --credentials DIR  the folder with metpetdb-password or metpetdb-token, and sesar-tokens
                             (default: what systemd passes)
          --state DIR        where tokens that change are kept (default: systemd's StateDirectory=)
          --once             do what is due, and end
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
            case "--socket": socket = try arguments.value(of: name)
            case "--credentials": credentials = try arguments.value(of: name)
            case "--state": state = try arguments.value(of: name)
            case "--once": runsOnce = true
            case "--verbose", "-v": isVerbose = true
            case "--version": action = .version
            case "--help", "-h": action = .help
            default:
                throw UsageError(description: "cannot take the argument \(arguments.written); see konza-courier --help")
            }
        }
    }
}
