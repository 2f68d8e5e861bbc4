package import KonzaModel
internal import KonzaSystem
internal import People
public import Storage
internal import Synchronization

/// The ledger of musters: rows are added and never changed. What a call returned is on the disk.
public final class MusterLedger: Sendable {
    /// Steps of the schema, oldest first; after those of the people.
    public static let migrations = [
        Migration(
            name: "muster-1",
            sql: """
                CREATE TABLE muster_box (
                    only INTEGER PRIMARY KEY CHECK (only = 1), box TEXT NOT NULL, key TEXT NOT NULL
                ) STRICT;
                -- People by number alone, so that an account can be removed and the ledger stays whole.
                CREATE TABLE muster_records (
                    sequence INTEGER PRIMARY KEY, box TEXT NOT NULL, kind TEXT NOT NULL, person INTEGER NOT NULL,
                    day TEXT NOT NULL, at INTEGER NOT NULL, offset_seconds INTEGER NOT NULL, state TEXT NOT NULL,
                    evidence TEXT NOT NULL, verdict TEXT NOT NULL, device TEXT NOT NULL, flags TEXT NOT NULL,
                    announcements TEXT NOT NULL, reason TEXT NOT NULL, actor INTEGER NOT NULL,
                    supersedes INTEGER NOT NULL, clock TEXT NOT NULL, boot TEXT NOT NULL, steady INTEGER NOT NULL,
                    hash TEXT NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX muster_once ON muster_records (person, day) WHERE kind = 'muster' AND day <> '';
                CREATE INDEX muster_day ON muster_records (day, person);
                CREATE INDEX muster_undated ON muster_records (person) WHERE kind = 'muster' AND day = '';
                CREATE INDEX muster_device ON muster_records (device, at);
                \(AuditChain.insertOnly("muster_records"))
                CREATE TABLE muster_leave (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    person INTEGER NOT NULL REFERENCES people (number) ON DELETE CASCADE, first TEXT NOT NULL,
                    last TEXT NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL, actor INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX muster_leave_person ON muster_leave (person, last);
                """),
        union,
        Migration(
            name: "muster-3",
            sql: """
                -- A muster that a clock wrote down which was ahead has another day since: it keeps nobody from that day's own.
                DROP INDEX muster_once;
                CREATE INDEX muster_dated ON muster_records (supersedes) WHERE kind = 'dated';
                CREATE INDEX muster_at ON muster_records (at);
                CREATE TRIGGER muster_records_once BEFORE INSERT ON muster_records
                    WHEN NEW.kind = 'muster' AND NEW.day <> '' AND EXISTS (
                        SELECT 1 FROM muster_records WHERE person = NEW.person AND day = NEW.day AND kind = 'muster'
                            AND sequence NOT IN (SELECT supersedes FROM muster_records WHERE kind = 'dated'))
                BEGIN
                    SELECT RAISE(ABORT, 'there is a muster of this person and day');
                END;
                DROP TRIGGER muster_foreign_update;
                -- Of what another box dated: the record that has another day by it; else 0.
                ALTER TABLE muster_foreign ADD COLUMN dates INTEGER NOT NULL DEFAULT 0;
                UPDATE muster_foreign SET dates = json_extract(line, '$.supersedes') WHERE json_extract(line, '$.kind') = 'dated';
                CREATE INDEX muster_foreign_dates ON muster_foreign (box, dates) WHERE dates > 0;
                -- Names are beside the records, whose hashes do not cover them.
                UPDATE muster_foreign SET line = json_set(line, '$.name', '');
                CREATE TRIGGER muster_foreign_update BEFORE UPDATE ON muster_foreign
                    WHEN NEW.box <> OLD.box OR NEW.sequence <> OLD.sequence OR NEW.day <> OLD.day OR NEW.hash <> OLD.hash
                        OR NEW.line <> OLD.line OR NEW.dates <> OLD.dates
                BEGIN
                    SELECT RAISE(ABORT, 'rows of muster_foreign are never changed but for names');
                END;
                """),
    ]

    /// Without the records that have another day since (``MusterRecord/Kind/dated``).
    static let standing = "sequence NOT IN (SELECT supersedes FROM muster_records WHERE kind = 'dated')"

    /// One device musters two people within so many seconds: that is noted, and not refused.
    static let sharedDeviceSeconds = 600.0

