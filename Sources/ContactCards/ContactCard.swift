/// A person as visitors and crew see them.
public struct ContactCard: Sendable, Equatable {
    /// A number or an address, and what it is for.
    public struct Reach: Sendable, Equatable {
        /// As it is shown.
        public let text: String
        /// `tel:+…` (RFC 3966) or `mailto:…` (RFC 6068); nil for what cannot be followed.
        public let address: String?
        /// Such as work or cell, in lower case; nil where the card does not say.
        public let kind: String?

        public init(text: String, address: String?, kind: String? = nil) {
            self.text = text
            self.address = address
            self.kind = kind
        }
    }

    /// The most entries of each list.
    public static let mostEntries = 20

    public var name: String
    /// What the name is sorted by: the family name, then the given one.
    public var sortName: String
    /// The parts of the name as a card has them: family, given, additional, prefixes, suffixes.
    public var nameParts: [String] = []
    public var uid: String?
    /// What the person does here (TITLE, else ROLE).
    public var designation: String?
    public var organization: String?
    public var phones: [Reach] = []
    public var mails: [Reach] = []
    /// The mailing address, by lines.
    public var address: [String] = []
    /// The parts of the address as a card has them.
    var addressParts: [String] = []
    /// CATEGORIES, such as Primary Contacts.
    public var groups: [String] = []
    /// INTEREST (RFC 6715), EXPERTISE or X-INTEREST.
    public var interests: [String] = []
    /// X-PUBLICATION.
    public var publications: [String] = []
    public var note: String?
    /// The address of the person's page, http or https.
    public var profile: String?

    public init(name: String) {
        self.name = name
        sortName = name
    }

    /// Names the card among others: its UID, else its name and first mail address.
    public var key: String { uid ?? "\(name)\u{1F}\(mails.first?.text ?? "")" }
}

/// Something of a card that cannot be used, with the line where it stands.
public struct CardRemark: Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1.
    public let line: Int
    public let detail: String

    public var description: String { "line \(line): \(detail)" }
}

/// Why a file has no cards.
public struct CardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1; nil where no line is to blame.
    public let line: Int?
    /// Why, and what to do.
    public let detail: String

    init(line: Int? = nil, _ detail: String) {
        self.line = line
        self.detail = detail
    }

    public var description: String { "cannot read the cards" + (line.map { " at line \($0)" } ?? "") + ": \(detail)" }
}
