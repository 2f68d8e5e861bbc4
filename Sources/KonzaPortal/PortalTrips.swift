internal import HTTPServing
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Muster
internal import People
internal import Settings
internal import Storage
internal import Synchronization
internal import Trips

/// Who is still out, by the portal's database, and the messages about whoever is overdue.
struct PortalTrips: Sendable {
    private static let lookSeconds = 10.0

    static let migrations = TripRegister.migrations + MessageOutbox.migrations

    let register: TripRegister
    let outbox: MessageOutbox
    let routes: [Route]
    /// How messages go out by the settings.
    private let ways: Set<MessageOutbox.Way>
    private let clock: any StationClock
    private let log: Log

    /// - Parameters:
    ///   - settings: of the station.
    ///   - database: with ``migrations``.
    ///   - people: the accounts.
    ///   - language: the station's; nil where none was chosen.
    ///   - trails: the names of the network's trails; nil where konzad does not say.
    ///   - clock: the time.
    ///   - log: takes who went and who is overdue.
    init(
        _ settings: StationSettings, database: Database, people: PeopleRegister,
        language: @escaping @Sendable () -> String?, trails: @escaping @Sendable () -> [String]?,
        clock: any StationClock, log: Log
    ) {
        self.clock = clock
        self.log = log
        let trips = settings.trips
        let outbox = MessageOutbox(database, clock: clock)
        self.outbox = outbox
        let hasMail = !settings.courier.mailServer.isEmpty && !settings.courier.mailFrom.isEmpty
        let hasWebhook = !settings.courier.webhook.isEmpty
        ways = Set((hasMail ? [.mail] : []) + (hasWebhook ? [.webhook] : []))
        let words = OverdueMessages(
            station: settings.general.station, officer: trips.officer,
            hasWebhook: hasWebhook, sheriff: trips.sheriff, language: language)
        register = TripRegister(
            database,
            steps: OverdueSteps(officer: trips.officerAfter, contacts: trips.contactsAfter, search: trips.sheriffAfter),
            keepSeconds: trips.keep, clock: clock, boot: SystemClock.bootID(),
            isSynchronized: { SystemClock.isSynchronized },
            welcome: { entry, connection throws(DatabaseError) in
                try outbox.welcome(entry, by: words, &connection)
            },
            retract: { withdrawn, connection throws(DatabaseError) in
                try outbox.retract(withdrawn, by: words, &connection)
            }
        ) { raised, connection throws(DatabaseError) in
            try outbox.write(words.drafts(raised, now: clock.utc()), &connection)
        }
        people.onRemoval { person, connection throws(DatabaseError) in
            try TripRegister.forget(person.number, person.name, at: clock.utc(), &connection)
        }
        let gate = PeopleGate(people)
        routes =
            TripRoutes(
                register, sheriff: trips.sheriff,
                actor: { request throws(Problem) in try Self.actor(request, gate) },
                account: { name in name.contains(where: \.isLetter) ? (try? people.find(name))?.number : nil },
                trails: trails,
                reach: {
                    let counts = try? outbox.counts()
                    // What was written last went nowhere, or nobody can tell.
                    let isLost = (try? outbox.isLastLost()) ?? true
                    return TripRoutes.Reach(
                        isConfigured: hasWebhook || (hasMail && !trips.officer.isEmpty),
                        waiting: counts?.waiting ?? 0, isLost: isLost, sentAt: counts?.sentAt)
                }, note: { log(.notice, $0) }
            ).routes + MessageRoutes(outbox, note: { log(.warning, $0) }).routes
    }

    /// Who asks: a person who signed in, else the device. Whoever comes back at the kiosk may say so and is shown no more for it.
    private static func actor(_ request: Request, _ gate: PeopleGate) throws(Problem) -> TripRoutes.Actor {
        let principal = request.principal
        let role = Rights.role(of: principal)
        let isDeviceOfCrew = role != .kiosk && role != .visitor
        if let caller = try gate.caller(of: request), let person = caller.person {
            return TripRoutes.Actor(
                name: person.name, isCrew: isDeviceOfCrew || caller.may(.crew), person: person.number)
        }
        return TripRoutes.Actor(
            name: principal.client ?? "user-\(principal.peer.userID)", isCrew: isDeviceOfCrew, isShared: role == .kiosk)
    }

    /// Raises what becomes overdue until the task is cancelled.
    func tend() async {
        let complaint = Mutex("")
        await onTicks(named: "trips", of: clock, everySeconds: Self.lookSeconds) { [self] in
            complaint.withLock { raise(&$0) }
        }
    }

    /// - Parameter complaint: what was logged last of why it cannot be noted.
    private func raise(_ complaint: inout String) {
        do {
            for id in try register.date() {
                log(.notice, "the trip \(id) is dated: the clock was not set when the party signed out, and is now")
            }
            for one in try register.withdraw() {
                log(
                    .warning,
                    "the alarm (\(one.step.name)) about the trip \(one.id) is withdrawn: the clock was ahead when it was raised, at \(one.raisedAt)"
                )
            }
            for one in try register.raise() {
                log(.warning, "the trip \(one.id) is overdue: \(one.step.name)")
            }
            let settled = try outbox.settle(ways)
            if settled.givenUp > 0 {
                log(
                    .warning,
                    "\(counted(settled.givenUp, "message")) cannot be sent: [Courier] has no way for them; konza trips messages shows them"
                )
            }
            if settled.resumed > 0 {
                log(.notice, "\(counted(settled.resumed, "message")) without a way until now will be sent")
            }
            complaint = ""
        } catch {
            if complaint != "\(error)" { log(.error, "cannot note who is overdue: \(error); it is tried again") }
            complaint = "\(error)"
        }
    }
}
