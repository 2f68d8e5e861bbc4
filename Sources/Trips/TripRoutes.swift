public import HTTPServing
public import KonzaAPI
public import KonzaModel
internal import KonzaSystem
internal import Storage

/// `/v1/trips`: who is still out, where, and when they are expected.
public struct TripRoutes: Sendable {
    /// Who asks, as far as trips go.
    public struct Actor: Sendable, Equatable {
        /// As written into the ledger.
        public var name: String
        /// Whether it is told who is out: signed-in crew, and nobody else.
        public var isCrew: Bool
        /// The number of the account by which somebody signed in; nil for nobody.
        public var person: Int64?
        /// Whether several use the device, so that its name says nobody's: the kiosk's.
        public var isShared: Bool

        public init(name: String, isCrew: Bool, person: Int64? = nil, isShared: Bool = false) {
            self.name = name
            self.isCrew = isCrew
            self.person = person
            self.isShared = isShared
        }
    }

    /// Whether messages leave the station.
    public struct Reach: Sendable, Equatable {
        /// Whether the station is set up to send any.
        public var isConfigured: Bool
        /// Messages that wait, and since when the courier was last able to send one.
        public var waiting: Int
        /// Whether none of those that were written last was taken.
        public var isLost: Bool
        public var sentAt: UTCInstant?

        public init(isConfigured: Bool, waiting: Int, isLost: Bool = false, sentAt: UTCInstant?) {
            self.isConfigured = isConfigured
            self.waiting = waiting
            self.isLost = isLost
            self.sentAt = sentAt
        }
    }

    struct EventRow: Encodable {
        let kind: String
        let at: UTCInstant
        let who: String
        /// The number of the account; absent where nobody had signed in.
        let person: Int64?
        let detail: String
        /// By the clock on the station's wall, for people.
        let localTime: String
        /// The new time of an extension.
        let localDetail: String?

        init(_ event: TripRegister.Event) {
            kind = event.kind
            at = event.at
            who = event.who
            person = event.person
            detail = event.detail
            localTime = LocalTime.text(event.at)
            localDetail = event.kind == "extended" ? UTCInstant(rfc3339: event.detail).map(LocalTime.text) : nil
        }
    }

    /// A trip as it is told.
    struct Row: Encodable {
        let id: String
        /// out, overdue or returned.
        let state: String
        let leader: String
        let party: [String]
        /// Of how many the party is.
        let count: Int
        let expectedAt: UTCInstant
        /// The same by the clock on the station's wall, for people.
        let expectedLocal: String
        let startedAt: UTCInstant
        /// no, due, officer, contacts or search: what is to be done about an overdue one.
        let overdue: String
        let lateSeconds: Int?
        let acknowledgedAt: UTCInstant?
        let acknowledgedBy: String?
        /// When an alarm about it was withdrawn, while there is no other one.
        let withdrawnAt: UTCInstant?
        let endedAt: UTCInstant?
        let endedLocal: String?
        let endedHow: String?
        /// Whether whoever asks belongs to the party by the account; absent where nobody signed in.
        let isOwn: Bool?
        // For the crew alone:
        var destination: String?
        var route: [String]?
        var vehicle: String?
        var contact: Trip.Contact?
        var note: String?
        var place: Trip.Place?
        var startedBy: String?
        /// The number of the account that signed it out.
        var person: Int64?
        var endedBy: String?
        var events: [EventRow]?
        /// What of the route is no trail of the network.
        var unknownTrails: [String]?
        /// Messages about it that wait to be sent.
        var waitingMessages: Int?

        init(_ entry: TripRegister.Entry, now: UTCInstant?, steps: OverdueSteps, for actor: Actor) {
            let isCrew = actor.isCrew
            isOwn = actor.person.map { entry.includes(actor.name, person: $0) }
            let late = now.map { $0.seconds(since: entry.trip.expectedAt) }
            let overdue = entry.isOut ? max(entry.overdue, late.map { steps.state(secondsLate: $0) } ?? .no) : .no
            id = entry.id
            state = entry.isOut ? (overdue > .no ? "overdue" : "out") : "returned"
            leader = isCrew ? entry.trip.leader : Self.shortened(entry.trip.leader)
            party = isCrew ? entry.trip.party : []
            count = 1 + entry.trip.party.count
            expectedAt = entry.trip.expectedAt
            expectedLocal = LocalTime.text(entry.trip.expectedAt)
            startedAt = entry.startedAt
            self.overdue = overdue.name
            lateSeconds = entry.isOut ? late.flatMap { $0 >= 0 ? Int($0) : nil } : nil
            acknowledgedAt = entry.acknowledgedAt
            acknowledgedBy = entry.acknowledgedBy
            withdrawnAt = entry.isOut && overdue == .no ? entry.withdrawnAt : nil
            endedAt = entry.endedAt
            endedLocal = entry.endedAt.map(LocalTime.text)
            endedHow = entry.endedHow
            guard isCrew else { return }
            destination = entry.trip.destination
            route = entry.trip.route
            vehicle = entry.trip.vehicle
            contact = entry.trip.contact
            note = entry.trip.note
            place = entry.trip.place
            startedBy = entry.startedBy
            person = entry.person
            endedBy = entry.endedBy
        }

