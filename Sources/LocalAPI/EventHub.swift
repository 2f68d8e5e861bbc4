public import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Sends events to every subscriber, and the latest ones again to one that comes back (`Last-Event-ID`).
///
/// Ids are `<epoch>-<number>`: an id of another epoch, or of an event that is no longer kept, is answered with an
/// event named `gap`, so that the client knows that it has to ask for the state anew.
public final class EventHub: Sendable {
    public struct Limits: Sendable {
        /// Events kept for those who come back.
        public var kept = 512
        public var subscribers = 128
        /// Five sixths of all, so that some are left for the others.
        public var subscribersPerUser = 106
        /// Bytes that may wait for one subscriber before it is dropped.
        public var pendingBytes = 262_144
        /// Seconds of silence before a comment is sent.
        public var heartbeatSeconds = 15.0

        public init() {}
    }

    /// Decides for one subscriber which events it gets, by name and data; it may keep count.
    public typealias Filter = @Sendable (_ event: String, _ data: String) -> Bool

    private struct Kept {
        let number: UInt64
        let event: String
        let data: String
        let bytes: FrameData
    }

    private struct Subscriber {
        let user: UInt32
        let stream: ResponseStream
        let filter: Filter
    }

    private struct State {
        var last: UInt64 = 0
        var kept: [Kept] = []
        var nextToken: UInt64 = 0
        var subscribers: [UInt64: Subscriber] = [:]
        var isClosed = false
    }

    private let limits: Limits
    private let epoch: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limits: what is kept, and for how many.
    ///   - epoch: differs from run to run; no dash and no white space in it. Random if nil.
    public init(limits: Limits = Limits(), epoch: String? = nil) {
        self.limits = limits
        self.epoch = epoch ?? String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The id of the newest event.
    public var lastEventID: String { "\(epoch)-\(state.withLock { $0.last })" }

    /// Sends an event to all and keeps it.
    ///
    /// - Parameters:
    ///   - event: the name.
    ///   - data: the text, usually JSON.
    ///   - isKept: false for events that are worthless later, such as each position.
    public func publish(_ event: String, data: String, isKept: Bool = true) {
        // Under the lock, so that every subscriber sees the order of the ids. Pushing never waits.
        state.withLock { state in
            state.last += 1
            let id = "\(epoch)-\(state.last)"
            let bytes = FrameData(ServerSentEvent(id: id, event: event, data: data).bytes)
            if isKept {
                state.kept.append(Kept(number: state.last, event: event, data: data, bytes: bytes))
                if state.kept.count > limits.kept * 2 { state.kept.removeFirst(state.kept.count - limits.kept) }
            }
            for subscriber in state.subscribers.values where subscriber.filter(event, data) {
                subscriber.stream.push(bytes)
            }
        }
    }

    /// Answers a request with the events from now on, after those that it missed since its `Last-Event-ID`.
    ///
    /// - Parameters:
    ///   - request: of the subscriber.
    ///   - first: sent before everything else, to this subscriber alone: the state at this moment.
    ///   - filter: which events it gets.
    /// - Returns: a stream that ends when one of the two sides does.
    /// - Throws: a problem if there are too many subscribers.
    public func subscribe(
        _ request: Request, first: [ServerSentEvent] = [], filter: @escaping Filter = { _, _ in true }
    ) throws(Problem) -> Response {
        let stream = ResponseStream(
            limit: limits.pendingBytes, heartbeat: (ServerSentEvent.heartbeat, limits.heartbeatSeconds))
        let subscriber = Subscriber(user: request.peer.userID, stream: stream, filter: filter)
        let lastSeen = request.headers["last-event-id"]
        let token = try add(subscriber, lastSeen: lastSeen, first: first)
        stream.onEnd { [weak self] in
            // Not from within publish, which holds the lock: the server ends streams on its own thread.
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: token) }
        }
        return .stream(stream, type: "text/event-stream")
    }

    private func add(
        _ subscriber: Subscriber, lastSeen: String?, first: [ServerSentEvent]
    ) throws(Problem) -> UInt64 {
        let token = state.withLock { state -> UInt64? in
            let ofUser = state.subscribers.values.count { $0.user == subscriber.user }
            guard state.subscribers.count < limits.subscribers, ofUser < limits.subscribersPerUser, !state.isClosed
            else { return nil }
            // Sent at once, so that a client knows that it is connected.
            subscriber.stream.push(Array("retry: 2000\n\n".utf8))
            for event in first { subscriber.stream.push(event.bytes) }
            if let lastSeen { replay(since: lastSeen, to: subscriber, state) }
            state.nextToken += 1
            state.subscribers[state.nextToken] = subscriber
            return state.nextToken
        }
        guard let token else {
            throw Problem(
                .unavailable,
                "cannot take another subscriber: at most \(limits.subscribers), and \(limits.subscribersPerUser) of one "
                    + "user; close some")
        }
        return token
    }

    private func replay(since lastSeen: String, to subscriber: Subscriber, _ state: State) {
        let parts = lastSeen.split(separator: "-", maxSplits: 1)
        // Before the oldest event kept lies what is forgotten, once the ring has turned.
        let hasTurned = state.kept.count >= limits.kept
        let oldest = hasTurned ? state.kept[state.kept.count - limits.kept].number : 0
        guard parts.count == 2, parts[0] == epoch, let number = UInt64(parts[1]), number <= state.last,
            !hasTurned || number + 1 >= oldest
        else {
            let gap = ServerSentEvent(
                id: "\(epoch)-\(state.last)", event: "gap",
                data: #"{"detail":"events since the last id are no longer known; ask for the state anew"}"#)
            subscriber.stream.push(gap.bytes)
            return
        }
        for kept in state.kept where kept.number > number && subscriber.filter(kept.event, kept.data) {
            subscriber.stream.push(kept.bytes)
        }
    }

    /// Ends every subscription and takes no more.
    public func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            return state.subscribers.values.map(\.stream)
        }
        for stream in streams { stream.finish() }
    }
}
