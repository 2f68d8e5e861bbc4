internal import FoundationEssentials
public import KonzaModel
internal import KonzaSystem
public import Storage
internal import Synchronization

/// An answer that was kept, and how old it is.
public struct Kept<Value: Sendable>: Sendable {
    public let value: Value
    /// When the server gave it.
    public let at: UTCInstant

    public init(_ value: Value, at: UTCInstant) {
        self.value = value
        self.at = at
    }

    /// Seconds since then; 0 where the clock was set back.
    public func age(at now: UTCInstant) -> Double { max(0, now.seconds(since: at)) }
}

/// What was found among the kept samples, for a question that the server has not answered.
public struct LocalSamples: Sendable, Equatable {
    /// The nearest first where a circle was asked for.
    public var samples: [FoundSample]
    /// How many there are in the cache; what the server has beyond them is not known.
    public var total: Int
    /// When the oldest and the newest of the samples were fetched; nil without any.
    public var oldest: UTCInstant?
    public var newest: UTCInstant?
}

/// Samples of MetPetDB that were fetched once, for when there is no network: a SQLite file of its own, bounded, and
/// worth nothing that cannot be fetched again. A damaged file, one of a newer program, and one with answers of another
/// server or account are emptied.
public final class SampleCache: Sendable {
    public struct Limits: Sendable {
        /// Samples; the longest unseen go first.
        public var samples = 20_000
        /// Answers to questions, and the bytes of all of them; the oldest go first.
        public var answers = 500
        public var answerBytes = 32 << 20
        /// Pictures, and the bytes of all of them; the longest unused go first.
        public var pictures = 10_000
        public var pictureBytes = 128 << 20

        public init() {}
    }

    static let fileName = "samples.db"
    let database: Database
    let limits: Limits
    /// Where the pictures' files are.
    let pictureFolder: String
    /// Held while files and their rows change together.
    let pictureChange = Mutex(())

    /// Opens the cache, and makes it where it is not there.
    ///
    /// - Parameters:
    ///   - folder: where its file is; made if it is not there.
    ///   - origin: the server and the account whose answers these are.
    ///   - limits: what it may hold.
    /// - Throws: `DatabaseError` if no file can be made in the folder.
    public init(folder: String, origin: String, limits: Limits = Limits()) throws(DatabaseError) {
        self.limits = limits
        pictureFolder = "\(folder)/pictures"
        do {
            try makeFolders(pictureFolder)
        } catch {
            throw DatabaseError(code: 14, action: "make the folder \(pictureFolder)", words: error.description)
        }
        database = try Self.open("\(folder)/\(Self.fileName)")
        try database.write(
            { connection throws(DatabaseError) in
                let known = try connection.rows("SELECT origin FROM source") { $0.text(0) }
                guard known != [origin] else { return }
                for table in ["samples", "answers", "pictures", "source"] { try connection.run("DELETE FROM \(table)") }
                try connection.run("INSERT INTO source (origin) VALUES (?)", [.text(origin)])
            }, failing: \.self)
        try sweepPictures()
    }

    private static func open(_ path: String) throws(DatabaseError) -> Database {
        for isLast in [false, true] {
            do throws(Database.OpeningError) {
                return try Database(path: path, migrations: schema)
            } catch {
                switch error {
                case .failed(let error): throw error
                case .corrupt, .newer:
                    guard !isLast else { break }
                    for suffix in DatabaseFiles.suffixes { try? SystemFileOperations().remove(path + suffix) }
                }
            }
        }
        throw DatabaseError(code: 11, action: "make \(path) anew", words: "it stays damaged")
    }

    private static let schema = [
        Migration(
            name: "2026-11 samples",
            sql: """
                CREATE TABLE source (origin TEXT NOT NULL) STRICT;
                CREATE TABLE samples (
                    id TEXT PRIMARY KEY NOT NULL,
                    latitude REAL,
                    longitude REAL,
                    fetched_ns INTEGER NOT NULL,
                    record TEXT NOT NULL
                ) STRICT;
                CREATE INDEX samples_place ON samples (latitude, longitude);
                CREATE INDEX samples_oldest ON samples (fetched_ns);
                CREATE TABLE answers (
                    key TEXT PRIMARY KEY NOT NULL,
                    fetched_ns INTEGER NOT NULL,
                    bytes INTEGER NOT NULL,
                    record TEXT NOT NULL
                ) STRICT;
                CREATE INDEX answers_oldest ON answers (fetched_ns);
                """),
        Migration(
            name: "2026-11 pictures",
            sql: """
                -- Each is a file beside this one; used counts on, the last used has the largest.
                CREATE TABLE pictures (
                    image TEXT NOT NULL,
                    size TEXT NOT NULL,
                    type TEXT NOT NULL,
                    bytes INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    PRIMARY KEY (image, size)
                ) STRICT;
                CREATE INDEX pictures_oldest ON pictures (used);
                """),
    ]

    // MARK: - Answers

    /// Keeps what a search found, and each of the samples for other questions.
    public func keep(_ answer: SampleAnswer, to query: SampleQuery, at instant: UTCInstant) throws(DatabaseError) {
        try write(answer, Self.key("search", query), instant, samples: answer.samples)
    }

    /// What the server answered to this very question.
    ///
    /// - Returns: nil if it was never asked, or the answer had to go.
    public func answer(to query: SampleQuery) throws(DatabaseError) -> Kept<SampleAnswer>? {
        try read(Self.key("search", query))
    }

