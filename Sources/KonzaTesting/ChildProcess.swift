internal import Glibc

/// A program that a test runs. It is ended, by its own id, when the owner goes.
final class ChildProcess: Sendable {
    let id: pid_t

    init(_ program: String, _ arguments: [String]) throws(SetUpError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, program, &actions, nil, &words, environ)
        guard code == 0 else { throw SetUpError(message: "cannot run \(program): error \(code)") }
        self.id = id
    }

    deinit {
        _ = kill(id, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(id, &status, 0)
    }

    func signal(_ number: Int32) { _ = kill(id, number) }
}
