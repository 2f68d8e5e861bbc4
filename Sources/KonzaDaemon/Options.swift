internal import KonzaSystem

/// What `konzad` was asked to do.
struct Options: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case run
        case checkConfiguration
        case help
        case version
    }

    var action = Action.run
    /// The configuration; nil runs the embedded default.
    var configuration: String?
    /// The folder of the embedded default, with the socket beside what it keeps.
    var state: String?
    /// Take a postcard once ready, and say where it is and what to try.
    var takesFirstPostcard = false
    var isVerbose = false

    static let help = """
        konzad: the station daemon of Konza: position, postcards, one local API

        usage: konzad --config FILE [--check-config] [--verbose]
               konzad [--state DIR] [--first-postcard] [--verbose]

          --config FILE      read this configuration and the drop-ins in FILE.d (konzad.conf(5))
          --check-config     read the configuration, say what is wrong with it, and end
          --state DIR        without a configuration: keep everything in DIR (default ~/.local/state/konza),
                             the socket too; use the receiver and camera that are there, else recorded ones
          --first-postcard   take a postcard once ready and say what to try next
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
            case "--state": state = try arguments.value(of: name)
            case "--check-config": action = .checkConfiguration
            case "--first-postcard": takesFirstPostcard = true
            case "--verbose", "-v": isVerbose = true
            case "--version": action = .version
            case "--help", "-h": action = .help
            default: throw UsageError(description: "cannot take the argument \(arguments.written); see konzad --help")
            }
        }
        if configuration != nil, state != nil {
            throw UsageError(
                description: "cannot take --state with --config: the configuration says where ([General] State=)")
        }
        if action == .checkConfiguration, configuration == nil {
            throw UsageError(description: "cannot check the configuration: say which with --config FILE")
        }
    }
}
