internal import JSONCoding
public import KonzaModel
public import Storage
internal import Synchronization

/// Messages that the courier is to send: durable, each sent until a server took it, and never by two at a time. What a call returned
/// is on the disk.
///
/// A message is leased to a sender for a while. If that ends without a word (a power cut), it is leased again: a server may then get
/// it twice, with the same Message-ID and the same idempotency key, by which it is known as one (RFC 5322 section 3.6.4).
public final class MessageOutbox: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "messages-1",
            sql: """
                CREATE TABLE messages (
                    id TEXT PRIMARY KEY,
                    -- Of what it says: the same is written once.
                    subject_key TEXT NOT NULL UNIQUE,
                    way TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
                    about TEXT NOT NULL, written_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
                    attempts INTEGER NOT NULL DEFAULT 0, leased_until INTEGER, lease TEXT, failure TEXT,
                    sent_at INTEGER, given_up_at INTEGER
                ) STRICT;
                CREATE INDEX messages_due ON messages (due_at) WHERE sent_at IS NULL AND given_up_at IS NULL;
                """),
        Migration(
            name: "messages-2",
            sql: """
                -- Why it is not sent any more (MessageOutbox.Ending); NULL for what waits, was sent, or was given up before this.
                ALTER TABLE messages ADD COLUMN ending TEXT;
                UPDATE messages SET ending = 'withdrawn' WHERE given_up_at IS NOT NULL AND failure LIKE 'withdrawn: %';
                """),
    ]

    /// How a message goes out.
    public enum Way: String, Sendable, Codable, CaseIterable {
        case mail
        case webhook
    }

    /// Why a message is not sent any more.
    public enum Ending: String, Sendable {
        /// A server refused it, or none took it for two weeks.
        case refused
        /// What it says was taken back before anybody was told: it is not to be sent.
        case withdrawn
        /// The settings do not have its way.
        case unset
    }

    public struct Draft: Sendable, Equatable {
        /// By which the same message is known: written again it is not kept again.
        public var key: String
        public var way: Way
        /// A mail address; empty for the webhook of the settings.
        public var recipient: String
        public var subject: String
        public var body: String
        /// The trip that it is about.
        public var about: String

        public init(key: String, way: Way, recipient: String, subject: String, body: String, about: String) {
            self.key = key
            self.way = way
            self.recipient = recipient
            self.subject = subject
            self.body = body
            self.about = about
        }
    }

    public struct Message: Sendable, Equatable {
        public let id: String
        public let way: Way
        public let recipient: String
        public let subject: String
        public let body: String
        public let about: String
        public let writtenAt: UTCInstant
        public let attempts: Int
        public let failure: String?
        public let sentAt: UTCInstant?
        public let givenUpAt: UTCInstant?
        /// Why it was given up; nil of what was not.
        public let ending: Ending?

        /// Whether somebody should have been told and was not: it was given up, and not because there is nothing to tell.
        public var isGivenUp: Bool { givenUpAt != nil && ending != .withdrawn }
    }

    /// A message that is somebody's to send now.
    public struct Lease: Sendable, Equatable {
        public let message: Message
        public let lease: String
    }

    /// Messages that wait at one time; the oldest of those that were sent make way.
    public static let mostWaiting = 1000
    static let mostKept = 2000
    /// Seconds that a sender has.
    public static let leaseSeconds = 180.0
    /// Seconds after which a message that no server took is given up: it says what was weeks ago.
    package static let giveUpSeconds = 14 * 86_400.0
    /// Seconds to the second attempt, and at most between two.
    static let firstPause = 15.0
    static let longestPause = 900.0

    let database: Database
    let clock: any StationClock
    private let ids = Mutex(RecordIDSource<Message>())

    /// - Parameters:
    ///   - database: with the outbox's migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
    }

    // MARK: - Writing

    /// Keeps messages within a transaction of the caller's: what they are about and they are kept together, or neither is. Where the
    /// outbox is full the newest are left out: a power cut of months writes no more than this.
    package func write(_ drafts: [Draft], _ connection: inout Connection) throws(DatabaseError) {
        let now = clock.utc()
        for draft in drafts {
            let waiting = try connection.rows(
                "SELECT count(*) FROM messages WHERE sent_at IS NULL AND given_up_at IS NULL"
            ) { Int($0.integer(0)) }
            guard (waiting.first ?? 0) < Self.mostWaiting else { return }
            let id = ids.withLock { $0.next(at: now).description }
            try connection.run(
                """
                INSERT OR IGNORE INTO messages (id, subject_key, way, recipient, subject, body, about, written_at, due_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(id), .text(draft.key), .text(draft.way.rawValue), .text(draft.recipient),
                    .text(draft.subject),
                    .text(draft.body), .text(draft.about), .integer(now.nanoseconds), .integer(now.nanoseconds),
                ])
        }
        try connection.run(
            """
            DELETE FROM messages WHERE id IN (
                SELECT id FROM messages WHERE sent_at IS NOT NULL OR given_up_at IS NOT NULL
                ORDER BY written_at DESC LIMIT -1 OFFSET \(Self.mostKept))
            """)
    }

    /// Keeps messages.
    package func write(_ drafts: [Draft]) throws(StorageError) {
        try database.write(storing: { connection throws(DatabaseError) in try write(drafts, &connection) })
    }

    // MARK: - Sending

    /// The next message to send, for one sender alone.
    ///
    /// - Parameter ways: those that the sender can take.
    /// - Returns: nil if none is due.
    /// - Throws: if it cannot be written down.
    package func take(_ ways: Set<Way>) throws(StorageError) -> Lease? {
        let now = clock.utc()
        let lease = ids.withLock { $0.next(at: now).description }
        // Nothing waits longer than this.
        let farthest = now.advanced(bySeconds: Self.longestPause)
        guard !ways.isEmpty, try peek(now, farthest, ways) else { return nil }
        return try database.write(storing: { connection throws(DatabaseError) in
            // A clock that was set back frees what it leased in its future, and what it made wait for then.
            let latest = now.advanced(bySeconds: Self.leaseSeconds)
            let due = try Self.messages(
                """
                \(Self.waiting(ways)) AND (due_at <= ?1 OR due_at > ?3) AND (leased_until IS NULL OR leased_until <= ?1 OR leased_until > ?2)
                ORDER BY written_at <= ?1, due_at, id LIMIT 1
                """, [.integer(now.nanoseconds), .integer(latest.nanoseconds), .integer(farthest.nanoseconds)],
                &connection)
            guard let message = due.first else { return nil }
            try connection.run(
                "UPDATE messages SET lease = ?, leased_until = ?, attempts = attempts + 1 WHERE id = ?",
                [.text(lease), .integer(latest.nanoseconds), .text(message.id)])
            return Lease(message: message, lease: lease)
        })
    }

    private func peek(_ now: UTCInstant, _ farthest: UTCInstant, _ ways: Set<Way>) throws(StorageError) -> Bool {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    "SELECT 1 FROM messages WHERE \(Self.waiting(ways)) AND (due_at <= ? OR due_at > ?) LIMIT 1",
                    [.integer(now.nanoseconds), .integer(farthest.nanoseconds)]
                ) { _ in true }
            }
        }.first ?? false
    }

    private static func waiting(_ ways: Set<Way>) -> String {
        let names = ways.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        return "sent_at IS NULL AND given_up_at IS NULL AND way IN (\(names))"
    }

    /// What came of an attempt.
    public enum Outcome: Sendable, Equatable {
        /// A server took it.
        case sent
        /// It may go another time; why not now.
        case postponed(String)
        /// It never will; why.
        case refused(String)
    }

    /// Notes what came of an attempt. A lease that is not the message's any more changes nothing.
    ///
    /// - Returns: whether the lease was the message's.
    /// - Throws: if it cannot be written.
    @discardableResult
    package func finish(_ id: String, lease: String, _ outcome: Outcome) throws(StorageError) -> Bool {
        let now = clock.utc()
        return try database.write(storing: { connection throws(DatabaseError) in
            let rows = try connection.rows(
                "SELECT attempts, written_at FROM messages WHERE id = ? AND lease = ? AND sent_at IS NULL AND given_up_at IS NULL",
                [.text(id), .text(lease)]
            ) { (attempts: Int($0.integer(0)), writtenAt: UTCInstant(nanoseconds: $0.integer(1))) }
            guard let row = rows.first else { return false }
            switch outcome {
            case .sent:
                try connection.run(
                    "UPDATE messages SET sent_at = ?, lease = NULL, leased_until = NULL, failure = NULL WHERE id = ?",
                    [.integer(now.nanoseconds), .text(id)])
            case .refused(let why):
                try Self.giveUp(id, .refused, Self.shortened(why), at: now, &connection)
            case .postponed(let why):
                let isOver = now.seconds(since: row.writtenAt) > Self.giveUpSeconds
                let pause = min(Self.longestPause, Self.firstPause * Double(1 << min(max(row.attempts - 1, 0), 10)))
                try connection.run(
                    """
                    UPDATE messages SET due_at = ?, given_up_at = ?, ending = ?, lease = NULL, leased_until = NULL, failure = ?
                    WHERE id = ?
                    """,
                    [
                        .integer(now.advanced(bySeconds: pause).nanoseconds), SQLValue(isOver ? now.nanoseconds : nil),
                        SQLValue(isOver ? Ending.refused.rawValue : nil),
                        .text(Self.shortened(why)), .text(id),
                    ])
            }
            return true
        })
    }

    /// In SQL, whether a message waits, or would once its way is set.
    static let mayGoOut = "sent_at IS NULL AND (given_up_at IS NULL OR ending = 'unset')"

    /// A message is not sent any more; nobody's lease of it holds.
    static func giveUp(
        _ id: String, _ ending: Ending, _ why: String, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "UPDATE messages SET given_up_at = ?, ending = ?, lease = NULL, leased_until = NULL, failure = ? WHERE id = ?",
            [.integer(now.nanoseconds), .text(ending.rawValue), .text(why), .text(id)])
    }

    private static func shortened(_ text: String) -> String { String(TextRule.cleaned(text).prefix(500)) }

    // MARK: - Reading

    /// Messages, the newest first.
    package func list(limit: Int) throws(StorageError) -> [Message] {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try Self.messages(
                    "1 ORDER BY written_at DESC, id DESC LIMIT ?", [.integer(Int64(min(max(limit, 1), 500)))],
                    &connection)
            }
        }
    }

    /// How many wait to be sent, how many were given up or withdrawn, and when the last one was sent.
    package func counts() throws(StorageError) -> (waiting: Int, givenUp: Int, withdrawn: Int, sentAt: UTCInstant?) {
        let row =
            try storing { () throws(DatabaseError) in
                try database.read { connection throws(DatabaseError) in
                    try connection.rows(
                        """
                        SELECT count(*) FILTER (WHERE sent_at IS NULL AND given_up_at IS NULL),
                            count(*) FILTER (WHERE given_up_at IS NOT NULL AND ending IS NOT 'withdrawn'),
                            count(*) FILTER (WHERE ending = 'withdrawn'), max(sent_at) FROM messages
                        """
                    ) { [$0.integer(0), $0.integer(1), $0.integer(2), $0.integer(3)] }
                }
            }.first ?? [0, 0, 0, 0]
        return (Int(row[0]), Int(row[1]), Int(row[2]), row[3] == 0 ? nil : UTCInstant(nanoseconds: row[3]))
    }

    /// Whether none of the messages that were written last went out: all were given up, and not since they were withdrawn.
    package func isLastLost() throws(StorageError) -> Bool {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    """
                    SELECT max(written_at) FILTER (WHERE given_up_at IS NOT NULL AND ending IS NOT 'withdrawn')
                        > ifnull(max(written_at) FILTER (WHERE sent_at IS NOT NULL), 0) FROM messages
                    """
                ) { !$0.isNull(0) && $0.integer(0) != 0 }
            }
        }.first ?? false
    }

    private static func messages(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [Message] {
        try connection.rows(
            """
            SELECT id, way, recipient, subject, body, about, written_at, attempts, failure, sent_at, given_up_at, ending
            FROM messages WHERE \(condition)
            """, values
        ) { row in
            Message(
                id: row.text(0), way: Way(rawValue: row.text(1)) ?? .mail, recipient: row.text(2), subject: row.text(3),
                body: row.text(4), about: row.text(5), writtenAt: UTCInstant(nanoseconds: row.integer(6)),
                attempts: Int(row.integer(7)), failure: row.isNull(8) ? nil : row.text(8),
                sentAt: row.isNull(9) ? nil : UTCInstant(nanoseconds: row.integer(9)),
                givenUpAt: row.isNull(10) ? nil : UTCInstant(nanoseconds: row.integer(10)),
                ending: row.isNull(11) ? nil : Ending(rawValue: row.text(11)))
        }
    }
}
