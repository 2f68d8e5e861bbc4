internal import CSVWriting
internal import KonzaAPI
internal import KonzaModel
internal import People

struct MusterRecordReply: Encodable {
    let sequence: Int64
    let box: String
    let kind: String
    let day: String?
    let at: UTCInstant
    let offsetSeconds: Int
    let state: String?
    /// kiosk, network or officer.
    let evidence: String
    let verdict: String
    let flags: [String]
    let reason: String?
    /// What had been read: ids and hashes.
    let announcements: String?
    /// The number of who wrote it down; 0 for the box.
    let actor: Int64
    let supersedes: Int64?
    let clock: String
    let hash: String

    init(_ record: MusterRecord) {
        sequence = record.sequence
        box = record.box
        kind = record.kind.rawValue
        day = record.day?.description
        at = record.at
        offsetSeconds = record.offsetSeconds
        state = record.state?.rawValue
        evidence = record.evidence.kind.rawValue
        verdict = record.evidence.verdict
        flags = record.flags.isEmpty ? [] : [record.flags]
        reason = record.reason.isEmpty ? nil : record.reason
        announcements = record.announcements.isEmpty ? nil : record.announcements
        actor = record.actor
        supersedes = record.supersedes == 0 ? nil : record.supersedes
        clock = record.clock.rawValue
        hash = record.hash
    }
}

struct RosterLineReply: Encodable {
    let number: Int64
    let name: String
    let role: String
    let state: String
    let isOverdue: Bool
    let at: UTCInstant?
    let evidence: String?
    let verdict: String?
    let flags: [String]
    let reason: String?
    /// The number of the officer whose word stands.
    let correctedBy: Int64?

    init(_ line: RosterLine) {
        number = line.person.number
        name = line.person.name
        role = line.person.role.rawValue
        state = line.state.rawValue
        isOverdue = line.isOverdue
        at = line.record?.at
        evidence = (line.correction ?? line.record)?.evidence.kind.rawValue
        verdict = (line.correction ?? line.record)?.evidence.verdict
        flags = line.record.map { $0.flags.isEmpty ? [] : [$0.flags] } ?? []
        reason = line.correction?.reason ?? (line.state == .excused ? line.leave?.reason : nil)
        correctedBy = line.correction?.actor
    }
}

/// Another box.
struct MusterBoxReply: Encodable {
    let box: String
    /// What it knew at that time is known here.
    let heardAt: UTCInstant
    let records: Int64

    init(_ box: MusterBox) {
        self.box = box.box
        heardAt = box.heardAt
        records = box.records
    }
}

struct MusterUnionReply: Encodable {
    let box: String
    let added: Int
}

struct RosterReply: Encodable {
    let day: String
    let madeAt: UTCInstant
    let offsetSeconds: Int
    /// synchronised, unconfirmed or unbelieved.
    let clock: String
    let isWorkday: Bool
    /// weekend, closed, or the holiday's name.
    let dayOff: String?
    let people: [RosterLineReply]
    let removedAccounts: Int
    let box: String
    let boxes: [MusterBoxReply]
    /// The end of the audit's chain.
    let head: String

    init(_ roster: Roster, box: String) {
        day = roster.day.description
        madeAt = roster.madeAt
        offsetSeconds = roster.offsetSeconds
        clock = roster.trust.rawValue
        isWorkday = roster.dayOff == nil
        dayOff = roster.dayOff?.text
        people = roster.lines.map(RosterLineReply.init)
        removedAccounts = roster.removed
        self.box = box
        boxes = roster.boxes.map(MusterBoxReply.init)
        head = roster.heads.text
    }
}

struct UnreadReply: Encodable {
    let id: String
    let title: String

    init(_ announcement: UnreadAnnouncement, language: String?) {
        id = announcement.id
        title = Translations.find(language, in: announcement.translations) ?? announcement.title
    }
}

/// A person's own day.
struct OwnMusterReply: Encodable {
    let number: Int64
    let name: String
    let state: String
    let isMustered: Bool
    let isExpected: Bool
    let isOverdue: Bool
    let at: UTCInstant?
    let correction: MusterRecordReply?
    /// What keeps from mustering now: login, announcements, challenge, window.
    let missing: [String]
    let unread: [UnreadReply]
}

