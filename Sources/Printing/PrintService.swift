public import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// Works on the wishes in the background, on threads that may wait, for as long as one is open or somebody wants to know
/// how the printer is.
public final class PrintService: Sendable {
    /// The steps of the table's schema.
    public static let migrations: [Migration] = PrintTable.migrations
    /// Seconds between two looks at the printer.
    private static let interval = 1.0
    /// Seconds for which somebody who asked how the printer is may ask again.
    private static let interest = 15.0

    private struct State {
        var task: Task<Void, Never>?
        var neededUntil = MonotonicInstant(nanoseconds: 0)
        var isStopped = false
        /// The trouble that was logged last.
        var trouble = ""
    }

    public let queue: PrintQueue
    private let clock: any StationClock
    private let report: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queue: what is worked on.
    ///   - clock: by which it waits.
    ///   - report: called with a problem, once as long as it stays the same.
    public init(_ queue: PrintQueue, clock: any StationClock, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.queue = queue
        self.clock = clock
        self.report = report
    }

    /// Somebody wants to know how the printer is, or wishes were left by an earlier run. Returns at once.
    public func need() {
        let until = clock.monotonic().advanced(bySeconds: Self.interest)
        state.withLock { state in
            state.neededUntil = until
            guard state.task == nil, !state.isStopped else { return }
            state.task = Task(executorPreference: BlockingThreads.shared) { await self.work() }
        }
    }

    /// Whether it works, or waits for its next look.
    var isAtWork: Bool { state.withLock { $0.task != nil } }

    /// Ends the work; what is at the printer stays there and is taken up at the next start.
    public func stop() async {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
        await task?.value
    }

    private func work() async {
        while true {
            var isOpen = true
            do throws(DatabaseError) {
                isOpen = try queue.step()
                note(queue.condition)
            } catch {
                tell("cannot go on printing: \(error); free space on the disk, or look at its folder")
            }
            let now = clock.monotonic()
            let isOver = state.withLock { state in
                guard state.isStopped || (!isOpen && now > state.neededUntil) else { return false }
                state.task = nil
                return true
            }
            if isOver { return }
            try? await clock.sleep(until: now.advanced(bySeconds: Self.interval))
        }
    }

    private func note(_ condition: PrinterCondition) {
        if condition.takesJobs || condition.state == .checking {
            state.withLock { $0.trouble = "" }
        } else {
            tell("\(condition.reason)\(condition.remedy.isEmpty ? "" : "; \(condition.remedy)")")
        }
    }

    private func tell(_ trouble: String) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        if isNew { report(trouble) }
    }
}
