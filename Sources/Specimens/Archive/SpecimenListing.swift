internal import KonzaModel
internal import Storage

/// The SQL of a page of the list of specimens, newest first, which looks at few rows however many there are.
struct SpecimenListing {
    /// Among so many of the newest specimens a box is sought by their order, in one index; what they do not fill is
    /// sought by the index of places. What is found in fewer of them than make a page is rare enough to be sorted.
    static let orderedRows: Int64 = 2000
    /// The same for words, for which every one of them is looked at.
    static let orderedRecords: Int64 = 500
    /// A word of fewer characters has no trigram, and is sought in every specimen.
    private static let trigram = 3

    let query: SpecimenQuery
    let cursor: SpecimenCursor?
    let limit: Int
    var orderedRows: Int64?

    typealias Found = (createdNanoseconds: Int64, id: String, record: String)

    func rows(in connection: inout Connection) throws(DatabaseError) -> [Found] {
        var order = Filter()
        order.add("specimens.deleted_ns IS \(query.isDeleted ? "NOT NULL" : "NULL")")
        if let cursor {
            order.add(
                "(specimens.created_ns, specimens.id) < (?, ?)", .integer(cursor.createdNanoseconds),
                .text(cursor.id.description))
        }
        guard !query.isDeleted else {
            return try rows("specimens INDEXED BY specimens_deleted", whole(order), &connection)
        }
        guard let source = rareSource else {
            guard let state = query.state else { return try rows(Self.newest, whole(order), &connection) }
            return try rows(ofState: state, &connection)
        }
        // The specimen up to which the order is followed.
        let last = try connection.rows(
            """
            SELECT created_ns, id FROM specimens INDEXED BY specimens_listed WHERE \(order.text)
            ORDER BY created_ns DESC, id DESC LIMIT 1 OFFSET ?
            """,
            order.values + [.integer(orderedRows ?? (source.match == nil ? Self.orderedRows : Self.orderedRecords))]
        ) { (createdNanoseconds: $0.integer(0), id: $0.text(1)) }.first
        guard let last else { return try rows(Self.newest, whole(order), &connection) }
        var bounded = order
        // Many may have been made at the same instant, as by an import.
        bounded.add("(specimens.created_ns, specimens.id) >= (?, ?)", .integer(last.createdNanoseconds), .text(last.id))
        let found = try rows(Self.newest, whole(bounded), &connection)
        guard found.count < limit else { return found }
        var rare = whole(order)
        if let match = source.match { rare.add("specimen_words MATCH ?", .text(match)) }
        // The ids first: a sorter that carried the records would read each of them.
        return try connection.rows(
            """
            SELECT created_ns, id, record FROM specimens WHERE id IN (
                SELECT specimens.id FROM \(source.tables) WHERE \(rare.text)
                ORDER BY specimens.created_ns DESC, specimens.id DESC LIMIT ?)
            ORDER BY created_ns DESC, id DESC
            """, rare.values + [.integer(Int64(limit))]
        ) { (createdNanoseconds: $0.integer(0), id: $0.text(1), record: $0.text(2)) }
    }

    private static let newest = "specimens INDEXED BY specimens_listed"

    private struct Filter {
        var text = "true"
        var values: [SQLValue] = []

        mutating func add(_ condition: String, _ more: SQLValue...) {
            text += " AND \(condition)"
            values += more
        }
    }

    /// The tables that lead to what is rare, and what the index of words is asked for: nil if nothing is sought that an
    /// index knows.
    private var rareSource: (tables: String, match: String?)? {
        let trigrams = query.words.flatMap(Self.trigrams)
        if !trigrams.isEmpty {
            // CROSS JOIN keeps the order of the tables.
            return (
                "specimen_words CROSS JOIN specimens ON specimens.rowid = specimen_words.rowid",
                trigrams.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " AND ")
            )
        }
        return query.box == nil && query.circle == nil ? nil : ("specimens INDEXED BY specimens_places", nil)
    }

    /// The runs of three characters in a word, as the tokenizer `trigram` of SQLite's FTS5 makes them.
    private static func trigrams(of word: String) -> [String] {
        let characters = Array(word.lowercased().unicodeScalars)
        guard characters.count >= trigram else { return [] }
        let runs = (0...characters.count - trigram).map { start in
            var run = String.UnicodeScalarView()
            run.append(contentsOf: characters[start..<start + trigram])
            return String(run)
        }
        return Set(runs).sorted()
    }

    /// All that is asked for, with a part of the order.
    private func whole(_ order: Filter) -> Filter {
        var filter = order
        for box in [query.box, query.circle.map(\.box)].compactMap(\.self) {
            filter.add("latitude BETWEEN ? AND ?", .real(box.south), .real(box.north))
            filter.add(
                box.crossesAntimeridian ? "(longitude >= ? OR longitude <= ?)" : "longitude BETWEEN ? AND ?",
                .real(box.west), .real(box.east))
        }
        if let state = query.state {
            filter.add(
                "(SELECT state FROM specimen_states WHERE target = ? AND id = specimens.id) = ?",
                .text(state.target.rawValue), .text(state.state.rawValue))
        }
        for word in query.words { filter.add("instr(specimens.words, ?) > 0", .text(word.lowercased())) }
        return filter
    }

    private func rows(
        _ tables: String, _ filter: Filter, _ connection: inout Connection
    ) throws(DatabaseError) -> [Found] {
        try connection.rows(
            """
            SELECT specimens.created_ns, specimens.id, specimens.record FROM \(tables) WHERE \(filter.text)
            ORDER BY specimens.created_ns DESC, specimens.id DESC LIMIT ?
            """, filter.values + [.integer(Int64(limit))]
        ) { (createdNanoseconds: $0.integer(0), id: $0.text(1), record: $0.text(2)) }
    }

    /// Specimens in a state of their submission, in the order of an index.
    private func rows(
        ofState state: (target: SubmissionTarget, state: Submission.State), _ connection: inout Connection
    ) throws(DatabaseError) -> [Found] {
        var filter = Filter()
        filter.add("states.target = ? AND states.state = ?", .text(state.target.rawValue), .text(state.state.rawValue))
        if let cursor {
            filter.add(
                "(states.created_ns, states.id) < (?, ?)", .integer(cursor.createdNanoseconds),
                .text(cursor.id.description))
        }
        for word in query.words { filter.add("instr(specimens.words, ?) > 0", .text(word.lowercased())) }
        return try connection.rows(
            """
            SELECT states.created_ns, states.id, specimens.record
            FROM specimen_states AS states INDEXED BY specimen_states_newest
            CROSS JOIN specimens ON specimens.id = states.id AND specimens.deleted_ns IS NULL
            WHERE \(filter.text) ORDER BY states.created_ns DESC, states.id DESC LIMIT ?
            """, filter.values + [.integer(Int64(limit))]
        ) { (createdNanoseconds: $0.integer(0), id: $0.text(1), record: $0.text(2)) }
    }
}
