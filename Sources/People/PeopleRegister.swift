internal import HTTPServing
package import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// The people who have an account at the station, their sessions, and what was done with accounts. What a call returned is on
/// the disk. Of what opens an account hashes are kept.
public final class PeopleRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "people-1",
            sql: """
                -- A number is never given again: the audits name people by it.
                CREATE TABLE people (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, key TEXT NOT NULL UNIQUE,
                    role TEXT NOT NULL, arrives TEXT, departs TEXT, passphrase TEXT, pin TEXT, badge TEXT UNIQUE,
                    failures INTEGER NOT NULL DEFAULT 0, pin_failures INTEGER NOT NULL DEFAULT 0,
                    created_at INTEGER NOT NULL
                ) STRICT;
                -- The secret is the hash of what the browser has.
                CREATE TABLE people_sessions (
                    secret TEXT PRIMARY KEY, id TEXT NOT NULL UNIQUE,
                    person INTEGER NOT NULL REFERENCES people (number) ON DELETE CASCADE,
                    device TEXT NOT NULL, made_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX people_sessions_person ON people_sessions (person);
                CREATE TABLE people_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
                -- No names: who is removed leaves a number. The actor 0 is the box itself.
                CREATE TABLE people_audit (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor INTEGER NOT NULL,
                    action TEXT NOT NULL, person INTEGER NOT NULL, detail TEXT NOT NULL, hash TEXT NOT NULL
                ) STRICT;
                \(AuditChain.insertOnly("people_audit"))
                """),
        Migration(
            name: "people-2",
            sql: """
                -- Wrong PINs in a row of whoever wanted to say that they are back.
                ALTER TABLE people ADD COLUMN return_failures INTEGER NOT NULL DEFAULT 0;
                """),
    ]

    /// Accounts at one time.
    public static let mostPeople = 2000
    /// Wrong tries in a row after which only a keeper's reset helps (SP 800-63B-4 section 3.2.2).
    static let mostFailures = 100

    let database: Database
    let clock: any StationClock
    let sessions = Mutex<[String: PersonSession]>([:])
    let limit: LoginLimit
    private let sessionEnd = Mutex<(@Sendable () -> Void)?>(nil)
    private let removals = Mutex<[Removal]>([])
    private let hasher = Mutex<PassphraseHashing?>(nil)
    private let measuring = Mutex(())
    private let cost: HashCost?
    private let during: @Sendable () -> Void

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    /// - Throws: what keeps it from being read.
    package convenience init(_ database: Database, clock: any StationClock) throws(StorageError) {
        try self.init(database, clock: clock, cost: nil)
    }

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    ///   - cost: of a hash; nil to measure this board at the first one, and to keep that.
    ///   - during: called while a hash is at work; for tests.
    /// - Throws: what keeps it from being read.
    init(
        _ database: Database, clock: any StationClock, cost: HashCost?, during: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) {
        self.database = database
        self.clock = clock
        self.cost = cost
        self.during = during
        limit = LoginLimit(clock: clock)
        let now = clock.utc()
        let kept = try database.write { connection throws(DatabaseError) in
            // Who is removed leaves no bytes in the file.
            try connection.script("PRAGMA secure_delete = ON")
            // A clock that was not set yet ends nobody's session.
            if now.nanoseconds > UTCInstant.believedFrom.nanoseconds {
                try connection.run("DELETE FROM people_sessions WHERE expires_at < ?", [.integer(now.nanoseconds)])
            }
            return try connection.rows(
                "SELECT secret, id, person, device, made_at, expires_at FROM people_sessions"
            ) { row in
                (
                    row.text(0),
                    PersonSession(
                        id: row.text(1), person: row.integer(2), device: row.text(3),
                        madeAt: UTCInstant(nanoseconds: row.integer(4)),
                        expiresAt: UTCInstant(nanoseconds: row.integer(5)), keeps: .device)
                )
            }
        }
        sessions.withLock { $0 = Dictionary(kept, uniquingKeysWith: { first, _ in first }) }
    }

    /// Has a handler called after sessions were ended, or after the role of a person who is signed in was changed: ``isOpen(_:)``
    /// says of which. Those that end by themselves are not told.
    package func onSessionEnd(_ handler: @escaping @Sendable () -> Void) { sessionEnd.withLock { $0 = handler } }

    /// Has a handler called within the transaction that removes somebody, for what else names them.
    package func onRemoval(_ handler: @escaping Removal) { removals.withLock { $0.append(handler) } }

    package typealias Removal = @Sendable (_ person: Person, inout Connection) throws(DatabaseError) -> Void

    /// Leaves no bytes in the database's log of what was overwritten or removed. It is done already, and nothing is lost where the disk
    /// keeps the log from being emptied: a later one does it.
    func emptyLog() { _ = try? database.emptyLog() }

    /// Changes the sessions, and tells who wants to know that some ended.
    func endSessions<Value>(_ change: (inout sending [String: PersonSession]) -> sending Value) -> Value {
        defer { sessionEnd.withLock { $0 }?() }
        return sessions.withLock(change)
    }

    /// The hashing with this board's parameters, which the first use measures and keeps.
    ///
    /// - Parameter waits: whether to wait while somebody else has the board measured, which takes the memory of one hash.
    /// - Returns: the one hashing of this register.
    /// - Throws: `PeopleError.busy` where it does not wait, `StorageError`.
    func hashing(waits: Bool = true) throws -> PassphraseHashing {
        if let made = hasher.withLock({ $0 }) { return made }
        if waits { return try measuring.withLock { _ in try measuredHashing() } }
        guard let made = try measuring.withLockIfAvailable({ _ in try measuredHashing() }) else {
            throw PeopleError.busy
        }
        return made
    }

    private func measuredHashing() throws(StorageError) -> PassphraseHashing {
        if let made = hasher.withLock({ $0 }) { return made }
        // What was kept under "hash cost of this board" cost too little on quick boards: those are measured anew, once. Hashes that
        // were made by it say so, and are renewed when they prove right.
        let name = "hash cost of this board, measured by six"
        let known = try read("SELECT value FROM people_settings WHERE name = ?", [.text(name)]) { $0.text(0) }.first
        let chosen = cost ?? known.flatMap { HashCost($0) } ?? HashCost.measured()
        if cost == nil, known != chosen.text {
            try database.write { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR REPLACE INTO people_settings (name, value) VALUES (?, ?)",
                    [.text(name), .text(chosen.text)])
                try connection.run("DELETE FROM people_settings WHERE name = 'hash cost of this board'")
            }
        }
        let made = PassphraseHashing(chosen, during: during)
        hasher.withLock { $0 = made }
        return made
    }

    func read<Value: Sendable>(
        _ sql: String, _ values: [SQLValue] = [], _ make: (borrowing Row) -> Value
    ) throws(StorageError) -> [Value] {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try connection.rows(sql, values, make) }
        }
    }

    // MARK: - People

    private static let columns =
        "number, name, role, arrives, departs, created_at, passphrase IS NOT NULL, pin IS NOT NULL, badge IS NOT NULL"

    private static func person(_ row: borrowing Row) -> Person {
        Person(
            number: row.integer(0), name: row.text(1), role: PersonRole(rawValue: row.text(2)) ?? .crew,
            arrives: CalendarDate(row.text(3)), departs: CalendarDate(row.text(4)),
            createdAt: UTCInstant(nanoseconds: row.integer(5)), canSignIn: row.integer(6) != 0,
            hasPIN: row.integer(7) != 0, hasBadge: row.integer(8) != 0)
    }

    /// All people, by name.
    package func people() throws(StorageError) -> [Person] {
        try read("SELECT \(Self.columns) FROM people ORDER BY key", [], Self.person)
    }

    /// All people, by name, within somebody's transaction.
    package static func people(_ connection: inout Connection) throws(DatabaseError) -> [Person] {
        try connection.rows("SELECT \(columns) FROM people ORDER BY key", [], person)
    }

    /// Whether anybody has an account.
    package var hasPeople: Bool { (try? read("SELECT 1 FROM people LIMIT 1") { _ in true })?.isEmpty == false }

    package func person(_ number: Int64) throws(StorageError) -> Person? {
        try read("SELECT \(Self.columns) FROM people WHERE number = ?", [.integer(number)], Self.person).first
    }

    /// The person with a number, within somebody's transaction.
    package static func person(_ number: Int64, _ connection: inout Connection) throws(DatabaseError) -> Person? {
        try connection.rows("SELECT \(columns) FROM people WHERE number = ?", [.integer(number)], person).first
    }

    /// The person that a text names: by the number, else by the name, letter case and spaces apart.
    package func find(_ text: String) throws(StorageError) -> Person? {
        if let number = Int64(text) { return try person(number) }
        guard let key = Self.key(text) else { return nil }
        return try read("SELECT \(Self.columns) FROM people WHERE key = ?", [.text(key)], Self.person).first
    }

    /// Names are the same that differ in the case of letters, in spaces, or in how Unicode writes them.
    package static func key(_ name: String) -> String? {
        guard let name = Person.checkedName(name), let bytes = OpaqueString.normalized(name.lowercased()) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Makes an account with a passphrase, a PIN and a badge.
    ///
    /// - Parameters:
    ///   - details: name, role and days.
    ///   - actor: the number of who makes it; 0 for the box.
    /// - Returns: the person, and what only this answer has.
    /// - Throws: `PeopleError`, `StorageError`.
    package func add(_ details: PersonDetails, by actor: Int64) throws -> (person: Person, credentials: Credentials) {
        let hashing = try hashing()
        let credentials = Self.newCredentials()
        let hashes = (
            try hashing.hash(Array(credentials.passphrase.utf8)), try hashing.hash(Array(credentials.pin.utf8))
        )
        let number = try insert([details], by: actor) { _ in (hashes.0, hashes.1, Secret.hash(credentials.badge)) }[0]
        guard let person = try person(number) else { throw PeopleError.unknown }
        return (person, credentials)
    }

    /// Makes accounts that nobody can sign in to before they are reset. Those that are there already, with all that is written down of
    /// them, stay as they are.
    ///
    /// - Returns: the numbers of those that were made.
    /// - Throws: `PeopleError`, `StorageError`; then none of them is made.
    package func importing(_ people: [PersonDetails], by actor: Int64) throws -> [Int64] {
        try insert(people, by: actor, isImport: true) { _ in (nil, nil, nil) }
    }

    private func insert(
        _ people: [PersonDetails], by actor: Int64, isImport: Bool = false,
        secrets: (Int) -> (passphrase: String?, pin: String?, badge: String?)
    ) throws -> [Int64] {
        let now = clock.utc()
        var keys: [String] = []
        for one in people {
            guard let key = Self.key(one.name) else { throw PeopleError.invalid(PersonDetails.nameRule) }
            guard !keys.contains(key) else { throw PeopleError.taken(one.name) }
            keys.append(key)
        }
        let outcome = try database.write { connection throws(DatabaseError) -> Result<[Int64], PeopleError> in
            var known: Set<String> = []
            for (key, one) in zip(keys, people) {
                let others = try connection.rows(
                    "SELECT \(Self.columns) FROM people WHERE key = ?", [.text(key)], Self.person)
                guard let other = others.first else { continue }
                guard isImport, one.says(other) else { return .failure(.taken(one.name)) }
                known.insert(key)
            }
            let count = try connection.rows("SELECT count(*) FROM people") { Int($0.integer(0)) }[0]
            guard count + people.count - known.count <= Self.mostPeople else {
                return .failure(.tooMany(limit: Self.mostPeople))
            }
            var numbers: [Int64] = []
            for (index, one) in people.enumerated() where !known.contains(keys[index]) {
                let secret = secrets(index)
                try connection.run(
                    """
                    INSERT INTO people (name, key, role, arrives, departs, passphrase, pin, badge, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        .text(Person.checkedName(one.name) ?? one.name), .text(keys[index]), .text(one.role.rawValue),
                        SQLValue(one.arrives?.description), SQLValue(one.departs?.description),
                        SQLValue(secret.passphrase), SQLValue(secret.pin), SQLValue(secret.badge),
                        .integer(now.nanoseconds),
                    ])
                let number = try connection.rows("SELECT last_insert_rowid()") { $0.integer(0) }[0]
                numbers.append(number)
                try Self.note("add", number, one.role.rawValue, by: actor, at: now, &connection)
            }
            return .success(numbers)
        }
        return try outcome.get()
    }

    static func newCredentials() -> Credentials {
        Credentials(
            passphrase: PeopleSecret.passphrase(), pin: PeopleSecret.pin(),
            badge: "konza-badge:\(PeopleSecret.make(bytes: 16))")
    }

    /// Changes what is known of a person.
    ///
    /// - Parameters:
    ///   - number: of the person.
    ///   - change: what is to be changed.
    ///   - actor: who does it; 0 for the box.
    ///   - isForced: whether the last keeper may become something else.
    /// - Returns: the person as it is then.
    /// - Throws: `PeopleError`, `StorageError`.
    package func change(
        _ number: Int64, _ change: @Sendable (inout PersonDetails) -> Void, by actor: Int64, isForced: Bool = false
    ) throws -> Person {
        guard let before = try person(number) else { throw PeopleError.unknown }
        var details = PersonDetails(before)
        change(&details)
        guard let key = Self.key(details.name), let name = Person.checkedName(details.name) else {
            throw PeopleError.invalid(PersonDetails.nameRule)
        }
        try details.check()
        let after = details
        let now = clock.utc()
        let outcome = try database.write { connection throws(DatabaseError) -> Result<Void, PeopleError> in
            let others = try connection.rows(
                "SELECT 1 FROM people WHERE key = ? AND number <> ?", [.text(key), .integer(number)]
            ) { _ in true }
            guard others.isEmpty else { return .failure(.taken(name)) }
            if before.role == .keeper, after.role != .keeper, !isForced,
                try Self.isLastKeeper(number, at: now, &connection)
            {
                return .failure(.lastKeeper)
            }
            try connection.run(
                "UPDATE people SET name = ?, key = ?, role = ?, arrives = ?, departs = ? WHERE number = ?",
                [
                    .text(name), .text(key), .text(after.role.rawValue), SQLValue(after.arrives?.description),
                    SQLValue(after.departs?.description), .integer(number),
                ])
            let detail = after.role == before.role ? "details" : "\(before.role.rawValue) to \(after.role.rawValue)"
            try Self.note("change", number, detail, by: actor, at: now, &connection)
            return .success(())
        }
        try outcome.get()
        emptyLog()
        if after.role != before.role {
            endSessions { sessions in
                for (key, session) in sessions where session.person == number { sessions[key]?.roleChanges += 1 }
            }
        }
        guard let person = try person(number) else { throw PeopleError.unknown }
        return person
    }

    /// Makes a new passphrase, PIN and badge, and ends all sessions.
    ///
    /// - Returns: what only this answer has.
    /// - Throws: `PeopleError`, `StorageError`.
    package func reset(_ number: Int64, by actor: Int64) throws -> Credentials {
        guard let person = try person(number) else { throw PeopleError.unknown }
        let credentials = Self.newCredentials()
        let hashing = try hashing()
        let passphrase = try hashing.hash(Array(credentials.passphrase.utf8))
        let pin = try hashing.hash(Array(credentials.pin.utf8))
        let now = clock.utc()
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                """
                UPDATE people SET passphrase = ?, pin = ?, badge = ?, failures = 0, pin_failures = 0, return_failures = 0
                WHERE number = ?
                """,
                [.text(passphrase), .text(pin), .text(Secret.hash(credentials.badge)), .integer(number)])
            try connection.run("DELETE FROM people_sessions WHERE person = ?", [.integer(number)])
            try Self.note("reset", number, "", by: actor, at: now, &connection)
        }
        emptyLog()
        endSessions { sessions in sessions = sessions.filter { $0.value.person != number } }
        limit.forget(Self.key(person.name) ?? "")
        return credentials
    }

    /// Removes an account with all that is known of it. The audits keep the number.
    ///
    /// - Parameters:
    ///   - number: of the person.
    ///   - actor: who does it; 0 for the box.
    ///   - isForced: whether the last keeper may go.
    /// - Throws: `PeopleError`, `StorageError`.
    package func remove(_ number: Int64, by actor: Int64, isForced: Bool = false) throws {
        guard let person = try person(number) else { throw PeopleError.unknown }
        let now = clock.utc()
        let handlers = removals.withLock { $0 }
        let outcome = try database.write { connection throws(DatabaseError) -> Result<Void, PeopleError> in
            if person.role == .keeper, !isForced, try Self.isLastKeeper(number, at: now, &connection) {
                return .failure(.lastKeeper)
            }
            try connection.run("DELETE FROM people WHERE number = ?", [.integer(number)])
            for handler in handlers { try handler(person, &connection) }
            try Self.note("remove", number, "", by: actor, at: now, &connection)
            return .success(())
        }
        try outcome.get()
        emptyLog()
        endSessions { sessions in sessions = sessions.filter { $0.value.person != number } }
        limit.forget(Self.key(person.name) ?? "")
    }

    /// Whether no other keeper could sign in: one without a passphrase cannot, and one who has left should not.
    private static func isLastKeeper(
        _ number: Int64, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let today = String(now.rfc3339.prefix(10))
        return try connection.rows(
            """
            SELECT 1 FROM people
            WHERE role = 'keeper' AND number <> ? AND passphrase IS NOT NULL AND (departs IS NULL OR departs >= ?)
            """, [.integer(number), .text(today)]
        ) { _ in true }.isEmpty
    }
}

/// What somebody writes down of a person.
package struct PersonDetails: Sendable, Equatable {
    package var name: String
    package var role: PersonRole
    package var arrives: CalendarDate?
    package var departs: CalendarDate?

    static let nameRule =
        "a name is one line of 1 to \(Person.longestName) characters with a letter among them"

    package init(name: String, role: PersonRole, arrives: CalendarDate? = nil, departs: CalendarDate? = nil) {
        self.name = name
        self.role = role
        self.arrives = arrives
        self.departs = departs
    }

    init(_ person: Person) {
        self.init(name: person.name, role: person.role, arrives: person.arrives, departs: person.departs)
    }

    /// Whether this is what is written down of a person.
    func says(_ person: Person) -> Bool {
        var details = self
        details.name = Person.checkedName(name) ?? name
        return details == PersonDetails(person)
    }

    func check() throws(PeopleError) {
        guard Person.checkedName(name) != nil else { throw .invalid(Self.nameRule) }
        if let arrives, let departs, departs < arrives {
            throw .invalid("the departure (\(departs)) is before the arrival (\(arrives))")
        }
    }
}
