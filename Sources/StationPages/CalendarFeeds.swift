internal import Calendars
package import KonzaModel
public import Storage
internal import Synchronization

/// Calendars that the courier fetches: what each last said in a whole valid answer, kept for as long as nothing newer comes.
public final class CalendarFeeds: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "calendar-feeds-1",
            sql: """
                CREATE TABLE calendar_feeds (
                    source TEXT PRIMARY KEY, etag TEXT, modified TEXT, fetched_at INTEGER NOT NULL, body TEXT NOT NULL
                ) STRICT;
                """),
        KeptCalendars.migration,
    ]

    /// The most calendars; further ones are refused.
    public static let mostFeeds = 20

    /// How a calendar is.
    package struct State: Sendable, Equatable {
        package let source: String
        package var entityTag: String?
        package var lastModified: String?
        /// When an answer last changed something; nil where there was none yet.
        package var fetchedAt: UTCInstant?
        /// When it last said that it is as known, since the portal's start.
        package var checkedAt: UTCInstant?
        /// Why the last question got no valid answer; nil after one that did.
        package var fault: String?
    }

    private struct Kept: Sendable {
        var state: State
        var file: CalendarFile?
    }

    private let database: Database
    /// What files and answers said when all of it was good.
    let good: KeptCalendars
    package let clock: any StationClock
    private let kept: Mutex<[String: Kept]>

    /// Reads what is kept. Blocks.
    ///
    /// - Parameters:
    ///   - database: with the migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
        let good = KeptCalendars(database: database, clock: clock)
        self.good = good
        let rows = try? database.read { connection throws(DatabaseError) in
            try connection.rows(
                "SELECT source, etag, modified, fetched_at, body FROM calendar_feeds LIMIT \(Self.mostFeeds)"
            ) {
                row in
                (
                    State(
                        source: row.text(0), entityTag: row.isNull(1) ? nil : row.text(1),
                        lastModified: row.isNull(2) ? nil : row.text(2),
                        fetchedAt: UTCInstant(nanoseconds: row.integer(3))), row.text(4)
                )
            }
        }
        let known = (rows ?? []).map { state, body in
            let before = good.file(KeptCalendars.name(ofFeed: state.source))
            return Kept(state: state, file: try? CalendarFile(iCalendar: Array(body.utf8), after: before))
        }
        kept = Mutex(Dictionary(known.map { ($0.state.source, $0) }, uniquingKeysWith: { first, _ in first }))
    }

    /// How the calendars are, by their addresses.
    package var states: [State] {
        kept.withLock { $0.values.map(\.state) }.sorted { $0.source < $1.source }
    }

    /// What the calendars say, in the order of their addresses.
    var files: [CalendarFile] {
        kept.withLock { $0.sorted { $0.key < $1.key }.compactMap(\.value.file) }
    }

    /// Which events cannot be used, by the calendars' addresses. What else others write is not for the station to mend.
    var remarks: [String] {
        kept.withLock { kept in
            kept.sorted { $0.key < $1.key }.flatMap { source, one in
                (one.file?.remarks ?? []).filter(\.isOfEvent).map { "\(source): \($0.description)" }
            }
        }
    }

    /// Notes that a calendar is as known, or why it gave no valid answer: what it said before stays.
    package func note(_ source: String, fault: String?) {
        let now = clock.utc()
        kept.withLock { kept in
            guard kept[source] != nil || kept.count < Self.mostFeeds else { return }
            var one = kept[source] ?? Kept(state: State(source: source))
            one.state.fault = fault
            if fault == nil { one.state.checkedAt = now }
            kept[source] = one
        }
    }

    /// Takes over what a calendar says, and returns when it is durable. One that cannot be read changes nothing but the fault.
    ///
    /// - Parameters:
    ///   - text: iCalendar (RFC 5545).
    ///   - source: its address.
    ///   - entityTag: of the answer (RFC 9110 section 8.8.3).
    ///   - lastModified: of the answer (RFC 9110 section 8.8.2).
    /// - Returns: why it cannot be used; nil if it is.
    /// - Throws: if it cannot be kept; nothing is changed then.
    package func take(
        _ text: String, from source: String, entityTag: String?, lastModified: String?
    ) throws(StorageError) -> String? {
        let file: CalendarFile
        let before = kept.withLock { $0[source]?.file }
        do throws(CalendarError) {
            file = try CalendarFile(iCalendar: Array(text.utf8), after: before)
        } catch {
            note(source, fault: error.description)
            return error.description
        }
        guard kept.withLock({ $0[source] != nil || $0.count < Self.mostFeeds }) else {
            return "cannot keep more than \(Self.mostFeeds) calendars; name fewer in Calendars="
        }
        let now = clock.utc()
        try database.write { connection throws(DatabaseError) in
            try connection.run(
                """
                INSERT OR REPLACE INTO calendar_feeds (source, etag, modified, fetched_at, body) VALUES (?, ?, ?, ?, ?)
                """,
                [.text(source), SQLValue(entityTag), SQLValue(lastModified), .integer(now.nanoseconds), .text(text)])
        }
        good.keep(KeptCalendars.name(ofFeed: source), Array(text.utf8), file)
        kept.withLock { kept in
            kept[source] = Kept(
                state: State(
                    source: source, entityTag: entityTag, lastModified: lastModified, fetchedAt: now, checkedAt: now),
                file: file)
        }
        return nil
    }

    /// Forgets all calendars but those that are configured.
    ///
    /// - Returns: whether there was one to forget.
    /// - Throws: if that cannot be kept; nothing is changed then.
    package func keepOnly(_ sources: Set<String>) throws(StorageError) -> Bool {
        let gone = kept.withLock { Set($0.keys) }.subtracting(sources)
        guard !gone.isEmpty else { return false }
        try database.write { connection throws(DatabaseError) in
            for source in gone { try connection.run("DELETE FROM calendar_feeds WHERE source = ?", [.text(source)]) }
            try KeptCalendars.forget(gone.map { KeptCalendars.name(ofFeed: $0) }, &connection)
        }
        kept.withLock { kept in for source in gone { kept[source] = nil } }
        return true
    }
}