        /// At the kiosk, for everybody to see: enough for a party to find itself.
        private static func shortened(_ name: String) -> String {
            let words = name.split(separator: " ")
            guard words.count > 1, let first = words.first, let initial = words.last?.first else { return name }
            return "\(first) \(initial)."
        }
    }

    private struct List: Encodable {
        let trips: [Row]
        let out: Int
        let people: Int
        let overdue: Int
        /// Whether the clock is one to count by: not one that was never set, nor one that says less than before.
        let isClockBelieved: Bool
        /// Whether anybody outside the station is sent messages, and how many wait.
        let isReported: Bool
        let waitingMessages: Int
        /// The number to call for a search.
        let sheriff: String?
    }

    let register: TripRegister
    let sheriff: String
    let actor: @Sendable (Request) throws(Problem) -> Actor
    let account: @Sendable (String) -> Int64?
    let trails: @Sendable () -> [String]?
    let reach: @Sendable () -> Reach
    let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - register: the trips.
    ///   - sheriff: the number to call for a search; empty for none.
    ///   - actor: who asks.
    ///   - account: the number of the account that a name is; nil where there is none. It may read the disk.
    ///   - trails: the names of the network's trails; nil where it is not known. It may ask another program.
    ///   - reach: whether messages leave the station. It may read the disk.
    ///   - note: takes a line for the log.
    public init(
        _ register: TripRegister, sheriff: String, actor: @escaping @Sendable (Request) throws(Problem) -> Actor,
        account: @escaping @Sendable (String) -> Int64? = { _ in nil },
        trails: @escaping @Sendable () -> [String]? = { nil },
        reach: @escaping @Sendable () -> Reach, note: @escaping @Sendable (String) -> Void
    ) {
        self.register = register
        self.sheriff = sheriff
        self.actor = actor
        self.account = account
        self.trails = trails
        self.reach = reach
        self.note = note
    }

    private static func body(_ schema: String, isRequired: Bool = true) -> RequestBody {
        RequestBody(schema: schema, isRequired: isRequired, limit: 16 << 10)
    }

