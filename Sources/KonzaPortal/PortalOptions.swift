internal import KonzaSystem

/// What `konza-portal` was asked to do.
struct PortalOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case run
        case printAddress
        case printSocket
        /// Reads a folder of content, nil for the configuration's, and says what is wrong with it.
        case checkContent(String?)
        case help
        case version
    }

    var action = Action.run
    /// konzad's configuration; nil for the defaults.
    var configuration: String?
    /// konzad's socket; nil for the configuration's.
    var socket: String?
    /// The folder of what the portal keeps; nil for the configuration's.
    var state: String?
    /// The port on loopback; nil for the configuration's.
    var port: UInt16?
    /// The folder of the pages; nil to look for it.
    var pages: String?
    var isVerbose = false

    static let help = """
        konza-portal: the station's pages for browsers: the kiosk at the trailhead

        usage: konza-portal [--config FILE] [--socket PATH] [--state DIR] [--port NUMBER] [--pages DIR]
               [--verbose] [--print-address] [--check-content [DIR]]
               [--print-socket]

          --config FILE   konzad's configuration (konzad.conf(5)); without it the defaults
          --socket PATH   konzad's socket (default: the configuration's)
          --state DIR     the folder of paired devices, with the portal's own socket (default: the configuration's)
          --port NUMBER   of the kiosk's page on the loopback addresses (default: the configuration's)
          --pages DIR     the folder of the pages (default: those that came with the program)
          --print-address print the address of the kiosk's page and end
          --print-socket  print the path of the portal's own socket and end
          --check-content [DIR]
                          say what a folder of calendar/, personnel/ and pages/ holds and what is wrong with it, and
                          end (default: the configuration's Content=); the same as konza pages check
          --verbose       say more
          --version       print the version and end
          --help          print this and end

        """

    typealias UsageError = ProgramArguments.UsageError

    /// Reads the arguments, without the program's name.
    init(_ arguments: [String]) throws(UsageError) {
        var arguments = ProgramArguments(arguments)
        while let name = arguments.next() {
            switch name {
            case "--config": configuration = try arguments.value(of: name)
            case "--socket": socket = try arguments.value(of: name)
            case "--state": state = try arguments.value(of: name)
            case "--port":
                let text = try arguments.value(of: name)
                guard let number = UInt16(text), number > 0 else {
                    throw UsageError(description: "cannot take --port \(text): expected 1 to 65535")
                }
                port = number
            case "--pages": pages = try arguments.value(of: name)
            case "--verbose", "-v": isVerbose = true
            case "--print-address": action = .printAddress
            case "--print-socket": action = .printSocket
            case "--check-content": action = .checkContent(arguments.next())
            case "--version": action = .version
            case "--help", "-h": action = .help
            default:
                throw UsageError(description: "cannot take the argument \(arguments.written); see konza-portal --help")
            }
        }
    }
}
