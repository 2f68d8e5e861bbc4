internal import Synchronization

/// Tells a thread that sleeps in poll(2) to end. Any thread sets it, and it stays set.
public final class StopSignal: Sendable {
    /// What the thread waits on beside its own work.
    public let wakeup: Wakeup
    private let flag = Atomic(false)

    /// - Throws: `SystemError` if no descriptor is left.
    public init() throws(SystemError) { wakeup = try Wakeup() }

    public var isSet: Bool { flag.load(ordering: .acquiring) }

    public func set() {
        flag.store(true, ordering: .releasing)
        wakeup.signal()
    }
}