    public func keep(_ summary: SampleSummary, of query: SampleQuery, at instant: UTCInstant) throws(DatabaseError) {
        try write(summary, Self.key("summary", query), instant)
    }

    public func summary(of query: SampleQuery) throws(DatabaseError) -> Kept<SampleSummary>? {
        try read(Self.key("summary", query))
    }

    public func keep(_ details: SampleDetails, at instant: UTCInstant) throws(DatabaseError) {
        try write(details, "sample \(details.sample.id)", instant, samples: [details.sample])
    }

    /// One sample with all that was fetched of it; one that is only known from lists has no more than those.
    public func details(_ id: String) throws(DatabaseError) -> Kept<SampleDetails>? {
        if let kept = try wholeDetails(id) { return kept }
        let rows = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT record, fetched_ns FROM samples WHERE id = ?", [.text(id)]) {
                ($0.text(0), $0.integer(1))
            }
        }
        guard let row = rows.first, let sample = Self.decode(FoundSample.self, row.0) else { return nil }
        return Kept(SampleDetails(sample), at: UTCInstant(nanoseconds: row.1))
    }

    /// One sample with all that was fetched of it.
    ///
    /// - Returns: nil for one that is only known from lists, too.
    public func wholeDetails(_ id: String) throws(DatabaseError) -> Kept<SampleDetails>? { try read("sample \(id)") }

    public func keep(regions: [String], at instant: UTCInstant) throws(DatabaseError) {
        try write(regions, "regions", instant)
    }

    public func regions() throws(DatabaseError) -> Kept<[String]>? { try read("regions") }

    /// The regions of the samples that are kept, of those that everyone may see or of all, in the order of an index.
    ///
    /// - Returns: nil if no sample is kept; else the names, and when the oldest of the samples was fetched.
    public func knownRegions(publicOnly: Bool) throws(DatabaseError) -> Kept<[String]>? {
        let found = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT record, fetched_ns FROM samples") { row -> (names: [String], at: Int64)? in
                guard let sample = Self.decode(FoundSample.self, row.text(0)), sample.isPublic || !publicOnly else {
                    return nil
                }
                return (sample.regions + sample.metamorphicRegions, row.integer(1))
            }
        }.compactMap(\.self)
        guard let oldest = found.map(\.at).min() else { return nil }
        let names = Set(found.flatMap(\.names)).map { (key: $0.lowercased(), name: $0) }
        return Kept(
            names.sorted { ($0.key, $0.name) < ($1.key, $1.name) }.map(\.name), at: UTCInstant(nanoseconds: oldest))
    }

    private func read<Value: Decodable & Sendable>(_ key: String) throws(DatabaseError) -> Kept<Value>? {
        let rows = try database.read { connection throws(DatabaseError) in
            try connection.rows("SELECT record, fetched_ns FROM answers WHERE key = ?", [.text(key)]) {
                ($0.text(0), $0.integer(1))
            }
        }
        return rows.first.flatMap { row in
            Self.decode(Value.self, row.0).map { Kept($0, at: UTCInstant(nanoseconds: row.1)) }
        }
    }

    /// An answer that is larger than all answers together may be is not kept; its samples are.
    private func write(
        _ value: some Encodable, _ key: String, _ instant: UTCInstant, samples: [FoundSample] = []
    ) throws(DatabaseError) {
        let record = Self.encode(value)
        let limits = self.limits
        try database.write(
            { connection throws(DatabaseError) in
                for sample in samples.prefix(limits.samples) { try Self.insert(sample, instant, &connection) }
                if record.utf8.count <= limits.answerBytes {
                    try connection.run(
                        "INSERT OR REPLACE INTO answers (key, fetched_ns, bytes, record) VALUES (?, ?, ?, ?)",
                        [.text(key), .integer(instant.nanoseconds), .integer(Int64(record.utf8.count)), .text(record)])
                }
                try Self.prune(limits, &connection)
            }, failing: \.self)
    }

    private static func insert(
        _ sample: FoundSample, _ instant: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "INSERT OR REPLACE INTO samples (id, latitude, longitude, fetched_ns, record) VALUES (?, ?, ?, ?, ?)",
            [
                .text(sample.id), SQLValue(sample.place?.latitude), SQLValue(sample.place?.longitude),
                .integer(instant.nanoseconds), .text(encode(sample)),
            ])
    }

    /// Those that were written last stay: rows are numbered as they are written, whatever the clock says.
    private static func prune(_ limits: Limits, _ connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            DELETE FROM samples WHERE rowid IN
                (SELECT rowid FROM samples ORDER BY rowid DESC LIMIT -1 OFFSET ?)
            """, [.integer(Int64(limits.samples))])
        try connection.run(
            """
            DELETE FROM answers WHERE rowid IN (
                SELECT rowid FROM (
                    SELECT rowid, row_number() OVER newest AS place, sum(bytes) OVER newest AS together
                    FROM answers WINDOW newest AS (ORDER BY rowid DESC))
                WHERE place > ? OR together > ?)
            """, [.integer(Int64(limits.answers)), .integer(Int64(limits.answerBytes))])
    }

    // MARK: - Texts

    private static func key(_ kind: String, _ query: SampleQuery) -> String { "\(kind) \(encode(query.canonical))" }

    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Doubles in these values are finite: a place is a `Coordinate`.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
