public import Calendars
public import ContactCards
internal import KonzaModel
internal import Storage
internal import Synchronization

/// Events, people and pages of the station: from the operator's folder, and what that lacks from the one that came along. Changed
/// files are read by ``refresh()``; one that has become bad keeps what was read of it before.
public final class StationContent: Sendable {
    /// What there is.
    public struct Parts: Sendable {
        public let calendar: EventCalendar
        /// In the order of the files and of the cards in them.
        public let people: [Person]
        /// Those that are not hidden, in their order.
        public let pages: [StationPage]
        /// What cannot be used, each with the file, the line where it is known, and what to do.
        public let faults: [String]
        /// Counts the changes.
        public let version: Int
    }

    /// A person and the name that the API has for the card.
    public struct Person: Sendable, Equatable {
        public let id: String
        public let card: ContactCard
    }

    private struct Layer: Sendable {
        let folder: String
        let calendar: ContentFolder<CalendarFile>
        let personnel: ContentFolder<ContactCards>
        let pages: ContentFolder<StationPage>

        init(_ folder: String, good: KeptCalendars?) {
            self.folder = folder
            calendar = ContentFolder(
                "\(folder)/calendar",
                ContentRule(endings: ["ics", "plist"], mostFiles: 50, mostBytes: CalendarFile.mostBytes),
                restore: { good?.file(KeptCalendars.name(ofFile: $0)) }
            ) { name, bytes, before throws(ContentError) in
                do throws(CalendarError) {
                    let file =
                        name.lowercased().hasSuffix(".plist")
                        ? try CalendarFile(propertyList: bytes) : try CalendarFile(iCalendar: bytes, after: before)
                    good?.keep(KeptCalendars.name(ofFile: name), bytes, file)
                    return file
                } catch {
                    throw ContentError(line: error.line, error.detail)
                }
            }
            personnel = ContentFolder(
                "\(folder)/personnel",
                ContentRule(endings: ["vcf"], mostFiles: 50, mostBytes: ContactCards.mostBytes)
            ) { _, bytes, _ throws(ContentError) in
                do throws(CardError) {
                    return try ContactCards(bytes)
                } catch {
                    throw ContentError(line: error.line, error.detail)
                }
            }
            pages = ContentFolder(
                "\(folder)/pages",
                ContentRule(
                    endings: ["md"], beside: ["jpg", "jpeg", "png", "webp"], depth: 1, mostFiles: 200,
                    mostBytes: StationPage.mostBytes)
            ) { name, bytes, _ throws(ContentError) in try StationPage(path: name, bytes) }
        }

        func refresh() -> Bool {
            // Each of them, whether or not another has changed.
            let changes = [calendar.refresh(), personnel.refresh(), pages.refresh()]
            return changes.contains(true)
        }
    }

    /// The most people and the most bytes of a picture.
    public static let mostPeople = 1000
    public static let mostPictureBytes = 2 << 20
    private static let mostFaults = 50

    private let own: Layer
    private let packaged: Layer?
    private let feeds: CalendarFeeds?
    private let awaitsFeeds: Bool
    /// Of ``feeds``, at the last look.
    private let fetched = Mutex<[CalendarFeeds.State]>([])
    private let hasLooked = Mutex(false)
    public let station: Zone
    private let state: Mutex<Parts>

    /// Nothing is read before the first ``refresh()``.
    ///
    /// - Parameters:
    ///   - folder: the operator's.
    ///   - packaged: what came along; nil for nothing.
    ///   - feeds: calendars that are fetched, and what calendars said when they were good; nil for none.
    ///   - awaitsFeeds: whether the settings name calendars to fetch, of which none may have come yet.
    ///   - station: the zone of days and of times without a zone.
    public init(
        folder: String, packaged: String?, feeds: CalendarFeeds? = nil, awaitsFeeds: Bool = false, station: Zone
    ) {
        own = Layer(folder, good: feeds?.good)
        self.feeds = feeds
        self.awaitsFeeds = awaitsFeeds
        self.packaged = packaged.map { Layer($0, good: nil) }
        self.station = station
        state = Mutex(
            Parts(calendar: EventCalendar([], station: station), people: [], pages: [], faults: [], version: 0))
    }

    /// What was found at the last look.
    public var current: Parts { state.withLock { $0 } }

