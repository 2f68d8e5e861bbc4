public import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Synchronization

/// Sends events to every subscriber, and the latest ones again to one that comes back (`Last-Event-ID`).
///
/// Ids are `<epoch>-<number>`: an id of another epoch, or of an event that is no longer kept, is answered with an
/// event named `gap`, so that the client knows that it has to ask for the state anew. Each event is kept once, as it
/// goes over the wire; a subscriber is a place in this history and takes the next event when its client has read the
/// one before.
public final class EventHub: Sendable {
    public struct Limits: Sendable {
        /// Events kept for those who come back.
        public var kept = 512
        /// Bytes of events kept for those who come back; one larger event is sent and not kept.
        public var keptBytes = 1 << 20
        /// Bytes of the events that are not kept for those who come back, and wait for those who listen.
        public var passingBytes = 65_536
        public var subscribers = 128
        /// Five sixths of all, so that some are left for the others.
        public var subscribersPerUser = 106
        /// Bytes of new events that a subscriber may leave unread before it is dropped.
        public var pendingBytes = 262_144
        /// Seconds of silence before a comment is sent.
        public var heartbeatSeconds = 15.0

        public init() {}

        /// The most memory that a hub with these limits keeps, bytes.
        public var bytes: Int { keptBytes + passingBytes }
    }

    /// Decides for one subscriber whether it gets an event of a name; it may keep count. Asked once for each event,
    /// when the client is ready to take it.
    public typealias Filter = @Sendable (_ event: String) -> Bool

    private struct Subscriber {
        let account: Account
        let stream: ResponseStream
        let names: Set<String>?
        let filter: Filter
        /// The number of the newest event when it subscribed.
        let joined: UInt64
        /// The number of the last event that it took or did not want.
        var seen: UInt64
        /// Bytes of events published since it last had everything.
        var unread = 0
        /// It came back too late.
        var hasGap: Bool

        func wants(_ event: String) -> Bool { names?.contains(event) ?? true }

        /// An event was published: says whether the subscriber is to be woken, or has left too much unread.
        mutating func note(
            _ event: String, _ number: UInt64, _ bytes: Int, _ limit: Int, _ ready: inout [ResponseStream],
            _ slow: inout [ResponseStream]
        ) {
            guard wants(event) else {
                // Nothing that it wants is before this one.
                if seen + 1 == number { seen = number }
                return
            }
            guard unread == 0 || unread + bytes <= limit else {
                slow.append(stream)
                return
            }
            unread += bytes
            ready.append(stream)
        }
    }

    private struct State {
        var history: EventHistory
        var nextToken: UInt64 = 0
        var subscribers: [UInt64: Subscriber] = [:]
        var isClosed = false
    }

    private let limits: Limits
    private let epoch: String
    private let state: Mutex<State>

    /// - Parameters:
    ///   - limits: what is kept, and for how many.
    ///   - epoch: differs from run to run; no dash and no white space in it. Random if nil.
    public init(limits: Limits = Limits(), epoch: String? = nil) {
        self.limits = limits
        self.epoch = epoch ?? String(UInt64.random(in: 0...UInt64.max), radix: 36)
        state = Mutex(
            State(
                history: EventHistory(
                    kept: limits.kept, keptBytes: limits.keptBytes, passingBytes: limits.passingBytes)))
    }

    public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// The id of the newest event.
    public var lastEventID: String { "\(epoch)-\(state.withLock { $0.history.last })" }

    /// Bytes of the events that are held.
    public var keptBytes: Int { state.withLock { $0.history.bytes } }

