package import Storage

extension TripRegister {
    /// What stands for somebody whose account was removed; audits keep the number, too.
    static func removedName(_ number: Int64) -> String { "removed person \(number)" }

    /// Takes somebody whose account is removed out of all trips that ended, and notes who is out still: those keep the name until
    /// they are back.
    ///
    /// - Parameters:
    ///   - number: of the account.
    ///   - name: of the account; who typed it without signing in is meant, too.
    ///   - connection: of the transaction that removes the account.
    /// - Throws: where it cannot be written.
    package static func forget(
        _ number: Int64, _ name: String, _ connection: inout Connection
    ) throws(DatabaseError) {
        // In portions: a year of trips need not be in memory at one time.
        var last = ""
        while true {
            let some = try entries("id > ? ORDER BY id LIMIT 200", [.text(last)], &connection)
            guard let end = some.last else { return }
            last = end.id
            for entry in some where try names(entry, number, name, &connection) {
                if entry.isOut {
                    try connection.run(
                        "INSERT OR IGNORE INTO trip_removed (trip, person, name) VALUES (?, ?, ?)",
                        [.text(entry.id), .integer(number), .text(name)])
                } else {
                    try forget(number, name, in: entry, &connection)
                }
            }
        }
    }

    /// A party is back: whose accounts were removed meanwhile are forgotten.
    static func forgetRemoved(of id: String, _ connection: inout Connection) throws(DatabaseError) {
        let removed = try connection.rows("SELECT person, name FROM trip_removed WHERE trip = ?", [.text(id)]) {
            ($0.integer(0), $0.text(1))
        }
        for (number, name) in removed {
            guard let entry = try entries("id = ?", [.text(id)], &connection).first else { return }
            try forget(number, name, in: entry, &connection)
        }
        try connection.run("DELETE FROM trip_removed WHERE trip = ?", [.text(id)])
    }

    /// Whether a name of a trip is of the account: one that was linked with it, or the same name that was linked with none.
    private static func isOf(_ number: Int64, _ name: String, _ typed: String, in entry: Entry) -> Bool {
        entry.accounts[typed].map { $0 == number } ?? PartyNames.areSame(typed, name)
    }

    /// Whether a trip, or what happened to it, names the account.
    private static func names(
        _ entry: Entry, _ number: Int64, _ name: String, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        if entry.person == number || entry.accounts.values.contains(number) { return true }
        let written = entry.names + [entry.startedBy, entry.trip.contact.name, entry.endedBy ?? ""]
        if written.contains(where: { isOf(number, name, $0, in: entry) }) { return true }
        return try connection.rows("SELECT who, person FROM trip_events WHERE trip = ?", [.text(entry.id)]) { row in
            row.isNull(1) ? PartyNames.areSame(row.text(0), name) : row.integer(1) == number
        }.contains(true)
    }

    private static func forget(
        _ number: Int64, _ name: String, in entry: Entry, _ connection: inout Connection
    ) throws(DatabaseError) {
        let neutral = removedName(number)
        func kept(_ typed: String) -> String { isOf(number, name, typed, in: entry) ? neutral : typed }
        var trip = entry.trip
        let typed = Set(entry.names.filter { isOf(number, name, $0, in: entry) } + [name])
        trip.leader = kept(trip.leader)
        trip.party = trip.party.map(kept)
        var reached: Set<String> = []
        if isOf(number, name, trip.contact.name, in: entry) {
            reached = Set([trip.contact.phone, trip.contact.email].filter { !$0.isEmpty })
            trip.contact = .init(name: neutral)
        }
        let id = SQLValue.text(entry.id)
        let events = try connection.rows("SELECT number, who, person FROM trip_events WHERE trip = ?", [id]) { row in
            (
                number: row.integer(0),
                isOf: row.isNull(2) ? PartyNames.areSame(row.text(1), name) : row.integer(2) == number
            )
        }
        for event in events where event.isOf {
            try connection.run(
                "UPDATE trip_events SET who = ? WHERE number = ?", [.text(neutral), .integer(event.number)])
        }
        try connection.run(
            "UPDATE trips SET facts = ?, started_by = ?, acknowledged_by = ?, ended_by = ? WHERE id = ?",
            [
                .text(text(trip)), .text(entry.person == number ? neutral : kept(entry.startedBy)),
                SQLValue(entry.acknowledgedBy.map(kept)), SQLValue(entry.endedBy.map(kept)), id,
            ])
        try connection.run("DELETE FROM trip_people WHERE trip = ? AND person = ?", [id, .integer(number)])
        if trip != entry.trip {
            try connection.run(
                "INSERT OR IGNORE INTO trip_people (trip, name, person) VALUES (?, ?, ?)",
                [id, .text(neutral), .integer(number)])
        }
        try MessageOutbox.forget(typed.union(reached), as: neutral, about: entry.id, &connection)
    }
}

extension MessageOutbox {
    /// Takes names, and how their owners are reached, out of the messages about a trip that ended. A message about several trips has
    /// the ids of all in its key.
    static func forget(
        _ names: Set<String>, as neutral: String, about trip: String, _ connection: inout Connection
    ) throws(DatabaseError) {
        // Where trips are kept alone there are no messages.
        guard try !connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'messages'", [], { _ in true }).isEmpty
        else { return }
        // The longest first: one name may be a part of another.
        for name in names.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            try connection.run(
                """
                UPDATE messages SET subject = replace(subject, ?1, ?2), body = replace(body, ?1, ?2),
                    recipient = CASE recipient WHEN ?1 THEN ?2 ELSE recipient END,
                    failure = replace(failure, ?1, ?2)
                WHERE about = ?3 OR instr(subject_key, ?3) > 0
                """, [.text(name), .text(neutral), .text(trip)])
        }
    }
}
