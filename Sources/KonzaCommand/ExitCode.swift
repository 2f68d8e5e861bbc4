/// How the program ended, in the numbers of sysexits(3).
enum ExitCode: Int32, Sendable {
    case ok = 0
    /// EX_USAGE: the command line cannot be understood.
    case usage = 64
    /// EX_DATAERR: the station refused what was asked as unfit.
    case data = 65
    /// EX_NOINPUT: what was named does not exist.
    case noInput = 66
    /// EX_UNAVAILABLE: the station, or the part that is needed, cannot serve.
    case unavailable = 69
    /// EX_SOFTWARE: a defect.
    case software = 70
    /// EX_CANTCREAT: a file cannot be made.
    case cannotCreate = 73
    /// EX_IOERR: reading or writing failed on the way.
    case io = 74
    /// EX_TEMPFAIL: the same command may succeed later.
    case temporary = 75
    /// EX_PROTOCOL: the answer makes no sense.
    case `protocol` = 76
    /// EX_NOPERM: not allowed.
    case permission = 77
    /// The reader of the output went away: what a shell shows for SIGPIPE.
    case closedPipe = 141
}

/// Why a command ends early: a message for people and a code for scripts.
struct CommandFailure: Error, Equatable {
    /// "cannot X: why; remedy".
    let message: String
    let code: ExitCode

    init(_ message: String, _ code: ExitCode) {
        self.message = message
        self.code = code
    }

    /// The output's reader is gone: nothing is left to say.
    static let outputClosed = CommandFailure("", .closedPipe)
}