    /// The kiosk may sign out and back in: nobody of a party that came back is kept from saying so.
    public var routes: [Route] {
        [
            Route(
                .get, "/v1/trips", access: .only(.kiosk, .collector, .ranger, .keeper), operation: "listTrips",
                summary: "Who is still out, those first who are expected first",
                query: [
                    QueryParameter("state", "out (the rule) or returned.", values: ["out", "returned"]),
                    QueryParameter("limit", "The most trips.", .count(1...500)),
                ],
                replies: [Reply(200, "The trips.", schema: "TripList")],
                handler: .asynchronous { request in try list(request) }
            ).failing(.archiveUnavailable),
            Route(
                .post, "/v1/trips", access: .only(.kiosk, .collector, .ranger, .keeper), operation: "startTrip",
                summary: "A party signs out: {\"leader\": …, \"destination\": …, \"expectedAt\": …}",
                body: Self.body("TripRequest"),
                replies: [Reply(201, "It is out.", schema: "Trip")],
                handler: .asynchronous { request in try start(request) }
            ).failing(.conflict, .archiveUnavailable).reading(
                HeaderParameter(
                    "Idempotency-Key", "Makes a repetition harmless: it gets the first one's trip.", .string)),
            Route(
                .get, "/v1/trips/{id}", access: .only(.collector, .ranger, .keeper), operation: "getTrip",
                summary: "One trip and what happened to it", replies: [Reply(200, "The trip.", schema: "Trip")],
                handler: .asynchronous { request in
                    try told(try found(request), request, isWhole: true)
                }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
            Route(
                .post, "/v1/trips/{id}/extend", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "extendTrip", summary: "The party will be back at another time: {\"expectedAt\": …}",
                body: Self.body("TripExtension"), replies: [Reply(200, "As it is now.", schema: "Trip")],
                handler: .asynchronous { request in
                    let who = try named(request) { members in members.string("expectedAt") }
                    guard let text = who.extra, let instant = UTCInstant(rfc3339: text) else {
                        throw Self.fault("expectedAt", "expected an RFC 3339 date-time such as 2026-05-30T14:03:07Z")
                    }
                    let entry = try done { () throws(TripRegister.TripError) in
                        try register.extend(request.parameter("id"), to: instant, by: who.hand)
                    }
                    return try told(entry, request)
                }
            ).failing(.notFound, .conflict, .archiveUnavailable).taking("id", .string),
            Route(
                .post, "/v1/trips/{id}/return", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "endTrip", summary: "The party is back: {\"how\": …}",
                body: Self.body("TripReturn", isRequired: false),
                replies: [Reply(200, "It is back; said again, the same.", schema: "Trip")],
                handler: .asynchronous { request in
                    let who = try named(request) { members in members.string("how") }
                    let entry = try done { () throws(TripRegister.TripError) in
                        try register.end(
                            request.parameter("id"), by: who.hand, how: who.extra.map { String($0.prefix(500)) } ?? "")
                    }
                    note("\(who.hand.name): the trip \(entry.id) is back")
                    return try told(entry, request)
                }
            ).failing(.notFound, .archiveUnavailable).taking("id", .string),
            Route(
                .post, "/v1/trips/{id}/acknowledge", access: .only(.kiosk, .collector, .ranger, .keeper),
                operation: "acknowledgeTrip",
                summary: "Somebody else takes care of an overdue trip; at the kiosk without an account {\"by\": …}",
                body: Self.body("TripAcknowledgement", isRequired: false),
                replies: [Reply(200, "As it is now.", schema: "Trip")],
                handler: .asynchronous { request in
                    let who = try named(request, isNeeded: true) { _ in nil }
                    let entry = try done { () throws(TripRegister.TripError) in
                        try register.acknowledge(request.parameter("id"), by: who.hand)
                    }
                    note("\(who.hand.name) takes care of the overdue trip \(entry.id)")
                    return try told(entry, request)
                }
            ).failing(.notFound, .conflict, .archiveUnavailable).taking("id", .string),
        ]
    }

    // MARK: - Answers

    private var now: UTCInstant? { register.isBelieved ? register.clock.utc() : nil }

    private func list(_ request: Request) throws(Problem) -> Response {
        let isOut = request.query("state") != "returned"
        let actor = try actor(request)
        // At the kiosk nobody reads who was out: those who are can say that they are back.
        guard isOut || actor.isCrew else {
            throw Problem(.forbidden, "cannot show past trips at the kiosk before somebody of the crew has signed in")
        }
        let limit = request.queryInteger("limit") ?? 500
        let entries = try kept { () throws(StorageError) in try register.list(isOut: isOut, limit: limit) }
        let rows = entries.map { Row($0, now: now, steps: register.steps, for: actor) }
        let reach = reach()
        let isBehind = try kept { () throws(StorageError) in try register.isClockBehind() }
        var response = try Response.json(
            List(
                trips: rows, out: rows.count { $0.state != "returned" },
                people: rows.filter { $0.state != "returned" }.reduce(0) { $0 + $1.count },
                overdue: rows.count { $0.state == "overdue" }, isClockBelieved: now != nil && !isBehind,
                isReported: reach.isConfigured && reach.waiting == 0 && !reach.isLost, waitingMessages: reach.waiting,
                sheriff: sheriff.isEmpty ? nil : sheriff))
        response.headers["cache-control"] = "private, no-store"
        return response
    }

    private func start(_ request: Request) throws(Problem) -> Response {
        let (trip, by) = try TripRequest.read(try request.json())
        let key = request.headers["idempotency-key"].map { "\(request.principal.client ?? "")/\($0.prefix(200))" }
        let who = try hand(request, by)
        let names = Set([trip.leader] + trip.party)
        var accounts: [String: Int64] = [:]
        for name in names { accounts[name] = account(name) }
        let known = accounts
        let entry = try done { () throws(TripRegister.TripError) in
            try register.start(trip, by: who, key: key, accounts: known)
        }
        note("\(who.name): a party of \(1 + entry.trip.party.count) is out, the trip \(entry.id)")
        var response = try told(entry, request, unknown: unknownTrails(of: entry.trip))
        response.status = 201
        response.headers["location"] = "/v1/trips/\(entry.id)"
        return response
    }

    private func told(
        _ entry: TripRegister.Entry, _ request: Request, isWhole: Bool = false, unknown: [String]? = nil
    ) throws(Problem) -> Response {
        let actor = try actor(request)
        var row = Row(entry, now: now, steps: register.steps, for: actor)
        row.unknownTrails = unknown
        if isWhole, actor.isCrew {
            row.events = try kept { () throws(StorageError) in try register.events(of: entry.id) }.map(EventRow.init)
            row.waitingMessages = reach().waiting
            row.unknownTrails = unknownTrails(of: entry.trip)
        }
        return try .json(row)
    }

    /// What of a route is no trail of the network; nil where there is nothing of that, or the network is not known.
    private func unknownTrails(of trip: Trip) -> [String]? {
        guard !trip.route.isEmpty, let trails = trails() else { return nil }
        let unknown = trip.route.filter { name in !trails.contains { PartyNames.areSame($0, name) } }
        return unknown.isEmpty ? nil : unknown
    }

    private func found(_ request: Request) throws(Problem) -> TripRegister.Entry {
        let entry = try kept { () throws(StorageError) in try register.find(request.parameter("id")) }
        guard let entry else { throw Self.unknown }
        return entry
    }

    /// Who does something: whoever signed in; else whoever the request names (several people share the kiosk and a tablet), else
    /// the device.
    private func hand(_ request: Request, _ by: String?) throws(Problem) -> TripRegister.Hand {
        let actor = try actor(request)
        guard actor.person != nil else { return TripRegister.Hand(by ?? actor.name) }
        guard by.map({ PartyNames.areSame($0, actor.name) }) ?? true else {
            throw Self.fault("by", "\(actor.name) is signed in here, whose name is written down: leave it out")
        }
        return TripRegister.Hand(actor.name, person: actor.person)
    }

    private func named(
        _ request: Request, isNeeded: Bool = false, _ read: (inout RequestMembers) -> String?
    ) throws(Problem) -> (hand: TripRegister.Hand, extra: String?) {
        var members = RequestMembers(try request.json())
        let by = members.string("by").flatMap { $0.isEmpty ? nil : $0 }
        let extra = read(&members)
        if let by, let complaint = TextRule.complaint(by, upTo: 80) { members.fault("by", complaint) }
        if let extra, let complaint = TextRule.complaint(extra, upTo: 500) { members.fault("how", complaint) }
        try members.finish()
        let hand = try hand(request, by)
        if isNeeded, by == nil, hand.person == nil, try actor(request).isShared {
            throw Self.fault("by", "expected a name: many use the kiosk")
        }
        return (hand, extra)
    }

    private static func fault(_ name: String, _ detail: String) -> Problem {
        Problem(
            .invalidRequest, "cannot take the request: /\(name) (\(detail))",
            errors: [.init(path: "/\(name)", detail: detail)])
    }

    private static let unknown = Problem(.notFound, "cannot find the trip: there is none, or it ended long ago")

    private func kept<Value>(_ body: () throws(StorageError) -> Value) throws(Problem) -> Value {
        do throws(StorageError) { return try body() } catch { throw Self.problem(.storage(error)) }
    }

    private func done<Value>(_ body: () throws(TripRegister.TripError) -> Value) throws(Problem) -> Value {
        do throws(TripRegister.TripError) { return try body() } catch { throw Self.problem(error) }
    }

    private static func problem(_ error: TripRegister.TripError) -> Problem {
        switch error {
        case .unknown: unknown
        case .ended(let who, let at):
            Problem(.conflict, "cannot change the trip: \(who) said at \(at.rfc3339) that it is back; sign out anew")
        case .notOverdue: Problem(.conflict, "cannot acknowledge the trip: it is not overdue")
        case .ownParty:
            Problem(
                .conflict,
                "cannot have the party acknowledge that it is overdue: somebody else must, by a name that is nobody's of the "
                    + "party, or say that it is back")
        case .past: fault("expectedAt", "must be in the future by the station's clock")
        case .tooFarAhead:
            fault(
                "expectedAt",
                "must be at most \(TripRegister.mostHoursAhead) hours from now by the station's clock: nobody would be missed before it; extend the trip later"
            )
        case .tooManyOut:
            Problem(
                .conflict, "cannot sign out another party: \(TripRegister.mostOut) are out; say who of them is back")
        case .tooManyChanges: Problem(.conflict, "cannot extend the trip again: say that it is back, and sign out anew")
        case .storage(let error):
            Problem(
                .archiveUnavailable,
                "cannot use the list of trips: \(error); free or mend the disk, and write it on paper")
        }
    }
}
