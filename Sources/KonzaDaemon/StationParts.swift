internal import Capture
internal import Drawing
internal import JPEGCoding
internal import KonzaAPI
internal import KonzaModel
internal import KonzaSystem
internal import Positioning
internal import Postcards
internal import Settings
internal import Specimens
internal import Stamping
internal import Storage
internal import Synchronization

/// The settings in force. A reload replaces them whole.
final class SettingsBox: Sendable {
    private let box: Mutex<StationSettings>

    init(_ settings: StationSettings) {
        box = Mutex(settings)
    }

    var current: StationSettings { box.withLock { $0 } }

    func replace(with settings: StationSettings) {
        box.withLock { $0 = settings }
    }
}

/// Everything the routes and services work with.
struct StationParts: Sendable {
    let clock: any StationClock
    let startedAt: MonotonicInstant
    let settings: SettingsBox
    let log: Log
    let time: TimeKeeper
    let board: PositionBoard
    let standing: StandingKeeper
    let hub: FrameHub
    let library: TemplateLibrary
    let artist: PostcardArtist
    let engine: any StampingEngine
    let store: Store
    let archive: PostcardArchive
    let specimens: SpecimenArchive
    let events: StationEvents
    /// Everything that clients can make konzad hold.
    let memory: MemoryBudget
    let tally = StationTally()

    /// What pictures take of it, on nobody's account: few are worked on at once, and none for long.
    var pictureMemory: PictureMemory { PictureMemory(memory, account: nil) }
}

extension StationParts {
    /// Puts the parts together. Nothing is opened that could be missing, but the archive, which says what is wrong
    /// with it.
    static func make(
        _ settings: StationSettings, data: String, clock: any StationClock, log: Log,
        isSynchronized: @escaping @Sendable () -> Bool? = { SystemClock.isSynchronized }
    ) throws -> StationParts {
        let board = PositionBoard(clock: clock, settings: PositionSettings(settings.position))
        let isLive = settings.camera.source == .v4l2
        let source: SourceKind = isLive ? .live : settings.camera.recording == nil ? .simulated : .recorded
        let hub = FrameHub(clock: clock, source: source, idleSeconds: settings.camera.idleAfter)
        let time = TimeKeeper(
            clock: clock, receiverUTC: { board.receiverUTC(at: $0) }, isSynchronized: isSynchronized)
        let library = TemplateLibrary(folders: templateFolders(settings, data: data))
        let store = try Store(folder: settings.general.state, clock: clock, believedTime: { time.believedNow })
        let archive = PostcardArchive(store: store, limits: RetentionLimits(settings.postcards, capacity: 0))
        let specimens = SpecimenArchive(store: store)
        let memory = MemoryBudget()
        return StationParts(
            clock: clock, startedAt: clock.monotonic(), settings: SettingsBox(settings), log: log, time: time,
            board: board,
            standing: StandingKeeper(board: board, clock: clock, log: log, folder: settings.general.state), hub: hub,
            library: library, artist: PostcardArtist(cacheBytes: 8 << 20),
            engine: StampingLadder(memory: PictureMemory(memory, account: nil)),
            store: store, archive: archive, specimens: specimens,
            events: StationEvents(clock: clock, kept: settings.api.eventsPerClient, memory: memory), memory: memory)
    }

    /// The folders of the settings, then what the program brings along. The folders that are sought by default need
    /// not be there; one that somebody named must.
    private static func templateFolders(_ settings: StationSettings, data: String) -> [String] {
        let standard = StationSettings().postcards.templateFolders
        let own = settings.postcards.templateFolders
        let sought = own == standard ? own.filter(DataFolder.exists) : own
        let carried = "\(data)/templates"
        return sought.contains(carried) ? sought : sought + [carried]
    }

    /// The health of each part by its name, in the order in which people ask.
    func health() -> [(part: String, health: PartHealth)] {
        [
            ("position", board.snapshot().health),
            ("camera", hub.status().health),
            ("templates", templatesHealth),
            ("archive", tally.archive(store.figures.health, at: clock.monotonic())),
            ("outbox", outboxHealth),
            ("clock", time.health),
            ("configuration", tally.configuration),
        ]
    }

    /// The worst of the parts, in one sentence for all that are not well.
    static func overall(_ parts: [(part: String, health: PartHealth)]) -> PartHealth {
        let unwell = parts.filter { $0.health.level != .ok }
        guard let worst = unwell.max(by: { $0.health.level < $1.health.level }) else { return .ok("all is well") }
        return PartHealth(
            level: worst.health.level, kind: worst.health.kind,
            reason: unwell.map { "\($0.part): \($0.health.reason)" }.joined(separator: "; "))
    }

    /// One line for `systemctl status`.
    static func summary(_ parts: [(part: String, health: PartHealth)]) -> String {
        let overall = overall(parts)
        return overall.level == .ok ? "all is well" : String(overall.reason.prefix(400))
    }

    /// A submission that nobody looks at never arrives.
    private var outboxHealth: PartHealth {
        let counts = specimens.figures.outbox
        let refused = counts[.refused] ?? 0
        let conflicts = counts[.conflict] ?? 0
        guard refused + conflicts > 0 else {
            let waiting = (counts[.ready] ?? 0) + (counts[.sending] ?? 0)
            return .ok(waiting == 0 ? "nothing waits to be sent" : "\(waiting) submissions wait to be sent")
        }
        return PartHealth(
            level: .degraded, kind: "outbox-needs-a-person",
            reason: "\(refused) submissions were refused and \(conflicts) are in conflict; see GET /v1/outbox, then "
                + "change the specimens or resolve the conflicts")
    }

    private var templatesHealth: PartHealth {
        let name = settings.current.postcards.template
        guard library.templates.contains(where: { $0.name == name }) else {
            return PartHealth(
                level: .failed, kind: "template-missing",
                reason: "the template \(name) is not there: set [Postcards] Template= to one of GET /v1/templates, "
                    + "or TemplateFolders= to the folder that holds it")
        }
        if let problem = library.problems.first {
            return PartHealth(level: .degraded, kind: "template-broken", reason: problem.message)
        }
        return .ok("\(library.templates.count) templates")
    }
}
