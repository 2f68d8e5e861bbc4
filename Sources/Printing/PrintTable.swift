internal import KonzaModel
package import Storage

/// The table of wishes.
package struct PrintTable: Sendable {
    package static let migrations = [
        Migration(
            name: "prints-1",
            sql: """
                CREATE TABLE prints (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, postcard TEXT NOT NULL, copies INTEGER NOT NULL,
                    printed INTEGER NOT NULL DEFAULT 0, doubtful INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL,
                    reason TEXT NOT NULL DEFAULT '', asked_ns INTEGER NOT NULL, asked_steady_ns INTEGER NOT NULL,
                    run TEXT NOT NULL, sheet INTEGER NOT NULL DEFAULT 0, stage TEXT, job INTEGER, ending TEXT,
                    is_open INTEGER NOT NULL DEFAULT 1, key TEXT UNIQUE, request TEXT NOT NULL
                ) STRICT;
                CREATE INDEX prints_by_postcard ON prints (postcard);
                CREATE INDEX prints_open ON prints (number) WHERE is_open;
                """)
    ]

    /// Wishes that are remembered after their end: by them the copies of a card are counted.
    private static let mostEnded: Int64 = 10_000
    private static let columns = """
        id, postcard, copies, printed, doubtful, state, reason, asked_ns, asked_steady_ns, run, sheet, stage, job, ending
        """

    let database: Database

    package init(_ database: Database) { self.database = database }

    func record(_ id: String) throws(DatabaseError) -> PrintRecord? {
        try database.read { connection throws(DatabaseError) in
            try Self.records("WHERE id = ?", [.text(id)], in: &connection)
        }.first
    }

    /// The open ones: that with a sheet under way first, then the oldest.
    func open() throws(DatabaseError) -> [PrintRecord] {
        try database.read { connection throws(DatabaseError) in
            try Self.records("WHERE is_open ORDER BY stage IS NULL, number", [], in: &connection)
        }
    }

    /// The sheets that a card has, or may still have.
    func claimed(by postcard: String) throws(DatabaseError) -> Int {
        try database.read { connection throws(DatabaseError) in
            try Self.records("WHERE postcard = ?", [.text(postcard)], in: &connection)
        }.reduce(0) { $0 + $1.claimed }
    }

    /// What became of a request.
    enum Addition: Sendable {
        case taken(PrintRecord)
        /// The same request was made before.
        case known(PrintRecord)
        case refused(PrintError)
    }

    /// Takes a wish on, durably.
    ///
    /// - Parameters:
    ///   - record: the wish.
    ///   - key: of the request; nil without one.
    ///   - limit: the most copies of one card.
    ///   - mostOpen: the most open wishes.
    /// - Returns: what became of it.
    /// - Throws: if the database cannot be written.
    func add(
        _ record: PrintRecord, key: String?, limit: Int, mostOpen: Int
    ) throws(DatabaseError) -> Addition {
        let request = "\(record.postcard) \(record.copies)"
        return try database.write { connection throws(DatabaseError) in
            let known = try connection.rows(
                "SELECT id, request FROM prints WHERE key = ?", [SQLValue(key)]
            ) { ($0.text(0), $0.text(1)) }.first
            if let known {
                let before = try Self.records("WHERE id = ?", [.text(known.0)], in: &connection).first
                return if let before, known.1 == request { .known(before) } else { .refused(.keyConflict) }
            }
            let others = try Self.records("WHERE postcard = ?", [.text(record.postcard)], in: &connection)
            let left = limit - others.reduce(0) { $0 + $1.claimed }
            guard record.copies <= left else { return .refused(.copies(left: max(0, left), limit: limit)) }
            let open =
                try connection.rows("SELECT count(*) FROM prints WHERE is_open") { Int($0.integer(0)) }.first ?? 0
            guard open < mostOpen else { return .refused(.waiting(open)) }
            try connection.run(
                """
                INSERT INTO prints (id, postcard, copies, state, asked_ns, asked_steady_ns, run, key, request)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(record.id.description), .text(record.postcard), .integer(Int64(record.copies)),
                    .text(record.state.rawValue), .integer(record.askedAt.nanoseconds),
                    .integer(record.askedSteady.nanoseconds), .text(record.run), SQLValue(key), .text(request),
                ])
            try connection.run(
                "DELETE FROM prints WHERE NOT is_open AND number <= (SELECT max(number) FROM prints) - ?",
                [.integer(Self.mostEnded)])
            return .taken(record)
        } failing: {
            $0
        }
    }

    /// Changes an open wish: nothing else may have changed it since.
    ///
    /// - Returns: the wish after the change; nil if it is there no longer, or `change` left it alone.
    @discardableResult
    func change(
        _ id: RecordID<PrintRecord>, _ change: (inout PrintRecord) -> Void
    ) throws(DatabaseError) -> PrintRecord? {
        try database.write { connection throws(DatabaseError) in
            let found = try Self.records("WHERE id = ? AND is_open", [.text(id.description)], in: &connection).first
            guard let before = found else { return nil }
            var after = before
            change(&after)
            guard after != before else { return before }
            try connection.run(
                """
                UPDATE prints SET printed = ?, doubtful = ?, state = ?, reason = ?, sheet = ?, stage = ?, job = ?, ending = ?,
                    is_open = ? WHERE id = ?
                """,
                [
                    .integer(Int64(after.printed)), .integer(Int64(after.doubtful)), .text(after.state.rawValue),
                    .text(after.reason), .integer(Int64(after.sheet)), SQLValue(after.stage?.rawValue),
                    SQLValue(after.job.map(Int64.init)), SQLValue(after.ending?.rawValue),
                    .integer(after.isOpen ? 1 : 0), .text(id.description),
                ])
            return after
        } failing: {
            $0
        }
    }

    private static func records(
        _ condition: String, _ values: [SQLValue], in connection: inout Connection
    ) throws(DatabaseError) -> [PrintRecord] {
        try connection.rows("SELECT \(columns) FROM prints \(condition)", values) { row in
            RecordID<PrintRecord>(row.text(0)).map { id in
                PrintRecord(
                    id: id, postcard: row.text(1), copies: Int(row.integer(2)), printed: Int(row.integer(3)),
                    doubtful: Int(row.integer(4)), state: PrintRecord.State(rawValue: row.text(5)) ?? .unknown,
                    reason: row.text(6), askedAt: UTCInstant(nanoseconds: row.integer(7)),
                    askedSteady: MonotonicInstant(nanoseconds: row.integer(8)), run: row.text(9),
                    sheet: Int(row.integer(10)), stage: PrintRecord.Stage(rawValue: row.text(11)),
                    job: row.isNull(12) ? nil : Int(row.integer(12)), ending: PrintRecord.State(rawValue: row.text(13)))
            }
        }.compactMap(\.self)
    }
}
