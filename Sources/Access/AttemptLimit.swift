internal import KonzaModel
internal import Synchronization

/// How often a client of the network may try something in a minute.
final class AttemptLimit: Sendable {
    private static let window = 60.0
    /// Clients that are remembered; those that tried longest ago are forgotten first.
    private static let mostClients = 512

    private let limit: Int
    private let clock: any StationClock
    private let attempts = Mutex<[String: [MonotonicInstant]]>([:])

    init(_ limit: Int, clock: any StationClock) {
        self.limit = limit
        self.clock = clock
    }

    /// - Parameter client: who tries.
    /// - Returns: after how many seconds it may try again; nil if it may now, which is counted.
    func refuses(_ client: String) -> Double? {
        let now = clock.monotonic()
        return attempts.withLock { attempts in
            var recent = (attempts[client] ?? []).filter { now.seconds(since: $0) < Self.window }
            guard recent.count < limit else { return Self.window - now.seconds(since: recent[0]) }
            recent.append(now)
            if attempts.count >= Self.mostClients, attempts[client] == nil,
                let oldest = attempts.min(by: { ($0.value.last ?? now) < ($1.value.last ?? now) })
            {
                attempts[oldest.key] = nil
            }
            attempts[client] = recent
            return nil
        }
    }
}
