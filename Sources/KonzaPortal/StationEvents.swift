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

    private let clock: any StationClock
    private let hub: EventHub
    /// What the hub keeps at the most.
    private let reservation: MemoryReservation?
    private let visitors = Mutex(0)

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
        }
    }

    /// Whether who may hear these names is a visitor.
    private static func areVisitors(_ names: Set<Name>) -> Bool { names.isSubset(of: [.announcements, .session]) }

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
    ///   - names: that it may have.
    /// - Returns: the endless answer.
    /// - Throws: a problem if too many listen.
    func open(_ request: Request, wanted: Set<Name>?, of names: Set<Name>) throws(Problem) -> Response {
        let isVisitor = Self.areVisitors(names)
        if isVisitor { try takeVisitorsPlace() }
        let given = wanted.map(names.intersection) ?? names
        var response: Response
        do {
            response = try hub.subscribe(request, names: Set(given.map(\.rawValue)))
        } catch {
            if isVisitor { leaveVisitorsPlace() }
            throw error
        }
        response.headers["cache-control"] = "no-store"
        if isVisitor, case .stream(let stream) = response.body {
            stream.onEnd { [weak self] in self?.leaveVisitorsPlace() }
        }
        return response
    }

    private func takeVisitorsPlace() throws(Problem) {
        let isTaken = visitors.withLock { visitors in
            guard visitors < Self.mostVisitors else { return false }
            visitors += 1
            return true
        }
        guard isTaken else {
            throw Problem(
                .unavailable, "cannot listen: too many visitors do; ask for the announcements now and then instead")
        }
    }

    private func leaveVisitorsPlace() { visitors.withLock { $0 -= 1 } }

    /// Ends a stream and says why.
    func end(_ stream: ResponseStream) {
        stream.push(ServerSentEvent(event: Name.session.rawValue, data: data).bytes)
        stream.finish()
    }

    /// Ends all streams and takes no more.
    func close() { hub.close() }
}
