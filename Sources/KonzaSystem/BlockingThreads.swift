internal import Synchronization

/// Threads for tasks that may block, on a disk or in a C library. Swift's own pool has as many threads as there are
/// processors: two that wait for a slow disk there would hold up everything else.
///
/// A task runs on them by preference (`Task(executorPreference:)`, SE-0417), with all that it awaits. A thread ends as
/// soon as there is nothing left to do: none is kept.
public final class BlockingThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var threads = 0
    }

    /// As much as Swift's own have: drawing and SQLite are used to it. Only what is touched takes memory.
    private static let stackBytes = 8 << 20

    private let name: String
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: of each thread, at most 15 bytes of it.
    ///   - limit: how many there are at most; further jobs wait for one of them.
    public init(named name: String, limit: Int) {
        self.name = name
        self.limit = max(1, limit)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isThreadMissing = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        guard isThreadMissing else { return }
        do throws(SystemError) {
            try ThreadJob(name: name) { [self] in work() }.start(stackBytes: Self.stackBytes)
        } catch {
            // The system has no thread left: better late, on the caller's, than never.
            work()
        }
    }

    private func work() {
        while let job = next() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// The next job, or nil, and one thread less.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.threads -= 1
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
