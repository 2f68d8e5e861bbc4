internal import Glibc
internal import KonzaSystem
internal import Synchronization

/// What must not outlive the bench: the programs that it started and the folders that it made. An owner takes care of
/// its own; this is for the day when somebody interrupts the bench.
enum Leftovers {
    private struct State {
        var programs: Set<pid_t> = []
        var folders: Set<String> = []
        var isClosed = false
    }

    private static let state = Mutex(State())

    /// Starts a program, unless the bench is ending.
    ///
    /// - Parameter spawn: Gives the program's id, or the code of the error.
    /// - Returns: what it gives; `ECANCELED` if the bench is ending.
    static func start(_ spawn: () -> (id: pid_t, code: Int32)) -> (id: pid_t, code: Int32) {
        state.withLock { state in
            guard !state.isClosed else { return (0, ECANCELED) }
            let started = spawn()
            if started.code == 0 { state.programs.insert(started.id) }
            return started
        }
    }

    /// Asks whether a program has ended. Under the lock, so that nobody ends another program that was given its id.
    ///
    /// - Returns: its status as waitpid(2) gives it, or nil.
    static func reap(_ id: pid_t) -> Int32? {
        state.withLock { state in
            var status: Int32 = 0
            guard unsafe waitpid(id, &status, WNOHANG) == id else { return nil }
            state.programs.remove(id)
            return status
        }
    }

    /// For a program that something else has started, and ends by its own means.
    static func add(program id: pid_t) { state.withLock { _ = $0.programs.insert(id) } }
    static func forget(program id: pid_t) { state.withLock { _ = $0.programs.remove(id) } }

    static func add(folder: String) { state.withLock { _ = $0.folders.insert(folder) } }
    static func forget(folder: String) { state.withLock { _ = $0.folders.remove(folder) } }

    /// Ends all programs and removes all folders; none can be started any more.
    static func clear() {
        let folders = state.withLock { state in
            state.isClosed = true
            for id in state.programs {
                kill(id, SIGKILL)
                var status: Int32 = 0
                unsafe waitpid(id, &status, 0)
            }
            state.programs = []
            return state.folders
        }
        for folder in folders { TemporaryFolder.remove(folder) }
    }
}
