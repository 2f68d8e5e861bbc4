internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Has no program that is started from now on inherit a descriptor that is open now, beside the first three. libmosquitto opens
/// sockets that would be inherited: the broker would never see them closed, and PostgreSQL does not start with a thousand of them.
public func keepDescriptorsToOurselves() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
        if let number = Int32(name), number > 2 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    }
}

/// A program that a test runs. It is ended, by its own id, when the owner goes.
final class ChildProcess: Sendable {
    let id: pid_t
    private let hasEnded = Atomic(false)

    /// - Parameters:
    ///   - program: its path.
    ///   - arguments: what follows its name.
    ///   - environment: variables beside those of this process.
    /// - Throws: if it cannot be run.
    init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws(SetUpError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        keepDescriptorsToOurselves()
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        // The C library takes the first of two variables of one name.
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map {
            unsafe strdup("\($0.key)=\($0.value)")
        }
        defer { for index in 0..<environment.count { unsafe free(variables[index]) } }
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe variables.append(variable)
            unsafe next += 1
        }
        unsafe variables.append(nil)
        var id = pid_t()
        let code = unsafe posix_spawn(&id, program, &actions, nil, &words, &variables)
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

    /// Whether it has ended by itself.
    var hasExited: Bool {
        if hasEnded.load(ordering: .relaxed) { return true }
        var status: Int32 = 0
        guard unsafe waitpid(id, &status, WNOHANG) == id else { return false }
        hasEnded.store(true, ordering: .relaxed)
        return true
    }

    func signal(_ number: Int32) {
        if !hasEnded.load(ordering: .relaxed) { _ = kill(id, number) }
    }
}
