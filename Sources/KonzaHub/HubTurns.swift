internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Has what concerns one name done one after another.
final class HubTurns: Sendable {
    private let names = Mutex<Set<String>>([])
    private let clock = SystemClock()

    /// Waits for its turn; ``end(_:)`` lets the next one go.
    ///
    /// - Parameters:
    ///   - name: what only one may concern at a time.
    ///   - what: is said where the others take too long, such as "other settings for knz07".
    /// - Throws: a problem if others take longer than the broker may.
    func begin(_ name: String, for what: String) async throws(Problem) {
        let end = clock.monotonic().advanced(bySeconds: HubPost.patience)
        while !names.withLock({ $0.insert(name).inserted }) {
            guard clock.monotonic() < end, !Task.isCancelled else {
                throw Problem(.unavailable, "cannot publish: \(what) are on their way; try again in a while")
            }
            try? await clock.sleep(until: clock.monotonic().advanced(bySeconds: 0.05))
        }
    }

    func end(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
