internal import KonzaModel
internal import QRCoding

struct PersonReply: Encodable {
    let number: Int64
    let name: String
    let role: String
    let arrives: String?
    let departs: String?
    let createdAt: UTCInstant
    let canSignIn: Bool
    let hasPIN: Bool
    let hasBadge: Bool

    init(_ person: Person) {
        number = person.number
        name = person.name
        role = person.role.rawValue
        arrives = person.arrives?.description
        departs = person.departs?.description
        createdAt = person.createdAt
        canSignIn = person.canSignIn
        hasPIN = person.hasPIN
        hasBadge = person.hasBadge
    }
}

struct PeopleList: Encodable { let people: [PersonReply] }

struct BadgeReply: Encodable {
    /// What the code says; it opens the account at the kiosk together with the PIN.
    let text: String
    /// The QR code (ISO/IEC 18004), a text of 0 and 1 for each row.
    let qr: [String]

    init(_ text: String) {
        self.text = text
        qr = (try? QRCode(text))?.rows ?? []
    }
}

struct CredentialsReply: Encodable {
    let person: PersonReply
    /// Shown this once: hashes are kept.
    let passphrase: String
    let pin: String
    let badge: BadgeReply

    init(_ person: Person, _ credentials: Credentials) {
        self.person = PersonReply(person)
        passphrase = credentials.passphrase
        pin = credentials.pin
        badge = BadgeReply(credentials.badge)
    }
}

struct PINReply: Encodable { let pin: String }

struct ImportReply: Encodable {
    let added: Int
    let unchanged: Int
}

/// Who is signed in on a device.
struct PersonSessionReply: Encodable {
    /// Absent where nobody is.
    var person: PersonReply?
    /// Whether the secret was typed within the last five minutes.
    var isFresh: Bool?
    var isForReturn: Bool?
    var expiresAt: UTCInstant?
    /// What the device keeps: nothing, name or device.
    var keeps: String?
    /// The name that was kept by choice, to be filled in.
    var keptName: String?
    /// Whether the PIN and the badge are taken here: this is the kiosk.
    let isKiosk: Bool
}

struct OwnSessionReply: Encodable {
    let id: String
    let device: String
    let madeAt: UTCInstant
    let expiresAt: UTCInstant
    let keeps: String
    let isThis: Bool
}

struct OwnSessionList: Encodable { let sessions: [OwnSessionReply] }

struct AuditEntryReply: Encodable {
    let number: Int64
    let at: UTCInstant
    let actor: Int64
    let action: String
    let person: Int64
    let detail: String
    let hash: String
}

struct AuditReply: Encodable {
    let entries: [AuditEntryReply]
    /// The first entry that does not follow the one before it; absent where all do.
    let brokenAt: Int64?
}
