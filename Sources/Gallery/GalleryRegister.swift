package import KonzaModel
public import Storage

/// The postcards whose visitors agreed to show them to others at the station, and what rangers decided about them. What a
/// call returned is on the disk.
///
/// Only ids are kept here: the postcards stay konzad's, and one that is not there any more is shown to nobody.
public final class GalleryRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "gallery-1",
            sql: """
                -- A higher number is a newer one. The verdict is a ranger's: empty, shown or hidden.
                CREATE TABLE gallery (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, postcard TEXT NOT NULL UNIQUE, agreed INTEGER NOT NULL,
                    agreed_at INTEGER NOT NULL, verdict TEXT NOT NULL DEFAULT ''
                ) STRICT;
                """)
    ]

    /// Postcards that are remembered; the oldest make way.
    public static let mostEntries = 2000
    /// The most entries of one page.
    public static let mostOfPage = 48

    /// Whether others see a postcard.
    public enum State: String, Sendable, CaseIterable {
        /// A ranger has not seen it yet, and nobody else does before.
        case waiting
        case shown
        case hidden
    }

    /// When others see a postcard whose visitor agreed.
    public enum Moderation: Sendable {
        /// At once; a ranger can hide it.
        case after
        /// When a ranger has approved it.
        case before
    }

    package struct Entry: Sendable, Equatable {
        /// Its place in the list.
        package let number: Int64
        package let postcard: String
        package let agreedAt: UTCInstant
        package let state: State
    }

    private let database: Database
    private let moderation: Moderation
    private let mostEntries: Int
    private let clock: any StationClock

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - moderation: when others see a postcard.
    ///   - mostEntries: postcards that are remembered.
    ///   - clock: the time.
    package init(
        _ database: Database, moderation: Moderation, mostEntries: Int = mostEntries, clock: any StationClock
    ) {
        self.database = database
        self.mostEntries = mostEntries
        self.moderation = moderation
        self.clock = clock
    }

    private func state(_ verdict: String) -> State {
        State(rawValue: verdict) ?? (moderation == .after ? .shown : .waiting)
    }

    /// The verdicts of what others see.
    private var visible: String { moderation == .after ? "verdict <> 'hidden'" : "verdict = 'shown'" }

    // MARK: - Visitors

    /// A visitor agrees that others see a postcard. What a ranger has hidden stays hidden.
    ///
    /// - Returns: whether they do.
    package func agree(_ postcard: String) throws(StorageError) -> State {
        let now = clock.utc().nanoseconds
        let verdict = try database.write { connection throws(DatabaseError) in
            try connection.run(
                """
                INSERT INTO gallery (postcard, agreed, agreed_at) VALUES (?, 1, ?)
                ON CONFLICT (postcard) DO UPDATE SET agreed = 1
                """, [.text(postcard), .integer(now)])
            try connection.run(
                """
                DELETE FROM gallery WHERE number IN (
                    SELECT number FROM gallery ORDER BY number DESC LIMIT -1 OFFSET \(mostEntries))
                """)
            return try connection.rows("SELECT verdict FROM gallery WHERE postcard = ?", [.text(postcard)]) {
                $0.text(0)
            }.first
        }
        return state(verdict ?? "")
    }

    /// A visitor agrees no longer. What a ranger decided is remembered.
    package func withdraw(_ postcard: String) throws(StorageError) {
        try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM gallery WHERE postcard = ? AND verdict = ''", [.text(postcard)])
            try connection.run("UPDATE gallery SET agreed = 0 WHERE postcard = ?", [.text(postcard)])
        }
    }

    /// Whether others may see a postcard.
    package func isShown(_ postcard: String) throws(StorageError) -> Bool {
        try !read("WHERE agreed AND \(visible) AND postcard = ?", [.text(postcard)]).isEmpty
    }

    /// What others may see, the newest first.
    ///
    /// - Parameters:
    ///   - number: only what comes after this one; nil for the first page.
    ///   - limit: the most entries.
    /// - Returns: a page.
    /// - Throws: if the list cannot be read.
    package func shown(after number: Int64?, limit: Int) throws(StorageError) -> [Entry] {
        try page("agreed AND \(visible)", after: number, limit)
    }

    // MARK: - Rangers

    /// All that visitors agreed to show, the newest first.
    package func all(after number: Int64?, limit: Int) throws(StorageError) -> [Entry] {
        try page("agreed", after: number, limit)
    }

    /// How many a ranger has to decide about before others see them.
    package func waiting() throws(StorageError) -> Int {
        guard moderation == .before else { return 0 }
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows("SELECT count(*) FROM gallery WHERE agreed AND verdict = ''") { Int($0.integer(0)) }
            }.first ?? 0
        } catch {
            throw .database(error)
        }
    }

    /// A ranger decides whether others see a postcard.
    ///
    /// - Returns: false where no visitor agreed to show it.
    package func decide(_ postcard: String, isShown: Bool) throws(StorageError) -> Bool {
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                "UPDATE gallery SET verdict = ? WHERE postcard = ? AND agreed",
                [.text(isShown ? "shown" : "hidden"), .text(postcard)])
            return connection.changes > 0
        }
    }

    /// Forgets a postcard that was deleted.
    package func remove(_ postcard: String) throws(StorageError) {
        try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM gallery WHERE postcard = ?", [.text(postcard)])
        }
    }

    // MARK: - Rows

    private func page(_ condition: String, after number: Int64?, _ limit: Int) throws(StorageError) -> [Entry] {
        try read(
            "WHERE \(condition) AND number < ? ORDER BY number DESC LIMIT ?",
            [.integer(number ?? .max), .integer(Int64(min(max(limit, 1), Self.mostOfPage)))])
    }

    private func read(_ condition: String, _ values: [SQLValue]) throws(StorageError) -> [Entry] {
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows("SELECT number, postcard, agreed_at, verdict FROM gallery \(condition)", values) {
                    row in
                    Entry(
                        number: row.integer(0), postcard: row.text(1),
                        agreedAt: UTCInstant(nanoseconds: row.integer(2)),
                        state: state(row.text(3)))
                }
            }
        } catch {
            throw .database(error)
        }
    }
}
