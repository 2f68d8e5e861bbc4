package import KonzaModel
internal import KonzaSystem
public import Storage

/// Links by which a postcard goes home with whoever is on it. What a call returned is on the disk.
///
/// A link has 128 random bits, of which the hash is kept; it ends by itself.
public struct ShareRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "take-home-1",
            sql: """
                CREATE TABLE shares (
                    secret TEXT PRIMARY KEY, postcard TEXT NOT NULL, created_at INTEGER NOT NULL, ends_at INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX shares_by_end ON shares (ends_at);
                """)
    ]

    /// How long a link is good for, seconds.
    public static let lifetime = 86_400.0
    /// Links at one time; the one that ends first makes way for a further one.
    public static let mostShares = 5000

    private let database: Database
    private let clock: any StationClock

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
    }

    /// Makes a link's secret.
    ///
    /// - Parameter postcard: its id.
    /// - Returns: the secret, 32 hexadecimal digits, and when it ends.
    /// - Throws: if it cannot be kept.
    package func share(_ postcard: String) throws(StorageError) -> (secret: String, endsAt: UTCInstant) {
        let secret = Secret.hexadecimal(bytes: 16)
        let now = clock.utc()
        let end = now.advanced(bySeconds: Self.lifetime)
        try database.write { connection throws(DatabaseError) in
            try connection.run("DELETE FROM shares WHERE ends_at < ?", [.integer(now.nanoseconds)])
            try connection.run(
                """
                DELETE FROM shares WHERE secret IN (
                    SELECT secret FROM shares ORDER BY ends_at DESC LIMIT -1 OFFSET \(Self.mostShares - 1))
                """)
            try connection.run(
                "INSERT INTO shares VALUES (?, ?, ?, ?)",
                [
                    .text(Secret.hash(secret)), .text(postcard), .integer(now.nanoseconds),
                    .integer(end.nanoseconds),
                ])
        }
        return (secret, end)
    }

    /// The postcard that a link leads to.
    ///
    /// - Returns: nil if the link is over, or there never was one. A clock that went back does not lengthen its life.
    package func postcard(of secret: String) throws(StorageError) -> String? {
        guard secret.utf8.count == 32 else { return nil }
        let now = clock.utc().nanoseconds
        do throws(DatabaseError) {
            return try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    "SELECT postcard FROM shares WHERE secret = ? AND ends_at >= ? AND created_at <= ?",
                    [.text(Secret.hash(secret)), .integer(now), .integer(now.addingClamped(3_600_000_000_000))]
                ) { $0.text(0) }
            }.first
        } catch {
            throw .database(error)
        }
    }
}
