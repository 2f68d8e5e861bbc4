public import KonzaModel

/// Calls a body again and again, on a thread of its own, until the task is cancelled: at once, and then whenever the steady
/// clock is at a multiple of the period, half to one and a half of it after the body has ended. A body that blocks holds
/// nobody up.
///
/// With the machine's own clock the thread sleeps in poll(2): one wake-up of the processor for each call, where a task that
/// sleeps takes several threads' (measured: 0.13 % of a processor for `konzad` at rest, and 0.07 % so).
///
/// - Parameters:
///   - name: of the thread, at most 15 bytes of it.
///   - clock: what the period is measured by; by any but the machine's the body is called from tasks on such a thread.
///   - period: seconds, above 0.
///   - isWanted: asked after each call; it ends when it is not.
///   - body: what is called.
public func onTicks(
    named name: String, of clock: any StationClock, everySeconds period: Double,
    while isWanted: @escaping @Sendable () -> Bool = { true }, _ body: @escaping @Sendable () -> Void
) async {
    while clock is SystemClock, !Task.isCancelled {
        do {
            let stop = try StopSignal()
            return try await onDedicatedThread(named: name, stackBytes: BlockingThreads.stackBytes) {
                stop.set()
            } _: {
                while !stop.isSet {
                    body()
                    guard isWanted() else { return }
                    try sleep(until: clock.nextMultiple(of: period), of: clock, or: stop.wakeup)
                }
            }
        } catch {
            // No thread or descriptor is left; there may be one at the next try.
            body()
            guard isWanted() else { return }
            try? await clock.sleepToMultiple(of: period)
        }
    }
    await withTaskExecutorPreference(BlockingThreads(named: name, limit: 1)) {
        while !Task.isCancelled {
            body()
            guard isWanted() else { return }
            try? await clock.sleepToMultiple(of: period)
        }
    }
}

/// Sleeps on the calling thread until an instant, or until it is woken.
func sleep(until instant: MonotonicInstant, of clock: any StationClock, or wakeup: Wakeup) throws(SystemError) {
    // A thread that was stopped between the look at the clock and here is late already; poll(2) takes less than 0 for ever.
    let left = max(0, instant.seconds(since: clock.monotonic()))
    _ = try waitForEvents(
        on: [(wakeup.descriptor, .readable)], milliseconds: Int32(min(left * 1000, 86_400_000).rounded(.up)))
}
