package import KonzaModel
public import Storage

/// What players have reached: the best of each game, and for those with a profile what they know of each item. What a call
/// returned is on the disk.
///
/// A player is a device and, if one was chosen, a colour and an animal (``LearnerProfile``). Nothing else is kept of anybody.
public final class ProgressRegister: Sendable {
    /// Steps of the schema, oldest first.
    public static let migrations = [
        Migration(
            name: "learning-1",
            sql: """
                -- The best of one game: more right, then less time. The owner is a device, or "kiosk".
                CREATE TABLE learning_best (
                    owner TEXT NOT NULL, profile TEXT NOT NULL, activity TEXT NOT NULL, timed INTEGER NOT NULL,
                    rule INTEGER NOT NULL, correct INTEGER NOT NULL, total INTEGER NOT NULL, seconds REAL NOT NULL,
                    accuracy REAL NOT NULL, plays INTEGER NOT NULL, changed_at INTEGER NOT NULL,
                    PRIMARY KEY (owner, profile, activity, timed)
                ) STRICT;
                -- Spaced repetition: box 1 to 5, and when the item is due.
                CREATE TABLE learning_items (
                    owner TEXT NOT NULL, profile TEXT NOT NULL, deck TEXT NOT NULL, item TEXT NOT NULL,
                    seen INTEGER NOT NULL, correct INTEGER NOT NULL, box INTEGER NOT NULL, due_at INTEGER NOT NULL,
                    PRIMARY KEY (owner, profile, deck, item)
                ) STRICT;
                -- Rounds that were taken on, so that one that is sent again counts once; and how they went, without a player.
                CREATE TABLE learning_rounds (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, round TEXT NOT NULL UNIQUE, day TEXT NOT NULL,
                    activity TEXT NOT NULL, finished INTEGER NOT NULL, seconds REAL NOT NULL
                ) STRICT;
                CREATE INDEX learning_rounds_day ON learning_rounds (day, activity);
                """)
    ]

    /// Days until an item of each box is asked again.
    public static let boxDays: [Double] = [0, 1, 3, 7, 21]
    /// Games of one profile; a further one is refused.
    package static let mostActivities = 96
    /// Items of one profile; further ones are not noted.
    package static let mostItems = 1200
    /// Profiles of all devices; those that were not used for longest make way.
    package static let mostProfiles = 1000
    /// Rounds that are remembered; the oldest make way.
    package static let mostRounds = 20_000
    /// A day's figures of a game are shown when it was played so often: fewer could be one child's.
    package static let fewestPlays = 5

    /// The best of one game.
    package struct Best: Sendable, Equatable {
        package let activity: String
        package let isTimed: Bool
        package let rule: Int
        package let right: Int
        package let of: Int
        /// How long the best round took.
        package let seconds: Double
        /// The best share of right answers, 0 to 1.
        package let accuracy: Double
        package let plays: Int
    }

    /// What a player knows of one item.
    package struct Item: Sendable, Equatable {
        package let deck: String
        package let item: String
        package let seen: Int
        package let right: Int
        package let box: Int
        package let due: UTCInstant
    }

    /// How one game was played on one day, by all.
    package struct Day: Sendable, Equatable {
        package let day: String
        package let activity: String
        package let plays: Int
        package let finishes: Int
        package let medianSeconds: Double
    }

    private let database: Database
    private let clock: any StationClock

    /// - Parameters:
    ///   - database: with the register's migrations.
    ///   - clock: the time.
    package init(_ database: Database, clock: any StationClock) {
        self.database = database
        self.clock = clock
    }

    // MARK: - Writing

    /// Notes a round. One that was noted before changes nothing.
    ///
    /// - Returns: false where the player has too many games.
    package func note(_ round: LearningRound, of owner: String) throws(StorageError) -> Bool {
        let now = clock.utc()
        let day = String("\(now)".prefix(10))
        return try database.write { connection throws(DatabaseError) in
            let known = try connection.rows("SELECT 1 FROM learning_rounds WHERE round = ?", [.text(round.id)]) {
                $0.integer(0)
            }
            guard known.isEmpty else { return true }
            guard try Self.keepBest(round, owner, now, &connection) else { return false }
            try connection.run(
                "INSERT INTO learning_rounds (round, day, activity, finished, seconds) VALUES (?, ?, ?, ?, ?)",
                [
                    .text(round.id), .text(day), .text(round.activity), .integer(round.isDone ? 1 : 0),
                    .real(round.seconds),
                ])
            try connection.run(
                """
                DELETE FROM learning_rounds WHERE number <= (
                    SELECT number FROM learning_rounds ORDER BY number DESC LIMIT 1 OFFSET \(Self.mostRounds))
                """)
            for answer in round.answers { try Self.keepItem(answer, round.profile, owner, now, &connection) }
            return true
        }
    }

