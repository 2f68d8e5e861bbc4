internal import Synchronization

/// The index: one connection that writes and one that reads, each behind its own lock, so that a reader never waits
/// for a commit to reach the disk (https://sqlite.org/wal.html).
package final class Database: Sendable {
    package enum OpeningError: Error, Sendable {
        case failed(DatabaseError)
        /// The file was written by a newer program, which left this step; it stays as it is.
        case newer(step: String)
        /// The file's bytes are not those of a sound database.
        case corrupt(complaint: String)

        init(_ error: DatabaseError) {
            self = error.isCorrupt ? .corrupt(complaint: error.words) : .failed(error)
        }
    }

    /// A connection behind a lock.
    private final class Lane: Sendable {
        let connection: Mutex<Connection>

        init(_ connection: consuming sending Connection) { self.connection = Mutex(connection) }
    }

    // The reader comes first and is so closed first: only a connection that writes can, as the last one, bring the log
    // into the file and remove it.
    private let reader: Lane
    private let writer: Lane
    /// Whether every page was looked at when it was opened.
    let isCheckedWhole: Bool
    private let path: String
    /// Whether nothing of it outlives the program.
    package var isInMemory: Bool { path == ":memory:" }
    private let observers = Mutex<[@Sendable (Set<String>) -> Void]>([])

    /// Opens the database, creates it if it is not there, checks that it is sound and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - path: of the file.
    ///   - migrations: all steps of its schema.
    ///   - checkedBytes: a larger file is not checked here: that takes as long as reading all of it; see `complaint()`.
    /// - Throws: what keeps it from being opened.
    package init(path: String, migrations: [Migration], checkedBytes: Int64 = .max) throws(OpeningError) {
        let isMemory = path == ":memory:"
        if !isMemory {
            try Self.checkFiles(path)
            DatabaseFiles.prepare(path)
        }
        let writer = try Self.attempt { () throws(DatabaseError) in
            let lane = Lane(try Connection(path: path, access: .readWrite))
            try Self.configure(lane, isMemory: isMemory)
            return lane
        }
        isCheckedWhole = (Folder.status(path)?.byteCount ?? 0) <= checkedBytes
        if isCheckedWhole,
            let complaint = try Self.attempt({ () throws(DatabaseError) in try Self.complaint(writer) })
        {
            throw .corrupt(complaint: complaint)
        }
        if let step = try Self.attempt({ () throws(DatabaseError) in try Self.migrate(writer, migrations) }) {
            throw .newer(step: step)
        }
        try Self.attempt { () throws(DatabaseError) in try Self.keepStatementJournalsInMemory(writer) }
        self.writer = writer
        self.path = path
        reader = try Self.attempt { () throws(DatabaseError) in
            isMemory ? writer : Lane(try Connection(path: path, access: .readOnly))
        }
    }

    /// Opens a database that cannot be written, for reading.
    ///
    /// - Parameters:
    ///   - path: of the file. With a log that holds commits it is read together with the log; without one the file is
    ///     all there is.
    ///   - migrations: all steps of its schema.
    /// - Throws: also where the schema is not the one that this program makes.
    package init(readingOnly path: String, migrations: [Migration]) throws(OpeningError) {
        try Self.checkFiles(path)
        let hasLog = (Folder.status("\(path)-wal")?.byteCount ?? 0) > 0
        let lane = try Self.attempt { () throws(DatabaseError) in
            Lane(try Connection(path: path, access: hasLog ? .readOnly : .immutable))
        }
        if let complaint = try Self.attempt({ () throws(DatabaseError) in try Self.complaint(lane) }) {
            throw .corrupt(complaint: complaint)
        }
        let steps = try Self.attempt { () throws(DatabaseError) in
            try lane.connection.withLock { connection throws(DatabaseError) in
                try connection.rows("SELECT name FROM migrations ORDER BY position") { $0.text(0) }
            }
        }
        let known = Set(migrations.map(\.name))
        if let unknown = steps.first(where: { !known.contains($0) }) { throw .newer(step: unknown) }
        guard Set(steps) == known else {
            throw .failed(DatabaseError(code: 1, action: "read the index \(path)", words: "its schema is an older one"))
        }
        writer = lane
        reader = lane
        self.path = path
        isCheckedWhole = true
    }

    /// Makes a database in memory.
    ///
    /// - Parameters:
    ///   - bytes: the most that it may take; a row that would exceed it is refused with `isDiskFull`.
    ///   - migrations: all steps of its schema.
    /// - Throws: if SQLite has no memory for an empty one.
    package convenience init(inMemory bytes: Int, migrations: [Migration]) throws(OpeningError) {
        try self.init(path: ":memory:", migrations: migrations)
        try Self.attempt { () throws(DatabaseError) in
            try writer.connection.withLock { connection throws(DatabaseError) in
                // The page size is SQLite's own, 4096 bytes.
                try connection.script("PRAGMA max_page_count = \(max(64, bytes / 4096))")
            }
        }
    }

    private static func checkFiles(_ path: String) throws(OpeningError) {
        guard let name = DatabaseFiles.irregular(path) else { return }
        throw .corrupt(complaint: "\(name) is not a regular file")
    }

    private static func attempt<Value>(
        _ body: () throws(DatabaseError) -> Value
    ) throws(OpeningError) -> Value {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw OpeningError(error)
        }
    }

    /// Looks at every page, on a connection of its own: nobody else waits for it.
    ///
    /// - Returns: what is wrong with the file, in SQLite's words; nil if it is sound.
    func complaint() throws(DatabaseError) -> String? {
        try Self.complaint(Lane(try Connection(path: path, access: .readOnly)))
    }

    /// Reads.
    package func read<Value>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value where Value: Sendable {
        try reader.connection.withLock { connection throws(DatabaseError) in try body(&connection) }
    }

    /// Runs the body as one transaction, durable on return and undone if the body throws.
    ///
    /// - Parameters:
    ///   - body: what is to be done.
    ///   - failing: words SQLite's own errors as the body's.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws, and what SQLite refuses.
    package func write<Value, Failure: Error>(
        _ body: (inout Connection) throws(Failure) -> Value, failing: (DatabaseError) -> Failure
    ) throws(Failure) -> Value where Value: Sendable {
        let (value, tables) = try writer.connection.withLock { connection throws(Failure) in
            do throws(DatabaseError) {
                try connection.run("BEGIN IMMEDIATE")
            } catch {
                throw failing(error)
            }
            do throws(Failure) {
                let value = try body(&connection)
                do throws(DatabaseError) {
                    try connection.run("COMMIT")
                } catch {
                    throw failing(error)
                }
                return (value, connection.takeTables())
            } catch {
                // After some failures SQLite has rolled back by itself; then this one has nothing to do.
                try? connection.run("ROLLBACK")
                _ = connection.takeTables()
                throw error
            }
        }
        if !tables.isEmpty {
            for observer in observers.withLock({ $0 }) { observer(tables) }
        }
        return value
    }

    /// Brings the log into the file and empties it, so that what was overwritten or deleted is in neither (with `secure_delete`).
    ///
    /// - Returns: false where a reader kept it from that for seconds; a later one does it.
    /// - Throws: what SQLite refuses.
    @discardableResult
    package func emptyLog() throws(DatabaseError) -> Bool {
        try writer.connection.withLock { connection throws(DatabaseError) in
            try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) == 0 }
        }.allSatisfy { $0 }
    }

    /// Tells of what is committed from now on.
    ///
    /// - Parameter observer: gets the names of the tables in which rows were changed, after each commit and on the thread that made
    ///   it; it must return at once. Tables WITHOUT ROWID are not among them.
    package func observe(_ observer: @escaping @Sendable (_ tables: Set<String>) -> Void) {
        writer.connection.withLock { $0.noteTables() }
        observers.withLock { $0.append(observer) }
    }

    private static func configure(_ lane: Lane, isMemory: Bool) throws(DatabaseError) {
        try lane.connection.withLock { connection throws(DatabaseError) in
            try connection.script("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;")
            guard !isMemory else { return }
            let mode = try connection.rows("PRAGMA journal_mode = WAL") { $0.text(0) }
            guard mode == ["wal"] else {
                throw DatabaseError(code: 1, action: "open the index", words: "its file system cannot do WAL")
            }
            // FULL: a commit returns when the log is on the disk. The log is cut back after a checkpoint.
            try connection.script("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304;")
        }
    }

    /// An insertion that fires triggers can be undone alone: of each page that it changes SQLite keeps what the
    /// transaction had there, and after 64 KiB in a file (https://sqlite.org/tempfiles.html#stmtjrnl). Sixteen writes a row
    /// were half of what making an index anew cost. In memory it is emptied after each statement. Not for migrations, which
    /// sort as many entries as there are rows.
    private static func keepStatementJournalsInMemory(_ lane: Lane) throws(DatabaseError) {
        try lane.connection.withLock { connection throws(DatabaseError) in
            try connection.script("PRAGMA temp_store = MEMORY")
        }
    }

    /// What is wrong with the file, in SQLite's words; nil if it is sound.
    private static func complaint(_ lane: Lane) throws(DatabaseError) -> String? {
        let words = try lane.connection.withLock { connection throws(DatabaseError) in
            try connection.rows("PRAGMA quick_check(3)") { $0.text(0) }
        }
        return words == ["ok"] ? nil : words.joined(separator: "; ")
    }

    /// Runs the steps that this file has not seen.
    ///
    /// - Returns: the name of a step in the file that this program does not know; nothing was changed then.
    private static func migrate(_ lane: Lane, _ migrations: [Migration]) throws(DatabaseError) -> String? {
        try lane.connection.withLock { connection throws(DatabaseError) in
            let hasTable = try connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'") { _ in true }
            var seen: [String] = []
            if hasTable.isEmpty {
                let others = try connection.rows("SELECT name FROM sqlite_schema LIMIT 1") { $0.text(0) }
                if let other = others.first { return "table \(other)" }
                try connection.script(
                    """
                    CREATE TABLE migrations (
                        position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
                        applied_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
                    ) STRICT
                    """)
            } else {
                seen = try connection.rows("SELECT name FROM migrations ORDER BY position") { $0.text(0) }
            }
            if let unknown = seen.first(where: { name in !migrations.contains { $0.name == name } }) { return unknown }
            for migration in migrations where !seen.contains(migration.name) {
                try connection.script("BEGIN IMMEDIATE")
                do throws(DatabaseError) {
                    try connection.script(migration.sql)
                    try connection.run("INSERT INTO migrations (name) VALUES (?)", [.text(migration.name)])
                    try connection.script("COMMIT")
                } catch {
                    try? connection.script("ROLLBACK")
                    throw error
                }
            }
            return nil
        }
    }
}
