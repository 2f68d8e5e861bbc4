internal import Glibc

/// How each of the station's programs begins.
public enum ServiceProgram {
    /// Reads a program's arguments, does what they ask for, and ends the process with what that says. Signals are
    /// delivered meanwhile. Arguments that the program does not take end it with ``ExitCode/usage``. The calling thread is
    /// the main one, and no other runs yet.
    ///
    /// - Parameters:
    ///   - name: the program's, for messages.
    ///   - arguments: without its name.
    ///   - read: reads them.
    ///   - perform: does what they ask for, on a thread that may wait for the disk, and says how it ended.
    public static func main<Options: Sendable>(
        _ name: String, _ arguments: [String], as read: ([String]) throws(ProgramArguments.UsageError) -> Options,
        perform: @escaping @Sendable (Options, Signals) async -> ExitCode
    ) -> Never {
        let signals = Signals()
        Heap.keepSmall()
        do throws(ProgramArguments.UsageError) {
            let options = try read(arguments)
            Task(executorPreference: BlockingThreads.shared) { exit(await perform(options, signals).rawValue) }
        } catch {
            complain(name, error)
            exit(ExitCode.usage.rawValue)
        }
        signals.deliverForever()
    }

    /// Says what is wrong with a configuration, a line each on standard error, or on standard output that it is good.
    ///
    /// - Parameters:
    ///   - path: the configuration's.
    ///   - problems: all that is wrong with it.
    ///   - name: the program's.
    /// - Returns: how it ended.
    public static func judge(_ path: String, _ problems: [some CustomStringConvertible], by name: String) -> ExitCode {
        for problem in problems { complain(name, problem) }
        guard problems.isEmpty else { return .configuration }
        print("\(path): good")
        return .ok
    }

    private static func complain(_ name: String, _ what: some CustomStringConvertible) {
        Log(threshold: .error, marksPriority: false)(.error, "\(name): \(what)")
    }
}
