internal import JSONCoding
public import KonzaModel
public import Storage
internal import Synchronization

/// The ledger of who is out. A trip begins and ends by somebody's hand alone: no time, no midnight and no muster ends it. What a call
/// returned is on the disk.
///
/// Deadlines are instants on the disk, so they survive power cuts; a clock that cannot be right (before 2024) raises nothing and
/// ends nothing. Every step of an overdue trip is one row, so that it is raised once, however often the portal starts.
public final class TripRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "trips-1",
            sql: """
                CREATE TABLE trips (
                    id TEXT PRIMARY KEY, facts TEXT NOT NULL, expected_at INTEGER NOT NULL, started_at INTEGER NOT NULL,
                    started_by TEXT NOT NULL, key TEXT UNIQUE,
                    -- The highest step that was raised for the present expected return (0 to 4).
                    raised INTEGER NOT NULL DEFAULT 0, raised_at INTEGER,
                    acknowledged_at INTEGER, acknowledged_by TEXT,
                    ended_at INTEGER, ended_by TEXT, ended_how TEXT
                ) STRICT;
                CREATE INDEX trips_out ON trips (expected_at) WHERE ended_at IS NULL;
                -- What happened to a trip: it is only added to.
                CREATE TABLE trip_events (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, trip TEXT NOT NULL REFERENCES trips (id) ON DELETE CASCADE,
                    kind TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, detail TEXT NOT NULL
                ) STRICT;
                CREATE INDEX trip_events_of ON trip_events (trip);
                """),
        Migration(
            name: "trips-2",
            sql: """
                -- The numbers of accounts: of who signed the party out, of whose hand an event is, and of members of the party.
                -- Without a reference, so that an account can be removed and the ledger stays whole.
                ALTER TABLE trips ADD COLUMN person INTEGER;
                ALTER TABLE trip_events ADD COLUMN person INTEGER;
                CREATE TABLE trip_people (
                    trip TEXT NOT NULL REFERENCES trips (id) ON DELETE CASCADE, name TEXT NOT NULL, person INTEGER NOT NULL,
                    PRIMARY KEY (trip, name)
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            name: "trips-3",
            sql: """
                -- Accounts that were removed while the party was out, which keeps their names until it is back.
                CREATE TABLE trip_removed (
                    trip TEXT NOT NULL REFERENCES trips (id) ON DELETE CASCADE, person INTEGER NOT NULL, name TEXT NOT NULL,
                    PRIMARY KEY (trip, person)
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            name: "trips-4",
            sql: """
                -- In which run of the machine something happened: within one a clock that says less than before was set.
                ALTER TABLE trip_events ADD COLUMN boot TEXT NOT NULL DEFAULT '';
                CREATE INDEX trip_events_at ON trip_events (at);
                """),
        Migration(
            name: "trips-5",
            sql: """
                -- By the steady clock of that run of the machine, nanoseconds: the time of what happened before anybody had set the clock.
                ALTER TABLE trip_events ADD COLUMN steady INTEGER;
                """),
    ]

    /// How far ahead a return may be expected: nobody would be missed before it.
    public static let mostHoursAhead = 1000
    /// Trips that are out at one time.
    public static let mostOut = 500
    /// A message that is written later than this after its step says so.
    public static let lateSeconds = 120.0
    /// Events of one trip.
    static let mostEvents = 200
    /// Trips of a list.
    public static let mostListed = 1000

    public struct Entry: Sendable, Equatable {
        public let id: String
        public let trip: Trip
        public let startedAt: UTCInstant
        public let startedBy: String
        /// The number of the account that signed the party out; nil where nobody had signed in, or it was before accounts were noted.
        public var person: Int64?
        /// The accounts that names of the party were, when it signed out: numbers by the name as it was typed.
        public var accounts: [String: Int64] = [:]
        public let overdue: Overdue
        public let raisedAt: UTCInstant?
        public let acknowledgedAt: UTCInstant?
        public let acknowledgedBy: String?
        public let endedAt: UTCInstant?
        public let endedBy: String?
        public let endedHow: String?
        /// How often an alarm about it was withdrawn, and when last (``TripRegister/withdraw()``).
        public var withdrawals = 0
        public var withdrawnAt: UTCInstant?

        public var isOut: Bool { endedAt == nil }

        /// The leader and everybody else.
        var names: [String] { [trip.leader] + trip.party }

        /// Whether somebody belongs to the party, and so cannot acknowledge that it is overdue.
        ///
        /// - Parameters:
        ///   - name: of who says so.
        ///   - number: of the account by which somebody signed in; nil for a name that was typed.
        /// - Returns: for an account: whether it signed the party out, was a name of it, or could be a name that is no other account's;
        ///   for a name: whether it could be one of the party's, or is the one that signed it out.
        public func includes(_ name: String, person number: Int64? = nil) -> Bool {
            guard let number else {
                return ([startedBy] + names).contains { PartyNames.couldBeSame($0, name) }
            }
            if person == number || accounts.values.contains(number) { return true }
            return names.contains { accounts[$0] == nil && PartyNames.couldBeSame($0, name) }
        }
    }

    public struct Event: Sendable, Equatable {
        /// started, extended, raised, withdrawn, acknowledged, returned.
        public let kind: String
        public let at: UTCInstant
        public let who: String
        /// The number of the account that it is of; nil for none.
        public var person: Int64?
        public let detail: String
    }

    /// By whose hand something is done.
    public struct Hand: Sendable, Equatable, ExpressibleByStringLiteral {
        /// As it is written down.
        public let name: String
        /// The number of the account by which somebody signed in; nil for a name that was typed, or a device.
        public let person: Int64?

        public init(_ name: String, person: Int64? = nil) {
            self.name = name
            self.person = person
        }

        public init(stringLiteral name: String) { self.init(name) }
    }

    /// Why something cannot be done.
    public enum TripError: Error, Sendable {
        case unknown
        case ended(by: String, at: UTCInstant)
        case notOverdue
        /// Nobody acknowledges that the own party is overdue.
        case ownParty
        case past
        /// Expected later than ``TripRegister/mostHoursAhead``.
        case tooFarAhead
        case tooManyOut
        case tooManyChanges
        case storage(StorageError)
    }

    /// What became overdue, for messages: written within the transaction that raised it.
    public struct Raised: Sendable, Equatable {
        public let id: String
        public let trip: Trip
        public let step: Overdue
        /// Whether it was to be told more than ``TripRegister/lateSeconds`` earlier.
        public let isLate: Bool
        /// How often an alarm about the trip was withdrawn before.
        public var withdrawals = 0
    }

    package typealias Announcing = @Sendable (_ raised: [Raised], inout Connection) throws(DatabaseError) -> Void
    package typealias Returning = @Sendable (_ entry: Entry, inout Connection) throws(DatabaseError) -> Void
    package typealias Retracting = @Sendable (_ withdrawn: [Withdrawn], inout Connection) throws(DatabaseError) -> Void

    let database: Database
    let clock: any StationClock
    let steps: OverdueSteps
    private let keepSeconds: Double
    private let announce: Announcing
    let retract: Retracting
    private let welcome: Returning
    let boot: String
    let isSynchronized: @Sendable () -> Bool?
    private let ids = Mutex(RecordIDSource<Trip>())
    /// Whether the database's log may have a name that was taken out.
    let owesEmptying = Mutex(false)

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - steps: when an overdue trip is reported to whom.
    ///   - keepSeconds: how long ended trips are kept.
    ///   - clock: the time.
    ///   - boot: which run of the machine.
    ///   - isSynchronized: whether a time server or receiver agrees with the clock; nil if nobody says.
    ///   - welcome: writes messages of a party that is back, in the transaction that ends its trip.
    ///   - retract: writes messages of what was withdrawn, in the transaction that withdraws it.
    ///   - announce: writes messages of what became overdue, in the transaction that raises it.
    package init(
        _ database: Database, steps: OverdueSteps = OverdueSteps(), keepSeconds: Double = 365 * 86_400,
        clock: any StationClock, boot: String = "", isSynchronized: @escaping @Sendable () -> Bool? = { nil },
        welcome: @escaping Returning = { _, _ in }, retract: @escaping Retracting = { _, _ in },
        announce: @escaping Announcing = { _, _ in }
    ) {
        self.database = database
        self.steps = steps
        self.keepSeconds = keepSeconds
        self.clock = clock
        self.boot = boot
        self.isSynchronized = isSynchronized
        self.retract = retract
        self.welcome = welcome
        self.announce = announce
    }

    var isBelieved: Bool { clock.utc() >= .believedFrom }

    // MARK: - Reading

    /// Who is out, those first who are expected first; or those who came back, the latest first.
    public func list(isOut: Bool, limit: Int = mostListed) throws(StorageError) -> [Entry] {
        try read { connection throws(DatabaseError) in
            try Self.entries(
                isOut
                    ? "ended_at IS NULL ORDER BY expected_at, id LIMIT ?"
                    : "ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?",
                [.integer(Int64(min(max(limit, 1), Self.mostListed)))], &connection)
        }
    }

    public func find(_ id: String) throws(StorageError) -> Entry? {
        try read { connection throws(DatabaseError) in try Self.entries("id = ?", [.text(id)], &connection).first }
    }

    /// What happened to a trip, in order.
    public func events(of id: String) throws(StorageError) -> [Event] {
        try read { connection throws(DatabaseError) in
            try connection.rows(
                "SELECT kind, at, who, detail, person FROM trip_events WHERE trip = ? ORDER BY number LIMIT \(Self.mostEvents)",
                [.text(id)]
            ) { row in
                Event(
                    kind: row.text(0), at: UTCInstant(nanoseconds: row.integer(1)), who: row.text(2),
                    person: row.isNull(4) ? nil : row.integer(4), detail: row.text(3))
            }
        }
    }

    // MARK: - By hand

    /// A party signs out.
    ///
    /// - Parameters:
    ///   - trip: the expected return must be in the future, and at most ``mostHoursAhead`` from now.
    ///   - who: by whose hand.
    ///   - key: makes a repetition harmless: a second request with it gets the first one's trip; nil for none.
    ///   - accounts: numbers of accounts that names of the party are.
    /// - Returns: the trip.
    /// - Throws: ``TripError``.
    public func start(
        _ trip: Trip, by who: Hand, key: String?, accounts: [String: Int64] = [:]
    ) throws(TripError) -> Entry {
        let now = clock.utc()
        let id = ids.withLock { $0.next(at: now).description }
        let facts = Self.text(trip)
        let kept = try changing { connection throws(DatabaseError) -> Result<String, TripError> in
            if let key,
                let known = try connection.rows("SELECT id FROM trips WHERE key = ?", [.text(key)], { $0.text(0) })
                    .first
            {
                return .success(known)
            }
            if let fault = timeFault(trip.expectedAt, now) { return .failure(fault) }
            let count = try connection.rows("SELECT count(*) FROM trips WHERE ended_at IS NULL") { Int($0.integer(0)) }
            guard (count.first ?? 0) < Self.mostOut else { return .failure(.tooManyOut) }
            try connection.run(
                """
                INSERT INTO trips (id, facts, expected_at, started_at, started_by, key, person) VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(id), .text(facts), .integer(trip.expectedAt.nanoseconds), .integer(now.nanoseconds),
                    .text(who.name), SQLValue(key), SQLValue(who.person),
                ])
            for (name, number) in accounts {
                try connection.run(
                    "INSERT OR IGNORE INTO trip_people (trip, name, person) VALUES (?, ?, ?)",
                    [.text(id), .text(name), .integer(number)])
            }
            try note("started", of: id, by: who, at: now, &connection)
            try self.purge(now, &connection)
            return .success(id)
        }
        return try entry(kept)
    }

    /// Why a return cannot be expected at an instant; nil if it can, and by a clock that cannot be right.
    private func timeFault(_ expectedAt: UTCInstant, _ now: UTCInstant) -> TripError? {
        guard now >= .believedFrom else { return nil }
        guard expectedAt > now else { return .past }
        return expectedAt.seconds(since: now) > Double(Self.mostHoursAhead) * 3600 ? .tooFarAhead : nil
    }

    /// The party will be back later, or sooner. It is not overdue any more if that is in the future.
    public func extend(_ id: String, to expectedAt: UTCInstant, by who: Hand) throws(TripError) -> Entry {
        let now = clock.utc()
        let kept = try changing { connection throws(DatabaseError) -> Result<String, TripError> in
            guard let old = try Self.entries("id = ?", [.text(id)], &connection).first else {
                return .failure(.unknown)
            }
            if let at = old.endedAt { return .failure(.ended(by: old.endedBy ?? "", at: at)) }
            if let fault = timeFault(expectedAt, now) { return .failure(fault) }
            guard try Self.eventCount(id, &connection) < Self.mostEvents - 8 else { return .failure(.tooManyChanges) }
            if old.trip.expectedAt == expectedAt { return .success(id) }
            var trip = old.trip
            trip.expectedAt = expectedAt
            try connection.run(
                """
                UPDATE trips SET facts = ?, expected_at = ?, raised = 0, raised_at = NULL, acknowledged_at = NULL,
                    acknowledged_by = NULL WHERE id = ?
                """, [.text(Self.text(trip)), .integer(expectedAt.nanoseconds), .text(id)])
            try note("extended", of: id, by: who, at: now, detail: expectedAt.rfc3339, &connection)
            return .success(id)
        }
        return try entry(kept)
    }

    /// The party is back. Who says it again gets the first answer.
    public func end(_ id: String, by who: Hand, how: String) throws(TripError) -> Entry {
        let now = clock.utc()
        let kept = try changing { connection throws(DatabaseError) -> Result<String, TripError> in
            guard let old = try Self.entries("id = ?", [.text(id)], &connection).first else {
                return .failure(.unknown)
            }
            guard old.isOut else { return .success(id) }
            try connection.run(
                "UPDATE trips SET ended_at = ?, ended_by = ?, ended_how = ? WHERE id = ?",
                [.integer(now.nanoseconds), .text(who.name), .text(how), .text(id)])
            try note("returned", of: id, by: who, at: now, detail: how, &connection)
            try welcome(old, &connection)
            if try Self.forgetRemoved(of: id, at: now, &connection) { owesEmptying.withLock { $0 = true } }
            return .success(id)
        }
        emptyLog()
        return try entry(kept)
    }

    /// Somebody takes care of an overdue trip. Who signed in takes it over from a name that was typed, which stays in what happened.
    ///
    /// - Parameters:
    ///   - id: of the trip.
    ///   - who: must not belong to the party (``Entry/includes(_:person:)``).
    /// - Returns: the trip.
    /// - Throws: ``TripError``.
    public func acknowledge(_ id: String, by who: Hand) throws(TripError) -> Entry {
        let now = clock.utc()
        let isBelieved = isBelieved
        let kept = try changing { connection throws(DatabaseError) -> Result<String, TripError> in
            guard let old = try Self.entries("id = ?", [.text(id)], &connection).first else {
                return .failure(.unknown)
            }
            if let at = old.endedAt { return .failure(.ended(by: old.endedBy ?? "", at: at)) }
            // What the screens show already, the next look will raise.
            let late = isBelieved ? steps.state(secondsLate: now.seconds(since: old.trip.expectedAt)) : .no
            guard max(old.overdue, late) > .no else { return .failure(.notOverdue) }
            guard !old.includes(who.name, person: who.person), who.person != nil || PartyNames.isName(who.name) else {
                return .failure(.ownParty)
            }
            if old.acknowledgedAt != nil {
                // Of whom nobody knows who it was somebody who is known takes it over; both stay in what happened.
                guard who.person != nil, try Self.isAcknowledgedByName(id, &connection) else { return .success(id) }
            }
            try connection.run(
                "UPDATE trips SET acknowledged_at = ?, acknowledged_by = ? WHERE id = ?",
                [.integer(now.nanoseconds), .text(who.name), .text(id)])
            try note("acknowledged", of: id, by: who, at: now, &connection)
            return .success(id)
        }
        return try entry(kept)
    }

    // MARK: - By time

    /// Raises what has become overdue since the last look. After an outage each trip is raised once, at the step that it has
    /// reached, and all of them in one transaction.
    ///
    /// - Returns: what was raised now.
    /// - Throws: if it cannot be written; nothing is raised then, and the next look tries again.
    @discardableResult
    public func raise() throws(StorageError) -> [Raised] {
        emptyLog()
        guard isBelieved else { return [] }
        let now = clock.utc()
        func due(_ connection: inout Connection) throws(DatabaseError) -> [Raised] {
            try Self.entries(
                "ended_at IS NULL AND expected_at <= ? AND raised < 4 ORDER BY expected_at, id LIMIT \(Self.mostOut)",
                [.integer(now.nanoseconds)], &connection
            ).compactMap { entry in
                let seconds = now.seconds(since: entry.trip.expectedAt)
                let step = steps.state(secondsLate: seconds)
                return step > entry.overdue
                    ? Raised(
                        id: entry.id, trip: entry.trip, step: step,
                        isLate: step >= .officer
                            && seconds > steps.firstMessage(after: entry.overdue) + Self.lateSeconds,
                        withdrawals: entry.withdrawals)
                    : nil
            }
        }
        // Most looks find nothing: they write nothing.
        guard try !read({ connection throws(DatabaseError) in try due(&connection) }).isEmpty else { return [] }
        return try database.write(storing: { connection throws(DatabaseError) in
            let raised = try due(&connection)
            for one in raised {
                try connection.run(
                    "UPDATE trips SET raised = ?, raised_at = ? WHERE id = ?",
                    [.integer(Int64(one.step.rawValue)), .integer(now.nanoseconds), .text(one.id)])
                try note("raised", of: one.id, by: "station", at: now, detail: one.step.name, &connection)
            }
            try announce(raised, &connection)
            return raised
        })
    }

    // MARK: - Rows

    private func entry(_ id: String) throws(TripError) -> Entry {
        do throws(StorageError) {
            if let entry = try find(id) { return entry }
        } catch {
            throw .storage(error)
        }
        throw .unknown
    }

    private func changing(
        _ body: (inout Connection) throws(DatabaseError) -> Result<String, TripError>
    ) throws(TripError) -> String {
        let outcome: Result<String, TripError>
        do throws(StorageError) {
            outcome = try database.write(storing: body)
        } catch {
            throw .storage(error)
        }
        return try outcome.get()
    }

    func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try storing { () throws(DatabaseError) in try database.read(body) }
    }

    static func text(_ trip: Trip) -> String {
        (try? JSONText.encode(trip)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private static func eventCount(_ id: String, _ connection: inout Connection) throws(DatabaseError) -> Int {
        try connection.rows("SELECT count(*) FROM trip_events WHERE trip = ?", [.text(id)]) { Int($0.integer(0)) }.first
            ?? 0
    }

    /// Whether the last acknowledgement is of a name that was typed, and of no account.
    private static func isAcknowledgedByName(
        _ id: String, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        try connection.rows(
            "SELECT person FROM trip_events WHERE trip = ? AND kind = 'acknowledged' ORDER BY number DESC LIMIT 1",
            [.text(id)]
        ) { $0.isNull(0) }.first ?? false
    }

    func note(
        _ kind: String, of id: String, by who: Hand, at now: UTCInstant, detail: String = "",
        _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "INSERT INTO trip_events (trip, kind, at, who, detail, person, boot, steady) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .text(id), .text(kind), .integer(now.nanoseconds), .text(who.name), .text(detail), SQLValue(who.person),
                .text(boot), .integer(clock.monotonic().nanoseconds),
            ])
    }

    /// Deletes trips that ended long ago, never one that is out.
    private func purge(_ now: UTCInstant, _ connection: inout Connection) throws(DatabaseError) {
        guard now >= .believedFrom else { return }
        try connection.run(
            "DELETE FROM trips WHERE ended_at BETWEEN ? AND ?",
            [
                .integer(UTCInstant.believedFrom.nanoseconds),
                .integer(now.advanced(bySeconds: -keepSeconds).nanoseconds),
            ])
    }

    static func entries(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [Entry] {
        let rows = try connection.rows(
            """
            SELECT id, facts, started_at, started_by, raised, raised_at, acknowledged_at, acknowledged_by, ended_at, ended_by,
                ended_how, person,
                (SELECT json_group_object(name, trip_people.person) FROM trip_people WHERE trip = trips.id),
                (SELECT count(*) FROM trip_events WHERE trip = trips.id AND kind = 'withdrawn'),
                (SELECT max(at) FROM trip_events WHERE trip = trips.id AND kind = 'withdrawn')
            FROM trips WHERE \(condition)
            """, values
        ) { row -> Entry? in
            guard let trip = try? JSONText.decode(Trip.self, from: Array(row.text(1).utf8)) else { return nil }
            let accounts = try? JSONText.decode([String: Int64].self, from: Array(row.text(12).utf8))
            return Entry(
                id: row.text(0), trip: trip, startedAt: UTCInstant(nanoseconds: row.integer(2)), startedBy: row.text(3),
                person: row.isNull(11) ? nil : row.integer(11), accounts: accounts ?? [:],
                overdue: Overdue(rawValue: Int(row.integer(4))) ?? .no, raisedAt: instant(row, 5),
                acknowledgedAt: instant(row, 6), acknowledgedBy: row.isNull(7) ? nil : row.text(7),
                endedAt: instant(row, 8), endedBy: row.isNull(9) ? nil : row.text(9),
                endedHow: row.isNull(10) ? nil : row.text(10), withdrawals: Int(row.integer(13)),
                withdrawnAt: instant(row, 14))
        }
        return rows.compactMap { $0 }
    }

    private static func instant(_ row: borrowing Row, _ column: Int32) -> UTCInstant? {
        row.isNull(column) ? nil : UTCInstant(nanoseconds: row.integer(column))
    }
}