    let database: Database
    let clock: any StationClock
    package let rules: MusterRules
    let gate: any AnnouncementGate
    let boot: String
    package let box: String
    /// The codes that the kiosk shows.
    package let challenge: MusterChallenge
    private let isSynchronized: @Sendable () -> Bool?

    /// - Parameters:
    ///   - database: with the migrations of people and of this.
    ///   - rules: when somebody is expected.
    ///   - gate: what is to be read before.
    ///   - clock: the time.
    ///   - boot: which run of the machine.
    ///   - isSynchronized: whether a time server or receiver agrees with the clock; nil if nobody says.
    /// - Throws: what keeps it from being read.
    package init(
        _ database: Database, rules: MusterRules, gate: any AnnouncementGate, clock: any StationClock,
        boot: String = SystemClock.bootID(),
        isSynchronized: @escaping @Sendable () -> Bool? = { SystemClock.isSynchronized }
    ) throws(StorageError) {
        self.database = database
        self.rules = rules
        self.gate = gate
        self.clock = clock
        self.boot = boot
        self.isSynchronized = isSynchronized
        let made = (Secret.hexadecimal(bytes: 4), Secret.hexadecimal(bytes: 32))
        let (box, key) = try database.write { connection throws(DatabaseError) in
            try connection.run(
                "INSERT OR IGNORE INTO muster_box (only, box, key) VALUES (1, ?, ?)", [.text(made.0), .text(made.1)])
            return try connection.rows("SELECT box, key FROM muster_box") { ($0.text(0), $0.text(1)) }[0]
        }
        self.box = box
        challenge = MusterChallenge(key: Self.bytes(key), box: box, boot: boot, clock: clock)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return Array((bytes + [UInt8](repeating: 0, count: 32)).prefix(32))
    }

    // MARK: - Mustering

    /// What becomes of a muster.
    package enum Outcome: Sendable {
        case made(MusterRecord)
        /// There is one for the day already: the first.
        case already(MusterRecord)
        /// The day's muster has not begun.
        case tooEarly
        /// There is no such account any more.
        case unknown
        case unread([UnreadAnnouncement])
    }

    /// Writes down that somebody is there. All is looked at and written in one transaction.
    ///
    /// - Parameters:
    ///   - person: the number of the person, who has just signed in.
    ///   - evidence: by what it is seen.
    ///   - device: what marks the device.
    /// - Returns: what became of it.
    /// - Throws: where it cannot be written down.
    package func muster(_ person: Int64, _ evidence: Evidence, device: String) throws(StorageError) -> Outcome {
        try database.write { connection throws(DatabaseError) in
            guard let account = try PeopleRegister.person(person, &connection) else { return .unknown }
            let now = clock.utc()
            let trust = try trust(now, &connection)
            if trust != .unbelieved { try dateUndated(now, trust, &connection) }
            let local = rules.local(now)
            let day = trust == .unbelieved ? nil : local.day
            if let first = try first(person, day, &connection) { return .already(first) }
            if let day, let first = EffectiveMuster.of(try foreign(on: day, [account], &connection)).values.first?.first
            {
                return .already(first)
            }
            guard trust == .unbelieved || local.minute >= rules.from else { return .tooEarly }
            let reading = try gate.reading(of: person, at: now, &connection)
            guard reading.unread.isEmpty else { return .unread(reading.unread) }
            let isShared = try isShared(device, person, now, evidence, &connection)
            let record = MusterRecord(
                sequence: 0, box: box, kind: .muster, person: person, day: day, at: now,
                offsetSeconds: rules.offset(now), state: nil, evidence: evidence, device: device,
                flags: isShared ? "shared-device" : "", announcements: reading.digest, reason: "", actor: person,
                supersedes: 0, clock: trust, boot: boot, steady: clock.monotonic(), hash: "")
            return .made(try append(record, &connection))
        }
    }

