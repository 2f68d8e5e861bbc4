internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import LocalAPI
internal import Synchronization

/// What happens at the station, as server-sent events (the WHATWG HTML standard, section 9.2) to everyone who listens.
///
/// The last events are kept for clients that come back with `Last-Event-ID`. Positions are not: a client that missed
/// some wants the newest one, which it can ask for. An id is the start of this run and a number, so that an id of an
/// earlier run is told from one of this.
final class StationEvents: Sendable {
    /// Events kept for clients that come back.
    static let ringLimit = 256
    /// Clients that may listen at once.
    static let listenerLimit = 128
    /// Bytes that may wait for a slow client before it is dropped.
    static let backlog = 256 << 10
    /// A comment keeps proxies and the client's own timeouts content.
    static let heartbeatSeconds = 15.0

    private struct Kept {
        let number: UInt64
        let name: EventName
        let frame: FrameData
    }

    private struct Listener {
        let token: UInt64
        let stream: ResponseStream
        let names: Set<EventName>
        let interval: Double
        var nextPosition: MonotonicInstant?
    }

    private struct State {
        var next: UInt64 = 1
        var nextToken: UInt64 = 0
        var ring: [Kept] = []
        var listeners: [Listener] = []
    }

    private let clock: any StationClock
    private let run: String
    private let state = Mutex(State())

    init(clock: any StationClock) {
        self.clock = clock
        run = String(clock.utc().nanoseconds / 1_000_000, radix: 36)
    }

    /// How many listen.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    // MARK: Posting

    func post(_ event: PostcardEvent) { post(.postcard, event) }
    func post(_ event: CameraEvent) { post(.camera, event) }
    func post(_ event: HealthEvent) { post(.health, event) }

    /// Sends a position to those who want it now, at most as often as each asked for.
    func post(_ position: PositionReply) {
        let now = clock.monotonic()
        let due = state.withLock { state -> [ResponseStream] in
            var due: [ResponseStream] = []
            for index in state.listeners.indices where state.listeners[index].names.contains(.position) {
                // A tenth early still counts, so that 1/s of a receiver that is not quite regular stays 1/s.
                let interval = state.listeners[index].interval
                if let next = state.listeners[index].nextPosition, now < next.advanced(bySeconds: -interval / 10) {
                    continue
                }
                state.listeners[index].nextPosition = now.advanced(bySeconds: interval)
                due.append(state.listeners[index].stream)
            }
            return due
        }
        guard !due.isEmpty, let data = try? Response.encode(position) else { return }
        let frame = Self.frame(id: nil, .position, data)
        for stream in due { stream.push(frame) }
    }

    private func post(_ name: EventName, _ payload: some Encodable) {
        guard let data = try? Response.encode(payload) else { return }
        // Pushed under the lock, so that every client sees the events in the order of their numbers.
        state.withLock { state in
            let number = state.next
            state.next += 1
            let frame = Self.frame(id: "\(run)-\(number)", name, data)
            state.ring.append(Kept(number: number, name: name, frame: frame))
            if state.ring.count > Self.ringLimit { state.ring.removeFirst() }
            for listener in state.listeners where listener.names.contains(name) { listener.stream.push(frame) }
        }
    }

    /// JSON has no line feed, so one `data:` line holds it.
    private static func frame(id: String?, _ name: EventName, _ data: [UInt8]) -> FrameData {
        let head = (id.map { "id: \($0)\n" } ?? "") + "event: \(name.rawValue)\ndata: "
        return FrameData(Array(head.utf8) + data + Array("\n\n".utf8))
    }

    // MARK: Listening

    /// Opens a stream of events.
    ///
    /// - Parameters:
    ///   - names: which events.
    ///   - positionsPerSecond: at most so many positions.
    ///   - lastID: the last event that the client has seen.
    /// - Returns: the stream.
    /// - Throws: a problem if too many listen.
    func open(
        names: Set<EventName>, positionsPerSecond: Double, after lastID: String?
    ) throws(Problem) -> ResponseStream {
        let stream = ResponseStream(
            limit: Self.backlog, heartbeat: (Array(": alive\n\n".utf8), Self.heartbeatSeconds))
        let token = state.withLock { state -> UInt64? in
            guard state.listeners.count < Self.listenerLimit else { return nil }
            state.nextToken += 1
            // A client that loses the stream comes back after two seconds.
            stream.push(Array("retry: 2000\n\n".utf8))
            if let lastID { replay(state.ring, next: state.next, after: lastID, names, to: stream) }
            state.listeners.append(
                Listener(
                    token: state.nextToken, stream: stream, names: names, interval: 1 / positionsPerSecond))
            return state.nextToken
        }
        guard let token else {
            throw Problem(
                .tooManyRequests, "cannot open another event stream: \(Self.listenerLimit) are open; close some")
        }
        stream.onEnd { [weak self] in
            self?.state.withLock { $0.listeners.removeAll { $0.token == token } }
        }
        return stream
    }

    private func replay(
        _ ring: [Kept], next: UInt64, after lastID: String, _ names: Set<EventName>, to stream: ResponseStream
    ) {
        let parts = lastID.split(separator: "-")
        let oldest = ring.first?.number ?? next
        guard parts.count == 2, parts[0] == run, let last = UInt64(parts[1]), last < next, last + 1 >= oldest else {
            stream.push(Self.frame(id: nil, .gap, Array("{}".utf8)))
            return
        }
        for event in ring where event.number > last && names.contains(event.name) { stream.push(event.frame) }
    }
}
