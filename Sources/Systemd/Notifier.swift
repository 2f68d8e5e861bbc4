internal import CSystemd
internal import Glibc
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Sends notifications one after another, in order. `sd_notify` waits for as long as the manager's socket is full, so
/// it is called on a thread of its own; meanwhile the newest status and one keep-alive wait, and not all that came.
final class Notifier: Sendable {
    private struct State {
        var waiting: [String] = []
        var isSending = false
    }

    /// Those that replace an earlier one of their kind.
    private static let replaceable = ["STATUS=", "WATCHDOG=1"]
    /// More than what comes between two readings of a manager that lives.
    private static let mostWaiting = 64

    private let hasManager: Bool
    private let thread = BlockingThreads(named: "notify", limit: 1)
    private let state = Mutex(State())

    init() { hasManager = unsafe getenv("NOTIFY_SOCKET") != nil }

    func send(_ notification: String) {
        guard hasManager else { return }
        let isFirst = state.withLock { state in
            if let kind = Self.replaceable.first(where: { notification.hasPrefix($0) }) {
                state.waiting.removeAll { $0.hasPrefix(kind) }
            }
            if state.waiting.count == Self.mostWaiting { state.waiting.removeFirst() }
            state.waiting.append(notification)
            defer { state.isSending = true }
            return !state.isSending
        }
        guard isFirst else { return }
        Task(executorPreference: thread) {
            while let next = self.next() { _ = unsafe sd_notify(0, next) }
        }
    }

    /// The next notification; nil, and none is being sent any more, if there is none.
    private func next() -> String? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isSending = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    func finish(withinSeconds limit: Double) {
        let clock = SystemClock()
        let end = clock.monotonic().advanced(bySeconds: limit)
        while state.withLock({ $0.isSending }), clock.monotonic() < end { usleep(2000) }
    }
}
