internal import CLinux
internal import Glibc
internal import Synchronization

/// Runs a body that blocks for as long as its device or its connection is there (in `poll`, in a C library) on a thread of
/// its own, and waits for it without blocking a thread of Swift's pool. What blocks and comes to an end by itself
/// belongs on ``BlockingThreads``.
///
/// The body must end soon after the task is cancelled: `onCancel` is there to wake it (see ``Wakeup``).
public func onDedicatedThread<Result: Sendable>(
    named name: String, stackBytes: Int = 512 * 1024, onCancel: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            let job = ThreadJob(name: name) { continuation.resume(with: Swift.Result { try body() }) }
            do {
                try job.start(stackBytes: stackBytes)
            } catch {
                continuation.resume(throwing: error)
            }
        }
    } onCancel: {
        onCancel()
    }
}

/// Starts a thread that nobody waits for.
///
/// - Parameters:
///   - name: of the thread, at most 15 bytes of it.
///   - stackBytes: of its stack; only what is touched takes memory.
///   - body: what it runs.
/// - Throws: `SystemError` if the system has no thread left.
public func startThread(
    named name: String, stackBytes: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void
) throws(SystemError) {
    try ThreadJob(name: name, body: body).start(stackBytes: stackBytes)
}

/// Carries a closure into a new thread. The thread owns one reference and gives it up when the closure returns.
final class ThreadJob: Sendable {
    private let name: String
    private let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }

    func run() {
        unsafe konza_name_thread(String(name.prefix(15)))
        body()
    }

    func start(stackBytes: Int) throws(SystemError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let reference = unsafe Unmanaged.passRetained(self)
        let code = unsafe pthread_create(&thread, &attributes, runThreadJob, reference.toOpaque())
        guard code == 0 else {
            unsafe reference.release()
            throw SystemError(code: code, action: "start the thread \(name)")
        }
    }
}

private func runThreadJob(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<ThreadJob>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
