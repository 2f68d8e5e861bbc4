public import KonzaModel

/// A party that is out, or was.
public struct Trip: Sendable, Equatable, Codable {
    /// Whom to ask for the party.
    public struct Contact: Sendable, Equatable, Codable {
        public var name: String
        public var phone: String
        public var email: String
        /// In which it is written to (``MessageLanguage``); nil where it is not known.
        public var language: String?

        public init(name: String = "", phone: String = "", email: String = "", language: String? = nil) {
            self.name = name
            self.phone = phone
            self.email = email
            self.language = language
        }
    }

    /// Where the party said it was, by its choice.
    public struct Place: Sendable, Equatable, Codable {
        /// Degrees, WGS 84.
        public var latitude: Double
        public var longitude: Double
        /// Metres.
        public var accuracy: Double?

        public init(latitude: Double, longitude: Double, accuracy: Double? = nil) {
            self.latitude = latitude
            self.longitude = longitude
            self.accuracy = accuracy
        }
    }

    /// Who leads it.
    public var leader: String
    /// Everybody else.
    public var party: [String]
    public var destination: String
    /// Names of trails, in the order of the way; may be empty.
    public var route: [String]
    public var vehicle: String
    public var contact: Contact
    public var note: String
    public var expectedAt: UTCInstant
    public var place: Place?

    public init(
        leader: String, party: [String] = [], destination: String, route: [String] = [], vehicle: String = "",
        contact: Contact = Contact(), note: String = "", expectedAt: UTCInstant, place: Place? = nil
    ) {
        self.leader = leader
        self.party = party
        self.destination = destination
        self.route = route
        self.vehicle = vehicle
        self.contact = contact
        self.note = note
        self.expectedAt = expectedAt
        self.place = place
    }
}

/// How overdue a trip is.
public enum Overdue: Int, Sendable, Comparable, CaseIterable, Codable {
    case no = 0
    /// The expected return has passed: the party is reminded.
    case due = 1
    /// The officer is sent a message.
    case officer = 2
    /// The contact is sent a message, and is to be called.
    case contacts = 3
    /// The number to call for a search is shown.
    case search = 4

    public static func < (left: Overdue, right: Overdue) -> Bool { left.rawValue < right.rawValue }

    public var name: String {
        switch self {
        case .no: "no"
        case .due: "due"
        case .officer: "officer"
        case .contacts: "contacts"
        case .search: "search"
        }
    }
}

/// When the steps of an overdue trip come, seconds after the expected return; each at least as late as the one before.
public struct OverdueSteps: Sendable, Equatable {
    public let officer: Double
    public let contacts: Double
    public let search: Double

    public init(officer: Double = 900, contacts: Double = 3600, search: Double = 14_400) {
        self.officer = max(0, officer)
        self.contacts = max(self.officer, contacts)
        self.search = max(self.contacts, search)
    }

    /// How many seconds after the expected return the first message is written that comes after a step.
    func firstMessage(after step: Overdue) -> Double {
        step < .officer ? officer : step < .contacts ? contacts : search
    }

    /// How overdue a trip is that was expected so many seconds ago; negative before that.
    public func state(secondsLate: Double) -> Overdue {
        if secondsLate >= search { return .search }
        if secondsLate >= contacts { return .contacts }
        if secondsLate >= officer { return .officer }
        return secondsLate >= 0 ? .due : .no
    }
}