    /// An officer's word on somebody else's day.
    ///
    /// - Parameters:
    ///   - person: the number of the person.
    ///   - day: the local day, not in the future.
    ///   - state: one of ``MusterState/correctable``.
    ///   - reason: why.
    ///   - actor: the officer's number; 0 for the box.
    /// - Returns: the record.
    /// - Throws: where it cannot be written down.
    package func correct(
        _ person: Int64, on day: CalendarDate, to state: MusterState, because reason: String, by actor: Int64
    ) throws(StorageError) -> MusterRecord {
        try database.write { connection throws(DatabaseError) in
            let now = clock.utc()
            let trust = try trust(now, &connection)
            let before = EffectiveMuster.of(
                try records(
                    "WHERE day = ? AND person = ? AND \(Self.standing)", [.text(day.description), .integer(person)],
                    &connection)
            )
            .values.first
            let superseded = before?.correction ?? before?.first
            let record = MusterRecord(
                sequence: 0, box: box, kind: .correction, person: person, day: day, at: now,
                offsetSeconds: rules.offset(now), state: state,
                evidence: Evidence(.officer, actor == 0 ? "box" : "vouched"),
                device: "", flags: "", announcements: "", reason: reason, actor: actor,
                supersedes: superseded?.sequence ?? 0, clock: trust, boot: boot, steady: clock.monotonic(), hash: "")
            return try append(record, &connection)
        }
    }

    /// How far the clock is believed now; what cannot be read says nothing against it. Blocks.
    package var clockTrust: ClockTrust {
        (try? database.read { connection throws(DatabaseError) in try trust(clock.utc(), &connection) }) ?? .unconfirmed
    }

    /// Whether the clock is believed: not before 2024, and not earlier than what was already written down by it.
    package func trust(_ now: UTCInstant, _ connection: inout Connection) throws(DatabaseError) -> ClockTrust {
        guard now >= .believedFrom else { return .unbelieved }
        if isSynchronized() == true { return .synchronised }
        let latest = try connection.rows(
            "SELECT at FROM muster_records WHERE clock <> 'unbelieved' ORDER BY sequence DESC LIMIT 1"
        ) { UTCInstant(nanoseconds: $0.integer(0)) }.first
        // A minute is what time services step back without anybody being wrong.
        if let latest, now.advanced(bySeconds: 60) < latest { return .unbelieved }
        return .unconfirmed
    }

