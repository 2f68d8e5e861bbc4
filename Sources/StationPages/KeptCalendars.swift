internal import Calendars
internal import KonzaModel
internal import Storage

/// The last version of each calendar in which every event could be used, on the disk: where a file or an answer has become bad, its
/// events stay as they were, also after a start. What cannot be kept is not: calendars are read all the same.
struct KeptCalendars: Sendable {
    /// After those of ``CalendarFeeds``.
    static let migration = Migration(
        name: "calendar-kept-1",
        sql: """
            CREATE TABLE calendar_kept (name TEXT PRIMARY KEY, kept_at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
            """)

    /// Bytes of those of files, and of those of feeds: the one that was kept longest ago makes way, and no feed takes a file's room.
    static let mostBytes = 2 << 20

    let database: Database
    let clock: any StationClock

    static func name(ofFile name: String) -> String { "file \(name)" }
    static func name(ofFeed source: String) -> String { "feed \(source)" }

    /// - Returns: what was kept; nil for nothing, or what cannot be read any more.
    func file(_ name: String) -> CalendarFile? {
        guard let text = body(name) else { return nil }
        return name.hasPrefix("file ") && name.lowercased().hasSuffix(".plist")
            ? try? CalendarFile(propertyList: Array(text.utf8)) : try? CalendarFile(iCalendar: Array(text.utf8))
    }

    private func body(_ name: String) -> String? {
        let found = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT body FROM calendar_kept WHERE name = ?", [.text(name)]) { $0.text(0) }
        }
        return found?.first
    }

    /// Keeps a calendar that was just read: a whole one, and any where none was kept yet. Where a whole one cannot be kept, nothing
    /// older stands for it.
    func keep(_ name: String, _ bytes: [UInt8], _ file: CalendarFile) {
        // What is in memory alone is gone at the next start.
        guard !database.isInMemory else { return }
        let known = body(name)
        guard file.isWhole || known == nil else { return }
        guard bytes.count <= Self.mostBytes, let text = String(validating: bytes, as: UTF8.self) else {
            if known != nil { forget([name]) }
            return
        }
        guard text != known else { return }
        let now = clock.utc()
        try? database.write { connection throws(DatabaseError) in
            try connection.run(
                "INSERT OR REPLACE INTO calendar_kept (name, kept_at, body) VALUES (?, ?, ?)",
                [.text(name), .integer(now.nanoseconds), .text(text)])
            // Those that were kept last, as many as there is room for.
            try connection.run(
                """
                DELETE FROM calendar_kept WHERE name IN (
                    SELECT name FROM (
                        SELECT name, sum(length(CAST(body AS BLOB))) OVER (
                            PARTITION BY substr(name, 1, 5) ORDER BY name = ?1 DESC, kept_at DESC, name) AS bytes
                        FROM calendar_kept
                    ) WHERE bytes > ?2)
                """, [.text(name), .integer(Int64(Self.mostBytes))])
        }
    }

    /// Forgets the files but for those that are there.
    func keepOnly(files names: Set<String>) {
        let kept = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT name FROM calendar_kept WHERE name LIKE 'file %'") { $0.text(0) }
        }
        let gone = (kept ?? []).map { String($0.dropFirst("file ".count)) }.filter { !names.contains($0) }
        if !gone.isEmpty { forget(gone.map { Self.name(ofFile: $0) }) }
    }

    private func forget(_ names: [String]) {
        try? database.write { connection throws(DatabaseError) in try Self.forget(names, &connection) }
    }

    /// Forgets calendars within a transaction.
    static func forget(_ names: [String], _ connection: inout Connection) throws(DatabaseError) {
        for name in names { try connection.run("DELETE FROM calendar_kept WHERE name = ?", [.text(name)]) }
    }
}

extension Database {
    fileprivate func write(_ body: (inout Connection) throws(DatabaseError) -> Void) throws(DatabaseError) {
        try write(body, failing: { $0 })
    }
}