struct MusterDayReply: Encodable {
    let day: String
    let madeAt: UTCInstant
    let offsetSeconds: Int
    let clock: String
    let isWorkday: Bool
    let dayOff: String?
    /// Local, `HH:MM`.
    let from: String
    let until: String
    /// Whether devices of the network may muster, with the kiosk's code.
    let allowsNetwork: Bool
    /// Whether such a device has to say where it is.
    let needsPosition: Bool
    let isKiosk: Bool
    /// For whoever signed in.
    let you: OwnMusterReply?
    /// For officers and the box.
    let people: [RosterLineReply]?
    let head: String
}

struct ChallengeReply: Encodable {
    /// For the QR code, 128 bits.
    let code: String
    let digits: String
    let link: String
    /// A text of 0 and 1 for each row.
    let qr: [String]
    let secondsLeft: Double
    let periodSeconds: Int
}

struct TicketReply: Encodable {
    let ticket: String
    let expiresInSeconds: Int
}

struct MusterReply: Encodable {
    let record: MusterRecordReply
    /// Whether this request made it; else it is the first one of the day.
    let isNew: Bool
    let state: String
}

struct RecordList: Encodable { let records: [MusterRecordReply] }

struct LeaveReply: Encodable {
    let number: Int64
    let person: Int64
    let first: String
    let last: String
    let reason: String
    let actor: Int64

    init(_ leave: Leave) {
        number = leave.number
        person = leave.person
        first = leave.first.description
        last = leave.last.description
        reason = leave.reason
        actor = leave.actor
    }
}

struct LeaveList: Encodable { let leave: [LeaveReply] }

struct NumberReply: Encodable { let number: Int64 }

struct VerdictReply: Encodable {
    let isWhole: Bool
    let records: Int64
    let head: String
    let brokenAt: Int64?
    let hasKnownHead: Bool?
    let accountsBrokenAt: Int64?

    init(_ verdict: MusterVerdict) {
        isWhole = verdict.isWhole
        records = verdict.records
        head = MusterHeads(records: verdict.head, accounts: verdict.accounts).text
        brokenAt = verdict.brokenAt
        hasKnownHead = verdict.hasKnownHead
        accountsBrokenAt = verdict.accountsBrokenAt
    }
}

/// The muster as comma-separated values; no cell is computed by a spreadsheet.
enum MusterCSV {
    static func roster(_ roster: Roster, box: String) -> String {
        var text = CSVText.line([
            "number", "name", "role", "state", "local time", "evidence", "verdict", "flags", "reason",
        ])
        for line in roster.lines {
            let shown = line.correction ?? line.record
            text += CSVText.line([
                "\(line.person.number)", line.person.name, line.person.role.rawValue, line.state.rawValue,
                line.record.map { Self.time($0) } ?? "", shown?.evidence.kind.rawValue ?? "",
                shown?.evidence.verdict ?? "", line.record?.flags ?? "",
                line.correction?.reason ?? (line.state == .excused ? line.leave?.reason : nil) ?? "",
            ])
        }
        return text
            + CSVText.line([
                "day", roster.day.description, "made at", roster.madeAt.rfc3339, "box", box, "head", roster.heads.text,
            ]) + roster.boxes.map { CSVText.line(["box", $0.box, "heard at", $0.heardAt.rfc3339]) }.joined()
    }

    static func records(_ records: [MusterRecord], names: [Int64: String], heads: MusterHeads, at now: UTCInstant)
        -> String
    {
        var text = CSVText.line([
            "sequence", "box", "kind", "person", "name", "day", "at", "offset", "state", "evidence", "verdict", "flags",
            "reason", "actor", "supersedes", "clock", "hash", "announcements",
        ])
        for one in records {
            text += CSVText.line([
                "\(one.sequence)", one.box, one.kind.rawValue, "\(one.person)", names[one.person] ?? "",
                one.day?.description ?? "", one.at.rfc3339, "\(one.offsetSeconds)", one.state?.rawValue ?? "",
                one.evidence.kind.rawValue, one.evidence.verdict, one.flags, one.reason, "\(one.actor)",
                one.supersedes == 0 ? "" : "\(one.supersedes)", one.clock.rawValue, one.hash,
                one.announcements,
            ])
        }
        return text + CSVText.line(["head", heads.text, "made at", now.rfc3339])
    }

    private static func time(_ record: MusterRecord) -> String {
        let civil = CivilTime(record.at, offsetSeconds: record.offsetSeconds)
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(civil.hour)):\(two(civil.minute))"
    }
}
