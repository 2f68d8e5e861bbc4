internal import JSONCoding
package import KonzaModel
public import Storage
internal import Synchronization

/// The announcements and who has read which of them. What a call returned is on the disk.
///
/// Readers are strings: a person's id, or a device's. What they have read is kept with the announcement's hash, so that a changed
/// announcement is unread again.
public final class AnnouncementRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "announcements-1",
            sql: """
                -- The source is empty for what was written here, "file", or a feed's name. Texts are JSON by language.
                CREATE TABLE announcements (
                    id TEXT PRIMARY KEY, source TEXT NOT NULL, external TEXT NOT NULL, language TEXT NOT NULL,
                    texts TEXT NOT NULL, format TEXT NOT NULL, start_at INTEGER, end_at INTEGER, published_at INTEGER,
                    urgent INTEGER NOT NULL, audience TEXT NOT NULL, required INTEGER NOT NULL, rank INTEGER NOT NULL,
                    link TEXT, hash TEXT NOT NULL, text_hash TEXT NOT NULL, author TEXT NOT NULL,
                    made_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, retired_at INTEGER,
                    -- The hash at which a ranger took it away, whatever its feed says.
                    withdrawn_hash TEXT, UNIQUE (source, external)
                ) STRICT;
                CREATE TABLE announcement_readings (
                    announcement TEXT NOT NULL REFERENCES announcements (id) ON DELETE CASCADE, reader TEXT NOT NULL,
                    hash TEXT NOT NULL, read_at INTEGER NOT NULL, PRIMARY KEY (announcement, reader)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX announcement_readers ON announcement_readings (reader);
                CREATE TABLE announcement_feeds (
                    source TEXT PRIMARY KEY, title TEXT NOT NULL, etag TEXT, modified TEXT, fetched_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                """)
    ]

    /// Announcements written at the station that are kept at one time.
    public static let mostWritten = 500
    /// Announcements of all sources in a list.
    public static let mostListed = 2000
    /// Seconds that an announcement is kept after it was retired.
    static let keptRetired = 30 * 86_400.0

    package struct Entry: Sendable, Equatable {
        package let id: String
        package let source: String
        package let announcement: Announcement
        package let hash: String
        package let author: String
        package let madeAt: UTCInstant
        package let changedAt: UTCInstant
        /// Of the reader that asked; nil if it was never read.
        package let readHash: String?

        package var isRead: Bool { readHash == hash }
        /// Whether it was read as it was before.
        package var isChanged: Bool { readHash != nil && readHash != hash }

        package func isActive(at now: UTCInstant) -> Bool {
            guard now >= .believedFrom else { return true }
            return (announcement.startDate.map { $0 <= now } ?? true) && (announcement.endDate.map { now < $0 } ?? true)
        }
    }

    let database: Database
    let clock: any StationClock
    private let ids = Mutex(RecordIDSource<Announcement>())
    let feeds = Mutex<[String: FeedState]>([:])

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
    }

    func newID() -> String { ids.withLock { $0.next(at: clock.utc()).description } }

    // MARK: - Reading

    /// What may be read by somebody, in the order of the list: urgent unread, unread, read; in each the gravest alerts, what is
    /// urgent, and the newest first.
    ///
    /// - Parameters:
    ///   - reader: whose reading state it has; nil for nobody's.
    ///   - isCrew: whether what is for the crew is in it.
    ///   - all: whether what has not begun or has ended is in it too.
    /// - Returns: at most ``mostListed``.
    /// - Throws: if the list cannot be read.
    package func list(for reader: String?, isCrew: Bool, all: Bool = false) throws(StorageError) -> [Entry] {
        let now = clock.utc()
        let entries = try read { connection throws(DatabaseError) in
            try Self.entries("retired_at IS NULL", reader, [], &connection)
        }
        return Self.sorted(
            entries.filter { (isCrew || $0.announcement.audience == .everyone) && (all || $0.isActive(at: now)) })
    }

    private static func sorted(_ entries: [Entry]) -> [Entry] {
        func group(_ entry: Entry) -> Int { entry.isRead ? 2 : entry.announcement.isUrgent ? 0 : 1 }
        func key(_ entry: Entry) -> (Int, Int, Int, Int64) {
            (
                group(entry), -entry.announcement.rank, entry.announcement.isUrgent ? 0 : 1,
                -(entry.announcement.pubDate ?? entry.madeAt).nanoseconds
            )
        }
        let keyed = entries.map { (key: key($0), entry: $0) }
        // Written out: as one chain of closures it takes the compiler five seconds.
        let ordered = keyed.sorted { first, second in
            if first.key != second.key { return first.key < second.key }
            return first.entry.id > second.entry.id
        }
        return ordered.map(\.entry)
    }

    /// One announcement, also one that is not active.
    ///
    /// - Returns: nil if there is none, it was retired, or it is not for the reader.
    /// - Throws: if it cannot be read.
    package func find(_ id: String, for reader: String?, isCrew: Bool) throws(StorageError) -> Entry? {
        let found = try read { connection throws(DatabaseError) in
            try Self.entries("id = ?2 AND retired_at IS NULL", reader, [.text(id)], &connection).first
        }
        return found.flatMap { isCrew || $0.announcement.audience == .everyone ? $0 : nil }
    }

    /// Notes that somebody has read an announcement as it was at a hash.
    ///
    /// - Returns: whether it is read then: not, if it was changed meanwhile. What was read already is not written again.
    /// - Throws: if it cannot be written.
    @discardableResult
    package func markRead(_ id: String, hash: String, by reader: String) throws(StorageError) -> Bool {
        if let entry = try find(id, for: reader, isCrew: true), entry.isRead, entry.hash == hash { return true }
        let now = clock.utc().nanoseconds
        return try database.write { connection throws(DatabaseError) in
            try connection.run(
                """
                INSERT INTO announcement_readings (announcement, reader, hash, read_at)
                SELECT id, ?2, hash, ?4 FROM announcements WHERE id = ?1 AND hash = ?3 AND retired_at IS NULL
                ON CONFLICT (announcement, reader) DO UPDATE SET hash = excluded.hash, read_at = excluded.read_at
                """, [.text(id), .text(reader), .text(hash), .integer(now)])
            return connection.changes > 0
        }
    }

    /// Forgets what somebody has read.
    package func forget(reader: String) throws(StorageError) {
        try database.write { connection throws(DatabaseError) in try Self.forget(reader, &connection) }
    }

    /// The same within a transaction of the caller's, such as one that removes a person.
    package static func forget(_ reader: String, _ connection: inout Connection) throws(DatabaseError) {
        try connection.run("DELETE FROM announcement_readings WHERE reader = ?", [.text(reader)])
    }

    /// Takes the name of somebody whose account is removed from what it wrote; the words stay.
    package static func forget(
        author name: String, as neutral: String, _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "UPDATE announcements SET author = ? WHERE author = ? AND source = ''", [.text(neutral), .text(name)])
    }

    /// An announcement that somebody has not read as it is now.
    package struct Unread: Sendable, Equatable {
        package let id: String
        package let title: String
        /// The title in other languages, by their tags.
        package let translations: [String: String]
        package let isUrgent: Bool
        /// Its present one.
        package let hash: String
    }

    /// The active announcements that a member of the crew has not read at their present hash, and must before mustering. It runs
    /// within a transaction of the caller's on a database with these migrations, so that what it says holds until that ends.
    ///
    /// - Parameters:
    ///   - reader: whose.
    ///   - now: the time; nothing is left out by one before 2024, which no clock that was set shows.
    ///   - connection: of the transaction.
    /// - Returns: in the order of the list; empty if all are read.
    /// - Throws: what SQLite refuses.
    package static func unread(
        by reader: String, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> [Unread] {
        let entries = try entries("retired_at IS NULL AND required", reader, [], &connection)
        return sorted(entries.filter { $0.isActive(at: now) && !$0.isRead }).map {
            Unread(
                id: $0.id, title: $0.announcement.words.title,
                translations: $0.announcement.translations.mapValues(\.title), isUrgent: $0.announcement.isUrgent,
                hash: $0.hash)
        }
    }

    /// Whether the time of an announcement came or was over between two instants.
    ///
    /// - Throws: if they cannot be read.
    package func turns(after earlier: UTCInstant, through now: UTCInstant) throws(StorageError) -> Bool {
        try read { connection throws(DatabaseError) in
            let bounds: [SQLValue] = [.integer(earlier.nanoseconds), .integer(now.nanoseconds)]
            return try !connection.rows(
                """
                SELECT 1 FROM announcements WHERE retired_at IS NULL
                    AND (start_at > ?1 AND start_at <= ?2 OR end_at > ?1 AND end_at <= ?2) LIMIT 1
                """, bounds
            ) { _ in true }.isEmpty
        }
    }

    // MARK: - Rows

    func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        try storing { () throws(DatabaseError) in try database.read(body) }
    }

    static func entries(
        _ condition: String, _ reader: String?, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [Entry] {
        try connection.rows(
            """
            SELECT id, source, language, texts, format, start_at, end_at, published_at, urgent, audience, required, rank, link,
                announcements.hash, author, made_at, changed_at, announcement_readings.hash
            FROM announcements LEFT JOIN announcement_readings
                ON announcement_readings.announcement = announcements.id AND announcement_readings.reader = ?1
            WHERE \(condition) ORDER BY urgent DESC, changed_at DESC LIMIT \(mostListed)
            """, [.text(reader ?? "")] + values
        ) { row in
            let language = row.text(2)
            var texts = (try? JSONText.decode([String: Announcement.Words].self, from: Array(row.text(3).utf8))) ?? [:]
            let words = texts.removeValue(forKey: language) ?? Announcement.Words(title: "")
            return Entry(
                id: row.text(0), source: row.text(1),
                announcement: Announcement(
                    language: language, words: words, translations: texts,
                    format: Announcement.Format(rawValue: row.text(4)) ?? .plain, startDate: instant(row, 5),
                    endDate: instant(row, 6), pubDate: instant(row, 7), isUrgent: row.integer(8) != 0,
                    audience: Announcement.Audience(rawValue: row.text(9)) ?? .crew, isRequired: row.integer(10) != 0,
                    rank: Int(row.integer(11)), link: row.isNull(12) ? nil : row.text(12)),
                hash: row.text(13), author: row.text(14), madeAt: UTCInstant(nanoseconds: row.integer(15)),
                changedAt: UTCInstant(nanoseconds: row.integer(16)), readHash: row.isNull(17) ? nil : row.text(17))
        }
    }

    private static func instant(_ row: borrowing Row, _ column: Int32) -> UTCInstant? {
        row.isNull(column) ? nil : UTCInstant(nanoseconds: row.integer(column))
    }
}
