internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Storage
internal import Synchronization

/// What a page at the kiosk may ask of konzad. What is not named here is refused, whatever konzad would say: other
/// people's postcards above all.
final class KioskRights: Sendable {
    /// Steps of the schema, oldest first.
    static let migrations = [
        Migration(
            name: "kiosk-1",
            sql: """
                -- By the steady clock, nanoseconds: those of another boot are swept at the start.
                CREATE TABLE kiosk_postcards (id TEXT PRIMARY KEY, made_at INTEGER NOT NULL) STRICT;
                """),
        Migration(
            name: "kiosk-2",
            sql: "ALTER TABLE kiosk_postcards ADD COLUMN client TEXT NOT NULL DEFAULT '\(unpaired)'"),
    ]

    /// The browser on the loopback address that was not paired.
    static let unpaired = "kiosk"

    /// How long a visitor can get at the postcards of the visit, seconds.
    private static let visitSeconds = 3600.0
    /// Postcards that are remembered; the oldest are forgotten first.
    private static let mostPostcards = 256

    private static let readable = Rights.open.union([
        "/v1/camera", "/v1/camera/frame.jpg", "/v1/camera/preview", "/v1/events", "/v1/track", "/v1/view",
    ])
    private static let writable: Set<String> = ["/v1/postcards", "/v1/postcards/preview", "/v1/shots"]
    private static let postcards = "/v1/postcards/"
    /// konzad gives a shot to whoever took it, and to nobody else.
    private static let shots = "/v1/shots/"

    private let database: Database
    private let clock: any StationClock
    private struct Made: Sendable {
        let id: String
        /// The kiosk that asked for it.
        let client: String
        let at: MonotonicInstant
    }

    /// The oldest first.
    private let made: Mutex<[Made]>

    /// - Parameters:
    ///   - database: with the migrations; a visitor's postcards outlive the portal in it.
    ///   - clock: the time.
    init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
        let now = clock.monotonic()
        let kept = try? database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT id, client, made_at FROM kiosk_postcards ORDER BY made_at") { row in
                Made(id: row.text(0), client: row.text(1), at: MonotonicInstant(nanoseconds: row.integer(2)))
            }
        }
        made = Mutex((kept ?? []).filter { (0...Self.visitSeconds).contains(now.seconds(since: $0.at)) })
    }

    /// - Throws: a problem if the kiosk may not do it.
    func check(_ method: String, _ path: String, by client: String) throws(Problem) {
        switch method {
        case "GET" where Self.readable.contains(path) || Rights.isOpen(path): return
        case "POST" where Self.writable.contains(path): return
        case "PUT" where path.hasPrefix(Self.postcards) && path.hasSuffix("/public-link"):
            return try checkOwn(String(path.dropFirst(Self.postcards.count).prefix { $0 != "/" }), by: client)
        case "GET", "DELETE":
            if path.hasPrefix(Self.shots) { return }
            guard path.hasPrefix(Self.postcards) else { break }
            return try checkOwn(String(path.dropFirst(Self.postcards.count).prefix { $0 != "/" }), by: client)
        default: break
        }
        throw Problem(.forbidden, "cannot do this at the kiosk: only people of the station may, on their own devices")
    }

    /// - Throws: a problem if the postcard was not taken at this kiosk of late.
    func checkOwn(_ id: String, by client: String) throws(Problem) {
        guard isOwn(id, client) else {
            throw Problem(
                .forbidden,
                "cannot show the postcard \(id.prefix(40)) at this kiosk: it was not taken there in the last hour; ask a ranger"
            )
        }
    }

    /// Notes what konzad answered to a request for a postcard, before the page has the answer. Where it cannot be written down
    /// the page gets the postcard all the same, until the portal ends.
    ///
    /// - Parameters:
    ///   - location: of the postcard.
    ///   - client: the kiosk that asked for it.
    func note(location: String?, by client: String) {
        guard let location, location.hasPrefix(Self.postcards) else { return }
        let id = String(location.dropFirst(Self.postcards.count))
        let now = clock.monotonic()
        made.withLock { made in
            made.removeAll { $0.id == id || now.seconds(since: $0.at) > Self.visitSeconds }
            if made.count >= Self.mostPostcards { made.removeFirst(made.count - Self.mostPostcards + 1) }
            made.append(Made(id: id, client: client, at: now))
        }
        let oldest = now.advanced(bySeconds: -Self.visitSeconds)
        try? database.write(
            { connection throws(DatabaseError) in
                try connection.run(
                    "DELETE FROM kiosk_postcards WHERE made_at NOT BETWEEN ? AND ?",
                    [.integer(oldest.nanoseconds), .integer(now.nanoseconds)])
                try connection.run(
                    """
                    DELETE FROM kiosk_postcards WHERE id IN (
                        SELECT id FROM kiosk_postcards ORDER BY made_at DESC LIMIT -1 OFFSET \(Self.mostPostcards - 1))
                    """)
                try connection.run(
                    "INSERT OR REPLACE INTO kiosk_postcards (id, made_at, client) VALUES (?, ?, ?)",
                    [.text(id), .integer(now.nanoseconds), .text(client)])
            }, failing: { $0 })
    }

    private func isOwn(_ id: String, _ client: String) -> Bool {
        let now = clock.monotonic()
        return made.withLock { made in
            made.contains { $0.id == id && $0.client == client && now.seconds(since: $0.at) <= Self.visitSeconds }
        }
    }
}
