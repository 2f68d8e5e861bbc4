internal import Synchronization

/// A value that is made when it is first asked for, once; whoever asks meanwhile waits.
public final class OnDemand<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    /// - Parameter make: makes the value. It must not ask for it.
    public init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    public var value: Value {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
