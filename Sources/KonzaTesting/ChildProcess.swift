internal import FoundationEssentials
public import Glibc
internal import Synchronization

/// Has no program that is started from now on inherit a descriptor that is open now, beside the first three. libmosquitto opens
/// sockets that would be inherited: the broker would never see them closed, and PostgreSQL does not start with a thousand of them.
public func keepDescriptorsToOurselves() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        if let number = Int32(name), number > 2 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }
}

/// No signal blocked or ignored, as a shell starts programs: Swift's threads block nearly all, SIGTERM too, and what a thread
/// blocks its children would.
///
/// - Returns: attributes for posix_spawn(3), to be destroyed.
public func plainSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    var none = sigset_t()
    var all = sigset_t()
    unsafe posix_spawnattr_init(&attributes)
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
}

/// How a program ended.
///
/// - Parameter word: its status as of wait(2).
/// - Returns: the exit status; 128 and the signal's number for one that a signal ended.
public func exitStatus(of word: Int32) -> Int32 {
    let signal = word & 0x7F
    return signal == 0 ? word >> 8 & 0xFF : 128 + signal
}

/// A program that a test runs. It is ended, by its own id, when the owner goes.
final class ChildProcess: Sendable {
    let id: pid_t
    private let hasEnded = Atomic(false)

    /// The descriptors that become its first three; nil for `/dev/null`.
    struct Streams {
        var input: Int32?
        var output: Int32?
        var errors: Int32?
    }

    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: what follows its name.
    ///   - environment: variables beside those of this process.
    ///   - streams: what it reads from and writes to.
    /// - Throws: if it cannot be run.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], streams: Streams = Streams()
    ) throws(SetUpError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let parts = [streams.input, streams.output, streams.errors]
        for (number, stream) in zip(0...2 as ClosedRange<Int32>, parts) {
            if let stream {
                unsafe posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        keepDescriptorsToOurselves()
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        let given = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var variables: [UnsafeMutablePointer<CChar>?] =
            unsafe given.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
        var id = pid_t()
        var attributes = plainSignals()
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        let code = unsafe posix_spawn(&id, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw SetUpError(message: "cannot run \(program): error \(code)") }
        self.id = id
    }

    deinit {
        signal(SIGKILL)
        waitForEnd()
    }

    /// Waits until it has ended; its id may be another's then.
    ///
    /// - Returns: its status as of wait(2); 0 where it was asked for before.
    @discardableResult
    func waitForEnd() -> Int32 {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return 0 }
        var status: Int32 = 0
        _ = unsafe waitpid(id, &status, 0)
        return status
    }

    /// Waits for its end, but not longer than so many seconds; nil if it still runs.
    func waitForEnd(seconds: Double) -> Int32? {
        let start = ContinuousClock.now
        var pause: UInt32 = 100
        while true {
            if let status = collect() { return status }
            guard ContinuousClock.now - start < .seconds(seconds) else { return nil }
            usleep(pause)
            pause = min(pause * 2, 5000)
        }
    }

    /// Whether it has ended by itself.
    var hasExited: Bool {
        hasEnded.load(ordering: .relaxed) || collect() != nil
    }

    /// Its status as of wait(2), once it has ended.
    private func collect() -> Int32? {
        var status: Int32 = 0
        guard unsafe waitpid(id, &status, WNOHANG) == id else { return nil }
        hasEnded.store(true, ordering: .relaxed)
        return status
    }

    func signal(_ number: Int32) {
        if !hasEnded.load(ordering: .relaxed) { _ = kill(id, number) }
    }
}
