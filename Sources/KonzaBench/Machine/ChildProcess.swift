internal import Glibc
internal import KonzaSystem
internal import KonzaTesting

/// A program that the bench started. It is ended when its owner lets go of it.
struct ChildProcess: ~Copyable {
    /// How it ended, and what it had used.
    struct Ending: Sendable {
        /// The exit status; 128 and the signal's number for one that a signal ended.
        let status: Int32
        /// The most memory that was seen, if it was watched.
        let peakBytes: Int64?
    }

    /// Where its input and output go.
    enum Conversation {
        case none
        /// Lines are written to its input and read from its output.
        case lines
    }

    let id: pid_t
    /// Its output and input, if a conversation was asked for.
    private let channel: LineChannel?
    private var ending: Ending?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path.
    ///   - arguments: Without its name.
    ///   - conversation: Whether lines are to be exchanged with it.
    ///   - log: A file for its errors, and for its output if there is no conversation; nil drops them.
    /// - Throws: What posix_spawn(3) says.
    init(
        _ program: String, _ arguments: [String], conversation: Conversation = .none, log: String? = nil
    ) throws(SystemError) {
        var pipes: (input: Pipe, output: Pipe)?
        if case .lines = conversation { pipes = (try Pipe(), try Pipe()) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let target = log ?? "/dev/null"
        unsafe posix_spawn_file_actions_addopen(&actions, 2, target, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if let pipes {
            unsafe posix_spawn_file_actions_adddup2(&actions, pipes.input.reading, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, pipes.output.writing, 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
        }
        keepDescriptorsToOurselves()
        var attributes = plainSignals()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let (child, code) = Leftovers.start {
            var child: pid_t = 0
            let code = unsafe CStrings([program] + arguments).withPointers { pointers in
                unsafe posix_spawn(&child, program, &actions, &attributes, pointers, environ)
            }
            return (child, code)
        }
        if let pipes {
            close(pipes.input.reading)
            close(pipes.output.writing)
        }
        guard code == 0 else {
            if let pipes {
                close(pipes.input.writing)
                close(pipes.output.reading)
            }
            throw SystemError(code: code, action: "start \(program)")
        }
        id = child
        channel = pipes.map { LineChannel(reading: $0.output.reading, writing: $0.input.writing) }
    }

    deinit {
        guard ending == nil else { return }
        kill(id, SIGKILL)
        while Leftovers.reap(id) == nil, kill(id, 0) == 0 { usleep(150) }
    }

    /// Waits until the program ends.
    ///
    /// - Parameters:
    ///   - seconds: The longest wait.
    ///   - watchesMemory: Whether to look at its memory all the while. The kernel's own record will not do: it
    ///     begins with what the bench had when it started the program (getrusage(2), `ru_maxrss`).
    /// - Returns: nil if it still runs after the time.
    mutating func wait(seconds: Double, watchesMemory: Bool = false) -> Ending? {
        let deadline = steadySeconds() + seconds
        var peak: Int64 = 0
        while ending == nil {
            if watchesMemory { peak = max(peak, ProcessFigures.peakBytes(of: id) ?? 0) }
            if let status = Leftovers.reap(id) {
                ending = Ending(status: exitStatus(of: status), peakBytes: peak > 0 ? peak : nil)
            } else if steadySeconds() > deadline {
                return nil
            } else {
                usleep(150)
            }
        }
        return ending
    }

    /// Asks the program to end, and makes it end if it does not in time.
    mutating func stop(graceSeconds: Double = 3) -> Ending? {
        guard ending == nil else { return ending }
        kill(id, SIGTERM)
        if let ended = wait(seconds: graceSeconds) { return ended }
        kill(id, SIGKILL)
        return wait(seconds: 2)
    }

    /// Writes a line and reads the answer's first line.
    func ask(_ line: String, seconds: Double) throws -> String {
        guard let channel else { throw BenchError("cannot ask: the program has no conversation") }
        try channel.write(line + "\n")
        return try channel.readLine(seconds: seconds)
    }
}

/// A pipe whose ends a started program gets only where it is meant to.
private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError("create a pipe") }
        reading = ends[0]
        writing = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
}

/// C's view of some texts.
@safe private struct CStrings: ~Copyable {
    private let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String]) {
        unsafe pointers = unsafe texts.map { unsafe strdup($0) } + [nil]
    }

    deinit { unsafe pointers.forEach { unsafe free($0) } }

    func withPointers<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        unsafe body(pointers)
    }
}
