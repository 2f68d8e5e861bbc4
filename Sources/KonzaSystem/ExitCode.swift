/// How a program ended, in the numbers of sysexits(3).
public enum ExitCode: Int32, Sendable {
    case ok = 0
    /// EX_USAGE: the command line cannot be understood.
    case usage = 64
    /// EX_DATAERR: what was given or asked is unfit.
    case data = 65
    /// EX_NOINPUT: what was named does not exist.
    case noInput = 66
    /// EX_UNAVAILABLE: what is needed cannot serve.
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
    /// EX_CONFIG: the configuration is not as it must be.
    case configuration = 78
    /// The reader of the output went away: what a shell shows for SIGPIPE.
    case closedPipe = 141
}
