internal import JSONCoding
package import KonzaModel
internal import People
internal import Storage

/// A row of the ledger as boxes give it to each other: all that its hash covers, and the name, by which boxes know people.
struct MusterLine: Codable, Sendable {
    let sequence: Int64
    let kind: String
    let person: Int64
    var name: String
    let day: String
    /// Nanoseconds since 1970.
    let at: Int64
    let offset: Int
    let state: String
    let evidence: String
    let verdict: String
    let device: String
    let flags: String
    let announcements: String
    let reason: String
    let actor: Int64
    let supersedes: Int64
    let clock: String
    let boot: String
    let steady: Int64
    let hash: String

    init(_ record: MusterRecord, name: String) {
        sequence = record.sequence
        kind = record.kind.rawValue
        person = record.person
        self.name = name
        day = record.day?.description ?? ""
        at = record.at.nanoseconds
        offset = record.offsetSeconds
        state = record.state?.rawValue ?? ""
        evidence = record.evidence.kind.rawValue
        verdict = record.evidence.verdict
        device = record.device
        flags = record.flags
        announcements = record.announcements
        reason = record.reason
        actor = record.actor
        supersedes = record.supersedes
        clock = record.clock.rawValue
        boot = record.boot
        steady = record.steady.nanoseconds
        hash = record.hash
    }

    /// - Returns: nil where a word is none that a box writes.
    func record(of box: String) -> MusterRecord? {
        guard let kind = MusterRecord.Kind(rawValue: kind), let evidence = Evidence.Kind(rawValue: evidence),
            let clock = ClockTrust(rawValue: clock), day.isEmpty || CalendarDate(day)?.description == day,
            state.isEmpty || MusterState(rawValue: state) != nil
        else { return nil }
        return MusterRecord(
            sequence: sequence, box: box, kind: kind, person: person, day: CalendarDate(day),
            at: UTCInstant(nanoseconds: at), offsetSeconds: offset, state: MusterState(rawValue: state),
            evidence: Evidence(evidence, verdict), device: device, flags: flags, announcements: announcements,
            reason: reason, actor: actor, supersedes: supersedes, clock: clock, boot: boot,
            steady: MonotonicInstant(nanoseconds: steady), hash: hash)
    }
}

/// The first line of what a box gives to another.
struct MusterFileHead: Codable, Sendable {
    /// `muster`.
    let konza: String
    let box: String
    let madeAt: UTCInstant
    /// The end of the box's chain.
    let head: String
    /// The hash that the first record of the file follows.
    let previous: String
}

/// Another box of the station, by what it gave last.
package struct MusterBox: Sendable, Equatable {
    package let box: String
    /// What it knew at that time is known here.
    package let heardAt: UTCInstant
    /// Records of it that are known here.
    package let records: Int64
}

/// Why a file of another box is not taken.
package enum MusterUnionError: Error, Sendable, Equatable {
    /// What is wrong, at which line (1 and up).
    case unreadable(String, line: Int)
    case ownBox
    /// The record does not follow the one before it.
    case broken(sequence: Int64)
    /// The box gave another record of the same number before.
    case forked(sequence: Int64)
    case tooManyBoxes
}

extension MusterLedger {
    static let mostBoxes = 16
    /// A box that gave nothing for so many days is not waited for.
    static let silentDays = 30

    /// Records of other boxes, added by their numbers and never changed.
    static let union = Migration(
        name: "muster-2",
        sql: """
            CREATE TABLE muster_boxes (box TEXT PRIMARY KEY, heard_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE TABLE muster_foreign (
                box TEXT NOT NULL, sequence INTEGER NOT NULL, day TEXT NOT NULL, name TEXT NOT NULL, line TEXT NOT NULL,
                hash TEXT NOT NULL, PRIMARY KEY (box, sequence)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX muster_foreign_day ON muster_foreign (day);
            \(AuditChain.insertOnly("muster_foreign"))
            """)