    private static func keepBest(
        _ round: LearningRound, _ owner: String, _ now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let player: [SQLValue] = [.text(owner), .text(round.profile.name)]
        let others = try connection.rows(
            "SELECT count(*) FROM learning_best WHERE owner = ? AND profile = ? AND NOT (activity = ? AND timed = ?)",
            player + [.text(round.activity), .integer(round.isTimed ? 1 : 0)]
        ) { $0.integer(0) }
        guard (others.first ?? 0) < mostActivities else { return false }
        let accuracy = round.asked > 0 ? Double(round.right) / Double(round.asked) : 1
        // Scores of other rules are not compared: the newer ones count.
        try connection.run(
            """
            INSERT INTO learning_best VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10)
            ON CONFLICT DO UPDATE SET plays = plays + 1, changed_at = ?10,
                accuracy = CASE WHEN rule = ?5 THEN max(accuracy, ?9) ELSE ?9 END,
                correct = CASE WHEN rule <> ?5 OR ?6 > correct THEN ?6 ELSE correct END,
                seconds = CASE WHEN rule <> ?5 OR ?6 > correct OR (?6 = correct AND ?8 < seconds) THEN ?8 ELSE seconds END,
                total = ?7, rule = ?5
            """,
            player + [
                .text(round.activity), .integer(round.isTimed ? 1 : 0), .integer(Int64(round.rule)),
                .integer(Int64(round.right)), .integer(Int64(round.of)), .real(round.seconds), .real(accuracy),
                .integer(now.nanoseconds),
            ])
        let over = try connection.rows(
            """
            SELECT owner, profile FROM learning_best GROUP BY owner, profile ORDER BY max(changed_at) DESC
            LIMIT -1 OFFSET \(mostProfiles)
            """
        ) { ($0.text(0), $0.text(1)) }
        for (owner, profile) in over { try forget(owner, profile, &connection) }
        return true
    }

    private static func keepItem(
        _ answer: LearningRound.Answer, _ profile: LearnerProfile, _ owner: String, _ now: UTCInstant,
        _ connection: inout Connection
    ) throws(DatabaseError) {
        let key: [SQLValue] = [.text(owner), .text(profile.name), .text(answer.deck), .text(answer.item)]
        let before = try connection.rows(
            "SELECT box FROM learning_items WHERE owner = ? AND profile = ? AND deck = ? AND item = ?", key
        ) { Int($0.integer(0)) }.first
        if before == nil {
            let count = try connection.rows(
                "SELECT count(*) FROM learning_items WHERE owner = ? AND profile = ?", Array(key.prefix(2))
            ) { $0.integer(0) }
            guard (count.first ?? 0) < mostItems else { return }
        }
        let box = answer.isRight ? min((before ?? 0) + 1, boxDays.count) : 1
        let due = now.advanced(bySeconds: boxDays[box - 1] * 86_400)
        try connection.run(
            """
            INSERT INTO learning_items VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7)
            ON CONFLICT DO UPDATE SET seen = seen + 1, correct = correct + ?5, box = ?6, due_at = ?7
            """,
            key + [.integer(answer.isRight ? 1 : 0), .integer(Int64(box)), .integer(due.nanoseconds)])
    }

    /// Forgets all that a player has reached.
    package func reset(_ profile: LearnerProfile, of owner: String) throws(StorageError) {
        try database.write { connection throws(DatabaseError) in
            try Self.forget(owner, profile.name, &connection)
        }
    }

    private static func forget(_ owner: String, _ profile: String, _ connection: inout Connection) throws(DatabaseError)
    {
        for table in ["learning_best", "learning_items"] {
            try connection.run(
                "DELETE FROM \(table) WHERE owner = ? AND profile = ?", [.text(owner), .text(profile)])
        }
    }

    // MARK: - Reading

    /// The best of every game that a player has played.
    package func best(_ profile: LearnerProfile, of owner: String) throws(StorageError) -> [Best] {
        try read { connection throws(DatabaseError) in
            try connection.rows(
                """
                SELECT activity, timed, rule, correct, total, seconds, accuracy, plays FROM learning_best
                WHERE owner = ? AND profile = ? ORDER BY activity, timed DESC
                """, [.text(owner), .text(profile.name)]
            ) {
                Best(
                    activity: $0.text(0), isTimed: $0.integer(1) != 0, rule: Int($0.integer(2)),
                    right: Int($0.integer(3)), of: Int($0.integer(4)), seconds: $0.real(5), accuracy: $0.real(6),
                    plays: Int($0.integer(7)))
            }
        }
    }

    /// What a player knows, what is due first.
    package func items(_ profile: LearnerProfile, of owner: String) throws(StorageError) -> [Item] {
        try read { connection throws(DatabaseError) in
            try connection.rows(
                """
                SELECT deck, item, seen, correct, box, due_at FROM learning_items
                WHERE owner = ? AND profile = ? ORDER BY due_at, deck, item
                """, [.text(owner), .text(profile.name)]
            ) {
                Item(
                    deck: $0.text(0), item: $0.text(1), seen: Int($0.integer(2)), right: Int($0.integer(3)),
                    box: Int($0.integer(4)), due: UTCInstant(nanoseconds: $0.integer(5)))
            }
        }
    }

    /// How often each game was played on each of the last thirty days; games that few played on a day are left out.
    package func days() throws(StorageError) -> [Day] {
        let since = String("\(clock.utc().advanced(bySeconds: -30 * 86_400))".prefix(10))
        return try read { connection throws(DatabaseError) in
            try connection.rows(
                """
                SELECT day, activity, count(*), sum(finished), avg(CASE WHEN place IN ((number + 1) / 2, (number + 2) / 2)
                    THEN seconds END)
                FROM (SELECT day, activity, finished, seconds,
                    row_number() OVER (PARTITION BY day, activity ORDER BY seconds) AS place,
                    count(*) OVER (PARTITION BY day, activity) AS number FROM learning_rounds WHERE day >= ?)
                GROUP BY day, activity HAVING count(*) >= \(Self.fewestPlays) ORDER BY day DESC, activity LIMIT 1000
                """, [.text(since)]
            ) {
                Day(
                    day: $0.text(0), activity: $0.text(1), plays: Int($0.integer(2)), finishes: Int($0.integer(3)),
                    medianSeconds: $0.real(4))
            }
        }
    }

    private func read<Value: Sendable>(
        _ body: (inout Connection) throws(DatabaseError) -> Value
    ) throws(StorageError) -> Value {
        do throws(DatabaseError) {
            return try database.read(body)
        } catch {
            throw .database(error)
        }
    }
}
