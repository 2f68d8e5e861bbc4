package import KonzaModel
package import People
package import Storage

/// A leave, in which nobody is missed.
package struct Leave: Sendable, Equatable {
    package let number: Int64
    package let person: Int64
    package let first: CalendarDate
    package let last: CalendarDate
    package let reason: String
    package let at: UTCInstant
    package let actor: Int64
}

/// One person's line of a day.
package struct RosterLine: Sendable {
    package let person: Person
    package var state: MusterState
    /// When the person mustered.
    package var record: MusterRecord?
    package var correction: MusterRecord?
    package var leave: Leave?
    /// Whether the time until which musters are on time is over, and the person is still expected.
    package var isOverdue = false
}

/// A day by name.
package struct Roster: Sendable {
    package let day: CalendarDate
    package let madeAt: UTCInstant
    package let offsetSeconds: Int
    package let trust: ClockTrust
    /// Why nobody is expected; nil on a day of work.
    package let dayOff: DayOff?
    /// By name.
    package let lines: [RosterLine]
    /// Musters of people whose accounts were removed since, by number.
    package let removed: Int
    /// Other boxes, with how old what they gave is.
    package let boxes: [MusterBox]
    package let heads: MusterHeads
}

extension MusterLedger {
    /// What the station knows of a day.
    ///
    /// - Parameter day: a local day; nil for today.
    /// - Returns: everybody with an account, by name.
    /// - Throws: where it cannot be read.
    package func roster(_ day: CalendarDate? = nil) throws(StorageError) -> Roster {
        try settle()
        return try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try roster(day, &connection) }
        }
    }

    private func roster(_ wanted: CalendarDate?, _ connection: inout Connection) throws(DatabaseError) -> Roster {
        let now = clock.utc()
        let trust = try trust(now, &connection)
        let local = rules.local(now)
        let day = wanted ?? local.day
        let people = try PeopleRegister.people(&connection)
        let boxes = try boxes(&connection)
        let others = boxes.isEmpty ? [] : try foreign(on: day, people, &connection)
        let effective = EffectiveMuster.of(
            try records("WHERE day = ? AND \(Self.standing)", [.text(day.description)], &connection) + others)
        let isUnheard = boxes.contains { self.isUnheard($0, of: day) }
        let leaves = try leaves("WHERE first <= ?1 AND last >= ?1", [.text(day.description)], &connection)
        let undated = Set(
            try connection.rows(
                """
                SELECT DISTINCT person FROM muster_records WHERE kind = 'muster' AND day = '' AND \(Self.standing)
                """
            ) { $0.integer(0) })
        // By a clock that is not believed nobody knows what day it is, unless one was asked for.
        let isDayKnown = wanted != nil || trust != .unbelieved
        let dayOff = isDayKnown ? rules.dayOff(day) : nil
        let lines = people.map { person in
            var line = RosterLine(person: person, state: .notExpected)
            let outcome = effective[.init(person: person.number, day: day)]
            line.record = outcome?.first
            line.correction = outcome?.correction
            line.leave = leaves.first { $0.person == person.number }
            let isExpected =
                dayOff == nil && person.role <= .officer
                && (!isDayKnown
                    || (firstDay(of: person).map { $0 <= day } ?? true) && (person.departs.map { day <= $0 } ?? true))
            if let word = outcome?.correction?.state {
                line.state = word
            } else if let first = outcome?.first {
                let civil = CivilTime(first.at, offsetSeconds: first.offsetSeconds)
                line.state = !isExpected || civil.hour * 60 + civil.minute <= rules.until ? .mustered : .late
            } else if !isExpected {
                line.state = .notExpected
            } else if line.leave != nil {
                line.state = .excused
            } else if trust == .unbelieved || undated.contains(person.number) {
                // Nothing ends by a clock that is not believed.
                line.state = .unheard
            } else if day >= local.day {
                line.state = .expected
                line.isOverdue =
                    day == local.day && local.minute > rules.until && !cameAfterUntil(person, on: day)
            } else if cameAfterUntil(person, on: day) {
                // Whoever had no account in time cannot have missed it.
                line.state = .notExpected
            } else {
                // A box that was not heard since may have seen them.
                line.state = isUnheard ? .unheard : .missed
            }
            return line
        }
        let known = Set(people.map(\.number))
        let last = try records("ORDER BY sequence DESC LIMIT 1", [], &connection).first
        let accounts = try PeopleRegister.auditEnd(&connection)
        return Roster(
            day: day, madeAt: now, offsetSeconds: rules.offset(now), trust: trust, dayOff: dayOff, lines: lines,
            removed: Set(effective.keys.map(\.person)).subtracting(known).count, boxes: boxes,
            heads: MusterHeads(
                records: MusterHead(sequence: last?.sequence ?? 0, hash: last?.hash ?? AuditChain.start),
                accounts: MusterHead(sequence: accounts.number, hash: accounts.hash)))
    }

    /// The local day from which somebody can be expected: that of the arrival, or else of the account. Nil where a clock that
    /// was never set wrote down when the account was made.
    package func firstDay(of person: Person) -> CalendarDate? {
        person.arrives ?? (person.createdAt >= .believedFrom ? rules.local(person.createdAt).day : nil)
    }

    /// Whether the account was made on a day after its musters were due, for somebody whose arrival is not written down.
    private func cameAfterUntil(_ person: Person, on day: CalendarDate) -> Bool {
        let made = rules.local(person.createdAt)
        return person.arrives == nil && made.day == day && made.minute > rules.until
    }

    /// The first day of somebody of which anything can be said: that of the account or the arrival, or one of an earlier muster.
    ///
    /// - Returns: nil where it cannot be told.
    /// - Throws: where it cannot be read.
    package func firstKnownDay(of person: Person) throws(StorageError) -> CalendarDate? {
        guard person.createdAt >= .believedFrom else { return nil }
        let muster = try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try connection.rows(
                    """
                    SELECT min(day) FROM (
                        SELECT day FROM muster_records WHERE person = ?1 UNION ALL
                        SELECT day FROM muster_foreign WHERE name = ?2
                    ) WHERE day <> ''
                    """, [.integer(person.number), .text(person.name)]
                ) { CalendarDate($0.text(0)) }
            }
        }.first
        return [person.arrives, rules.local(person.createdAt).day, muster ?? nil].compactMap { $0 }.min()
    }

    /// What somebody still has to read, and how the clock is.
    package func reading(of person: Int64) throws(StorageError) -> AnnouncementReading {
        try database.write { connection throws(DatabaseError) in
            try gate.reading(of: person, at: clock.utc(), &connection)
        }
    }

    /// A person's own rows, the newest first.
    package func records(of person: Int64, limit: Int) throws(StorageError) -> [MusterRecord] {
        try records(
            "WHERE person = ? ORDER BY sequence DESC LIMIT ?",
            [.integer(person), .integer(Int64(max(1, min(limit, 1000))))])
    }

    /// Rows of some days, and those without one, oldest first.
    package func records(from: CalendarDate, to: CalendarDate, limit: Int) throws(StorageError) -> [MusterRecord] {
        try records(
            "WHERE (day BETWEEN ? AND ?) OR day = '' ORDER BY sequence LIMIT ?",
            [.text(from.description), .text(to.description), .integer(Int64(limit))])
    }

    // MARK: - Leave

    /// Leaves that are not over, the earliest first.
    package func leaves() throws(StorageError) -> [Leave] {
        let today = rules.local(clock.utc()).day
        return try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                try leaves("WHERE last >= ? ORDER BY first, number LIMIT 2000", [.text(today.description)], &connection)
            }
        }
    }

    private func leaves(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [Leave] {
        try connection.rows(
            "SELECT number, person, first, last, reason, at, actor FROM muster_leave \(condition)", values
        ) { row -> Leave? in
            guard let first = CalendarDate(row.text(2)), let last = CalendarDate(row.text(3)) else { return nil }
            return Leave(
                number: row.integer(0), person: row.integer(1), first: first, last: last, reason: row.text(4),
                at: UTCInstant(nanoseconds: row.integer(5)), actor: row.integer(6))
        }.compactMap { $0 }
    }

    /// Gives somebody leave.
    ///
    /// - Returns: its number; nil where there is no such person.
    /// - Throws: where it cannot be written down.
    package func addLeave(
        _ person: Int64, _ first: CalendarDate, _ last: CalendarDate, because reason: String, by actor: Int64
    ) throws(StorageError) -> Int64? {
        let now = clock.utc()
        return try database.write { connection throws(DatabaseError) in
            guard try PeopleRegister.person(person, &connection) != nil else { return nil }
            try connection.run(
                "INSERT INTO muster_leave (person, first, last, reason, at, actor) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .integer(person), .text(first.description), .text(last.description), .text(reason),
                    .integer(now.nanoseconds), .integer(actor),
                ])
            let number = try connection.rows("SELECT last_insert_rowid()") { $0.integer(0) }[0]
            try PeopleRegister.note("leave", person, "\(first) to \(last)", by: actor, at: now, &connection)
            return number
        }
    }

    /// Takes a leave back.
    ///
    /// - Returns: whether there was one.
    /// - Throws: where it cannot be written down.
    package func removeLeave(_ number: Int64, by actor: Int64) throws(StorageError) -> Bool {
        let now = clock.utc()
        return try database.write { connection throws(DatabaseError) in
            guard let leave = try leaves("WHERE number = ?", [.integer(number)], &connection).first else {
                return false
            }
            try connection.run("DELETE FROM muster_leave WHERE number = ?", [.integer(number)])
            try PeopleRegister.note(
                "leave-removed", leave.person, "\(leave.first) to \(leave.last)", by: actor, at: now, &connection)
            return true
        }
    }
}
