public import KonzaModel

/// The texts of an event, as people read them.
public struct EventWords: Sendable, Equatable {
    /// What it is about.
    public var title: String
    public var place: String?
    /// May have lines.
    public var details: String?
    /// An address with http or https.
    public var link: String?

    public init(title: String, place: String? = nil, details: String? = nil, link: String? = nil) {
        self.title = title
        self.place = place
        self.details = details
        self.link = link
    }
}

/// One time that an event takes place.
public struct EventInstance: Sendable, Equatable {
    /// Names it for as long as its event stays as it is: letters, digits and a hyphen.
    public let id: String
    public let words: EventWords
    public let start: UTCInstant
    /// When it is over; the start itself where the calendar does not say.
    public let end: UTCInstant
    public let isAllDay: Bool
    /// In the station's zone.
    public let firstDay: CalendarDate
    /// In the station's zone, the last day that it takes place on.
    public let lastDay: CalendarDate
    public let isCancelled: Bool
    /// Whether it comes again by a rule.
    public let recurs: Bool
    /// Whether its time zone is not known, so that the station's was taken.
    public let isZoneAssumed: Bool
}

/// Something of a calendar that cannot be used, with the line where it stands.
public struct CalendarRemark: Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1; nil where no line is to blame.
    public let line: Int?
    public let detail: String
    /// Whether an event cannot be used, and not only a part of one.
    public var isOfEvent = false

    public var description: String { (line.map { "line \($0): " } ?? "") + detail }
}

/// Why a file is no calendar.
public struct CalendarError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Counted from 1; nil where no line is to blame.
    public let line: Int?
    /// Why, and what to do.
    public let detail: String

    init(line: Int? = nil, _ detail: String) {
        self.line = line
        self.detail = detail
    }

    public var description: String {
        "cannot read the calendar" + (line.map { " at line \($0)" } ?? "") + ": \(detail)"
    }
}
