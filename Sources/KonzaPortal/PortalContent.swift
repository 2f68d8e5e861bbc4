internal import Announcements
internal import Calendars
internal import HTTPServing
internal import KonzaModel
internal import KonzaSystem
internal import Learning
internal import Settings
internal import StationPages
internal import Storage
internal import Synchronization

/// Events, people and pages of the settings' folder. The kernel is asked every two seconds whether something has changed there, so that it
/// is seen at once; what the kernel does not hear of is seen by a look without being told.
final class PortalContent: Sendable {
    private static let secondsBetweenQuestions = 2.0
    /// Questions from one look without being told to the next.
    private static let questionsBetweenLooks = 15

    let routes: [Route]
    private let content: StationContent
    let feeds: CalendarFeeds
    private let health: HealthRoutes
    private let clock: any StationClock
    private let watch: FolderWatch?
    private let folder: String

    /// Reads the folder for the first time. Blocks.
    ///
    /// - Parameters:
    ///   - settings: of the station.
    ///   - database: where fetched calendars are kept.
    ///   - health: where files are named that cannot be used; a new one goes to the log as well.
    ///   - clock: the time.
    init(_ settings: StationSettings, database: Database, health: HealthRoutes, clock: any StationClock) {
        let feeds = CalendarFeeds(database, clock: clock)
        self.feeds = feeds
        folder = settings.portal.content
        // Watched before it is read: nothing changes unseen in between.
        watch = FolderWatch([settings.portal.content, Self.packaged])
        content = StationContent(
            folder: settings.portal.content, packaged: Self.packaged, feeds: feeds,
            awaitsFeeds: !settings.courier.calendars.isEmpty,
            station: ZoneLookup.station(settings.general.timeZone))
        self.health = health
        self.clock = clock
        routes = StationPagesRoutes(content, feeds: feeds, clock: clock).routes
        look()
    }

    /// What `konza pages check` says of a folder: of all parts that an operator writes. Blocks.
    static func check(_ folder: String, zone: Zone) -> ContentCheck {
        let now = SystemClock().utc()
        var check = ContentCheck(folder: folder, packaged: packaged, station: zone, now: now)
        let announcements = AnnouncementFiles.check("\(folder)/announcements", at: now)
        check.add(
            announcements.announcements.map { name, announcement in
                let languages = announcement.translations.keys.sorted().map { ", \($0)" }.joined()
                return "announcement \(name): \(announcement.words.title) (\(announcement.language)\(languages))"
            }, faults: announcements.faults.map { "announcements: \($0)" },
            warnings: announcements.warnings.map { "announcements: \($0)" })
        let decks = DeckFolder("\(folder)/decks").check()
        check.add(decks.lines, faults: decks.faults)
        return check
    }

    /// What came along.
    private static var packaged: String {
        ProgramFiles.folder(
            installed: "share/konza/station", tree: "config/station", otherwise: "/usr/share/konza/station",
            mark: "pages")
    }

    /// Looks again and again until the task is cancelled.
    func tend() async {
        let questions = Mutex((count: 0, isHeard: false))
        await onTicks(named: "content", of: clock, everySeconds: Self.secondsBetweenQuestions) { [self] in
            let isDue = questions.withLock { asked in
                asked.count += 1
                guard asked.isHeard, let watch, asked.count < Self.questionsBetweenLooks else { return true }
                return watch.hasChange || content.hasFreshFeeds
            }
            guard isDue else { return }
            let isHeard = watch?.renew() ?? false
            look()
            questions.withLock { $0 = (0, isHeard) }
        }
    }

    private func look() {
        guard content.refresh() else { return }
        let faults = content.current.faults
        // A few are enough to begin with.
        let more =
            faults.count > 5
            ? ["and \(counted(faults.count - 5, "more file or event", "more files and events")) cannot be used"] : []
        health.set(
            "content",
            (faults.prefix(5) + more).map {
                PortalFault(
                    code: .content, what: $0,
                    remedy: "mend the file at the line that is named; konza pages check \(folder) names all")
            })
    }
}
