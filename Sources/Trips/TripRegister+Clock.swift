public import KonzaModel
public import Storage

extension TripRegister {
    /// An alarm that was taken back, because the clock was ahead when it was raised.
    public struct Withdrawn: Sendable, Equatable {
        public let id: String
        public let trip: Trip
        /// What was raised.
        public let step: Overdue
        /// When, by the clock of then.
        public let raisedAt: UTCInstant
    }

    /// Seconds that time services set a clock back without anybody being wrong.
    static let tolerance = 60.0

    /// Whether the clock says less than it said when something of the trips was written down in another run of the machine, and
    /// nobody confirms it: it may be behind now, or may have been ahead. Within one run it was set by somebody, who knew the time.
    package func isClockBehind() throws(StorageError) -> Bool {
        guard isSynchronized() != true else { return false }
        let later = clock.utc().advanced(bySeconds: Self.tolerance)
        return try read { connection throws(DatabaseError) in
            try !connection.rows(
                "SELECT 1 FROM trip_events WHERE at > ? AND boot <> ? LIMIT 1",
                [.integer(later.nanoseconds), .text(boot)]
            ) { _ in true }.isEmpty
        }
    }

    /// Gives the parties that signed out in this run of the machine while its clock was not set the times that the steady clock says, now
    /// that it is: what they said was hours from then.
    ///
    /// - Returns: the ids of their trips.
    /// - Throws: if it cannot be written; then nothing has changed, and the next look does it.
    @discardableResult
    public func date() throws(StorageError) -> [String] {
        guard isBelieved, !boot.isEmpty else { return [] }
        let clocks = clock.reading()
        func undated(_ connection: inout Connection) throws(DatabaseError) -> [(id: String, steady: Int64)] {
            try connection.rows(
                """
                SELECT trip, steady FROM trip_events WHERE kind = 'started' AND boot = ?1 AND steady IS NOT NULL AND trip IN (
                    SELECT id FROM trips WHERE ended_at IS NULL AND started_at < ?2 AND expected_at < ?2
                    ORDER BY expected_at LIMIT \(Self.mostOut))
                """, [.text(boot), .integer(UTCInstant.believedFrom.nanoseconds)]
            ) { ($0.text(0), $0.integer(1)) }
        }
        guard try !read({ connection throws(DatabaseError) in try undated(&connection) }).isEmpty else { return [] }
        return try database.write(storing: { connection throws(DatabaseError) in
            let undated = try undated(&connection)
            for one in undated {
                guard let entry = try Self.entries("id = ?", [.text(one.id)], &connection).first else { continue }
                let started = clocks.utc(at: MonotonicInstant(nanoseconds: one.steady))
                var trip = entry.trip
                trip.expectedAt = started.advanced(bySeconds: trip.expectedAt.seconds(since: entry.startedAt))
                try connection.run(
                    """
                    UPDATE trips SET facts = ?, expected_at = ?, started_at = ?, raised = 0, raised_at = NULL,
                        acknowledged_at = NULL, acknowledged_by = NULL WHERE id = ?
                    """,
                    [
                        .text(Self.text(trip)), .integer(trip.expectedAt.nanoseconds), .integer(started.nanoseconds),
                        .text(one.id),
                    ])
                try note(
                    "dated", of: one.id, by: "station", at: clocks.utc,
                    detail: "\(trip.expectedAt.rfc3339): the clock was not set when the party signed out", &connection)
            }
            return undated.map(\.id)
        })
    }

    /// Takes back what was raised only because the clock was ahead: it says less now, and was set within this run of the machine or
    /// is confirmed by a time server or a receiver. What the trip has reached by the clock of now is raised by the next look, with a
    /// message of its own.
    ///
    /// A clock that says less after a start, and that nobody confirms, takes nothing back: it may have lost the time.
    ///
    /// - Returns: what was taken back, which is among the events of the trip.
    /// - Throws: if it cannot be written; nothing is taken back then.
    @discardableResult
    public func withdraw() throws(StorageError) -> [Withdrawn] {
        guard isBelieved else { return [] }
        let now = clock.utc()
        let isSynchronized = isSynchronized() == true
        func ahead(_ connection: inout Connection) throws(DatabaseError) -> [Withdrawn] {
            try Self.entries(
                """
                ended_at IS NULL AND raised > 0 AND raised_at > ?1 AND (?2 OR ?3 = (
                    SELECT boot FROM trip_events WHERE trip = trips.id AND kind = 'raised' ORDER BY number DESC LIMIT 1))
                ORDER BY expected_at, id LIMIT \(Self.mostOut)
                """,
                [
                    .integer(now.advanced(bySeconds: Self.tolerance).nanoseconds), .integer(isSynchronized ? 1 : 0),
                    .text(boot),
                ], &connection
            ).compactMap { entry in
                guard let raisedAt = entry.raisedAt,
                    steps.state(secondsLate: now.seconds(since: entry.trip.expectedAt)) < entry.overdue
                else { return nil }
                return Withdrawn(id: entry.id, trip: entry.trip, step: entry.overdue, raisedAt: raisedAt)
            }
        }
        guard try !read({ connection throws(DatabaseError) in try ahead(&connection) }).isEmpty else { return [] }
        return try database.write(storing: { connection throws(DatabaseError) in
            let withdrawn = try ahead(&connection)
            for one in withdrawn {
                try connection.run(
                    """
                    UPDATE trips SET raised = 0, raised_at = NULL, acknowledged_at = NULL, acknowledged_by = NULL WHERE id = ?
                    """, [.text(one.id)])
                try note(
                    "withdrawn", of: one.id, by: "station", at: now,
                    detail: "\(one.step.name): the clock was ahead when it was raised, at \(one.raisedAt.rfc3339)",
                    &connection)
            }
            try retract(withdrawn, &connection)
            return withdrawn
        })
    }
}
