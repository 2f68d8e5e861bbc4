internal import Glibc

/// The signals that the daemon handles itself.
public enum Signal: Int32, Sendable, CaseIterable {
    case hangup = 1
    case interrupt = 2
    case terminate = 15
}

/// Delivers signals as values. Create it first of all in `main`: it blocks the signals for every thread that comes
/// later, so that none of them is interrupted or ended by one.
public struct Signals: Sendable {
    /// The signals as they come.
    public let values: AsyncStream<Signal>
    private let continuation: AsyncStream<Signal>.Continuation

    public init() {
        (values, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(8))
        var set = Self.set()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // Their default would end a process that nobody meant to end: what others use them for has no meaning here.
        for number in [SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL] { signal(number, SIG_IGN) }
    }

    /// Waits for signals on the calling thread, for as long as the process lives: the main thread has nothing else
    /// to do.
    public func deliverForever() -> Never {
        var set = Self.set()
        while true {
            var number: Int32 = 0
            guard unsafe sigwait(&set, &number) == 0 else { continue }
            if let signal = Signal(rawValue: number) { continuation.yield(signal) }
        }
    }

    private static func set() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in Signal.allCases { unsafe sigaddset(&set, signal.rawValue) }
        return set
    }
}
