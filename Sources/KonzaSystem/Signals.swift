internal import Glibc

/// The signals that the daemon handles itself.
public enum Signal: Int32, Sendable, CaseIterable {
    case hangup = 1
    case interrupt = 2
    case terminate = 15
}

/// Delivers signals as values. Create it in `main`, before any other thread runs: it blocks the signals for every
/// thread that comes later, and takes them one by one in a thread of its own.
public struct Signals: Sendable {
    public init() {
        var set = Self.set()
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// The signals as they come. The thread behind it ends with the process.
    public func values() -> AsyncStream<Signal> {
        AsyncStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
            Task {
                try? await onDedicatedThread(named: "signals", stackBytes: 64 * 1024) {
                    var set = Self.set()
                    while true {
                        var number: Int32 = 0
                        guard unsafe sigwait(&set, &number) == 0 else { continue }
                        if let signal = Signal(rawValue: number) { continuation.yield(signal) }
                    }
                }
            }
        }
    }

    private static func set() -> sigset_t {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in Signal.allCases { unsafe sigaddset(&set, signal.rawValue) }
        return set
    }
}
