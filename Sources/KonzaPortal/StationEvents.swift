internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// What changes in the life of the station, for whoever listens at `/v1/station/events`.
///
/// An event says that something is to be asked for anew, and nothing of what it is: whoever asks then gets what may be read. It is
/// made by the commit that wrote the change down, whoever made it.
final class StationEvents: Sendable {
    /// The names of the events, each for those who may ask for what it is about.
    enum Name: String, Sendable, CaseIterable {
        /// Announcements were written, changed or retired, or the time of one has come or is over.
        case announcements
        /// Somebody went, came back or is overdue: for the kiosk and the crew's devices.
        case trips
        /// Somebody mustered, was excused or went on leave: for whoever signed in.
        case muster
        /// The session of this listener is over, and with it the stream.
        case session

        /// The tables that it is about.
        var tables: Set<String> {
            switch self {
            case .announcements: ["announcements"]
            case .trips: ["trips"]
            case .muster: ["muster_records", "muster_leave", "people_audit"]
            case .session: []
            }
        }
    }

    /// Somebody who listens.
    struct Listener: Sendable {
        /// The device's id; nil for one that is not paired.
        var device: String?
        /// What it may hear now; fewer than when it came mean that its session is over.
        var names: @Sendable () -> Set<Name>
    }

    private struct Open: Sendable {
        let listener: Listener
        let names: Set<Name>
        let stream: ResponseStream

        var isVisitor: Bool { StationEvents.areVisitors(names) }
    }

    private struct Note: Encodable {
        let at: UTCInstant
    }

    private static let limits = {
        var limits = EventHub.Limits()
        limits.kept = 64
        limits.keptBytes = 16 << 10
        limits.passingBytes = 4 << 10
        limits.subscribers = 128
        limits.subscribersPerUser = 16
        limits.pendingBytes = 8 << 10
        return limits
    }()
    /// Of the streams, those that visitors may have: the others are for the kiosk, the crew and the station's own devices.
    private static let mostVisitors = 64
    /// How often it is looked whether sessions are over, seconds.
    private static let lookSeconds = 1.0

    private let clock: any StationClock
    private let hub: EventHub
    /// What the hub keeps at the most.
    private let reservation: MemoryReservation?
    private let listeners = Mutex<[ObjectIdentifier: Open]>([:])
    /// Wakes whoever looks for sessions that are over: nobody does while nobody listens.
    private let (arrivals, arrival) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// - Parameters:
    ///   - database: the portal's.
    ///   - memory: of which what is kept takes a part.
    ///   - clock: the time.
    init(_ database: Database, memory: MemoryBudget, clock: any StationClock) {
        self.clock = clock
        reservation = memory.reserve(Self.limits.bytes, for: .events, account: nil)
        // The start of this run: an id of an earlier run is told from one of this.
        hub = EventHub(limits: Self.limits, epoch: String(clock.utc().nanoseconds / 1_000_000, radix: 36))
        database.observe { [weak self] tables in
            for name in Name.allCases where !name.tables.isDisjoint(with: tables) { self?.post(name) }
            if tables.contains("people_audit") { self?.check() }
        }
    }

    /// Whether who may hear these names is a visitor.
    private static func areVisitors(_ names: Set<Name>) -> Bool { names.isSubset(of: [.announcements, .session]) }

    /// How many listen.
    var listenerCount: Int { listeners.withLock { $0.count } }

    /// Says that something changed.
    func post(_ name: Name) { hub.publish(name.rawValue, data: data) }

    private var data: String {
        (try? Response.encode(Note(at: clock.utc()))).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - request: with the `Last-Event-ID` of a client that comes back.
    ///   - wanted: which events; nil for all that it may have.
    ///   - listener: who it is.
    /// - Returns: the endless answer.
    /// - Throws: a problem if too many listen.
    func open(_ request: Request, wanted: Set<Name>?, for listener: Listener) throws(Problem) -> Response {
        let names = listener.names()
        guard !Self.areVisitors(names) || listeners.withLock({ $0.values.count { $0.isVisitor } }) < Self.mostVisitors
        else {
            throw Problem(
                .unavailable, "cannot listen: too many visitors do; ask for the announcements now and then instead")
        }
        let given = wanted.map(names.intersection) ?? names
        var response = try hub.subscribe(request, names: Set(given.map(\.rawValue)))
        response.headers["cache-control"] = "no-store"
        guard case .stream(let stream) = response.body else { return response }
        let key = ObjectIdentifier(stream)
        listeners.withLock { $0[key] = Open(listener: listener, names: names, stream: stream) }
        arrival.yield()
        // A device that was revoked since it was let in was not among those whose streams were ended.
        end { $0.stream === stream && (names.isEmpty || !names.isSubset(of: $0.listener.names())) }
        stream.onEnd { [weak self] in self?.listeners.withLock { _ = $0.removeValue(forKey: key) } }
        return response
    }

    /// Ends the streams of a device: it may no longer listen.
    func end(device: String) { end { $0.listener.device == device } }

    /// Ends the streams of those who may not hear any more what they could when they came.
    func check() { end { !$0.names.isSubset(of: $0.listener.names()) } }

    private func end(_ isOver: (Open) -> Bool) {
        let over = listeners.withLock { Array($0.values) }.filter(isOver)
        for one in over {
            listeners.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(one.stream)) }
            one.stream.push(ServerSentEvent(event: Name.session.rawValue, data: data).bytes)
            one.stream.finish()
        }
    }

    /// Looks for sessions that are over until the task is cancelled.
    func tend() async {
        for await _ in arrivals {
            await onTicks(
                named: "listeners", of: clock, everySeconds: Self.lookSeconds, while: { self.listenerCount > 0 }
            ) { self.check() }
        }
    }

    /// Ends all streams and takes no more.
    func close() { hub.close() }
}
