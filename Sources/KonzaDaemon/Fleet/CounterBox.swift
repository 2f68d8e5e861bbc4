internal import Synchronization

/// All counts of the station as text, for a feature that is made before the others are known.
final class CounterBox: Sendable {
    private let source = Mutex<(@Sendable () -> String)?>(nil)

    func attach(_ text: @escaping @Sendable () -> String) { source.withLock { $0 = text } }

    /// Empty before it is attached.
    var text: String { source.withLock { $0 }?() ?? "" }
}
