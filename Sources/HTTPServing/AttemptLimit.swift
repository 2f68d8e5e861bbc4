public import KonzaModel
internal import Synchronization

/// How often a client of the network may try something in a minute.
public final class AttemptLimit: Sendable {
    private static let window = 60.0

    private let limit: Int
    private let mostClients: Int
    private let clock: any StationClock
    private let attempts = Mutex<[String: [MonotonicInstant]]>([:])

    /// - Parameters:
    ///   - limit: tries of one client in a minute.
    ///   - mostClients: that are remembered; those that tried longest ago are forgotten first.
    ///   - clock: the time.
    public init(_ limit: Int, mostClients: Int = 512, clock: any StationClock) {
        self.limit = limit
        self.mostClients = mostClients
        self.clock = clock
    }

    /// - Parameters:
    ///   - client: who tries.
    ///   - isCounted: whether this is a try; else it is asked alone whether there may be one.
    /// - Returns: after how many seconds it may try again; nil if it may now.
    public func refuses(_ client: String, counting isCounted: Bool = true) -> Double? {
        let now = clock.monotonic()
        return attempts.withLock { attempts in
            var recent = (attempts[client] ?? []).filter { now.seconds(since: $0) < Self.window }
            guard recent.count < limit else { return Self.window - now.seconds(since: recent[0]) }
            guard isCounted else { return nil }
            recent.append(now)
            if attempts.count >= mostClients, attempts[client] == nil,
                let oldest = attempts.min(by: { ($0.value.last ?? now) < ($1.value.last ?? now) })
            {
                attempts[oldest.key] = nil
            }
            attempts[client] = recent
            return nil
        }
    }
}
