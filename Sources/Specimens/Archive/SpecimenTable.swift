internal import KonzaModel
internal import Storage

/// The SQL of the specimens' table.
enum SpecimenTable {
    static func put(
        _ stored: StoredSpecimen, text: [UInt8], in connection: inout Connection
    ) throws(DatabaseError) {
        let specimen = stored.specimen
        let place = specimen.position?.coordinate
        let words = specimen.searchedWords
        let isReworded = try indexedWords(of: specimen.id, in: &connection) != words
        if isReworded { try forgetWords(of: specimen.id, in: &connection) }
        // No REPLACE: it would delete the row first, and its submissions with it.
        try connection.run(
            """
            INSERT INTO specimens
                (id, number_key, created_ns, deleted_ns, latitude, longitude, stored_bytes, words, record)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET number_key = excluded.number_key, created_ns = excluded.created_ns,
                deleted_ns = excluded.deleted_ns, latitude = excluded.latitude, longitude = excluded.longitude,
                stored_bytes = excluded.stored_bytes, words = excluded.words, record = excluded.record
            """,
            [
                .text(specimen.id.description), .text(SpecimenNumber.key(specimen.number)),
                .integer(specimen.createdAt.nanoseconds), SQLValue(specimen.deletedAt?.nanoseconds),
                SQLValue(place?.latitude), SQLValue(place?.longitude),
                .integer(specimen.photographs.reduce(Int64(text.count)) { $0.addingClamped(Int64($1.byteCount)) }),
                .text(words), .text(String(decoding: text, as: UTF8.self)),
            ])
        guard isReworded else { return }
        try connection.run(
            "INSERT INTO specimen_words (rowid, words) SELECT rowid, words FROM specimens WHERE id = ?",
            [.text(specimen.id.description)])
    }

    private static func indexedWords(
        of id: SpecimenID, in connection: inout Connection
    ) throws(DatabaseError) -> String? {
        try connection.rows("SELECT words FROM specimens WHERE id = ?", [.text(id.description)]) { $0.text(0) }.first
    }

    /// Takes a specimen's words out of their index, which must be asked with the very words that it was given.
    private static func forgetWords(of id: SpecimenID, in connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            INSERT INTO specimen_words (specimen_words, rowid, words)
            SELECT 'delete', rowid, words FROM specimens WHERE id = ?
            """, [.text(id.description)])
    }

    static func record(_ id: SpecimenID, in connection: inout Connection) throws(DatabaseError) -> String? {
        try connection.rows("SELECT record FROM specimens WHERE id = ?", [.text(id.description)]) { $0.text(0) }.first
    }

    static func remove(_ id: SpecimenID, from connection: inout Connection) throws(DatabaseError) {
        try forgetWords(of: id, in: &connection)
        try connection.run("DELETE FROM specimens WHERE id = ?", [.text(id.description)])
    }

    /// The specimen that has a number, tombstones included.
    static func holder(
        of number: String, in connection: inout Connection
    ) throws(DatabaseError) -> (id: SpecimenID, isDeleted: Bool)? {
        try connection.rows(
            "SELECT id, deleted_ns FROM specimens WHERE number_key = ? LIMIT 1",
            [.text(SpecimenNumber.key(number))]
        ) { row in
            SpecimenID(row.text(0)).map { (id: $0, isDeleted: !row.isNull(1)) }
        }.compactMap(\.self).first
    }

    /// The records with ids from one on and below another, each nil for no bound.
    static func records(
        from first: SpecimenID?, below end: SpecimenID?, in connection: inout Connection
    ) throws(DatabaseError) -> [SpecimenID: String] {
        let rows = try connection.rows(
            "SELECT id, record FROM specimens WHERE id >= ? AND id < ?",
            [.text(first?.description ?? ""), .text(end?.description ?? "~")]
        ) { row in SpecimenID(row.text(0)).map { ($0, row.text(1)) } }
        return Dictionary(rows.compactMap(\.self)) { $1 }
    }

    /// The tombstones from before an instant, oldest first.
    static func deleted(
        before instant: UTCInstant, limit: Int, in connection: inout Connection
    ) throws(DatabaseError) -> [SpecimenID] {
        try connection.rows(
            "SELECT id FROM specimens WHERE deleted_ns <= ? ORDER BY deleted_ns LIMIT ?",
            [.integer(instant.nanoseconds), .integer(Int64(limit))]
        ) { SpecimenID($0.text(0)) }.compactMap(\.self)
    }

    static func usage(in connection: inout Connection) throws(DatabaseError) -> SpecimenUsage {
        var usage =
            try connection.rows(
                """
                SELECT coalesce(sum(count) FILTER (WHERE deleted = 0), 0),
                    coalesce(sum(count) FILTER (WHERE deleted = 1), 0), coalesce(sum(bytes), 0)
                FROM specimen_totals
                """
            ) { row in
                SpecimenUsage(
                    count: Int(row.integer(0)), deletedCount: Int(row.integer(1)), storedBytes: row.integer(2))
            }.first ?? SpecimenUsage()
        usage.outbox = try SubmissionTable.counts(in: &connection)
        return usage
    }

    /// What one specimen adds to the usage.
    static func usage(of id: SpecimenID, in connection: inout Connection) throws(DatabaseError) -> SpecimenUsage {
        let rows = try connection.rows(
            "SELECT deleted_ns IS NOT NULL, stored_bytes FROM specimens WHERE id = ?", [.text(id.description)]
        ) { (isDeleted: $0.integer(0) == 1, bytes: $0.integer(1)) }
        guard let row = rows.first else { return SpecimenUsage() }
        var usage = SpecimenUsage(
            count: row.isDeleted ? 0 : 1, deletedCount: row.isDeleted ? 1 : 0, storedBytes: row.bytes)
        guard !row.isDeleted else { return usage }
        let states = try connection.rows("SELECT state FROM submissions WHERE specimen = ?", [.text(id.description)]) {
            $0.text(0)
        }
        for state in states.compactMap(Submission.State.init(rawValue:)) { usage.outbox[state, default: 0] += 1 }
        return usage
    }
}

extension Specimen {
    /// What a search by text looks into, in lower case, a line each.
    var searchedWords: String {
        let single: [String?] = [
            number, rockType, collector, description, country, presentLocation, igsn, fieldNotes,
            collectionDate?.description,
        ]
        let lists = minerals.map(\.name) + metamorphicGrades + metamorphicRegions + regions + references
        let more = measurements.flatMap { [$0.feature, $0.note] } + photographs.map(\.description)
        return (single.compactMap(\.self) + lists + more.compactMap(\.self)).joined(separator: "\n").lowercased()
    }
}
