internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// What happens at the station, for everyone who listens at `/v1/events`.
///
/// The last events are kept for clients that come back with `Last-Event-ID`. Positions are not: a client that missed
/// some wants the newest one, which it can ask for.
final class StationEvents: Sendable {
    private let clock: any StationClock
    private let hub: EventHub
    /// What the hub keeps at the most.
    private let reservation: MemoryReservation?
    /// Called after each event that tells of a record.
    private let listeners = Mutex<[@Sendable () -> Void]>([])

    init(clock: any StationClock, kept: Int, memory: MemoryBudget) {
        self.clock = clock
        var limits = EventHub.Limits()
        limits.kept = kept
        reservation = memory.reserve(limits.bytes, for: .events, account: nil)
        // The start of this run: an id of an earlier run is told from one of this.
        hub = EventHub(limits: limits, epoch: String(clock.utc().nanoseconds / 1_000_000, radix: 36))
    }

    /// How many listen.
    var listenerCount: Int { hub.subscriberCount }

    /// Calls somebody when a record has changed.
    func onRecord(_ body: @escaping @Sendable () -> Void) { listeners.withLock { $0.append(body) } }

    private func tellOfRecord() {
        for listener in listeners.withLock({ $0 }) { listener() }
    }

    func post(_ event: PostcardEvent) {
        post(.postcard, event)
        tellOfRecord()
    }

    func post(_ event: ShotEvent) { post(.shot, event) }
    func post(_ event: CameraEvent) { post(.camera, event) }
    func post(_ event: HealthEvent) { post(.health, event) }
    func post(_ event: OutboxEvent) { post(.outbox, event, isKept: event.photograph == nil) }
    func post(_ event: OccupationReply) { post(.occupation, event, isKept: event.state == .ended) }
    func post(_ event: SpecimenEvent) {
        post(.specimen, event)
        tellOfRecord()
    }

    func post(_ event: NearestTrailReply) { post(.trail, event, isKept: false) }

    /// Sends a position to those who want it now, at most as often as each asked for.
    func post(_ position: PositionReply) { post(.position, position, isKept: false) }

    private func post(_ name: EventName, _ payload: some Encodable, isKept: Bool = true) {
        guard let data = try? Response.encode(payload) else { return }
        hub.publish(name.rawValue, data: String(decoding: data, as: UTF8.self), isKept: isKept)
    }

    /// Opens a stream of events.
    ///
    /// - Parameters:
    ///   - request: with the `Last-Event-ID` of a client that comes back.
    ///   - names: which events.
    ///   - positionsPerSecond: at most so many positions.
    /// - Returns: the endless answer.
    /// - Throws: a problem if too many listen.
    func open(
        _ request: Request, names: Set<EventName>, positionsPerSecond: Double
    ) throws(Problem) -> Response {
        let words = Set(names.map(\.rawValue))
        let pace = Pace(interval: 1 / positionsPerSecond, clock: clock)
        var response = try hub.subscribe(request, names: words) { event in
            event != EventName.position.rawValue || pace.isDue()
        }
        response.headers["cache-control"] = "no-store"
        return response
    }

    func close() { hub.close() }
}

/// Lets one listener's positions through at most so often.
private final class Pace: Sendable {
    private let interval: Double
    private let clock: any StationClock
    private let next = Mutex<MonotonicInstant?>(nil)

    init(interval: Double, clock: any StationClock) {
        self.interval = interval
        self.clock = clock
    }

    func isDue() -> Bool {
        let now = clock.monotonic()
        return next.withLock { next in
            // A tenth early still counts, so that 1/s of a receiver that is not quite regular stays 1/s.
            if let due = next, now < due.advanced(bySeconds: -interval / 10) { return false }
            next = now.advanced(bySeconds: interval)
            return true
        }
    }
}
