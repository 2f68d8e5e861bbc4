internal import Glibc

/// What a program says with its exit status (sysexits(3)).
public enum ExitStatus {
    /// It cannot take its arguments.
    public static let usage: Int32 = 64
    /// What it was to read is not as it must be.
    public static let data: Int32 = 65
    /// What it needs cannot be had.
    public static let unavailable: Int32 = 69
    /// It cannot make a file or a folder.
    public static let cannotCreate: Int32 = 73
    /// It may not do what it was to do.
    public static let noPermission: Int32 = 77
    /// Its configuration is not as it must be.
    public static let configuration: Int32 = 78
}

/// How each of the station's programs begins.
public enum ServiceProgram {
    /// Reads a program's arguments, does what they ask for, and ends the process: with what that says, or, where it goes
    /// on, whenever it ends the process itself. Signals are delivered meanwhile. Arguments that the program does not take
    /// end it with ``ExitStatus/usage``. The calling thread is the main one, and no other runs yet.
    ///
    /// - Parameters:
    ///   - name: the program's, for messages.
    ///   - arguments: without its name.
    ///   - read: reads them.
    ///   - perform: does what they ask for and gives the exit status, or begins it on other threads and gives none.
    public static func main<Options>(
        _ name: String, _ arguments: [String], as read: ([String]) throws(ProgramArguments.UsageError) -> Options,
        perform: (Options, Signals) -> Int32?
    ) -> Never {
        let signals = Signals()
        Heap.keepSmall()
        do throws(ProgramArguments.UsageError) {
            if let status = perform(try read(arguments), signals) { exit(status) }
        } catch {
            complain(name, error)
            exit(ExitStatus.usage)
        }
        signals.deliverForever()
    }

    /// Says what is wrong with a configuration, a line each on standard error, or on standard output that it is good.
    ///
    /// - Parameters:
    ///   - path: the configuration's.
    ///   - problems: all that is wrong with it.
    ///   - name: the program's.
    /// - Returns: the exit status.
    public static func judge(_ path: String, _ problems: [some CustomStringConvertible], by name: String) -> Int32 {
        for problem in problems { complain(name, problem) }
        guard problems.isEmpty else { return ExitStatus.configuration }
        print("\(path): good")
        return 0
    }

    private static func complain(_ name: String, _ what: some CustomStringConvertible) {
        Log(threshold: .error, marksPriority: false)(.error, "\(name): \(what)")
    }
}
