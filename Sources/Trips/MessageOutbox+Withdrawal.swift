internal import KonzaModel
package import Storage

extension MessageOutbox {
    /// Takes back what was written of trips by a clock that was ahead, within the transaction that withdraws the alarms. What nobody
    /// can have got is given up; whoever has, or will have, one that names such a trip gets a message more.
    ///
    /// - Parameters:
    ///   - withdrawn: the alarms.
    ///   - words: makes that message.
    ///   - connection: of the transaction.
    /// - Throws: where it cannot be written.
    package func retract(
        _ withdrawn: [TripRegister.Withdrawn], by words: OverdueMessages, _ connection: inout Connection
    ) throws(DatabaseError) {
        guard !withdrawn.isEmpty else { return }
        let now = clock.utc()
        let wrong = try written(
            "written_at > ? AND way IN ('mail', 'webhook') ORDER BY written_at, id LIMIT \(Self.mostWaiting + Self.mostKept)",
            [.integer(now.advanced(bySeconds: TripRegister.tolerance).nanoseconds)], &connection)
        for message in wrong {
            let named = withdrawn.filter { message.trips.contains($0.id) }
            guard !named.isEmpty else { continue }
            let isWhole = named.count == message.trips.count
            if message.mayGoOut, isWhole {
                try Self.giveUp(
                    message.id, .withdrawn, "withdrawn: the station's clock was ahead when it was written", at: now,
                    &connection)
                if message.attempts == 0 { continue }
            }
            let draft = words.correction(
                named, to: message.recipient, by: message.way, now: now)
            try write([draft], &connection)
        }
    }

    /// Tells that an overdue party is back, within the transaction that ends its trip: what nobody can have got and is about nobody else
    /// who is out is given up, and whoever has, or may have, a message that names the party gets one more.
    ///
    /// - Parameters:
    ///   - entry: the trip, as it was while the party was out.
    ///   - words: makes that message.
    ///   - connection: of the transaction.
    /// - Throws: where it cannot be written.
    package func welcome(
        _ entry: TripRegister.Entry, by words: OverdueMessages, _ connection: inout Connection
    ) throws(DatabaseError) {
        let now = clock.utc()
        let alarms = try written(
            """
            instr(subject_key, ?) > 0 AND subject_key NOT LIKE 'withdrawn %' AND ending IS NOT 'withdrawn'
            ORDER BY written_at, id
            """, [.text(entry.id)], &connection)
        let out = Set(
            try connection.rows("SELECT id FROM trips WHERE ended_at IS NULL LIMIT 10000") { $0.text(0) })
        var told: Set<String> = []
        for alarm in alarms where alarm.trips.contains(entry.id) {
            if alarm.mayGoOut, alarm.trips.isDisjoint(with: out) {
                try Self.giveUp(alarm.id, .withdrawn, "withdrawn: the party is back", at: now, &connection)
                if alarm.attempts == 0 { continue }
            }
            guard told.insert("\(alarm.way.rawValue) \(alarm.recipient)").inserted else { continue }
            try write([words.back(entry, to: alarm.recipient, by: alarm.way, now: now)], &connection)
        }
    }

    /// A message with the trips that it is about.
    private struct Written {
        let id: String
        let way: Way
        let recipient: String
        let trips: Set<String>
        let mayGoOut: Bool
        let attempts: Int64
    }

    private func written(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [Written] {
        try connection.rows(
            "SELECT id, way, recipient, subject_key, \(Self.mayGoOut), attempts FROM messages WHERE \(condition)",
            values
        ) { row in
            Written(
                id: row.text(0), way: Way(rawValue: row.text(1)) ?? .mail, recipient: row.text(2),
                trips: OverdueMessages.trips(ofKey: row.text(3)), mayGoOut: row.integer(4) == 1,
                attempts: row.integer(5))
        }
    }
}
