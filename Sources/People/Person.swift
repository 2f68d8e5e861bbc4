public import KonzaModel

/// What a person is at the station. Each includes the ones before it.
public enum PersonRole: String, Sendable, CaseIterable, Comparable {
    /// Lives and works at the station: reads announcements, musters, goes on trips.
    case crew
    /// Looks after the crew: the roster, corrections, announcements, overdue trips.
    case officer
    /// Looks after the accounts.
    case keeper

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: PersonRole, right: PersonRole) -> Bool { left.rank < right.rank }
}

/// Somebody with an account.
public struct Person: Sendable, Equatable {
    /// Given once and never again, also after the account was removed: the audits name people by it.
    public let number: Int64
    public var name: String
    public var role: PersonRole
    /// The first local day on which they are expected; nil for always.
    public var arrives: CalendarDate?
    /// The last one; nil for no end.
    public var departs: CalendarDate?
    public let createdAt: UTCInstant
    /// Whether there is a passphrase.
    public let canSignIn: Bool
    /// Whether there is a PIN for the kiosk.
    public let hasPIN: Bool
    public let hasBadge: Bool

    /// Unicode scalars of a name.
    public static let longestName = 60

    /// A name as it is kept: one line without outer or double spaces, with a letter in it; nil if there is nothing left of it.
    static func checkedName(_ text: String) -> String? {
        let words = TextRule.cleaned(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !words.isEmpty, TextRule.complaint(words, upTo: longestName) == nil,
            words.contains(where: \.isLetter)
        else { return nil }
        return words
    }
}

/// What opens an account, known to the station only now: it keeps hashes.
public struct Credentials: Sendable, Equatable {
    public let passphrase: String
    /// Six digits for the kiosk.
    public let pin: String
    /// What the badge's QR code says.
    public let badge: String
}

/// Why something cannot be done with an account.
public enum PeopleError: Error, Sendable, Equatable {
    /// No account has the name or the number.
    case unknown
    /// Another account has the name.
    case taken(String)
    /// The name or the secret is wrong; never which of them.
    case refused
    /// Too many tries; the next may be made after so many seconds.
    case tooSoon(seconds: Double)
    /// Too many wrong tries in a row: a keeper has to reset the account.
    case exhausted
    /// As many hashes wait as may.
    case busy
    case noMemory
    /// As many accounts as there may be.
    case tooMany(limit: Int)
    /// The last keeper cannot be removed, nor made something else, but on the box.
    case lastKeeper
    /// A value that cannot be.
    case invalid(String)
}