    /// Looks at the folders once more. Blocks.
    ///
    /// - Returns: whether anything has changed.
    @discardableResult
    public func refresh() -> Bool {
        let changes = [own.refresh(), packaged?.refresh() ?? false, haveFeedsChanged()]
        let isFirst = hasLooked.withLock { looked in
            defer { looked = true }
            return !looked
        }
        if isFirst || changes[0] { forgetGone() }
        guard changes.contains(true) else { return false }
        let (calendars, people, pages) = (own.calendar.contents, own.personnel.contents, own.pages.contents)
        var faults = [calendars.faults, people.faults, pages.faults].flatMap { $0.map(\.description) }
        faults += Self.remarks(calendars.items.map { ($0, $1.remarks.map(\.description)) }, "\(own.folder)/calendar")
        faults += Self.remarks(people.items.map { ($0, $1.remarks.map(\.description)) }, "\(own.folder)/personnel")
        faults += Self.remarks(pages.items.map { ($0, remarks($1)) }, "\(own.folder)/pages")
        faults += feeds?.remarks ?? []
        // Examples go when the operator has something, good or not: of events and people all, of pages each by its name. Nothing
        // made up stands where a file of the station's own cannot be used.
        let feeds = feeds?.files ?? []
        let hasEvents = !calendars.items.isEmpty || !calendars.faults.isEmpty || !feeds.isEmpty || awaitsFeeds
        let hasPeople = !people.items.isEmpty || !people.faults.isEmpty
        let files = hasEvents ? calendars.items : packaged?.calendar.contents.items ?? [:]
        let cards = hasPeople ? people.items : packaged?.personnel.contents.items ?? [:]
        let bad = pages.faults.map(\.file)
        let examples = (packaged?.pages.contents.items ?? [:]).filter { name, _ in
            // What cannot be read may have taken it out.
            let file = "\(own.folder)/pages/\(name)"
            return !bad.contains { file == $0 || file.hasPrefix("\($0)/") }
        }
        let allPages = examples.merging(pages.items) { $1 }
        // Of an event that the operator's files have, too, theirs counts.
        let calendar = EventCalendar(files.sorted { $0.key < $1.key }.map(\.value) + feeds, station: station)
        let found = Self.people(cards.sorted { $0.key < $1.key }.flatMap(\.value.cards))
        let shown = allPages.values.filter { !$0.isHidden }.sorted {
            ($0.language, $0.order, $0.title, $0.name) < ($1.language, $1.order, $1.title, $1.name)
        }
        state.withLock { state in
            state = Parts(
                calendar: calendar, people: found, pages: shown, faults: Array(faults.prefix(Self.mostFaults)),
                version: state.version + 1)
        }
        return true
    }

    /// Forgets what calendars said that were taken away; what cannot be listed is not gone.
    private func forgetGone() {
        let calendars = own.calendar.contents
        guard !calendars.faults.contains(where: { $0.file == "\(own.folder)/calendar" }) else { return }
        feeds?.good.keepOnly(files: Set(calendars.items.keys))
    }

    /// Whether a calendar has been fetched since the last look. Does not wait.
    public var hasFreshFeeds: Bool {
        let now = fetchedFeeds
        return fetched.withLock { Self.differ($0, now) }
    }

    private func haveFeedsChanged() -> Bool {
        let now = fetchedFeeds
        return fetched.withLock { known in
            defer { known = now }
            return Self.differ(known, now)
        }
    }

    private var fetchedFeeds: [CalendarFeeds.State] { feeds?.states.filter { $0.fetchedAt != nil } ?? [] }

    private static func differ(_ one: [CalendarFeeds.State], _ other: [CalendarFeeds.State]) -> Bool {
        one.map(\.source) != other.map(\.source) || one.map(\.fetchedAt) != other.map(\.fetchedAt)
    }

    /// A picture beside the pages of a language. Blocks.
    ///
    /// - Returns: nil where there is none of that name, or it is too large.
    func picture(_ name: String, language: String) throws(FileError) -> [UInt8]? {
        let path = "pages/\(language)/\(name)"
        for layer in [own, packaged].compactMap({ $0 }) where Folder.isInside(path, of: layer.folder) {
            return try Folder.contents("\(layer.folder)/\(path)", limit: Self.mostPictureBytes)
        }
        return nil
    }

    private func remarks(_ page: StationPage) -> [String] {
        page.remarks
            + page.pictures.filter { picture in
                ![own, packaged].compactMap({ $0 }).contains {
                    Folder.isInside("pages/\(page.language)/\(picture)", of: $0.folder)
                }
            }.map { "the picture \($0) is not there; put it beside the page" }
    }

    private static func remarks(_ files: [(String, [String])], _ folder: String) -> [String] {
        files.sorted { $0.0 < $1.0 }.flatMap { name, remarks in remarks.map { "\(folder)/\(name): \($0)" } }
    }

    private static func people(_ cards: [ContactCard]) -> [Person] {
        var known: Set<String> = []
        var people: [Person] = []
        for card in cards.prefix(mostPeople) {
            var hash = SHA256()
            hash.update(Array(card.key.utf8))
            let id = String(hash.hexadecimal().prefix(12))
            if known.insert(id).inserted { people.append(Person(id: id, card: card)) }
        }
        return people
    }
}
