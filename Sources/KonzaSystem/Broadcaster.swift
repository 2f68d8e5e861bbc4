internal import Synchronization

/// Hands each element to every subscriber, on the caller's thread. Subscribers must return at once: they set a
/// flag, wake a thread or put the element into a bounded queue of their own.
public final class Broadcaster<Element: Sendable>: Sendable {
    public typealias Handler = @Sendable (Element) -> Void

    private struct State {
        var nextToken: UInt64 = 0
        var handlers: [(token: UInt64, handler: Handler)] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Registers a handler until the subscription is cancelled or dropped.
    public func subscribe(_ handler: @escaping Handler) -> Subscription {
        let token = add(handler)
        return Subscription { [weak self] in
            self?.state.withLock { $0.handlers.removeAll { $0.token == token } }
        }
    }

    private func add(_ handler: @escaping Handler) -> UInt64 {
        state.withLock { state in
            state.nextToken += 1
            state.handlers.append((state.nextToken, handler))
            return state.nextToken
        }
    }

    public func send(_ element: Element) {
        for entry in state.withLock({ $0.handlers }) { entry.handler(element) }
    }

    public var subscriberCount: Int { state.withLock { $0.handlers.count } }
}

/// Keeps a handler registered for as long as it lives.
public final class Subscription: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    public init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Mutex(onCancel)
    }

    deinit { cancel() }

    /// Ends the subscription. A handler that runs at this moment may still finish.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

extension Broadcaster {
    /// Registers a handler for as long as the broadcaster lives.
    public func subscribeForever(_ handler: @escaping Handler) {
        _ = add(handler)
    }
}