    /// The ledger of some days for another box, without a gap, so that its chain can be followed.
    ///
    /// - Parameters:
    ///   - from: the first local day.
    ///   - to: the last one.
    ///   - names: of people by number.
    ///   - limit: records.
    /// - Returns: JSON texts, one a line: the head, then the records; nil where there are more of them than the limit.
    /// - Throws: where the ledger cannot be read.
    func file(from: CalendarDate, to: CalendarDate, names: [Int64: String], limit: Int) throws(StorageError) -> String?
    {
        let days: [SQLValue] = [.text(from.description), .text(to.description)]
        let some = try records(
            """
            WHERE sequence BETWEEN (SELECT min(sequence) FROM muster_records WHERE day BETWEEN ?1 AND ?2)
                AND (SELECT max(sequence) FROM muster_records WHERE day BETWEEN ?1 AND ?2)
            ORDER BY sequence LIMIT ?3
            """, days + [.integer(Int64(limit) + 1)])
        guard some.count <= limit else { return nil }
        let before = try records("WHERE sequence = ?", [.integer((some.first?.sequence ?? 1) - 1)]).first
        let head = MusterFileHead(
            konza: "muster", box: box, madeAt: clock.utc(), head: try self.head().text,
            previous: before?.hash ?? AuditChain.start)
        var text = Self.line(head)
        for record in some { text += Self.line(MusterLine(record, name: names[record.person] ?? "")) }
        return text
    }

