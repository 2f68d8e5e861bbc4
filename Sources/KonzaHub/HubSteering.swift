internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// The boxes whose settings are on their way to the broker and into the table, which is one step for each box.
final class HubSteering: Sendable {
    private let boxes = Mutex<Set<String>>([])
    private let clock = SystemClock()

    /// Waits until no settings of a box are on their way; ``end(_:)`` lets the next ones go.
    ///
    /// - Throws: a problem if others take longer than the broker may.
    func begin(_ box: String) async throws(Problem) {
        let end = clock.monotonic().advanced(bySeconds: HubPost.patience)
        while !boxes.withLock({ $0.insert(box).inserted }) {
            guard clock.monotonic() < end, !Task.isCancelled else {
                throw Problem(
                    .unavailable, "cannot publish: other settings for \(box) are on their way; try again in a while")
            }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.05))
        }
    }

    func end(_ box: String) { boxes.withLock { _ = $0.remove(box) } }
}
