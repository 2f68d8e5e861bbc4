internal import KonzaModel
internal import Storage

/// The SQL of the submissions' table.
enum SubmissionTable {
    static func put(_ submission: Submission, text: [UInt8], in connection: inout Connection) throws(DatabaseError) {
        try connection.run(
            """
            INSERT OR REPLACE INTO submissions (specimen, target, state, next_ns, changed_ns, record)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(submission.specimen.description), .text(submission.target.rawValue),
                .text(submission.state.rawValue), SQLValue(submission.nextAttemptAt?.nanoseconds),
                .integer(submission.changedAt.nanoseconds), .text(String(decoding: text, as: UTF8.self)),
            ])
    }

    static func remove(
        _ id: SpecimenID, _ target: SubmissionTarget, from connection: inout Connection
    ) throws(DatabaseError) {
        try connection.run(
            "DELETE FROM submissions WHERE specimen = ? AND target = ?",
            [.text(id.description), .text(target.rawValue)])
    }

    /// The texts of all records of one specimen.
    static func records(
        of id: SpecimenID, in connection: inout Connection
    ) throws(DatabaseError) -> [SubmissionTarget: String] {
        let rows = try connection.rows(
            "SELECT target, record FROM submissions WHERE specimen = ?", [.text(id.description)]
        ) { ($0.text(0), $0.text(1)) }
        var found: [SubmissionTarget: String] = [:]
        for row in rows { if let target = SubmissionTarget(rawValue: row.0) { found[target] = row.1 } }
        return found
    }

    private static let living = """
        submissions JOIN specimens ON specimens.id = submissions.specimen AND specimens.deleted_ns IS NULL
        """

    /// How many records of specimens that are not deleted there are in each state.
    static func counts(in connection: inout Connection) throws(DatabaseError) -> [Submission.State: Int] {
        // Counted by the index of states, less those of the few that are deleted.
        let rows = try connection.rows(
            """
            SELECT state, sum(number) FROM (
                SELECT state, count(*) AS number FROM submissions GROUP BY state
                UNION ALL
                SELECT submissions.state, -count(*) FROM specimens INDEXED BY specimens_deleted
                JOIN submissions ON submissions.specimen = specimens.id
                WHERE specimens.deleted_ns IS NOT NULL GROUP BY submissions.state)
            GROUP BY state HAVING sum(number) > 0
            """
        ) { ($0.text(0), Int($0.integer(1))) }
        var counts: [Submission.State: Int] = [:]
        for row in rows { if let state = Submission.State(rawValue: row.0) { counts[state] = row.1 } }
        return counts
    }

    /// Records of specimens that are not deleted, by their ids, newest first.
    static func list(
        states: Set<Submission.State>?, after: (SpecimenID, SubmissionTarget)?, limit: Int,
        in connection: inout Connection
    ) throws(DatabaseError) -> [String] {
        var conditions: [String] = []
        var values: [SQLValue] = []
        if let states {
            conditions.append("submissions.state IN (\(states.map { _ in "?" }.joined(separator: ", ")))")
            values += states.map(\.rawValue).sorted().map(SQLValue.text)
        }
        if let after {
            conditions.append("(submissions.specimen, submissions.target) < (?, ?)")
            values += [.text(after.0.description), .text(after.1.rawValue)]
        }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        return try connection.rows(
            """
            SELECT submissions.record FROM \(living) \(condition)
            ORDER BY submissions.specimen DESC, submissions.target DESC LIMIT ?
            """, values + [.integer(Int64(limit))]
        ) { $0.text(0) }
    }

    /// What may have to be worked on: records under way or ready, of specimens that are not deleted.
    static func waiting(
        targets: Set<SubmissionTarget>, in connection: inout Connection
    ) throws(DatabaseError) -> [RetrySchedule.Row] {
        let marks = targets.map { _ in "?" }.joined(separator: ", ")
        return try connection.rows(
            """
            SELECT submissions.specimen, submissions.target, submissions.state, next_ns, changed_ns FROM \(living)
            WHERE submissions.state IN ('sending', 'ready') AND submissions.target IN (\(marks))
            """, targets.map(\.rawValue).sorted().map(SQLValue.text)
        ) { row -> RetrySchedule.Row? in
            guard let id = SpecimenID(row.text(0)), let target = SubmissionTarget(rawValue: row.text(1)) else {
                return nil
            }
            return RetrySchedule.Row(
                key: .init(specimen: id, target: target), isSending: row.text(2) == Submission.State.sending.rawValue,
                next: row.isNull(3) ? nil : UTCInstant(nanoseconds: row.integer(3)),
                changed: UTCInstant(nanoseconds: row.integer(4)))
        }.compactMap(\.self)
    }
}
