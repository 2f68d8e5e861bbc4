internal import Foundation

/// A value behind a lock, for classes that Foundation does not mark Sendable.
final class LockedValue<Value>: @unchecked Sendable {
    // Sendable: `stored` is touched only while the lock is held; what is in it is used by one scenario.
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func set(_ value: Value) { lock.withLock { stored = value } }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
