internal import KonzaSystem

/// What `konza-fleet` was asked to do.
struct FleetOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case run
        case help
        case version
        /// Say what is wrong with the configuration, and end.
        case checkConfiguration
        /// Get the station's first certificate with a code, and end.
        case enrol(code: String)
    }

    var action = Action.run
    var configuration = "/etc/konza/konzad.conf"
    /// konzad's socket; nil for the configuration's.
    var socket: String?
    /// The folder of the credentials; nil for the one that systemd passes.
    var credentials: String?
    /// The folder of what is kept between two runs; nil for the one that systemd passes.
    var state: String?
    /// The hub's address, for enrolling.
    var hub: String?
    var isVerbose = false

    static let help = """
        konza-fleet: brings the station's records to its fleet's MQTT broker and object store

        usage: konza-fleet [--config FILE] [--socket PATH] [--credentials DIR] [--state DIR] [--verbose]
               konza-fleet --check-config [--config FILE]
               konza-fleet --enrol CODE --hub URL [--config FILE] [--state DIR]

          --config FILE      konzad's configuration (default /etc/konza/konzad.conf)
          --socket PATH      konzad's socket (default: the configuration's)
          --credentials DIR  the folder with fleet-ca.pem, fleet-certificate.pem and fleet-key.pem, or fleet-password, and
                             fleet-store (default: what systemd passes)
          --state DIR        where commands that were carried out are remembered, and one picture is on its way
                             (default: systemd's StateDirectory=)
          --check-config     read the configuration, say what is wrong with it, and end
          --enrol CODE       get the station's certificate with the code of konza hub enrol, keep it, and end
          --hub URL          the hub's address, https://HOST:PORT
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
            case "--check-config": action = .checkConfiguration
            case "--enrol": action = .enrol(code: try arguments.value(of: name))
            case "--hub": hub = try arguments.value(of: name)
            case "--verbose", "-v": isVerbose = true
            case "--version": action = .version
            case "--help", "-h": action = .help
            default:
                throw UsageError(description: "cannot take the argument \(arguments.written); see konza-fleet --help")
            }
        }
    }
}
