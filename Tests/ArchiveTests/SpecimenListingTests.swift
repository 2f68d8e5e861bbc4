import KonzaModel
import KonzaTesting
import Testing

@testable import Specimens
@testable import Storage

@Suite("The index of specimens")
struct SpecimenListingTests {
    private static let words = ["gneiss", "schist", "ab", "50%", "\"old\" bridge", "müller", "knz-2026"]
    private static let states = Submission.State.allCases

    /// What a row says, to be asked without SQL.
    private struct Plain {
        var specimen: Specimen
        var states: [SubmissionTarget: Submission.State] = [:]
    }

    @Test(
        "finds by words, places and states what a look at every specimen finds, however few are rare", arguments: 1...8)
    func findsTheSame(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let database = try Database(path: ":memory:", migrations: SpecimenTable.migrations)
        var plain: [SpecimenID: Plain] = [:]
        for _ in 0..<400 { try change(&plain, database, &generator) }
        for _ in 0..<150 {
            let query = query(&generator)
            let expected = plain.values.filter { Self.matches($0, query) }.map(\.specimen)
                .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }.map(\.id)
            let cursor = query.cursor.map { cursor in expected.filter { isBelow(plain[$0]?.specimen, cursor) } }
            let rows = try database.read { connection throws(DatabaseError) in
                try SpecimenListing(query: query, cursor: query.cursor, limit: query.limit, orderedRows: 20)
                    .rows(in: &connection)
            }
            #expect(
                rows.map(\.id) == (cursor ?? expected).prefix(query.limit).map(\.description), "seed \(seed): \(query)")
        }
    }

    @Test("is brought up to date with the words and states that it has")
    func upgrade() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/konza.db"
        var generator = SeededGenerator(seed: 1)
        let specimen = specimen(&generator, words: ["gneiss"])
        do {
            let database = try Database(path: path, migrations: Array(SpecimenTable.migrations.prefix(2)))
            try database.write(
                { connection throws(DatabaseError) in
                    try connection.run(
                        "INSERT INTO specimens VALUES (?, 'k', 7, NULL, 39.1, -96.6, 1, 'under the old bridge', 'r')",
                        [.text(specimen.id.description)])
                    try connection.run(
                        "INSERT INTO submissions VALUES (?, 'sesar', 'refused', NULL, 7, 'r')",
                        [.text(specimen.id.description)])
                }, failing: { $0 })
        }
        _ = try Database(path: path, migrations: SpecimenTable.migrations)
        #expect(
            try folder.sqlite("SELECT target, state, created_ns FROM specimen_states ORDER BY target")
                == ["metpetdb|draft|7", "sesar|refused|7"])
        #expect(try folder.sqlite("SELECT rowid FROM specimen_words('dge')").count == 1)
    }

    // MARK: - A random archive

    private func change(
        _ plain: inout [SpecimenID: Plain], _ database: Database, _ generator: inout SeededGenerator
    ) throws {
        let known = plain.keys.sorted().randomElement(using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0:
            guard let known else { return }
            plain[known] = nil
            try database.write(
                { connection throws(DatabaseError) in try SpecimenTable.remove(known, from: &connection) },
                failing: { $0 })
        case 1, 2:
            guard let known, var changed = plain[known] else { return }
            let other = specimen(&generator, words: Self.words)
            changed.specimen.description = other.description
            changed.specimen.position = other.position
            if Bool.random(using: &generator) { changed.specimen.createdAt = other.createdAt }
            if Int.random(in: 0..<6, using: &generator) == 0 { changed.specimen.deletedAt = noon }
            plain[known] = changed
            try put(changed.specimen, database)
        case 3, 4, 5:
            guard let known, let target = SubmissionTarget.allCases.randomElement(using: &generator),
                let state = Self.states.randomElement(using: &generator)
            else { return }
            let isTakenBack = Int.random(in: 0..<5, using: &generator) == 0
            plain[known]?.states[target] = isTakenBack ? nil : state
            var submission = Submission(specimen: known, target: target, changedAt: noon)
            submission.state = state
            try database.write(
                { [submission] connection throws(DatabaseError) in
                    if isTakenBack {
                        try SubmissionTable.remove(known, target, from: &connection)
                    } else {
                        try SubmissionTable.put(submission, text: [], in: &connection)
                    }
                }, failing: { $0 })
        default:
            let new = specimen(&generator, words: Self.words)
            plain[new.id] = Plain(specimen: new)
            try put(new, database)
        }
    }

    private func put(_ specimen: Specimen, _ database: Database) throws {
        try database.write(
            { connection throws(DatabaseError) in
                try SpecimenTable.put(
                    StoredSpecimen(specimen, idempotency: nil), text: Array("{}".utf8), in: &connection)
            }, failing: { $0 })
    }

    private func specimen(_ generator: inout SeededGenerator, words: [String]) -> Specimen {
        let instant = noon.advanced(bySeconds: Double(Int.random(in: 0..<50, using: &generator)))
        var specimen = Specimen(
            id: Self.id(at: instant, &generator), number: "",
            rockType: "Rock", createdAt: instant)
        specimen.number = "N\(specimen.id)"
        let chosen = words.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
        specimen.description = chosen.isEmpty ? nil : chosen.joined(separator: " ").uppercased()
        if let place = Coordinate(
            latitude: Double(Int.random(in: -3...3, using: &generator)),
            longitude: Double(Int.random(in: -180...180, using: &generator))), Bool.random(using: &generator)
        {
            specimen.position = SpecimenPosition(place, accuracy: 3, source: .fix, kind: .live)
        }
        return specimen
    }

    private static func id(at instant: UTCInstant, _ generator: inout SeededGenerator) -> SpecimenID {
        SpecimenID(
            milliseconds: UInt64(instant.nanoseconds / 1_000_000), high: .random(in: 0...1023, using: &generator),
            low: .random(in: 0...UInt64.max, using: &generator))
    }

    private func query(_ generator: inout SeededGenerator) -> SpecimenQuery {
        var query = SpecimenQuery()
        query.limit = Int.random(in: 1...12, using: &generator)
        for word in Self.words where Int.random(in: 0..<8, using: &generator) == 0 {
            query.words.append(word.uppercased())
        }
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let west = Double(Int.random(in: -180...179, using: &generator))
            query.box = GeographicBox(
                west: west, south: -2, east: Double(Int.random(in: -180...180, using: &generator)), north: 1)
        }
        if let target = SubmissionTarget.allCases.randomElement(using: &generator),
            let state = Self.states.randomElement(using: &generator), Bool.random(using: &generator)
        {
            query.state = (target, state)
        }
        query.isDeleted = Int.random(in: 0..<8, using: &generator) == 0
        if Bool.random(using: &generator) {
            let instant = noon.advanced(bySeconds: Double(Int.random(in: 0..<50, using: &generator)))
            query.cursor = SpecimenCursor(
                createdNanoseconds: instant.nanoseconds,
                id: Self.id(at: instant, &generator))
        }
        return query
    }

    private static func matches(_ plain: Plain, _ query: SpecimenQuery) -> Bool {
        guard (plain.specimen.deletedAt != nil) == query.isDeleted else { return false }
        if let box = query.box {
            guard let place = plain.specimen.position?.coordinate, box.contains(place) else { return false }
        }
        if let state = query.state, (plain.states[state.target] ?? .draft) != state.state { return false }
        let text = plain.specimen.searchedWords
        return query.words.allSatisfy { text.contains($0.lowercased()) }
    }

    private func isBelow(_ specimen: Specimen?, _ cursor: SpecimenCursor) -> Bool {
        guard let specimen else { return false }
        return (specimen.createdAt.nanoseconds, specimen.id) < (cursor.createdNanoseconds, cursor.id)
    }
}
