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
        let wrong = try connection.rows(
            """
            SELECT id, way, recipient, subject_key, sent_at IS NULL AND given_up_at IS NULL, attempts FROM messages
            WHERE written_at > ? AND way IN ('mail', 'webhook') ORDER BY written_at, id LIMIT \(Self.mostWaiting + Self.mostKept)
            """, [.integer(now.advanced(bySeconds: TripRegister.tolerance).nanoseconds)]
        ) { row in
            (
                id: row.text(0), way: Way(rawValue: row.text(1)) ?? .mail, recipient: row.text(2), key: row.text(3),
                waits: row.integer(4) == 1, attempts: row.integer(5)
            )
        }
        for message in wrong {
            let trips = OverdueMessages.trips(ofKey: message.key)
            let named = withdrawn.filter { trips.contains($0.id) }
            guard !named.isEmpty else { continue }
            let isWhole = named.count == trips.count
            if message.waits, isWhole {
                try connection.run(
                    "UPDATE messages SET given_up_at = ?, lease = NULL, leased_until = NULL, failure = ? WHERE id = ?",
                    [
                        .integer(now.nanoseconds),
                        .text("withdrawn: the station's clock was ahead when it was written"), .text(message.id),
                    ])
                if message.attempts == 0 { continue }
            }
            let draft = words.correction(
                of: message.id, named, to: message.recipient, by: message.way, now: now)
            try write([draft], &connection)
        }
    }
}
