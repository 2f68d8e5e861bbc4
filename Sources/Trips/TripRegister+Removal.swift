package import KonzaModel
package import Storage
internal import Synchronization

extension TripRegister {
    /// What stands for somebody whose account was removed; audits keep the number, too.
    package static func removedName(_ number: Int64) -> String { "removed person \(number)" }

    /// Takes somebody whose account is removed out of all trips that ended, and notes who is out still: those keep the name until
    /// they are back.
    ///
    /// - Parameters:
    ///   - number: of the account.
    ///   - name: of the account; who typed it without signing in is meant, too.
    ///   - now: when it is removed.
    ///   - connection: of the transaction that removes the account.
    /// - Throws: where it cannot be written.
    package static func forget(
        _ number: Int64, _ name: String, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        // Who is out first: messages about them keep the name, whatever else they are about.
        for entry in try entries("ended_at IS NULL", [], &connection) where try names(entry, number, name, &connection)
        {
            try connection.run(
                "INSERT OR IGNORE INTO trip_removed (trip, person, name) VALUES (?, ?, ?)",
                [.text(entry.id), .integer(number), .text(name)])
        }
        // In portions: a year of trips need not be in memory at one time.
        var last = ""
        while true {
            let some = try entries("id > ? ORDER BY id LIMIT 200", [.text(last)], &connection)
            guard let end = some.last else { return }
            last = end.id
            for entry in some where !entry.isOut {
                if try names(entry, number, name, &connection) {
                    try forget(number, name, in: entry, at: now, &connection)
                }
            }
        }
    }

    /// A party is back: whose accounts were removed meanwhile are forgotten.
    ///
    /// - Returns: whether there was anybody: then the log is to be emptied after the transaction.
    static func forgetRemoved(
        of id: String, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        let removed = try connection.rows("SELECT person, name FROM trip_removed WHERE trip = ?", [.text(id)]) {
            ($0.integer(0), $0.text(1))
        }
        for (number, name) in removed {
            guard let entry = try entries("id = ?", [.text(id)], &connection).first else { return false }
            try forget(number, name, in: entry, at: now, &connection)
        }
        try connection.run("DELETE FROM trip_removed WHERE trip = ?", [.text(id)])
        return !removed.isEmpty
    }

    /// Leaves no bytes in the database's log of who was taken out of a trip that ended. Where a reader keeps the log from being
    /// emptied the next look does it (``raise()``); nothing is lost meanwhile.
    func emptyLog() {
        guard owesEmptying.withLock({ $0 }), (try? database.emptyLog()) == true else { return }
        owesEmptying.withLock { $0 = false }
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
        if PartyNames.replacing(name, in: entry.trip.contact.name, by: "") != entry.trip.contact.name { return true }
        if written.contains(where: { isOf(number, name, $0, in: entry) }) { return true }
        return try connection.rows("SELECT who, person FROM trip_events WHERE trip = ?", [.text(entry.id)]) { row in
            row.isNull(1) ? PartyNames.areSame(row.text(0), name) : row.integer(1) == number
        }.contains(true)
    }

    private static func forget(
        _ number: Int64, _ name: String, in entry: Entry, at now: UTCInstant, _ connection: inout Connection
    ) throws(DatabaseError) {
        let neutral = removedName(number)
        func kept(_ typed: String) -> String { isOf(number, name, typed, in: entry) ? neutral : typed }
        var trip = entry.trip
        let typed = Set(entry.names.filter { isOf(number, name, $0, in: entry) } + [name])
        let isLeader = isOf(number, name, trip.leader, in: entry)
        trip.leader = kept(trip.leader)
        trip.party = trip.party.map(kept)
        var reached: Set<String> = []
        // Whom to tell of the leader, as "mother of" with the name: the party is back, nobody is told any more.
        let isNamed = PartyNames.replacing(name, in: trip.contact.name, by: neutral) != trip.contact.name
        if isLeader || isNamed || isOf(number, name, trip.contact.name, in: entry) {
            // A few digits could be a part of another number.
            reached = Set(
                [trip.contact.phone, trip.contact.email].filter { $0.contains("@") || $0.count(where: \.isNumber) >= 7 }
            )
            trip.contact = .init(name: trip.contact.name.isEmpty ? "" : neutral)
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
        try MessageOutbox.forget(
            typed.union(reached), as: neutral, number, about: entry.id, at: now, &connection)
    }
}

extension MessageOutbox {
    /// Takes names, and how their owners are reached, out of the messages about a trip that ended, but for those that are about another
    /// one, too, whose party is out with the same person. A message about several trips has the ids of all in its key. What waits for a
    /// recipient who is removed is not sent.
    static func forget(
        _ names: Set<String>, as neutral: String, _ number: Int64, about trip: String, at now: UTCInstant,
        _ connection: inout Connection
    ) throws(DatabaseError) {
        // Where trips are kept alone there are no messages.
        guard try !connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'messages'", [], { _ in true }).isEmpty
        else { return }
        let messages = try connection.rows(
            """
            SELECT id, subject, body, recipient, failure, \(mayGoOut) FROM messages WHERE (about = ?1 OR instr(subject_key, ?1) > 0)
                AND NOT EXISTS (SELECT 1 FROM trip_removed WHERE person = ?2 AND trip <> ?1 AND instr(subject_key, trip) > 0)
            """, [.text(trip), .integer(number)]
        ) { row in
            (
                id: row.text(0), subject: row.text(1), body: row.text(2), recipient: row.text(3),
                failure: row.isNull(4) ? nil : row.text(4), mayGoOut: row.integer(5) == 1
            )
        }
        // The longest first: one name may be a part of another.
        let names = names.sorted { $0.utf8.count > $1.utf8.count }
        func without(_ text: String) -> String {
            names.reduce(text) { PartyNames.replacing($1, in: $0, by: neutral) }
        }
        for message in messages {
            let isRecipient = names.contains(message.recipient)
            try connection.run(
                "UPDATE messages SET subject = ?, body = ?, recipient = ?, failure = ? WHERE id = ?",
                [
                    .text(without(message.subject)), .text(without(message.body)),
                    .text(isRecipient ? neutral : message.recipient), SQLValue(message.failure.map(without)),
                    .text(message.id),
                ])
            if isRecipient, message.mayGoOut {
                try giveUp(message.id, .withdrawn, "withdrawn: the recipient was removed", at: now, &connection)
            }
        }
    }
}