    /// Sends an event to all and keeps it.
    ///
    /// - Parameters:
    ///   - event: the name.
    ///   - data: the text, usually JSON.
    ///   - isKept: false for events that are worthless later, such as each position.
    public func publish(_ event: String, data: String, isKept: Bool = true) {
        let (ready, slow) = state.withLock { state -> ([ResponseStream], [ResponseStream]) in
            let number = state.history.last + 1
            let bytes = FrameData(ServerSentEvent(id: "\(epoch)-\(number)", event: event, data: data).bytes)
            state.history.append(event, bytes, isKept: isKept)
            var ready: [ResponseStream] = []
            var slow: [ResponseStream] = []
            for token in state.subscribers.keys {
                state.subscribers[token]?.note(event, number, bytes.count, limits.pendingBytes, &ready, &slow)
            }
            return (ready, slow)
        }
        // Not under the lock: a stream that is being read asks the hub for more.
        for stream in ready { stream.wake() }
        for stream in slow { stream.drop() }
    }

    /// Answers a request with the events from now on, after those that it missed since its `Last-Event-ID`.
    ///
    /// - Parameters:
    ///   - request: of the subscriber.
    ///   - first: sent before everything else, to this subscriber alone: the state at this moment.
    ///   - names: of the events that it may get; nil for all.
    ///   - filter: which of these it gets.
    /// - Returns: a stream that ends when one of the two sides does.
    /// - Throws: a problem if there are too many subscribers.
    public func subscribe(
        _ request: Request, first: [ServerSentEvent] = [], names: Set<String>? = nil,
        filter: @escaping Filter = { _ in true }
    ) throws(Problem) -> Response {
        let token = state.withLock { state in
            state.nextToken += 1
            return state.nextToken
        }
        let stream = ResponseStream(
            limit: limits.pendingBytes, heartbeat: (ServerSentEvent.heartbeat, limits.heartbeatSeconds)
        ) { [weak self] in self?.next(for: token) }
        // Sent at once, so that a client knows that it is connected.
        stream.push(Array("retry: 2000\n\n".utf8))
        for event in first { stream.push(event.bytes) }
        try add(token, stream, request, names, filter)
        stream.onEnd { [weak self] in _ = self?.state.withLock { $0.subscribers.removeValue(forKey: token) } }
        return .stream(stream, type: "text/event-stream")
    }

    private func add(
        _ token: UInt64, _ stream: ResponseStream, _ request: Request, _ names: Set<String>?, _ filter: @escaping Filter
    ) throws(Problem) {
        let account = request.principal.account
        let lastSeen = request.headers["last-event-id"]
        let isTaken = state.withLock { state in
            let ofAccount = state.subscribers.values.count { $0.account == account }
            guard state.subscribers.count < limits.subscribers, ofAccount < limits.subscribersPerUser, !state.isClosed
            else { return false }
            let last = state.history.last
            let seen = lastSeen.map { state.history.number(of: $0, epoch: epoch) } ?? last
            state.subscribers[token] = Subscriber(
                account: account, stream: stream, names: names, filter: filter, joined: last, seen: seen ?? last,
                hasGap: seen == nil)
            return true
        }
        guard isTaken else {
            throw Problem(
                .unavailable,
                "cannot take another subscriber: at most \(limits.subscribers), and \(limits.subscribersPerUser) of one "
                    + "user; close some")
        }
    }

    /// The next event for a subscriber whose client is ready to take it.
    private func next(for token: UInt64) -> FrameData? {
        state.withLock { state in
            guard var subscriber = state.subscribers[token] else { return nil }
            defer { state.subscribers[token] = subscriber }
            if subscriber.hasGap || state.history.hasGap(after: subscriber.seen) {
                subscriber.hasGap = false
                subscriber.seen = state.history.last
                return gap(state.history.last)
            }
            while let event = state.history.first(after: subscriber.seen, joined: subscriber.joined) {
                subscriber.seen = event.number
                if subscriber.wants(event.name), subscriber.filter(event.name) { return event.bytes }
            }
            subscriber.seen = state.history.last
            subscriber.unread = 0
            return nil
        }
    }

    private func gap(_ last: UInt64) -> FrameData {
        FrameData(
            ServerSentEvent(
                id: "\(epoch)-\(last)", event: "gap",
                data: #"{"detail":"events since the last id are no longer known; ask for the state anew"}"#
            ).bytes)
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
