package import KonzaModel
package import Storage

/// What a box goes by when it judges a command.
package struct CommandTime: Sendable, Equatable {
    package let now: UTCInstant
    /// Whether a receiver or a synchronised clock vouches for it.
    package let isVouched: Bool

    package init(now: UTCInstant, isVouched: Bool) {
        self.now = now
        self.isVouched = isVouched
    }
}

/// The commands that a box has decided about. Each is written down before it acts, durably, and kept beyond its time; what was
/// let go of is remembered as a time, up to which nothing unknown acts. So none acts twice, whatever comes again and whatever
/// the clock does. An empty ledger, as after the loss of the disk, lets only commands act that were made after it began.
package final class CommandLedger: Sendable {
    /// How long a command is kept beyond its time, seconds.
    static let keptSeconds = 7 * 86_400.0
    /// The longest time from a command's making to its end, seconds. Nothing that waits longer is still wanted.
    package static let longestSeconds = 86_400.0
    /// How far an operator's clock may be ahead, and this one may have been set back, seconds.
    static let toleranceSeconds = 300.0
    /// The most commands that are kept.
    static let most = 4096

    private static let migrations = [
        Migration(
            name: "commands-1",
            sql: """
                CREATE TABLE commands (
                    id TEXT PRIMARY KEY, not_after INTEGER NOT NULL, verb TEXT NOT NULL, state TEXT NOT NULL,
                    reason TEXT, answered INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX commands_by_time ON commands (not_after, id);
                CREATE INDEX commands_to_answer ON commands (id)
                    WHERE answered < 2 AND NOT (state = 'accepted' AND answered = 1);
                CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                """),
        // What an accepted command waits for, where that goes on by itself, whatever becomes of this program.
        Migration(name: "commands-2", sql: "ALTER TABLE commands ADD COLUMN awaits TEXT"),
    ]

    private enum Mark: String {
        /// When the ledger began, by a clock that was vouched for.
        case begin
        /// The latest time at which a command was accepted.
        case latest
        /// The latest end of a command that was let go of.
        case forgotten
        /// The version of the desired settings that is applied.
        case desired
    }

    private let database: Database
    private let most: Int
    /// Why an earlier ledger was put aside; nil if none was.
    package let complaint: String?

    /// Opens the ledger. Commands that were under way when the program ended are answered: nobody knows whether they acted.
    ///
    /// - Parameters:
    ///   - folder: where it is kept; made if it is not there.
    ///   - now: for the name of a damaged ledger that is put aside.
    /// - Throws: why it can neither be read nor written.
    package convenience init(folder: String, at now: UTCInstant) throws(StorageError) {
        try self.init(folder: folder, at: now, most: Self.most)
    }

    init(folder: String, at now: UTCInstant, most: Int) throws(StorageError) {
        let opened = try Database.open(in: folder, name: "commands.db", migrations: Self.migrations, at: now)
        database = opened.database
        complaint = opened.complaint
        self.most = most
        try write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE commands SET state = 'refused', reason = ? WHERE state = 'accepted' AND awaits IS NULL",
                [.text("the station stopped meanwhile: whether it was done is not known, and it is not done again")])
        }
    }

    /// Begins the ledger, if it has not begun: what was made before may have acted, and never does.
    ///
    /// - Parameter time: now.
    /// - Returns: whether it has begun: not while nobody vouches for the time.
    /// - Throws: ``StorageError``.
    package func begin(_ time: CommandTime) throws(StorageError) -> Bool {
        guard time.isVouched else { return false }
        try write { connection throws(DatabaseError) in
            try Self.begin(time, &connection)
        }
        return true
    }

    /// What the ledger makes of a command.
    enum Entry: Sendable, Equatable {
        /// It is new, and written down with this answer.
        case new(CommandAnswer)
        /// It was decided before.
        case known
        /// It may have been decided before, and that was let go of: it does not act.
        case forgotten
    }

    /// Decides about a command whose signature holds, once.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - objection: why it may not act, whatever the time; nil if it may.
    ///   - time: by the box's clock.
    /// - Returns: the decision. Only a new one of the state accepted may act, and only after this has returned.
    /// - Throws: ``StorageError``; then nothing may act.
    func decide(_ command: FleetCommand, objection: String?, _ time: CommandTime) throws(StorageError) -> Entry {
        let id = command.id.description
        let most = self.most
        return try write { connection throws(DatabaseError) in
            let found = try connection.rows("SELECT 1 FROM commands WHERE id = ?", [.text(id)]) { _ in true }
            guard found.isEmpty else { return .known }
            guard command.notAfter.nanoseconds > (try Self.mark(.forgotten, &connection) ?? .min) else {
                return .forgotten
            }
            let verdict = try Self.verdict(command, objection, time, &connection)
            let answer = CommandAnswer(id: id, verb: command.verb, state: verdict.state, reason: verdict.reason)
            try connection.run(
                "INSERT INTO commands (id, not_after, verb, state, reason) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(id), .integer(command.notAfter.nanoseconds), .text(command.verb),
                    .text(answer.state.rawValue), SQLValue(answer.reason),
                ])
            if answer.state == .accepted {
                try Self.raise(.latest, to: time.now.nanoseconds, &connection)
                let old = time.now.advanced(bySeconds: -Self.keptSeconds).nanoseconds
                try Self.forget("not_after < ?", [.integer(old)], &connection)
            }
            let count = try connection.rows("SELECT count(*) FROM commands") { $0.integer(0) }.first ?? 0
            if count > most {
                try Self.forget(
                    "id IN (SELECT id FROM commands WHERE id <> ? ORDER BY not_after, id LIMIT ?)",
                    [.text(id), .integer(count - Int64(most))], &connection)
            }
            return .new(answer)
        }
    }

    private static func begin(_ time: CommandTime, _ connection: inout Connection) throws(DatabaseError) {
        if try mark(.begin, &connection) == nil { try raise(.begin, to: time.now.nanoseconds, &connection) }
    }

    private static func verdict(
        _ command: FleetCommand, _ objection: String?, _ time: CommandTime, _ connection: inout Connection
    ) throws(DatabaseError) -> (state: CommandAnswer.State, reason: String?) {
        if let objection { return (.refused, objection) }
        guard time.isVouched else {
            return (.refused, "the station's clock is in doubt; it needs a view of the sky, or a network")
        }
        try begin(time, &connection)
        // A clock that was set back a little goes on from where it was: what was too late stays too late.
        let latest = try mark(.latest, &connection) ?? .min
        guard time.now.nanoseconds >= latest.subtractingClamped(Int64(toleranceSeconds * 1e9)) else {
            return (.refused, "the station's clock was set back, and is in doubt")
        }
        let now = UTCInstant(nanoseconds: max(time.now.nanoseconds, latest))
        guard now <= command.notAfter else { return (.expired, "it came at \(now), after \(command.notAfter)") }
        guard command.issuedAt <= now.advanced(bySeconds: toleranceSeconds) else {
            return (.refused, "it was made at \(command.issuedAt), which is yet to come; set the operator's clock")
        }
        guard command.issuedAt.nanoseconds >= (try mark(.begin, &connection) ?? .max) / 1_000_000 * 1_000_000 else {
            return (.refused, "it was made before the station's ledger began, and may have acted; make a new one")
        }
        return (.accepted, nil)
    }

    /// Notes what an accepted command came to.
    ///
    /// - Parameters:
    ///   - id: of the command.
    ///   - state: done or refused.
    ///   - reason: what came of it, or why not.
    /// - Throws: ``StorageError``.
    package func finish(
        _ id: RecordID<FleetCommand>, _ state: CommandAnswer.State, reason: String? = nil
    ) throws(StorageError) {
        try write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE commands SET state = ?, reason = ? WHERE id = ? AND state = 'accepted'",
                [.text(state.rawValue), SQLValue(reason), .text(id.description)])
        }
    }

    /// Notes that an accepted command comes to its end by itself.
    ///
    /// - Parameters:
    ///   - id: of the command.
    ///   - awaits: what it waits for, such as the id of a picture.
    /// - Throws: ``StorageError``.
    package func keepWaiting(_ id: RecordID<FleetCommand>, for awaits: String) throws(StorageError) {
        try write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE commands SET awaits = ? WHERE id = ? AND state = 'accepted'",
                [.text(awaits), .text(id.description)])
        }
    }

    /// The accepted commands that wait, with what for; at most so many.
    ///
    /// - Parameter most: of them.
    /// - Returns: the oldest first.
    /// - Throws: ``StorageError``.
    package func waiting(most: Int = 50) throws(StorageError) -> [(id: RecordID<FleetCommand>, awaits: String)] {
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    """
                    SELECT id, awaits FROM commands WHERE state = 'accepted' AND awaits IS NOT NULL ORDER BY id LIMIT ?
                    """, [.integer(Int64(most))]
                ) { row in RecordID<FleetCommand>(row.text(0)).map { (id: $0, awaits: row.text(1)) } }
            }.compactMap(\.self)
        } catch {
            throw .database(error)
        }
    }

    // MARK: answers

    /// Answers that are still to be sent, at most so many.
    ///
    /// - Parameter most: of them.
    /// - Returns: the oldest commands' first.
    /// - Throws: ``StorageError``.
    package func answersToSend(most: Int = 20) throws(StorageError) -> [CommandAnswer] {
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    """
                    SELECT id, verb, state, reason FROM commands
                    WHERE answered < 2 AND NOT (state = 'accepted' AND answered = 1) ORDER BY id LIMIT ?
                    """, [.integer(Int64(most))]
                ) { row in
                    CommandAnswer(
                        id: row.text(0), verb: row.text(1),
                        state: CommandAnswer.State(rawValue: row.text(2)) ?? .refused,
                        reason: row.isNull(3) ? nil : row.text(3))
                }
            }
        } catch {
            throw .database(error)
        }
    }

    /// Notes that an answer need not be sent again.
    ///
    /// - Parameter answer: as it was sent.
    /// - Throws: ``StorageError``.
    package func noteSent(_ answer: CommandAnswer) throws(StorageError) {
        try write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE commands SET answered = max(answered, ?) WHERE id = ?",
                [.integer(answer.revision), .text(answer.id)])
        }
    }

    // MARK: desired settings

    /// The version of the desired settings that is applied; 0 before any.
    ///
    /// - Returns: the version.
    /// - Throws: ``StorageError``.
    package func desiredVersion() throws(StorageError) -> Int64 {
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in try Self.mark(.desired, &connection) ?? 0 }
        } catch {
            throw .database(error)
        }
    }

    /// Notes that a version of the desired settings is applied. A lower one than before changes nothing.
    ///
    /// - Parameter version: of the settings.
    /// - Throws: ``StorageError``.
    package func noteDesired(version: Int64) throws(StorageError) {
        try write { connection throws(DatabaseError) in try Self.raise(.desired, to: version, &connection) }
    }

    // MARK: tables

    private func write<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        do throws(DatabaseError) {
            return try database.write(body, failing: { $0 })
        } catch {
            throw .database(error)
        }
    }

    private static func mark(_ mark: Mark, _ connection: inout Connection) throws(DatabaseError) -> Int64? {
        try connection.rows("SELECT value FROM marks WHERE name = ?", [.text(mark.rawValue)]) { $0.integer(0) }.first
    }

    private static func raise(_ mark: Mark, to value: Int64, _ connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            INSERT INTO marks (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """, [.text(mark.rawValue), .integer(value)])
    }

    /// Lets go of commands, and remembers the latest end of these.
    private static func forget(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) {
        let ends = try connection.rows("SELECT max(not_after) FROM commands WHERE \(condition)", values) { row in
            row.isNull(0) ? nil : row.integer(0)
        }
        guard let end = ends.first ?? nil else { return }
        try connection.run("DELETE FROM commands WHERE \(condition)", values)
        try raise(.forgotten, to: end, &connection)
    }
}
