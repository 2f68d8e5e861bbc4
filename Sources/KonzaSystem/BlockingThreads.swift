internal import CLinux
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

    /// Those of the process, for what no server's handler does: what a program does by itself. A disk that stands still
    /// takes at most so many of them.
    public static let shared = BlockingThreads(named: "blocking", limit: 64)

    /// As much as the main thread has: drawing, SQLite and name look-ups are used to it. Only what is touched takes memory.
    static let stackBytes = 8 << 20

    private let name: String
    private let stackBytes: Int
    private let limit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: of each thread, at most 15 bytes of it.
    ///   - limit: how many there are at most; further jobs wait for one of them.
    public convenience init(named name: String, limit: Int) {
        self.init(named: name, limit: limit, stackBytes: Self.stackBytes)
    }

    init(named name: String, limit: Int, stackBytes: Int) {
        self.name = name
        self.stackBytes = stackBytes
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
            try ThreadJob(name: name) { [self] in
                konza_set_may_block()
                work()
            }.start(stackBytes: stackBytes)
        } catch {
            // The system has no thread left. One that is at work takes the job when it is done with its own; without one,
            // better on the caller's than never.
            let isLeft = state.withLock { state in
                guard state.threads > 1 else { return false }
                state.threads -= 1
                return true
            }
            if !isLeft { work() }
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

/// Runs a body that waits for a disk, or computes for long, where that holds nobody up: on the calling thread if it is one
/// of ``BlockingThreads``, as that of a handler is, else on one of ``BlockingThreads/shared``.
///
/// It is part of the calling task: `Task.isCancelled` tells the body whether its result is still wanted.
public func onBlockingThread<Result: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    guard konza_may_block() == 0 else { return try body() }
    return try await withTaskExecutorPreference(BlockingThreads.shared) { () async throws(Failure) -> Result in
        try body()
    }
}
