package import KonzaModel
package import Storage

/// What was done with accounts.
package struct PeopleAuditEntry: Sendable, Equatable {
    package let number: Int64
    package let at: UTCInstant
    /// The number of who did it; 0 for the box.
    package let actor: Int64
    /// Such as `add`, `change`, `reset`, `remove`.
    package let action: String
    /// With whom.
    package let person: Int64
    /// Never a name.
    package let detail: String
    package let hash: String

    var fields: [String] { ["\(number)", "\(at.nanoseconds)", "\(actor)", action, "\(person)", detail] }
}

extension PeopleRegister {
    /// Adds a row to the audit of accounts, within a transaction.
    package static func note(
        _ action: String, _ person: Int64, _ detail: String, by actor: Int64, at now: UTCInstant,
        _ connection: inout Connection
    ) throws(DatabaseError) {
        let last = try auditEnd(&connection)
        let number = last.number + 1
        let entry = PeopleAuditEntry(
            number: number, at: now, actor: actor, action: action, person: person, detail: detail, hash: "")
        try connection.run(
            """
            INSERT INTO people_audit (number, at, actor, action, person, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(number), .integer(now.nanoseconds), .integer(actor), .text(action), .integer(person),
                .text(detail), .text(AuditChain.link(entry.fields, after: last.hash)),
            ])
    }

    /// The newest entries of the audit of accounts, the newest first.
    package func audit(limit: Int) throws(StorageError) -> [PeopleAuditEntry] {
        try read(
            "SELECT number, at, actor, action, person, detail, hash FROM people_audit ORDER BY number DESC LIMIT ?",
            [.integer(Int64(limit))], Self.entry)
    }

    /// The end of the chain, within somebody's transaction: its last entry, or what the first one follows.
    package static func auditEnd(
        _ connection: inout Connection
    ) throws(DatabaseError) -> (number: Int64, hash: String) {
        try connection.rows("SELECT number, hash FROM people_audit ORDER BY number DESC LIMIT 1") {
            ($0.integer(0), $0.text(1))
        }.first ?? (0, AuditChain.start)
    }

    /// The number of the first entry that does not follow the one before it; nil if all do.
    package func firstBrokenEntry() throws(StorageError) -> Int64? {
        try Self.firstBrokenEntry(of: database) { _, _ in }
    }

    /// The same, of a database with the register's tables.
    ///
    /// - Parameters:
    ///   - database: any that has them.
    ///   - look: told of each end that the chain had, the first one before any entry, up to the first broken entry.
    /// - Returns: nil if all follow.
    /// - Throws: where the audit cannot be read.
    package static func firstBrokenEntry(
        of database: Database, _ look: (_ number: Int64, _ hash: String) -> Void
    ) throws(StorageError) -> Int64? {
        let entries = try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    "SELECT number, at, actor, action, person, detail, hash FROM people_audit ORDER BY number", [],
                    entry)
            }
        }
        var previous = AuditChain.start
        look(0, previous)
        for (index, entry) in entries.enumerated() {
            guard entry.number == Int64(index + 1), AuditChain.link(entry.fields, after: previous) == entry.hash else {
                return entry.number
            }
            previous = entry.hash
            look(entry.number, previous)
        }
        return nil
    }

    private static func entry(_ row: borrowing Row) -> PeopleAuditEntry {
        PeopleAuditEntry(
            number: row.integer(0), at: UTCInstant(nanoseconds: row.integer(1)), actor: row.integer(2),
            action: row.text(3), person: row.integer(4), detail: row.text(5), hash: row.text(6))
    }
}