    private static func line(_ value: some Encodable) -> String {
        (try? JSONText.encode(value)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }

    /// Takes what another box gave. The same again changes nothing.
    ///
    /// - Parameter text: what ``file(from:to:names:limit:)`` of the other box made.
    /// - Returns: the box, and how many records were new.
    /// - Throws: `MusterUnionError`, `StorageError`; then nothing is taken.
    package func unite(_ text: String) throws -> (box: String, added: Int) {
        let (head, lines) = try Self.read(text)
        guard head.box != box else { throw MusterUnionError.ownBox }
        let now = clock.utc()
        let outcome = try database.write { connection throws(DatabaseError) -> Result<Int, MusterUnionError> in
            let boxes = try connection.rows("SELECT box, heard_at FROM muster_boxes") { ($0.text(0), $0.integer(1)) }
            let before = boxes.first { $0.0 == head.box }
            guard before != nil || boxes.count < Self.mostBoxes else { return .failure(.tooManyBoxes) }
            if let first = lines.first {
                let hash = try Self.hash(head.box, first.sequence - 1, &connection)
                if let hash, hash != head.previous { return .failure(.forked(sequence: first.sequence - 1)) }
            }
            let removed = try Self.removed(of: head.box, &connection)
            let names =
                removed.isEmpty
                ? [] : Set(try PeopleRegister.people(&connection).compactMap { PeopleRegister.key($0.name) })
            var added = 0
            for var line in lines {
                if let hash = try Self.hash(head.box, line.sequence, &connection) {
                    guard hash == line.hash else { return .failure(.forked(sequence: line.sequence)) }
                    continue
                }
                let isUnknown = PeopleRegister.key(line.name).map { !names.contains($0) } ?? true
                let name = isUnknown ? removed[line.person] ?? line.name : line.name
                line.name = ""
                try connection.run(
                    """
                    INSERT INTO muster_foreign (box, sequence, day, name, line, hash, dates) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    [
                        .text(head.box), .integer(line.sequence), .text(line.day), .text(name),
                        .text(Self.line(line)), .text(line.hash),
                        .integer(line.kind == MusterRecord.Kind.dated.rawValue ? line.supersedes : 0),
                    ])
                added += 1
            }
            // A clock that was wrong there says nothing of what was heard.
            let heard = max(before?.1 ?? 0, min(head.madeAt.nanoseconds, now.nanoseconds))
            try connection.run(
                "INSERT OR REPLACE INTO muster_boxes (box, heard_at) VALUES (?, ?)", [.text(head.box), .integer(heard)])
            return .success(added)
        }
        return (head.box, try outcome.get())
    }

    private static func hash(
        _ box: String, _ sequence: Int64, _ connection: inout Connection
    ) throws(DatabaseError) -> String? {
        try connection.rows(
            "SELECT hash FROM muster_foreign WHERE box = ? AND sequence = ?", [.text(box), .integer(sequence)]
        ) { $0.text(0) }.first
    }

    private static func read(_ text: String) throws(MusterUnionError) -> (MusterFileHead, [MusterLine]) {
        let rows = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard let first = rows.first, let head = try? JSONText.decode(MusterFileHead.self, from: Array(first.utf8)),
            head.konza == "muster"
        else { throw .unreadable("it is no ledger of a box: konza muster export --ledger writes one", line: 1) }
        guard !head.box.isEmpty, head.box.utf8.count <= 64,
            head.box.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { throw .unreadable("the name of the box is none", line: 1) }
        var previous = head.previous
        var lines: [MusterLine] = []
        for (index, row) in rows.dropFirst().enumerated() {
            guard let line = try? JSONText.decode(MusterLine.self, from: Array(row.utf8)),
                let record = line.record(of: head.box)
            else { throw .unreadable("it is no record", line: index + 2) }
            guard lines.last.map({ $0.sequence + 1 == line.sequence }) ?? (line.sequence > 0),
                record.linked(after: previous) == line.hash
            else { throw .broken(sequence: line.sequence) }
            previous = line.hash
            lines.append(line)
        }
        if let end = MusterHead(head.head), let last = lines.last, end.sequence == last.sequence, end.hash != last.hash
        {
            throw .broken(sequence: last.sequence)
        }
        return (head, lines)
    }

    /// Other boxes, by name.
    func boxes(_ connection: inout Connection) throws(DatabaseError) -> [MusterBox] {
        try connection.rows(
            """
            SELECT box, heard_at, (SELECT count(*) FROM muster_foreign WHERE muster_foreign.box = muster_boxes.box)
            FROM muster_boxes ORDER BY box
            """
        ) {
            MusterBox(box: $0.text(0), heardAt: UTCInstant(nanoseconds: $0.integer(1)), records: $0.integer(2))
        }
    }

    /// Other boxes' records of a day, with the numbers that people have here; those of unknown names are left out.
    func foreign(
        on day: CalendarDate, _ people: [Person], _ connection: inout Connection
    ) throws(DatabaseError) -> [MusterRecord] {
        let rows = try connection.rows(
            """
            SELECT box, name, line FROM muster_foreign WHERE day = ? AND NOT EXISTS (
                SELECT 1 FROM muster_foreign AS later
                WHERE later.dates > 0 AND later.box = muster_foreign.box AND later.dates = muster_foreign.sequence)
            ORDER BY box, sequence LIMIT 20000
            """,
            [.text(day.description)]
        ) { ($0.text(0), $0.text(1), $0.text(2)) }
        guard !rows.isEmpty else { return [] }
        let numbers = Dictionary(
            people.compactMap { person in PeopleRegister.key(person.name).map { ($0, person.number) } },
            uniquingKeysWith: { first, _ in first })
        return rows.compactMap { box, name, line in
            guard let number = PeopleRegister.key(name).flatMap({ numbers[$0] }),
                var record = (try? JSONText.decode(MusterLine.self, from: Array(line.utf8)))?.record(of: box)
            else { return nil }
            record.person = number
            return record
        }
    }

    /// Whether a box may know of the day what is not known here yet.
    func isUnheard(_ box: MusterBox, of day: CalendarDate) -> Bool {
        let heard = rules.local(box.heardAt).day
        return heard <= day && day <= (heard.advanced(byDays: Self.silentDays) ?? day)
    }
}