    /// Gives musters that a clock wrote down which was ahead their right day, once a time server or a receiver confirms an earlier one.
    func settle() throws(StorageError) {
        let now = clock.utc()
        let isAhead = try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in
                guard try trust(now, &connection) == .synchronised else { return false }
                return try !ahead(now, &connection).isEmpty
            }
        }
        guard isAhead else { return }
        try database.write { connection throws(DatabaseError) in try dateUndated(now, .synchronised, &connection) }
    }

    /// Musters of later than now.
    private func ahead(_ now: UTCInstant, _ connection: inout Connection) throws(DatabaseError) -> [MusterRecord] {
        try records(
            "WHERE at > ? AND kind <> 'correction' AND day <> '' AND \(Self.standing) ORDER BY sequence",
            [.integer(now.advanced(bySeconds: 60).nanoseconds)], &connection)
    }

    /// Gives musters of this run of the machine that have no day, or one of a clock that was ahead, the one that the steady clock says.
    /// Those of another run that are ahead have none any more: nobody knows when they were made.
    private func dateUndated(
        _ now: UTCInstant, _ trust: ClockTrust, _ connection: inout Connection
    ) throws(DatabaseError) {
        let undated =
            try records(
                "WHERE kind = 'muster' AND day = '' AND boot = ? AND \(Self.standing)", [.text(boot)], &connection)
            + ahead(now, &connection)
        let steady = clock.monotonic()
        for one in undated {
            // What was dated has the steady clock's time of then, and the muster itself that of when it was made.
            let made =
                one.kind == .dated
                ? try records("WHERE sequence = ?", [.integer(one.supersedes)], &connection).first : one
            var record = one
            record.kind = .dated
            if let made, made.kind == .muster, made.boot == boot {
                record.at = now.advanced(bySeconds: -steady.seconds(since: made.steady))
                record.day = rules.local(record.at).day
                record.offsetSeconds = rules.offset(record.at)
            } else {
                record.day = nil
                record.at = now
                record.offsetSeconds = rules.offset(now)
                record.boot = boot
            }
            record.supersedes = one.sequence
            record.clock = trust
            record.actor = 0
            record.steady = steady
            _ = try append(record, &connection)
        }
    }

    /// What the person has for the day already; without a believed day, one of this run of the machine.
    private func first(
        _ person: Int64, _ day: CalendarDate?, _ connection: inout Connection
    ) throws(DatabaseError) -> MusterRecord? {
        guard let day else {
            return try records(
                "WHERE person = ? AND kind = 'muster' AND day = '' AND boot = ? ORDER BY sequence DESC LIMIT 1",
                [.integer(person), .text(boot)], &connection
            ).first { clock.monotonic().seconds(since: $0.steady) < 43_200 }
        }
        return try records(
            "WHERE person = ? AND day = ? AND kind IN ('muster', 'dated') AND \(Self.standing) ORDER BY at, sequence LIMIT 1",
            [.integer(person), .text(day.description)], &connection
        ).first
    }

    private func isShared(
        _ device: String, _ person: Int64, _ now: UTCInstant, _ evidence: Evidence, _ connection: inout Connection
    ) throws(DatabaseError) -> Bool {
        guard evidence.kind != .kiosk, !device.isEmpty else { return false }
        return try !connection.rows(
            "SELECT 1 FROM muster_records WHERE device = ? AND at BETWEEN ? AND ? AND person <> ? LIMIT 1",
            [
                .text(device), .integer(now.advanced(bySeconds: -Self.sharedDeviceSeconds).nanoseconds),
                .integer(now.nanoseconds), .integer(person),
            ]
        ) { _ in true }.isEmpty
    }

    /// Adds a row at the end of the chain.
    private func append(_ record: MusterRecord, _ connection: inout Connection) throws(DatabaseError) -> MusterRecord {
        let last = try connection.rows("SELECT sequence, hash FROM muster_records ORDER BY sequence DESC LIMIT 1") {
            ($0.integer(0), $0.text(1))
        }.first
        var record = record
        record.sequence = (last?.0 ?? 0) + 1
        record.hash = record.linked(after: last?.1 ?? AuditChain.start)
        try connection.run(
            """
            INSERT INTO muster_records (
                sequence, box, kind, person, day, at, offset_seconds, state, evidence, verdict, device, flags,
                announcements, reason, actor, supersedes, clock, boot, steady, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(record.sequence), .text(record.box), .text(record.kind.rawValue), .integer(record.person),
                .text(record.day?.description ?? ""), .integer(record.at.nanoseconds),
                .integer(Int64(record.offsetSeconds)), .text(record.state?.rawValue ?? ""),
                .text(record.evidence.kind.rawValue), .text(record.evidence.verdict), .text(record.device),
                .text(record.flags), .text(record.announcements), .text(record.reason), .integer(record.actor),
                .integer(record.supersedes), .text(record.clock.rawValue), .text(record.boot),
                .integer(record.steady.nanoseconds), .text(record.hash),
            ])
        return record
    }

    // MARK: - Rows

    func records(
        _ condition: String, _ values: [SQLValue], _ connection: inout Connection
    ) throws(DatabaseError) -> [MusterRecord] {
        try connection.rows(
            """
            SELECT \(Self.columns) FROM muster_records \(condition)
            """, values, Self.record)
    }

    /// What the chain covers, in its order (``MusterRecord/fields``), and the hash.
    static let columns = """
        sequence, box, kind, person, day, at, offset_seconds, state, evidence, verdict, device, flags, announcements, reason, \
        actor, supersedes, clock, boot, steady, hash
        """
    static let hashColumn: Int32 = 19

    func records(_ condition: String, _ values: [SQLValue] = []) throws(StorageError) -> [MusterRecord] {
        try storing { () throws(DatabaseError) in
            try database.read { connection throws(DatabaseError) in try records(condition, values, &connection) }
        }
    }

    private static func record(_ row: borrowing Row) -> MusterRecord {
        MusterRecord(
            sequence: row.integer(0), box: row.text(1), kind: .init(rawValue: row.text(2)) ?? .muster,
            person: row.integer(3), day: CalendarDate(row.text(4)), at: UTCInstant(nanoseconds: row.integer(5)),
            offsetSeconds: Int(row.integer(6)), state: MusterState(rawValue: row.text(7)),
            evidence: Evidence(.init(rawValue: row.text(8)) ?? .officer, row.text(9)), device: row.text(10),
            flags: row.text(11), announcements: row.text(12), reason: row.text(13), actor: row.integer(14),
            supersedes: row.integer(15), clock: ClockTrust(rawValue: row.text(16)) ?? .unbelieved, boot: row.text(17),
            steady: MonotonicInstant(nanoseconds: row.integer(18)), hash: row.text(19))
    }
}
